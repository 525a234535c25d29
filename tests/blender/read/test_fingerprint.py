"""The fingerprint of a run changes with whatever the run is made from, and with nothing else."""

from collections.abc import Callable

import bpy
import pytest

from tests.blender.animated import curves, drive, insert, strip_of_own_action
from tests.blender.building import armature, empty, frames, from_library, link, part, reopen, sphere
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.shaped import shaped
from tests.blender.steered import bake, clear_bake, crowd, leader, obstacle, press, road, select, tag, vehicle
from tests.sampling import in_every_blender


def fingerprint() -> str:
    return part("blender.read.fingerprint").fingerprint(bpy.context.scene)


def town():
    """Two vehicles of a crowd that follow a road, past an obstacle that moves, to a keyed leader."""
    frames(1, 6)
    lead = leader(location=(0.0, 20.0, 0.0))
    insert(lead, "location", {1: (0.0, 20.0, 0.0), 6: (5.0, 20.0, 0.0)})
    block = obstacle(name="Block", location=(0.0, 8.0, 0.0))
    way = road()
    crowd_object = crowd("Cars", path_following={"path": way}, seek={"target": lead}, obstacle_avoidance={})
    insert(crowd_object, "steering.seek.weight", {1: 1.0, 6: 2.0})
    vehicle(name="One", crowd=crowd_object)
    second = vehicle(name="Two", crowd=crowd_object, location=(3.0, 0.0, 0.0))
    second.steering.own_locomotion = "WHEELED"
    return crowd_object, lead, block, way


def of(name: str):
    """What the extension stores of an object."""
    return bpy.data.objects[name].steering


def a_setting() -> None:
    of("Cars").vehicle.max_speed += 1.0


def the_start() -> None:
    bpy.data.objects["One"].location.x -= 2.0
    press("set_start", bpy.data.objects["One"])


def target():
    return next(ob for ob in bpy.data.objects if ob.animation_data and "LEADER" in ob.steering.roles)


def set_of_strip(name: str, value: object) -> None:
    setattr(target().animation_data.nla_tracks[0].strips[0], name, value)


def variable():
    return target().animation_data.drivers[0].driver.variables[0]


def a_driver() -> None:
    drive(target(), "location", "x", index=2, x=(of("Cars").path_following.path, "location.x"))


def a_point_of_the_path() -> None:
    of("Cars").path_following.path.data.splines[0].points[1].co.x += 1.0


CHANGES: dict[str, Callable[[], object]] = {
    "a setting of the locomotion": lambda: setattr(of("Cars").simple_vehicle, "max_turn_rate", 1.0),
    "a locomotion": lambda: setattr(of("Cars"), "locomotion", "PLANAR"),
    "the locomotion of one vehicle": lambda: setattr(of("One"), "own_locomotion", "PLANAR"),
    "a setting of the locomotion of one vehicle": lambda: setattr(of("Two").wheeled, "wheelbase", 3.0),
    "a setting": a_setting,
    "a behavior": lambda: setattr(of("Cars").wander, "use", True),
    "a key of a setting": lambda: insert(bpy.data.objects["Cars"], "steering.seek.weight", {6: 3.0}),
    "a setting of one vehicle": lambda: setattr(of("One"), "speed_factor", 1.2),
    "the start": the_start,
    "keys of a target": lambda: insert(target(), "location", {3: (9.0, 9.0, 0.0)}),
    "a point of the path": a_point_of_the_path,
    "the place of the path": lambda: setattr(of("Cars").path_following.path.location, "x", 1.0),
    "the shape of an obstacle": lambda: setattr(bpy.data.objects["Block"].data.vertices[0].co, "x", 9.0),
    "a modifier of an obstacle": lambda: bpy.data.objects["Block"].modifiers.new("Thick", "SOLIDIFY"),
    "a key of the size of a vehicle": lambda: insert(bpy.data.objects["One"], "scale", {3: (2.0, 2.0, 2.0)}),
    "another member": lambda: vehicle(name="Three", crowd=bpy.data.objects["Cars"], location=(6.0, 0.0, 0.0)),
    "one member less": lambda: bpy.data.objects.remove(bpy.data.objects["Two"]),
    "an inactive obstacle": lambda: setattr(of("Block"), "active", False),
    "an obstacle that is active again": lambda: setattr(of("Block"), "active", True),
    "a deleted obstacle": lambda: bpy.data.objects.remove(bpy.data.objects["Block"]),
    "a target": lambda: setattr(of("Cars").seek, "target", bpy.data.objects["One"]),
    "the seed": lambda: setattr(bpy.context.scene.steering, "seed", 7),
    "a strip of a target": lambda: strip_of_own_action(target()),
    "how a strip fades in": lambda: set_of_strip("blend_in", 2.0),
    "how much of a strip counts": lambda: set_of_strip("influence", 0.5),
    "a driver": a_driver,
    "a property that a driver reads": lambda: setattr(variable().targets[0], "data_path", "location.y"),
    "the frame rate": lambda: setattr(bpy.context.scene.render, "fps", 30),
}


