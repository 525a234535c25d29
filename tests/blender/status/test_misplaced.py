"""Vehicles that cannot stand or move where they start are named before the bake, and those that fell after it."""

import math

import bpy
import pytest

from tests.blender.animated import insert
from tests.blender.building import empty, frames, link, meshed, part, put
from tests.blender.read.test_surfaces import hill
from tests.blender.seen import listed
from tests.blender.status.test_findings import selected_by_click
from tests.blender.steered import bake, crowd, tag, use, vehicle


def steep_hill():
    """A hill that is too steep halfway up."""
    return tag(hill("Hill", height=8.0), role="SURFACE")


def herd(*places, kind: str = "ON_FOOT"):
    group = crowd("Herd", wander={})
    group.steering.locomotion = kind
    group.steering.vehicle.radius = 0.4
    return [vehicle(name=f"Sheep {k}", location=place, crowd=group) for k, place in enumerate(places)]


def above_the_ground() -> set[str]:
    steep_hill()
    herd((15.0, 15.0, 4.0), (16.0, 10.0, 0.0), (50.0, 0.0, 0.0))
    return {"Sheep 0", "Sheep 2"}


def on_a_slope() -> set[str]:
    steep_hill()
    herd((15.0, 15.0, 0.0), (5.5, 0.0, 5.5))
    return {"Sheep 1"}


def on_the_border() -> set[str]:
    steep_hill()
    herd((19.95, 15.0, 0.0), (15.0, 15.0, 0.0))
    return {"Sheep 0"}


def on_a_table() -> set[str]:
    steep_hill()
    tag(hill("Table", side=1.0, cells=4, height=0.0, location=(12.0, 12.0, 3.0)), role="SURFACE")
    herd((12.0, 12.0, 3.0), (15.0, -15.0, 0.0))
    return {"Sheep 0"}


def on_the_underside() -> set[str]:
    steep_hill()
    first, *_ = herd((15.0, 15.0, 0.0), (-15.0, 15.0, 0.0))
    first.rotation_euler.x = math.pi
    return {"Sheep 0"}


def a_car_at_the_edge() -> set[str]:
    steep_hill()
    herd((19.5, 15.0, 0.0), (10.0, 15.0, 0.0), kind="WHEELED")
    return {"Sheep 0"}


def a_lone_rider() -> set[str]:
    """One that moves in another way than its crowd, which flies."""
    steep_hill()
    *_, rider = herd((15.0, 15.0, 9.0), (16.0, 10.0, 9.0), kind="FLYING")
    rider.steering.own_locomotion = "ON_FOOT"
    return {"Sheep 1"}


def a_surface_for_nobody() -> set[str]:
    steep_hill()
    herd((15.0, 15.0, 0.0), kind="PLANAR")
    return {"Hill"}


def a_surface_without_faces() -> set[str]:
    bare = put(link(bpy.data.objects.new("Bare", bpy.data.meshes.new("Bare"))))
    tag(bare, role="SURFACE")
    herd((15.0, 15.0, 0.0))
    return {"Bare"}


def a_room_of_one_mesh(wall: float = 2.0) -> set[str]:
    """A floor with a wall across it."""
    floor, across = (
        [(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)],
        [(0, -5, 0), (0, 5, 0), (0, 5, wall), (0, -5, wall)],
    )
    tag(meshed("Room", floor + across, [(0, 1, 2, 3), (4, 5, 6, 7)]), role="SURFACE")
    for sheep in herd((5.0, 5.0, 0.0)):
        sheep.steering.height = 1.0
    return {"Room"}


CASES = {
    above_the_ground: ("OFF_GROUND", "Sheep 0 and Sheep 2 have no surface at the feet"),
    on_a_slope: ("TOO_STEEP", "Sheep 1 starts on ground steeper than Max Slope"),
    on_the_border: ("AT_BORDER", "Sheep 0 starts on the border of a surface"),
    on_a_table: ("BOXED_IN", "Sheep 0 is boxed in by edges and ground steeper than Max Slope"),
    on_the_underside: ("UPSIDE_DOWN", "Sheep 0 starts upside down, but cannot hold on there. Populate again"),
    a_car_at_the_edge: ("WHEELS_HANG", "Sheep 0 has wheels that hang in the air"),
    a_lone_rider: ("OFF_GROUND", "Sheep 1 has no surface at the feet"),
    a_surface_for_nobody: ("UNUSED_SURFACE", "Hill is used by no crowd. Set the Locomotion of one to On Foot"),
    a_room_of_one_mesh: ("WALLED", "Room has walls, which nobody keeps out of. Tag as Obstacle as well"),
    a_surface_without_faces: ("NO_FACES", "Bare has no faces, so nothing stands on it"),
}


@pytest.mark.parametrize("scene", CASES, ids=lambda scene: scene.__name__)
def test_it_is_named_before_the_bake_and_a_click_selects_it(scene) -> None:
    frames(1, 5)
    names = scene()
    kind, text = CASES[scene]
    assert listed()[kind].startswith(text)
    others = {each for each, _ in CASES.values()} - {kind}
    assert scene is a_surface_without_faces or not others & set(listed())
    assert selected_by_click(kind) == names


