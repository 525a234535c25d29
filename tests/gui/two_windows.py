"""Works in two windows with a scene each at the same time: `blender --python two_windows.py -- FOLDER`."""

import sys
from collections.abc import Iterator
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.window import picture, tell  # noqa: E402
from tests.blender.building import part  # noqa: E402
from tests.gui.hands import DRAWN, MOMENT, until, vehicles  # noqa: E402

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
FISH = 150
"""Enough for a bake that can be seen to run."""
LONG = 3000
"""The last frame of a bake that does not end on its own."""


def story() -> Iterator[float]:
    sky, sea = scenes()
    yield DRAWN
    with at(sky):
        bpy.ops.steering.add_flock("EXEC_DEFAULT", True, count=8)
    with at(sea):
        bpy.ops.steering.add_school("EXEC_DEFAULT", True, count=FISH)
    yield DRAWN
    starts = locations(sky), locations(sea)
    yield from baked_beside_a_preview_that_plays(sky, sea)
    assert locations(sky) == starts[0], "The preview left a trace when the bake of the other window ended it."
    yield from previewed_in_both(sky, sea)
    yield from canceled_by_closing_the_window(sky, sea)
    # Once what is baked has been counted: a bake of another scene cannot be deleted here.
    yield from until(lambda: not can_delete_a_bake(sky))
    with at(sky):
        assert bpy.ops.steering.bake("EXEC_DEFAULT", True) == {"FINISHED"}
    yield DRAWN
    picture(FOLDER / "4 the window that is left.png")


def scenes() -> tuple[bpy.types.Scene, bpy.types.Scene]:
    """Two empty scenes, each shown by a window of its own."""
    bpy.data.batch_remove(bpy.data.objects[:])
    sky, sea = bpy.context.scene, bpy.data.scenes.new("Sea")
    sky.name = "Sky"
    bpy.ops.wm.window_new_main()
    bpy.context.window_manager.windows[1].scene = sea
    return sky, sea


def baked_beside_a_preview_that_plays(sky: bpy.types.Scene, sea: bpy.types.Scene) -> Iterator[float]:
    with at(sky):
        assert bpy.ops.steering.preview("INVOKE_DEFAULT", True) == {"FINISHED"}
        bpy.ops.screen.animation_play()
    yield DRAWN
    assert sky.frame_current > 1, "The first window does not play."
    picture(FOLDER / "1 previewed.png")
    with at(sea):
        bpy.ops.steering.bake("INVOKE_DEFAULT", True)
    assert not part("blender.preview").is_on(sky), "A preview and a bake run at the same time."
    yield from until(lambda: baked(sea) == FISH)
    with at(sky):
        bpy.ops.screen.animation_cancel(restore_frame=False)
        sky.frame_set(1)
    assert baked(sky) == 0
    yield DRAWN
    picture(FOLDER / "2 baked beside it.png")


def previewed_in_both(sky: bpy.types.Scene, sea: bpy.types.Scene) -> Iterator[float]:
    before = locations(sky), locations(sea)
    for scene in (sky, sea):
        with at(scene):
            bpy.ops.steering.preview("INVOKE_DEFAULT", True)
        yield DRAWN
    for frame in (20, 5, 1):
        sky.frame_set(frame)
        sea.frame_set(frame)
        yield DRAWN
    picture(FOLDER / "3 previewed in both.png")
    for scene in (sky, sea):
        if part("blender.preview").is_on(scene):
            with at(scene):
                bpy.ops.steering.preview("INVOKE_DEFAULT", True)
        yield DRAWN
    assert (locations(sky), locations(sea)) == before, "Previews in two windows left a trace."


def canceled_by_closing_the_window(sky: bpy.types.Scene, sea: bpy.types.Scene) -> Iterator[float]:
    """The window takes its bake with it, and the earlier bake of its scene is as it was."""
    before = keys(sea)
    sea.frame_end = LONG
    next(ob for ob in sea.objects if "CROWD" in ob.steering.roles).steering.vehicle.max_speed *= 0.5
    with at(sea):
        bpy.ops.steering.bake("INVOKE_DEFAULT", True)
    yield 2 * MOMENT
    window = window_of(sea)
    assert any(each.bl_idname == "STEERING_OT_bake" for each in window.modal_operators), "The bake is over already."
    with bpy.context.temp_override(window=window):
        bpy.ops.wm.window_close()
    yield DRAWN
    assert len(bpy.context.window_manager.windows) == 1
    assert keys(sea) == before, "A bake whose window was closed left a trace."
    assert not [scene.name for scene in bpy.data.scenes if scene not in (sky, sea)]


def can_delete_a_bake(scene: bpy.types.Scene) -> bool:
    with at(scene):
        return bpy.ops.steering.clear_bake.poll()


def window_of(scene: bpy.types.Scene) -> bpy.types.Window:
    return next(window for window in bpy.context.window_manager.windows if window.scene == scene)


def at(scene: bpy.types.Scene):
    """A context override for operators in the window of a scene."""
    window = window_of(scene)
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region, screen=window.screen)


def locations(scene: bpy.types.Scene) -> list[tuple[float, ...]]:
    return [tuple(ob.location) for ob in vehicles(scene)]


def baked(scene: bpy.types.Scene) -> int:
    return sum(ob.animation_data is not None and ob.animation_data.action is not None for ob in vehicles(scene))


def keys(scene: bpy.types.Scene) -> list[tuple[str, list[float]]]:
    actions = [ob.animation_data.action for ob in vehicles(scene)]
    return [(action.name, [curve.evaluate(100.0) for curve in action.fcurves]) for action in actions]


tell(story())
