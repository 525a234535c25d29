"""After a bake: one line of what happened, and who ran into whom is found again, in this session or another."""

import bpy
import numpy as np
import pytest

from tests.blender.building import frames, part, wedge
from tests.blender.drawing import texts, up_to_date
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.steered import bake, clear_bake, crowd, obstacle, press, road, select, vehicle
from tests.blender.walkers import box


def head_on():
    """Two that drive through each other in the middle of the range, and one far away."""
    frames(1, 48)
    settings = crowd("Straight")
    settings.steering.vehicle.radius = 0.5
    single = vehicle(name="One", location=(0.0, -4.0, 0.0), crowd=settings, identity=1)
    two = vehicle(name="Two", location=(0.0, 4.0, 0.0), rotation=(0.0, 0.0, np.pi), crowd=settings, identity=2)
    three = vehicle(name="Three", location=(50.0, 0.0, 0.0), crowd=settings, identity=3)
    settings.steering.vehicle.radius = 0.5
    for ob in (single, two, three):
        ob.steering.size_factor = 1.0
    return single, two, three


def test_a_bake_reports_mishaps_in_one_line_and_selects_no_hidden_vehicles(capfd) -> None:
    single, two, _ = head_on()
    bake()
    lines = [line for line in capfd.readouterr().out.splitlines() if "Baked" in line]
    assert len(lines) == 1
    assert lines[0].startswith("Info: Baked 3 vehicles, 48 frames in ")
    assert lines[0].endswith(": 2 overlapping")
    single.hide_set(True)
    assert bpy.ops.steering.select_contacts() == {"FINISHED"}
    assert bpy.context.selected_objects == [two]
    assert "1 hidden or not selectable" in capfd.readouterr().out


def test_contacts_with_obstacles_are_reported_with_the_least_distance(capfd) -> None:
    frames(1, 48)
    obstacle(name="Ball", location=(0.0, 5.0, 0.0), radius=1.0)
    vehicle(crowd=crowd("Straight"))
    bake()
    said = capfd.readouterr().out
    assert "nearest obstacle -" in said
    assert ": 1 inside an obstacle" in said


@pytest.mark.parametrize(
    ("closest", "inside", "told"),
    [
        (np.inf, 0, ": no contacts"),
        (0.11, 0, ", nearest obstacle 11 cm: no contacts"),
        (-0.002, 0, "; obstacles touched by the Radius of a vehicle: no overlaps"),
        (-0.08, 1, ", nearest obstacle -8 cm: 1 inside an obstacle"),
    ],
)
def test_who_touches_an_obstacle_is_not_told_to_have_no_contact(closest: float, inside: int, told: str) -> None:
    findings = part("blender.operators.findings")
    assert findings.summary({kind: inside * (kind == "obstacle") for kind in findings.WORDS}, closest) == told


def test_vehicles_that_met_are_selected_and_the_frame_is_set() -> None:
    single, two, three = head_on()
    bake()
    select(three)
    bpy.context.scene.frame_set(1)
    assert bpy.ops.steering.select_contacts() == {"FINISHED"}
    assert set(bpy.context.selected_objects) == {single, two}
    assert bpy.context.view_layer.objects.active in (single, two)
    assert 10 < bpy.context.scene.frame_current < 40
    gap = np.linalg.norm(np.array(single.matrix_world.translation) - np.array(two.matrix_world.translation))
    assert gap < 0.4


def test_it_goes_from_one_frame_to_the_next_and_starts_again() -> None:
    single, *_ = head_on()
    obstacle(name="Ball", location=(50.0, 2.0, 0.0), radius=0.5)
    bake()
    bpy.context.scene.frame_set(1)
    seen = []
    for _ in range(3):
        bpy.ops.steering.select_contacts()
        seen.append(bpy.context.scene.frame_current)
    assert seen[0] < seen[1]
    assert seen[2] == seen[0]
    assert bpy.ops.steering.select_contacts(kind="OVERLAP") == {"FINISHED"}
    assert single in bpy.context.selected_objects
    assert bpy.data.objects["Three"] not in bpy.context.selected_objects


@pytest.mark.parametrize("how", ["never baked", "deleted", "baked again"])
def test_a_deleted_bake_leaves_no_contacts(how) -> None:
    _, two, _ = head_on()
    if how != "never baked":
        bake()
    if how == "deleted":
        clear_bake()
    elif how == "baked again":
        two.location.x = 20.0
        bake()
    before = scene_dump()
    assert bpy.ops.steering.select_contacts() == {"CANCELLED"}
    assert_same(before, scene_dump())


def test_what_hovers_where_its_path_leads_into_a_wall_is_named_as_stuck_with_frames_and_remedy(capfd) -> None:
    frames(1, 125, fps=12)
    ship = wedge(location=(-17.0, 3.0, 1.0), size=1.0)
    press("tag", ship, role="VEHICLE", moves_like="BIRD")
    birds = ship.steering.crowd
    birds.steering.locomotion = "SIMPLE_VEHICLE"
    road(points=((-14, 6, 1), (8, 14, 2), (26, -2, 1), (48, 6, 2)))
    obstacle(box("Wall", (38.0, -200.0, -200.0), (438.0, 200.0, 200.0))).steering.obstacle_shape = "BOX"
    for behavior in ("path_following", "obstacle_avoidance"):
        press("behavior_add", birds, behavior=behavior)
    birds.steering.path_following.end = "STOP"
    bake()
    said = capfd.readouterr().out
    assert "Warning: Ship got stuck at an obstacle, frames " in said
    assert "Move the obstacle" in said
    assert bpy.ops.steering.select_contacts(kind="STUCK") == {"FINISHED"}
    assert bpy.context.selected_objects == [ship]
    assert "; stuck from frame " in capfd.readouterr().out
    told = said[said.index("Ship got stuck") : said.index("Info: Baked")].strip()
    assert told in texts(up_to_date("STEERING_PT_findings")), "the report is gone at the next click"
