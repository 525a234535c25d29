"""The live preview shows what a bake would, and is never in the file."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import drive, insert, is_baked, keys
from tests.blender.building import at_frames, empty, frames, part, put
from tests.blender.dumping import assert_same, refuses
from tests.blender.preview.previewed import (
    FIRST,
    LAST,
    counted,
    is_on,
    of_the_file,
    played,
    rolling_rock,
    round_a_hidden_obstacle,
    ships,
    shown,
    toggle,
    told,
)
from tests.blender.steered import bake, clear_bake, crowd, fleet, leader, obstacle, road, stairs, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def mixed_fleet() -> list:
    """Vehicles with everything that may matter to where they are shown."""
    frames(FIRST, LAST)
    target = leader(location=(4.0, 30.0, 2.0))
    insert(target, "location", {FIRST: (4.0, 30.0, 2.0), LAST: (-9.0, 10.0, 0.0)})
    obstacle(location=(3.0, 8.0, 0.5))
    road()
    flock = crowd("Flock", wander={"strength": 6.0}, seek={}, separation={}, obstacle_avoidance={}, path_following={})
    insert(flock, "steering.wander.strength", {FIRST: 0.0, LAST: 20.0})
    obs = fleet(5, crowd=flock)
    for ob, mode in zip(obs, ("XYZ", "QUATERNION", "AXIS_ANGLE", "ZXY", "QUATERNION")):
        ob.rotation_mode = mode
    mast = empty("Mast")
    insert(mast, "location", {FIRST: (0.0, 0.0, 0.0), LAST: (0.0, 5.0, 5.0)})
    obs[1].parent = obs[4].parent = mast
    put(obs[3], (9.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.4), scale=(1.0, -2.0, 1.0))
    obs[2].delta_location = (0.0, 0.0, 1.0)
    bpy.context.view_layer.update()
    return obs


def driven_by_the_scene() -> list:
    obs = ships()
    bpy.context.scene["pace"] = 2.0
    insert(bpy.context.scene, '["pace"]', {FIRST: 1.0, LAST: 9.0})
    drive(bpy.data.objects["Crew"], "steering.wander.strength", "pace", pace=(bpy.context.scene, '["pace"]'))
    return obs


def after_a_preroll() -> list:
    """With a rock that is carried on backwards, and a crowd that waits."""
    obs = ships(3, obstacle_avoidance={})
    rolling_rock()
    obs.append(vehicle(crowd=crowd("Waiting", seek={}), location=(2.0, -3.0, 0.0)))
    obs[0].steering.crowd.steering.preroll = 7
    bpy.context.scene.steering.substeps = 2
    return obs


def up_some_stairs() -> list:
    frames(FIRST, LAST)
    stairs()
    climbers = crowd("Climbers", wander={})
    climbers.steering.locomotion = "ON_FOOT"
    obs = [vehicle(crowd=climbers, location=(3.0 * k, -0.5, 0.0), start_speed=0.8, identity=k + 1) for k in range(3)]
    for ob in obs:
        ob.steering.origin_height = 0.0
    bpy.context.view_layer.update()
    return obs


@pytest.mark.parametrize(
    "build",
    [mixed_fleet, driven_by_the_scene, round_a_hidden_obstacle, after_a_preroll, up_some_stairs],
    ids=lambda b: b.__name__,
)
def test_a_preview_shows_on_each_frame_exactly_what_the_bake_will(build) -> None:
    obs = build()
    toggle()
    seen = played(obs)
    assert np.ptp(seen[:, :, :3, 3], axis=0).max() > 1.0
    toggle()
    bpy.context.scene.frame_set(FIRST)
    bake()
    assert seen.tobytes() == played(obs).tobytes()


def test_what_is_shown_before_the_first_and_after_the_last_frame_stands_still() -> None:
    obs = ships()
    toggle()
    seen = played(obs)
    assert played(obs, [FIRST - 5]).tobytes() == seen[:1].tobytes()
    assert played(obs, [LAST + 5]).tobytes() == seen[-1:].tobytes()


def test_children_of_a_vehicle_move_with_it() -> None:
    [ship] = ships(1)
    flag, camera, follower = empty("Flag", (0.0, 0.0, 2.0)), empty("Camera", (5.0, 5.0, 5.0)), empty("Follower")
    flag.parent = ship
    tracks = camera.constraints.new("TRACK_TO")
    tracks.target, tracks.track_axis, tracks.up_axis = ship, "TRACK_Y", "UP_Z"
    follower.constraints.new("COPY_LOCATION").target = ship
    toggle()
    for at in played([ship, flag, camera, follower], [5, 15]):
        assert np.allclose(at[1], at[0] @ np.array(flag.matrix_basis), atol=1e-5)
        assert np.allclose(at[3, :3, 3], at[0, :3, 3], atol=1e-6)
        toward = at[0, :3, 3] - at[2, :3, 3]
        assert np.allclose(at[2, :3, 1], toward / np.linalg.norm(toward), atol=1e-5)


def test_scrubbing_back_shows_the_kept_frames_and_simulates_nothing_again(monkeypatch) -> None:
    obs = ships()
    toggle()
    seen = played(obs)
    monkeypatch.setattr(part("blender.preview.rehearsal"), "step", None)
    assert played(obs, range(LAST, FIRST - 1, -1)).tobytes() == seen[::-1].tobytes()


def test_a_baked_vehicle_shows_the_run_that_the_next_bake_would_make_and_its_bake_when_it_is_over() -> None:
    obs = ships()
    bake()
    old, known = played(obs), [keys(ob) for ob in obs]
    bpy.data.objects["Crew"].steering.wander.strength = 30.0
    bpy.context.scene.frame_set(FIRST)
    toggle()
    seen = played(obs)
    assert np.abs(seen - old).max() > 0.1
    assert [keys(ob) for ob in obs] == known
    toggle()
    assert shown(obs).tobytes() == old[-1].tobytes()
    bake()
    assert seen.tobytes() == played(obs).tobytes()


def test_a_pre_roll_is_gone_through_in_pieces_and_leads_to_the_same(monkeypatch) -> None:
    after_a_preroll()
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    rehearsal = part("blender.preview.rehearsal")
    digested = counted(monkeypatch, rehearsal, "digest")
    at_once, bit_by_bit = (rehearsal.Rehearsal(plan, None) for _ in range(2))
    assert at_once.reach(FIRST, np.inf)
    assert sum(1 for _ in iter(lambda: bit_by_bit.reach(FIRST, 0.0), True)) == 7
    assert sum(given[0] is bit_by_bit._lead_in for given in digested) == 1, "the whole pre-roll is digested once"
    assert bit_by_bit.shown(FIRST).location.tobytes() == at_once.shown(FIRST).location.tobytes()


def test_only_the_scene_it_was_switched_on_in_shows_it() -> None:
    obs = ships()
    other = bpy.data.scenes.new("Other")
    for ob in obs:
        other.collection.objects.link(ob)
    toggle()
    other.frame_set(15)
    depsgraph = other.view_layers[0].depsgraph
    assert np.allclose([ob.evaluated_get(depsgraph).location for ob in obs], [ob.location for ob in obs])


def test_a_locked_vehicle_is_read_as_it_moves() -> None:
    obs = ships(3)
    obs[0].steering.locked = True
    toggle()
    assert np.ptp(played(obs)[:, 0], axis=0).max() == 0.0


@pytest.mark.parametrize("baked", [False, True], ids=["start", "baked"])
def test_nothing_of_a_preview_is_in_the_file(baked) -> None:
    obs = mixed_fleet()
    if baked:
        bake()
    at = {}
    for frame in at_frames((3, 14, LAST)):
        at[frame] = of_the_file()
    bpy.context.scene.frame_set(FIRST)
    toggle()
    for frame, known in at.items():
        bpy.context.scene.frame_set(frame)
        assert_same(known, of_the_file())
    assert np.abs(shown(obs)[:, :3, 3] - [ob.location for ob in obs]).max() > 0.5
    toggle()
    bpy.context.view_layer.update()
    assert_same(at[LAST], of_the_file())


@pytest.mark.parametrize("expression", ["frame", "missing"], ids=["muted", "given up"])
def test_a_channel_whose_driver_gives_no_value_stays(expression: str) -> None:
    """On a change of the frame, Blender writes such a channel from the evaluated copy to the object."""
    ship, *_ = ships()
    ship.location.z = 4.0
    drive(ship, "location", expression, index=2).mute = expression == "frame"
    bpy.context.view_layer.update()
    stood = tuple(ship.location)
    toggle(replace_own_keys=True)
    for _ in at_frames((5, 9, 3)):
        assert tuple(ship.location) == stood
    assert np.abs(shown([ship])[0, :3, 3] - stood).max() > 0.1
    toggle()
    bpy.context.scene.frame_set(FIRST)
    assert tuple(ship.location) == stood


@pytest.mark.parametrize("autosaved", [False, True])
def test_a_file_saved_in_mid_preview_opens_at_the_start(autosaved, tmp_path) -> None:
    obs = ships()
    stood = {ob.name: tuple(ob.location) for ob in obs}
    toggle()
    bpy.context.scene.frame_set(10)
    assert np.abs(shown(obs)[:, :3, 3] - list(stood.values())).max() > 0.5
    path = str(tmp_path / "saved.blend")
    handlers = [getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers) if name.startswith("save_")]
    kept = [list(each) for each in handlers]
    if autosaved:
        # An autosave runs no handlers.
        for each in handlers:
            each.clear()
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=autosaved)
    for each, functions in zip(handlers, kept):
        each[:] = functions
    assert is_on()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert not is_on()
    assert {name: tuple(bpy.data.objects[name].location) for name in stood} == stood
    assert np.allclose(shown([bpy.data.objects[name] for name in stood])[:, :3, 3], list(stood.values()))


def test_undo_restores_settings_and_the_preview_continues_with_them() -> None:
    obs = ships()
    bpy.ops.ed.undo_push(message="Before")
    toggle()
    bpy.context.scene.frame_set(15)
    seen = shown(obs).tobytes()
    bpy.ops.ed.undo_push(message="Frame")
    bpy.data.objects["Crew"].steering.wander.strength = 30.0
    bpy.context.view_layer.update()
    assert shown(obs).tobytes() != seen
    bpy.ops.ed.undo_push(message="Strength")
    bpy.ops.ed.undo()
    obs = [bpy.data.objects[f"Ship {k}"] for k in range(3)]
    assert bpy.data.objects["Crew"].steering.wander.strength == 8.0
    assert [tuple(ob.location) for ob in obs] == [(3.0 * k, 0.0, 0.0) for k in range(3)]
    assert is_on()
    bpy.context.scene.frame_set(15)
    assert shown(obs).tobytes() == seen
    bpy.ops.ed.redo()
    obs = [bpy.data.objects[f"Ship {k}"] for k in range(3)]
    bpy.context.scene.frame_set(15)
    assert shown(obs).tobytes() != seen


def test_an_object_added_during_an_update_does_no_harm() -> None:
    obs = ships()
    stood = [tuple(ob.location) for ob in obs]

    def adds(*_) -> None:
        if "A New One" not in bpy.data.objects:
            bpy.data.objects.new("A New One", None)

    toggle()
    bpy.app.handlers.depsgraph_update_post.append(adds)
    try:
        bpy.context.scene.frame_set(10)
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(adds)
    assert "A New One" in bpy.data.objects
    assert [tuple(ob.location) for ob in obs] == stood


def test_an_error_of_the_program_ends_it_and_leaves_the_start(monkeypatch) -> None:
    obs = ships()
    stood = [tuple(ob.location) for ob in obs]
    toggle()

    def failing(*_) -> None:
        raise ZeroDivisionError("a mistake in the program")

    monkeypatch.setattr(part("blender.preview.rehearsal"), "step", failing)
    bpy.context.scene.frame_set(2)
    assert not is_on()
    assert np.allclose(shown(obs)[:, :3, 3], stood)
    assert [tuple(ob.location) for ob in obs] == stood
    assert [scene.name for scene in bpy.data.scenes] == [bpy.context.scene.name]


def test_a_bake_ends_the_preview_first() -> None:
    obs = ships()
    toggle()
    bpy.context.scene.frame_set(10)
    bake()
    assert not is_on()
    assert all(is_baked(ob) for ob in obs)
    bpy.context.scene.frame_set(FIRST)
    assert np.allclose(shown(obs)[:, :3, 3], [(3.0 * k, 0.0, 0.0) for k in range(3)], atol=1e-6)
    clear_bake()


def test_a_bake_that_is_refused_leaves_it_on_and_the_file_as_it_is() -> None:
    obs = ships()
    insert(obs[0], "location", {5: (0.0, 0.0, 0.0), 9: (1.0, 0.0, 0.0)})
    toggle(replace_own_keys=True)
    bpy.context.scene.frame_set(10)
    seen, before = shown(obs), of_the_file()
    refuses("bake", "turn on Replace Own Keys")
    assert is_on()
    assert_same(before, of_the_file())
    bpy.context.scene.frame_set(10)
    assert shown(obs).tobytes() == seen.tobytes()


def test_opening_another_file_ends_it() -> None:
    ships()
    toggle()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert part("blender.preview.live")._live is None


def test_disabling_the_extension_ends_it_and_leaves_no_handler() -> None:
    obs = ships()
    stood = [tuple(ob.location) for ob in obs]
    toggle()
    bpy.context.scene.frame_set(10)
    preview = part("blender.preview")
    preview.unregister()
    try:
        left = [h for name in part("blender.preview.live").HANDLERS for h in getattr(bpy.app.handlers, name)]
        assert not [handler for handler in left if "preview" in handler.__module__]
        assert np.allclose(shown(obs)[:, :3, 3], stood)
    finally:
        preview.register()


def rendered(obs, frame: int) -> list:
    """Where a render of a frame has the objects."""
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.render.resolution_x = scene.render.resolution_y = 8
    seen = []

    def looks(_scene, depsgraph) -> None:
        if depsgraph.mode == "RENDER":
            seen.append([tuple(ob.evaluated_get(depsgraph).matrix_world.translation) for ob in obs])

    scene.frame_set(frame)
    bpy.app.handlers.frame_change_post.append(looks)
    try:
        bpy.ops.render.render()
    finally:
        bpy.app.handlers.frame_change_post.remove(looks)
    [result] = seen
    return result


def test_a_render_sees_nothing_of_it_ends_it_and_says_why() -> None:
    obs = ships()
    toggle()
    assert rendered(obs, 10) == [tuple(ob.location) for ob in obs]
    assert not is_on()
    assert "shows what is baked" in told()
    toggle()
    assert told() == ""


def test_only_viewports_show_it() -> None:
    obs = ships()
    toggle()
    ends_it = part("blender.preview.live")._on_render
    bpy.app.handlers.render_init.remove(ends_it)
    try:
        assert rendered(obs, 10) == [tuple(ob.location) for ob in obs]
    finally:
        bpy.app.handlers.render_init.append(ends_it)
    assert is_on()


def test_it_refuses_what_a_bake_refuses_and_stays_off() -> None:
    refuses("preview", "The scene has no vehicles")
    assert not is_on()
    obs = ships()
    insert(obs[0], "location", {5: (0.0, 0.0, 0.0), 9: (1.0, 0.0, 0.0)})
    before = of_the_file()
    refuses("preview", "turn on Replace Own Keys")
    assert not is_on()
    assert_same(before, of_the_file())


def test_a_vehicles_own_keys_can_be_ignored() -> None:
    obs = ships()
    insert(obs[0], "location", {5: (0.0, 0.0, 50.0), 9: (1.0, 0.0, 50.0)})
    bpy.context.scene.frame_set(FIRST)
    toggle(replace_own_keys=True)
    seen = played(obs)
    toggle()
    bpy.context.scene.frame_set(FIRST)
    bake(replace_own_keys=True)
    assert played(obs).tobytes() == seen.tobytes()
