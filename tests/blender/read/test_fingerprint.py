"""The fingerprint of a run changes with whatever the run is made from, and with nothing else."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import pytest

from tests.blender.building import (
    assert_same,
    bake,
    clear_bake,
    crowd,
    empty,
    frames,
    insert,
    leader,
    obstacle,
    part,
    road,
    scene_dump,
    select,
    strip_of_own_action,
    tag,
    vehicle,
)


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


def a_setting() -> None:
    bpy.data.objects["Cars"].steering.vehicle.max_speed += 1.0


def a_behavior() -> None:
    bpy.data.objects["Cars"].steering.wander.use = True


def a_key_of_a_setting() -> None:
    insert(bpy.data.objects["Cars"], "steering.seek.weight", {6: 3.0})


def a_locomotion() -> None:
    bpy.data.objects["Cars"].steering.locomotion = "PLANAR"


def a_setting_of_the_locomotion() -> None:
    bpy.data.objects["Cars"].steering.simple_vehicle.max_turn_rate = 1.0


def the_locomotion_of_one_vehicle() -> None:
    bpy.data.objects["One"].steering.own_locomotion = "PLANAR"


def a_setting_of_the_locomotion_of_one_vehicle() -> None:
    bpy.data.objects["Two"].steering.wheeled.wheelbase = 3.0


def a_key_of_the_size_of_a_vehicle() -> None:
    insert(bpy.data.objects["One"], "scale", {3: (2.0, 2.0, 2.0)})


def a_setting_of_one_vehicle() -> None:
    bpy.data.objects["One"].steering.speed_factor = 1.2


def the_start() -> None:
    bpy.data.objects["One"].location.x -= 2.0
    select(bpy.data.objects["One"])
    assert bpy.ops.steering.set_start() == {"FINISHED"}


def a_target() -> None:
    bpy.data.objects["Cars"].steering.seek.target = bpy.data.objects["Block"]


def keys_of_a_target() -> None:
    target = next(ob for ob in bpy.data.objects if ob.animation_data and "LEADER" in ob.steering.roles)
    insert(target, "location", {3: (9.0, 9.0, 0.0)})


def a_point_of_the_path() -> None:
    way = bpy.data.objects["Cars"].steering.path_following.path
    way.data.splines[0].points[1].co.x += 1.0


def the_place_of_the_path() -> None:
    bpy.data.objects["Cars"].steering.path_following.path.location.x += 1.0


def the_shape_of_an_obstacle() -> None:
    bpy.data.objects["Block"].data.vertices[0].co.x += 1.0


def a_modifier_of_an_obstacle() -> None:
    bpy.data.objects["Block"].modifiers.new("Thick", "SOLIDIFY").thickness = 0.5


def another_member() -> None:
    vehicle(name="Three", crowd=bpy.data.objects["Cars"], location=(6.0, 0.0, 0.0))


def one_member_less() -> None:
    bpy.data.objects.remove(bpy.data.objects["Two"])


def a_deleted_obstacle() -> None:
    bpy.data.objects.remove(bpy.data.objects["Block"])


def an_inactive_obstacle() -> None:
    bpy.data.objects["Block"].steering.active = False


def the_seed() -> None:
    bpy.context.scene.steering.seed += 1


def the_frame_rate() -> None:
    bpy.context.scene.render.fps = 30


CHANGES = (
    *(a_locomotion, a_setting_of_the_locomotion),
    *(the_locomotion_of_one_vehicle, a_setting_of_the_locomotion_of_one_vehicle),
    *(a_setting, a_behavior, a_key_of_a_setting, a_setting_of_one_vehicle, the_start, a_target, keys_of_a_target),
    *(a_point_of_the_path, the_place_of_the_path, the_shape_of_an_obstacle, a_modifier_of_an_obstacle),
    *(
        a_key_of_the_size_of_a_vehicle,
        another_member,
        one_member_less,
        a_deleted_obstacle,
        an_inactive_obstacle,
        the_seed,
        the_frame_rate,
    ),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_it_changes_with_what_the_run_is_made_from(change: Callable[[], None]) -> None:
    town()
    bake()
    before = fingerprint()
    change()
    assert fingerprint() != before


def another_frame() -> None:
    bpy.context.scene.frame_set(4)


def a_selection() -> None:
    select(bpy.data.objects["Block"])


def the_overlay() -> None:
    bpy.context.scene.steering.show_overlay = False


def an_untagged_object() -> None:
    bpy.ops.mesh.primitive_cube_add()


def a_value_set_to_what_it_was() -> None:
    model = bpy.data.objects["Cars"].steering.vehicle
    model.damping = model.damping
    bpy.data.objects["Cars"].steering.attendance.hide = True


def a_setting_of_another_locomotion() -> None:
    bpy.data.objects["Cars"].steering.planar.max_turn_rate = 1.0


def a_look_at_a_behavior() -> None:
    assert not bpy.data.objects["Cars"].steering.docking.use


def the_same_bake_again() -> None:
    bake()


def a_saved_and_opened_file(folder) -> None:
    path = str(folder / "town.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)


NO_CHANGES = (
    *(another_frame, a_selection, the_overlay, an_untagged_object, a_value_set_to_what_it_was, a_look_at_a_behavior),
    *(the_same_bake_again, a_setting_of_another_locomotion),
)


@pytest.mark.parametrize("change", NO_CHANGES, ids=lambda change: change.__name__)
def test_it_stays_with_what_does_not_change_the_run(change: Callable[[], None]) -> None:
    town()
    bake()
    before = fingerprint()
    change()
    assert fingerprint() == before


def test_it_survives_saving(tmp_path) -> None:
    town()
    bake()
    before = fingerprint()
    a_saved_and_opened_file(tmp_path)
    assert fingerprint() == before


def test_making_it_writes_nothing() -> None:
    town()
    bake()
    before = scene_dump()
    fingerprint()
    assert_same(before, scene_dump())


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


def test_an_undone_change_gives_the_old_fingerprint_back() -> None:
    crowd_object, *_ = town()
    bake()
    before = fingerprint()
    speed = crowd_object.steering.vehicle.max_speed
    crowd_object.steering.vehicle.max_speed = 9.0
    assert fingerprint() != before
    crowd_object.steering.vehicle.max_speed = speed
    assert fingerprint() == before


# ---- the state of the bake, as the panel shows it


def baked():
    return part("blender.status.census").count(bpy.context.scene).bake


def test_the_census_tells_a_bake_that_still_holds_from_one_that_does_not() -> None:
    town()
    assert baked().vehicles == 0
    bake()
    assert (baked().vehicles, baked().first, baked().last, baked().outdated) == (2, 1.0, 6.0, False)
    a_setting()
    assert baked().outdated
    bake()
    assert not baked().outdated
    clear_bake()
    assert baked().vehicles == 0


def test_after_a_bake_of_one_vehicle_with_another_setting_the_bake_of_the_other_is_out_of_date() -> None:
    town()
    bake()
    a_setting()
    select(bpy.data.objects["One"])
    assert bpy.ops.steering.bake(selected=True) == {"FINISHED"}
    assert baked().outdated
    select(bpy.data.objects["Two"])
    assert bpy.ops.steering.bake(selected=True) == {"FINISHED"}
    assert not baked().outdated


def test_resources_that_a_bake_hides_do_not_put_it_out_of_date() -> None:
    frames(1, 20)
    food = tag(empty("Food", location=(0.0, 1.0, 0.0)), role="RESOURCE")
    food.steering.amount = 0.1
    vehicle(crowd=crowd(forage={}))
    bake()
    assert not baked().outdated


def test_a_bake_from_before_fingerprints_were_stored_is_not_called_out_of_date() -> None:
    town()
    bake()
    del bpy.context.scene["steering_runs"]
    a_setting()
    assert baked().vehicles == 2 and not baked().outdated


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
    taken = []
    whole = part("blender.read.fingerprint").fingerprint

    def counted(*given):
        taken.append(given)
        return whole(*given)

    for module in ("blender.operators.baking", "blender.status.census"):
        monkeypatch.setattr(part(module), "fingerprint", counted)
    frames(1, 3)
    vehicle(crowd=crowd("Ships", wander={}))
    bake()
    assert len(taken) == 1
    assert not part("blender.status.census").refresh(bpy.context.scene).bake.outdated
