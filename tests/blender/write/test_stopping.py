"""A bake that is stopped, or killed, leaves the file as it was."""

import bpy
import pytest

from tests.blender.animated import drive, insert
from tests.blender.building import empty, frames, part, path_curve
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.steered import bake, crowd, fleet, leader, obstacle, road
from tests.sampling import in_every_blender, sampled

VEHICLES, FRAMES = 3, 10
PIECES = FRAMES + 2 * VEHICLES + 1
"""Before the bake is handed over: each vehicle is written, and then looked at as it will be shown."""


def busy_scene() -> None:
    """Vehicles that have been baked before and have keys of their own, and all kinds of things to look at."""
    frames(1, FRAMES)
    hidden = leader(location=(4.0, 30.0, 2.0))
    hidden.hide_viewport = True
    obstacle(location=(3.0, 8.0, 0.5))
    bevelled = road()
    bevelled.data.bevel_depth = 0.2
    hidden_road = road(path_curve("Hidden Road"))
    hidden_road.hide_viewport = True
    ships = fleet(VEHICLES, crowd=crowd(wander={}, seek={}, path_following={}, obstacle_avoidance={}))
    ships[1].parent = empty("Mast")
    bake()
    insert(ships[0], "scale", {1: (1.0, 1.0, 1.0), 40: (2.0, 2.0, 2.0)})
    bpy.context.scene.frame_set(7)


def driven_by_the_scene() -> None:
    busy_scene()
    bpy.context.scene["pace"] = 2.0
    bpy.context.view_layer.update()
    drive(bpy.data.objects["Crowd"], "steering.vehicle.mass", "pace", pace=(bpy.context.scene, '["pace"]'))


def started():
    """A bake that is planned and has not begun."""
    return part("blender.write.bake").baking(part("blender.read.plan").plan_reading(bpy.context.scene))


def test_a_bake_can_be_stopped_on_each_frame_of_its_pre_roll() -> None:
    busy_scene()
    bpy.data.objects["Crowd"].steering.preroll = 5
    assert list(started()).count(0.0) == 5


@in_every_blender
@sampled(one_of=4)
@pytest.mark.parametrize("build", [busy_scene, driven_by_the_scene], ids=lambda build: build.__name__)
@pytest.mark.parametrize("pieces", range(PIECES + 1))
def test_stopping_after_any_piece_of_work_leaves_nothing(build, pieces) -> None:
    build()
    before = scene_dump()
    running = started()
    seen = [next(running) for _ in range(pieces)]
    assert seen == sorted(seen)
    running.close()
    assert_same(before, scene_dump())


@in_every_blender
def test_a_bake_yields_once_per_frame_and_twice_per_vehicle() -> None:
    busy_scene()
    progress = list(started())
    assert len(progress) == PIECES + 1
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


@in_every_blender
@pytest.mark.parametrize(
    "stage",
    ["blender.write.bake.simulate", "blender.read.reading.Reader.read", "blender.animation.staging.Staging.add"],
)
def test_an_error_of_the_program_leaves_nothing_either(stage, monkeypatch) -> None:
    busy_scene()
    before = scene_dump()
    owner, _, name = stage.rpartition(".")
    module, _, cls = owner.rpartition(".")
    holder = getattr(part(module), cls) if cls[0].isupper() else part(owner)
    real, calls = getattr(holder, name), []

    def failing(*args, **kwargs):
        calls.append(args)
        if len(calls) > 2 or name == "simulate":
            raise ZeroDivisionError("a mistake in the program")
        return real(*args, **kwargs)

    monkeypatch.setattr(holder, name, failing)
    with pytest.raises(RuntimeError, match="a mistake in the program"):
        bake()
    assert_same(before, scene_dump())


@in_every_blender
def test_the_temporary_scene_is_never_shown_as_the_windows() -> None:
    busy_scene()
    name = bpy.context.scene.name
    running = started()
    for _ in running:
        assert bpy.context.scene.name == name
        assert bpy.context.scene.frame_current == 7
