"""Vehicles enter and leave on the right frames, and are hidden with all their parts before and after."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import curves, insert, is_baked
from tests.blender.building import at_frames, empty, frames, part, wedge
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.overlay.test_overlay import drawn, requests_of
from tests.blender.steered import bake, clear_bake, crowd, fleet, road, select, use
from tests.sampling import sampled

FIRST, LAST = 1, 60


def walkers(number: int = 2, **attendance):
    """Vehicles three metres apart that go straight ahead, each with a leg that has a foot."""
    frames(FIRST, LAST)
    vehicles = fleet(number, crowd=crowd())
    for name, value in attendance.items():
        setattr(vehicles[0].steering.crowd.steering.attendance, name, value)
    for ob in vehicles:
        leg, foot = wedge(f"Leg of {ob.name}"), wedge(f"Foot of {ob.name}")
        leg.parent, foot.parent = ob, leg
    return vehicles


def enter_on(ob, frame: int) -> None:
    ob.steering.use_enter_frame, ob.steering.enter_frame = True, frame


def vehicle_to_a_door(**attendance):
    """A vehicle that reaches a door four metres ahead well before the last frame."""
    (ob,) = walkers(1, **attendance)
    settings = ob.steering.crowd.steering
    settings.vehicle.max_speed = 6.0
    use(ob.steering.crowd, seek={"target": empty("Door", ob.location + ob.matrix_world.to_3x3().col[1] * 4.0)})
    return ob


def family(ob) -> list:
    return [ob, *ob.children_recursive]


def seen(ob) -> list[int]:
    """The frames on which an object is visible in the viewport; checks that renders and its parts agree."""
    result = []
    for frame in at_frames(range(FIRST, LAST + 1)):
        visible = {member.visible_get() for member in family(ob)}
        assert visible == {not member.hide_render for member in family(ob)}
        assert len(visible) == 1
        result += [frame] if visible.pop() else []
    return result


def positions_of(ob, over) -> np.ndarray:
    """The keyframed positions of an object, (f, 3). Blender does not evaluate hidden objects."""
    bag = {(curve.data_path, curve.array_index): curve for curve in curves(ob)}
    return np.array([[bag["location", axis].evaluate(frame) for axis in range(3)] for frame in over])


def test_a_vehicle_waits_at_its_start_and_is_visible_with_its_parts_from_its_enter_frame() -> None:
    present, later = walkers()
    start = np.array(later.location)
    enter_on(later, 20)
    bake()
    assert seen(present) == list(range(FIRST, LAST + 1))
    assert seen(later) == list(range(20, LAST + 1))
    positions = positions_of(later, range(FIRST, LAST + 1))
    assert np.allclose(positions[:20], start, atol=1e-5)
    assert np.linalg.norm(np.diff(positions[19:], axis=0), axis=1).min() > 1e-3
    assert not {curve.data_path for curve in curves(present)} & {"hide_viewport", "hide_render"}
    assert not any(is_baked(ob) for ob in present.children_recursive)


def test_a_leaving_vehicle_is_hidden_from_the_frame_after_its_arrival() -> None:
    ob = vehicle_to_a_door(on_arrival="LEAVE")
    bake()
    frames_seen = seen(ob)
    last = frames_seen[-1]
    assert frames_seen == list(range(FIRST, last + 1))
    assert last < LAST - 10
    positions = positions_of(ob, range(FIRST, LAST + 1))
    assert np.allclose(positions[last - FIRST :], positions[last - FIRST], atol=1e-5)
    door = np.array(bpy.data.objects["Door"].location)
    assert np.linalg.norm(positions[-1] - door) < ob.steering.crowd.steering.vehicle.radius + 0.3


def test_a_vehicle_that_starts_again_is_hidden_for_two_frames_and_seen_to_move_nowhere_else() -> None:
    (ob,) = walkers(1)
    use(ob.steering.crowd, path_following={"path": road(points=((0, -2, 0), (0, 1, 0), (0, 4, 0))), "end": "LOOP"})
    bake()
    visible = seen(ob)
    away = sorted(set(range(FIRST, LAST + 1)) - set(visible))
    assert len(away) >= 2 and away[1] == away[0] + 1
    positions = positions_of(ob, range(FIRST, LAST + 1))
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    assert [row + 2 for row in np.flatnonzero(steps > 1.0).tolist()] == away[1::2]
    clear_bake()
    assert seen(ob) == list(range(FIRST, LAST + 1))


def test_deleting_the_bake_restores_everything() -> None:
    _, later = walkers()
    later.children[0].hide_render = True
    insert(later.children[0].children[0], "scale", {1: (1, 1, 1), 30: (2, 2, 2)})
    enter_on(later, 20)
    bake()
    clear_bake()
    before = scene_dump()
    bake()
    for frame, hidden in ((30, False), (10, True)):
        bpy.context.scene.frame_set(frame)
        assert (later.visible_get(), later.children[0].hide_viewport) == (not hidden, hidden)
        assert later.children[0].hide_render, "as the user has it"
    bpy.context.scene.frame_set(FIRST)
    clear_bake()
    assert_same(before, scene_dump())


def test_others_perceive_a_locked_baked_vehicle_only_while_it_is_present() -> None:
    """A vehicle that is locked after a bake is perceived from the frame on which it entered."""
    first, second = walkers()
    use(first.steering.crowd, separation={"distance": 6.0, "angle": 6.28})
    enter_on(second, 30)
    bake()
    together = positions_of(first, range(FIRST, LAST + 1))
    second.steering.locked = True
    second.steering.use_enter_frame = False
    bake()
    assert np.allclose(positions_of(first, range(FIRST, LAST + 1)), together, atol=1e-3)
    heading = np.diff(positions_of(first, range(FIRST, LAST + 1)), axis=0)[:, 0]
    assert np.abs(heading[:28]).max() < 1e-6
    assert np.abs(heading[32:]).max() > 1e-4


def test_the_overlay_skips_absent_vehicles() -> None:
    present, later = walkers()
    use(present.steering.crowd, wander={})
    enter_on(later, 20)
    bake()
    select(present.steering.crowd)
    counts, asked = [], []
    for _ in at_frames((30, 10)):
        counts.append(sum(len(points) for points, _ in drawn("FRONT").open))
        asked.append(len(requests_of(present, later)))
    assert counts[1] == counts[0] / 2
    assert asked == [2, 1]


def seen_in(depsgraph) -> set[str]:
    """The names of all objects that a viewport draws with a size."""
    return {i.object.original.name for i in depsgraph.object_instances if i.matrix_world.determinant()}


def test_the_preview_shows_present_vehicles_that_a_bake_hides() -> None:
    _, later = walkers()
    enter_on(later, 40)
    bake()
    enter_on(later, 10)
    bpy.context.scene.frame_set(FIRST)
    before = scene_dump()
    preview, scene = part("blender.preview"), bpy.context.scene
    preview.start(scene, bpy.context.view_layer)
    for frame, is_present in ((20, True), (30, True), (5, False), (50, True), (FIRST, False)):
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        drawn = seen_in(depsgraph)
        assert {ob.name for ob in family(later)} & drawn == ({ob.name for ob in family(later)} if is_present else set())
        assert later.hide_viewport == (frame < 40)
    preview.end()
    assert_same(before, scene_dump())
    preview.start(scene, bpy.context.view_layer)
    scene.frame_set(20)
    preview.end()
    bpy.context.view_layer.update()
    assert not any(ob.visible_get() for ob in family(later))
    assert seen(later) == list(range(40, LAST + 1))


def camera():
    """The active camera of the scene."""
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    return scene.camera


def on_the_vehicle(camera, ob) -> None:
    camera.parent, camera.location = ob, (0.0, -8.0, 3.0)


def on_its_leg(camera, ob) -> None:
    camera.parent, camera.location = bpy.data.objects[f"Leg of {ob.name}"], (0.0, 1.0, 2.0)


def by_a_constraint(camera, ob) -> None:
    camera.location = (0.0, -5.0, 1.0)
    camera.constraints.new("CHILD_OF").target = ob


def as_the_vehicle(camera, ob) -> None:
    camera.parent, camera.matrix_local = ob.parent, ob.matrix_local
    ob.parent = camera
    for steering in (camera.steering, ob.steering):
        steering.roles ^= {"VEHICLE"}
    camera.steering.crowd = ob.steering.crowd
    enter_on(camera, ob.steering.enter_frame)


@sampled
@pytest.mark.parametrize("mount", (on_the_vehicle, on_its_leg, by_a_constraint, as_the_vehicle))
def test_a_camera_on_an_absent_vehicle_sees_the_same_in_preview_and_bake(mount) -> None:
    present, later = walkers()
    enter_on(later, 20)
    preview, scene = part("blender.preview"), bpy.context.scene
    mount(camera(), later)
    bpy.context.view_layer.update()
    before = scene_dump()

    def looked() -> tuple[list, np.ndarray]:
        drawn, through = [], []
        for _ in at_frames((FIRST, 10, 19, 20, 21, 30, 10, LAST)):
            depsgraph = bpy.context.evaluated_depsgraph_get()
            drawn.append(seen_in(depsgraph))
            through.append(np.array(scene.camera.evaluated_get(depsgraph).matrix_world))
        return drawn, np.array(through)

    preview.start(scene, bpy.context.view_layer)
    drawn, through = looked()
    preview.end()
    scene.frame_set(FIRST)
    assert all(ob.visible_get() for ob in family(later))
    assert_same(before, scene_dump())
    assert all(abs(np.linalg.det(matrix[:3, :3])) > 0.1 for matrix in through)
    assert not np.allclose(through[0], through[-1])
    bake(present)
    baked_drawn, baked_through = looked()
    assert drawn == baked_drawn
    assert len(drawn[0]) < len(drawn[-1])
    assert np.allclose(through, baked_through, atol=1e-4)


def test_a_camera_on_an_absent_vehicle_can_be_moved() -> None:
    _, later = walkers()
    enter_on(later, 20)
    preview, scene = part("blender.preview"), bpy.context.scene
    on_the_vehicle(camera(), later)
    preview.start(scene, bpy.context.view_layer)
    scene.frame_set(10)
    for height in (4.0, 5.0):
        scene.camera.location.z = height
        bpy.context.view_layer.update()
        through = scene.camera.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
        assert tuple(through.translation) == pytest.approx((later.location.x, later.location.y - 8.0, height))
        assert through.determinant() == pytest.approx(1.0)