def test_it_changes_with_what_the_run_is_made_from() -> None:
    town()
    bake()
    for name, change in CHANGES.items():
        before = fingerprint()
        change()
        assert fingerprint() != before, name


def workshop():
    """A vehicle that seeks the hand of a puppet, past a bent block with a part, to a leader below a rig that a driver
    and a strip move."""
    frames(1, 6)
    aim = empty("Aim", rotation=(0.3, 0.0, 0.0))
    aim["far"] = 1.0
    puppet = armature("Puppet", Arm=((0, 0, 0), (0, 1, 0)), Hand=((0, 1, 0), (0, 2, 0), "Arm"))
    block = shaped("Block", [(-1, 7, 0), (1, 7, 0), (0, 9, 2)], [(0, 1, 2)], {"Tall": {2: (0, 0, 1)}})
    lattice = bpy.data.objects.new("Lattice", bpy.data.lattices.new("Lattice"))
    block.modifiers.new("Bent", "LATTICE").object = lattice
    nodes = bpy.data.node_groups.new("Joined", "GeometryNodeTree")
    nodes.nodes.new("GeometryNodeObjectInfo").inputs["Object"].default_value = empty("Taken In")
    block.modifiers.new("Joined", "NODES").node_group = nodes
    obstacle(block)
    sphere("Knob").parent = block
    lead = leader(location=(0.0, 20.0, 0.0))
    insert(lead, "location", {1: 0.0, 6: 5.0}, index=0)
    strip_of_own_action(lead)
    insert(lead, "location", {1: 0.0, 6: 2.0}, index=1)
    drive(lead, "rotation_euler", "far", index=2, far=(aim, '["far"]'))
    leader(armature("Dancer", Arm=((0, 0, 0), (0, 1, 0))))
    ship = vehicle(name="One", crowd=crowd("Cars", seek={"target": puppet, "target_bone": "Hand"}))
    insert(ship, "location", {-9: (0.0, -5.0, 0.0), -4: (0.0, -1.0, 0.0)})
    of("Cars").seek.target_collection = goals = bpy.data.collections.new("Goals")
    goals.objects.link(ship)


def shape_key():
    return bpy.data.objects["Block"].data.shape_keys.key_blocks["Tall"]


def arm(name: str = "Puppet"):
    return bpy.data.objects[name].pose.bones["Arm"]


def a_constraint_of_a_bone() -> None:
    arm().constraints.new("COPY_ROTATION").target = bpy.data.objects["Aim"]


def a_key_that_leads_up() -> None:
    [along] = [c for c in curves(bpy.data.objects["One"]) if (c.data_path, c.array_index) == ("location", 1)]
    along.keyframe_points[1].co.y = 1.0


def of_animation(name: str, value: object) -> None:
    setattr(bpy.data.objects["Leader"].animation_data, name, value)


