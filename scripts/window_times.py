"""Times a bake and a preview in the window of Blender; scripts/window_bench runs this."""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.window import choose_steering, press, show_steering, tell, view

MODULE = "bl_ext.user_default.steering_behaviors.steering_addon"
FRAMES = 250
MANY_FRAMES = 5000
ON = 120
"""The frame on which a setting is changed during the preview."""
ROUNDS, BAKES = 3, 5
"""How often a change or Esc, and a pair of bakes, is timed."""


def part(name: str) -> ModuleType:
    return importlib.import_module(f"{MODULE}.{name}")


def story() -> Iterator[float]:
    for count in map(int, sys.argv[sys.argv.index("--") + 1 :]):
        with view():
            bpy.ops.wm.read_homefile(use_factory_startup=False)
        yield 0.5
        bpy.data.batch_remove(bpy.data.objects[:])
        bpy.context.scene.frame_end = FRAMES
        show_steering()
        yield 0.5
        choose_steering()
        with view():
            assert bpy.ops.steering.add_flock("EXEC_DEFAULT", True, count=count) == {"FINISHED"}
            assert bpy.ops.steering.crowd_select("EXEC_DEFAULT", True) == {"FINISHED"}
            bpy.ops.view3d.view_selected()
        yield 1.0
        print(f"\n{count} birds: a redraw of the window takes {redraw():.2f} s", flush=True)
        yield from bakes()
        yield from stops()
        yield from changes()


def redraw() -> float:
    """Seconds that Blender takes to draw the window."""
    start = time.perf_counter()
    with view():
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=3)
    return (time.perf_counter() - start) / 3


def bakes() -> Iterator[float]:
    """Bake in the window and in one piece, in turn."""
    ratios = []
    for _ in range(BAKES):
        with view():
            start = time.perf_counter()
            bpy.ops.steering.bake("EXEC_DEFAULT", True)
            background = time.perf_counter() - start
            bpy.ops.steering.clear_bake("EXEC_DEFAULT", True)
        yield 1.0
        with view():
            start = time.perf_counter()
            bpy.ops.steering.bake("INVOKE_DEFAULT", True)
        while not baked():
            yield 0.0
        window = time.perf_counter() - start
        print(
            f"bake: {window:.2f} s in the window, {background:.2f} s in one piece: {window / background:.2f}",
            flush=True,
        )
        ratios.append(window / background)
        yield 1.0
        with view():
            bpy.ops.steering.clear_bake("EXEC_DEFAULT", True)
        yield 1.0
    print(f"bake: median ratio {statistics.median(ratios):.2f}", flush=True)


def stops() -> Iterator[float]:
    """Stop a bake of many frames by Esc."""
    scene, window = bpy.context.scene, bpy.context.window_manager.windows[0]
    scene.frame_end = MANY_FRAMES
    for _ in range(ROUNDS):
        with view():
            bpy.ops.steering.bake("INVOKE_DEFAULT", True)
        yield 2.0
        start = time.perf_counter()
        press("Escape")
        while len(window.modal_operators):
            yield 0.0
        print(f"bake: stopped {time.perf_counter() - start:.2f} s after Esc", flush=True)
        yield 1.0
        # Closes the message that nothing was changed.
        press("Escape")
        yield 1.0
    scene.frame_end = FRAMES


def changes() -> Iterator[float]:
    """Change a setting during a preview."""
    preview, scene = part("blender.preview"), bpy.context.scene
    with view():
        bpy.ops.steering.preview("EXEC_DEFAULT", True)
    start = time.perf_counter()
    scene.frame_set(ON)
    while preview.report(scene):
        yield 0.0
    print(f"preview: frame {ON} is shown for the first time after {time.perf_counter() - start:.2f} s", flush=True)
    yield 1.0
    crowd = next(ob for ob in bpy.data.objects if ob.is_property_set("steering") and "CROWD" in ob.steering.roles)
    for _ in range(ROUNDS):
        start = time.perf_counter()
        crowd.steering.separation.weight *= 1.3
        yield 0.0
        while preview.report(scene):
            yield 0.0
        print(f"preview: a changed weight is shown after {time.perf_counter() - start:.2f} s", flush=True)
        yield 1.0
    with view():
        bpy.ops.steering.preview("EXEC_DEFAULT", True)


def baked() -> bool:
    return any(
        ob.animation_data and ob.animation_data.action for ob in bpy.data.objects if ob.is_property_set("steering")
    )


tell(story())