def test_a_step_is_no_wall_and_a_wall_that_is_an_obstacle_as_well_is_not_named() -> None:
    frames(1, 5)
    a_room_of_one_mesh(wall=0.2)
    assert listed() == {}
    bpy.data.objects.remove(bpy.data.objects["Room"])
    a_room_of_one_mesh()
    tag(bpy.data.objects["Room"], role="OBSTACLE")
    assert listed() == {}


def test_a_wall_is_none_to_those_who_climb_it() -> None:
    a_room_of_one_mesh()
    assert "WALLED" in listed()
    bpy.data.objects["Herd"].steering.locomotion = "CRAWLING"
    assert "WALLED" not in listed()


def test_what_is_well_placed_or_baked_is_not_named() -> None:
    frames(1, 5)
    ground = steep_hill()
    herd((15.0, 15.0, 0.0), (16.0, 10.0, 0.0))
    assert listed() == {}
    ground.location.z = -3.0
    assert "OFF_GROUND" in listed(), "a surface that was moved is read again"
    bake()
    assert "OFF_GROUND" not in listed(), "the bake has told"


def test_who_has_no_sound_size_is_overlooked_and_the_others_are_named() -> None:
    steep_hill()
    odd, off = herd((15.0, 15.0, 0.0), (15.0, 15.0, 4.0))
    odd.steering.size_factor = math.nan
    assert listed()["OFF_GROUND"].startswith(off.name)


def test_what_moves_is_looked_at_on_the_first_frame() -> None:
    frames(1, 20)
    deck = steep_hill()
    insert(deck, "location", {1: (0.0, 0.0, 0.0), 20: (0.0, 0.0, -9.0)})
    herd((15.0, 15.0, 0.0))
    bpy.context.scene.frame_set(1)
    assert listed() == {}
    bpy.context.scene.frame_set(20)
    assert listed() == {}


def test_a_surface_is_read_once_and_not_at_every_look(monkeypatch) -> None:
    frames(1, 5)
    steep_hill()
    first, *_ = herd((15.0, 15.0, 0.0), (16.0, 10.0, 0.0))
    assert listed() == {}
    monkeypatch.setattr(part("blender.status.placing"), "SurfaceReader", None)
    first.location.z = 5.0
    assert "OFF_GROUND" in listed()


def test_who_falls_and_who_is_held_up_is_told_after_the_bake() -> None:
    frames(1, 40)
    bpy.context.scene.render.fps = 6
    steep_hill()
    tag(hill("Stool", side=0.02, cells=2, height=0.0, location=(12.0, 12.0, 1.0)), role="SURFACE")
    _, falling = herd((12.0, 12.0, 1.0), (18.5, -15.0, 0.0))
    group = falling.steering.crowd.steering
    group.seek.use, group.seek.target = True, empty("Far", (400.0, -15.0, 0.0))
    falling.steering.own_locomotion, falling.steering.on_foot.at_edge = "ON_FOOT", "FALL"
    bake()
    outcome_of = part("blender.animation.run_records").outcome_of
    mishaps = {name: set(outcome_of(bpy.data.objects[name]).mishaps) for name in ("Sheep 0", "Sheep 1")}
    assert mishaps == {"Sheep 0": {"held"}, "Sheep 1": {"fell"}}


def upper_floor(name: str, z: float):
    """A floor of 4 x 4 m above a larger one at z = 0."""
    floor = meshed(name, [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)], [(0, 1, 2, 3)], location=(0.0, 0.0, z))
    tag(floor, role="SURFACE")
    return floor


def test_a_goal_that_nobody_reaches_is_named_after_the_bake_and_a_click_selects_it() -> None:
    frames(1, 30)
    ground, upper = upper_floor("Ground", 0.0), upper_floor("Upstairs", 3.0)
    ground.scale = (3.0, 3.0, 1.0)
    below, above = empty("Below", (9.0, 9.0, 0.0)), empty("Above", (2.0, 2.0, 3.0))
    herd((8.0, 1.0, 0.0), (9.0, 1.0, 0.0))
    its = bpy.data.objects["Herd"]
    use(its, seek={"target": below})
    bake()
    assert "NO_WAY" not in listed()
    use(its, seek={"target": above})
    bake()
    assert listed()["NO_WAY"].startswith("Sheep 0 and Sheep 1 of Herd find no way over the ground to Above")
    assert selected_by_click("NO_WAY") == {"Above"}
    assert bpy.ops.steering.select_contacts(kind="NO_WAY") == {"FINISHED"}
    assert {ob.name for ob in bpy.context.selected_objects} == {"Sheep 0", "Sheep 1"}
    upper.location.z = 0.1
    bake()
    assert "NO_WAY" not in listed(), "a step leads up"