CHANGES_OF_SHAPES_AND_POSES: dict[str, Callable[[], object]] = {
    "the value of a shape key": lambda: setattr(shape_key(), "value", 0.5),
    "a point of a shape key": lambda: setattr(shape_key().data[0].co, "x", 3.0),
    "a point of a lattice": lambda: setattr(bpy.data.lattices["Lattice"].points[0].co_deform, "x", 3.0),
    "a part that is bound to a point": lambda: setattr(bpy.data.objects["Knob"], "parent_type", "VERTEX"),
    "to which point a part is bound": lambda: setattr(bpy.data.objects["Knob"], "parent_vertices", (2, 0, 0)),
    "the faces of an obstacle": lambda: bpy.data.objects["Block"].data.flip_normals(),
    "a part of an obstacle": lambda: setattr(bpy.data.objects["Knob"].location, "x", 3.0),
    "a node": lambda: bpy.data.node_groups["Joined"].nodes.new("GeometryNodeJoinGeometry"),
    "what a node takes in": lambda: setattr(bpy.data.objects["Taken In"].location, "x", 3.0),
    "a pose": lambda: setattr(arm().location, "x", 1.0),
    "a constraint of a bone": a_constraint_of_a_bone,
    "how much of a constraint of a bone counts": lambda: setattr(arm().constraints[0], "influence", 0.5),
    "what a constraint of a bone follows": lambda: setattr(bpy.data.objects["Aim"].rotation_euler, "y", 1.0),
    "an axis of a target that nothing moves": lambda: setattr(bpy.data.objects["Leader"].location, "z", 3.0),
    "a custom property that a driver reads": lambda: bpy.data.objects["Aim"].__setitem__("far", 2.0),
    "a vehicle that is no target any more": lambda: bpy.data.collections["Goals"].objects.unlink(
        bpy.data.objects["One"]
    ),
    "a key that leads up to the run": a_key_that_leads_up,
    "how the rotation of a vehicle is stored": lambda: setattr(bpy.data.objects["One"], "rotation_mode", "QUATERNION"),
    "how much of an action counts": lambda: of_animation("action_influence", 0.5),
    "how an action is blended": lambda: of_animation("action_blend_type", "ADD"),
    "a track on solo": lambda: setattr(bpy.data.objects["Leader"].animation_data.nla_tracks[0], "is_solo", True),
}


@in_every_blender(a_part=True)
def test_it_changes_with_shapes_and_poses_of_what_the_run_reads() -> None:
    workshop()
    bake()
    for name, change in CHANGES_OF_SHAPES_AND_POSES.items():
        before = fingerprint()
        change()
        assert fingerprint() != before, name


NO_CHANGES_OF_SHAPES_AND_POSES: dict[str, Callable[[], object]] = {
    "the name of a vehicle": lambda: setattr(bpy.data.objects["One"], "name", "First"),
    "how a leader is drawn": lambda: setattr(bpy.data.objects["Leader"], "empty_display_size", 4.0),
    "the pose of a leader": lambda: setattr(arm("Dancer").location, "x", 1.0),
    "an axis that is keyed": lambda: setattr(bpy.data.objects["Leader"].location, "x", 3.0),
    "channels of another rotation mode": lambda: setattr(bpy.data.objects["Block"].rotation_quaternion, "x", 0.5),
}


def test_it_stays_with_shapes_and_poses_that_the_run_does_not_see() -> None:
    workshop()
    bake()
    before = fingerprint()
    for name, change in NO_CHANGES_OF_SHAPES_AND_POSES.items():
        change()
        assert fingerprint() == before, name


def a_value_set_to_what_it_was() -> None:
    of("Cars").vehicle.damping = of("Cars").vehicle.damping
    of("Cars").attendance.hide = True


NO_CHANGES: dict[str, Callable[[], object]] = {
    "another frame": lambda: bpy.context.scene.frame_set(4),
    "a selection": lambda: select(bpy.data.objects["Block"]),
    "the overlay": lambda: setattr(bpy.context.scene.steering, "show_overlay", False),
    "an untagged object": lambda: bpy.ops.mesh.primitive_cube_add(),
    "a value set to what it was": a_value_set_to_what_it_was,
    "a look at a behavior": lambda: of("Cars").docking.use,
    "settings of the scene that were never set": lambda: bpy.context.scene.property_unset("steering"),
    "the same bake again": bake,
    "a setting of another locomotion": lambda: setattr(of("Cars").planar, "max_turn_rate", 1.0),
    "the name of a crowd": lambda: setattr(bpy.data.objects["Cars"], "name", "Automobiles"),
}


def test_it_stays_with_what_does_not_change_the_run() -> None:
    town()
    bake()
    before = fingerprint()
    for name, change in NO_CHANGES.items():
        change()
        assert fingerprint() == before, name


def test_making_it_writes_nothing_and_it_survives_saving(tmp_path) -> None:
    town()
    bake()
    scene = scene_dump()
    before = fingerprint()
    assert_same(scene, scene_dump())
    reopen(tmp_path / "town.blend")
    assert fingerprint() == before


def test_it_stays_when_the_file_is_saved_elsewhere_than_a_library_of_it(tmp_path) -> None:
    obstacle(name="Rock")
    rock = link(from_library(tmp_path, "objects", "Rock"))
    vehicle(crowd=crowd(obstacle_avoidance={}))
    bake()
    before, path = fingerprint(), rock.library.filepath
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert rock.library.filepath != path
    assert fingerprint() == before


def test_it_leaves_out_the_stored_scale_of_a_vehicle_whose_scale_is_animated() -> None:
    """Blender may store another one each time it evaluates the strip that a bake sets aside."""
    town()
    ship = bpy.data.objects["One"]
    insert(ship, "scale", {-40: (2.0, 2.0, 2.0), -30: (3.0, 3.0, 3.0)})
    strip_of_own_action(ship)
    bake(replace_own_keys=True)
    before = fingerprint()
    ship.scale = 1.0, 1.0, 1.0
    assert fingerprint() == before


def baked():
    return part("blender.status.census").count(bpy.context.scene).bake


def test_the_census_tells_a_bake_that_still_holds_from_one_that_does_not() -> None:
    """Of one from before fingerprints were stored it cannot tell, and calls it out of date no more."""
    town()
    assert baked().vehicles == 0
    bake()
    assert (baked().vehicles, baked().first, baked().last, baked().outdated) == (2, 1.0, 6.0, False)
    a_setting()
    assert baked().outdated
    del bpy.context.scene["steering_runs"]
    assert baked().vehicles == 2 and not baked().outdated
    bake()
    assert not baked().outdated
    clear_bake()
    assert baked().vehicles == 0


def test_after_a_bake_of_one_vehicle_with_another_setting_the_bake_of_the_other_is_out_of_date() -> None:
    town()
    bake()
    a_setting()
    press("bake", bpy.data.objects["One"], selected=True)
    assert baked().outdated
    press("bake", bpy.data.objects["Two"], selected=True)
    assert not baked().outdated


def test_resources_that_a_bake_hides_do_not_put_it_out_of_date() -> None:
    frames(1, 20)
    food = tag(empty("Food", location=(0.0, 1.0, 0.0)), role="RESOURCE")
    food.steering.amount = 0.1
    vehicle(crowd=crowd(forage={}))
    bake()
    assert not baked().outdated


def test_counting_on_another_frame_does_not_compare_the_bake_again(monkeypatch) -> None:
    """Playback would be slowed down by it."""
    town()
    bake()
    a_setting()
    census = part("blender.status.census")
    before = census.count(bpy.context.scene)
    bpy.context.scene.frame_set(3)
    monkeypatch.setattr(census, "fingerprint", lambda *_: pytest.fail("The bake was compared again."))
    monkeypatch.setattr(census, "findings", lambda *_: pytest.fail("The scene was searched again."))
    after = census.count(bpy.context.scene, before)
    assert after.bake == before.bake and after.findings == before.findings


def test_a_bake_takes_one_fingerprint(monkeypatch) -> None:
    taken, module = [], part("blender.read.fingerprint")
    whole = module.taking_fingerprint

    def counted(*given):
        taken.append(given)
        return whole(*given)

    for each in (module, part("blender.operators.baking")):
        monkeypatch.setattr(each, "taking_fingerprint", counted)
    frames(1, 3)
    vehicle(crowd=crowd("Ships", wander={}))
    bake()
    assert len(taken) == 1
    assert not part("blender.status.census").refresh(bpy.context.scene).bake.outdated
