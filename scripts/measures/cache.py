"""A crowd cache: what it costs to bake and to play, how exact it is, and whether motion blur is that of keyed objects.

A number of vehicles is the flock of the measure bench, written into a cache; times are of CPU, and the .blend is one
without the vehicles. `blur` renders a square that moves, keyed and from a cache, and compares the streaks with the
exact one.
"""

import resource
from pathlib import Path
from typing import Any
from unittest import mock

from scripts.measures.bench import build, seconds

IN_BLENDER = True
CASES = ("2000", "10000", "blur")
BANDS = {
    "bake, s": (0.0, 20.0),
    "frame_set, ms": (0.0, 3.0),
    ".blend, MB": (0.0, 90.0),
    "peak, MB": (0.0, 1100.0),
    "undo push, s": (0.0, 0.4),
    "usd, s": (0.0, 1.5),
    "off, m": (0.0, 0.0),
    "keyed": (0.0, 0.01),
    "cached": (0.0, 0.01),
}
PLAYED = 40
WAY, SHUTTER, ACROSS = 2.0, 0.5, 20.0
"""Metres that the square moves a frame, share of a frame for which the shutter is open, and metres in the picture."""


def figures(case: str, folder: Path) -> dict[str, float]:
    return _blur(folder) if case == "blur" else _played(int(case), folder)


def _played(count: int, folder: Path) -> dict[str, float]:
    import bpy

    from steering_addon.blender.write.cache_writer import CacheWriter

    build(count, in_points=False)
    scene, written = bpy.context.scene, []
    next(ob for ob in scene.objects if "CROWD" in ob.steering.roles).steering.output = "CACHE"
    frame = CacheWriter.frame

    def watched(writer: Any, portrait: Any) -> None:
        written.append(portrait.bodies.position)
        frame(writer, portrait)

    with mock.patch.object(CacheWriter, "frame", watched):
        told = {"bake, s": seconds(bpy.ops.steering.bake)}
    told["off, m"] = max(_off(scene, row, written[row]) for row in (0, len(written) // 2, len(written) - 1))
    scene.frame_set(1)
    frames = sorted(seconds(lambda number=number: scene.frame_set(number)) for number in range(2, PLAYED))
    # Other work on the machine slows down most of them, as nodes use several threads.
    told["frame_set, ms"] = 1e3 * frames[len(frames) // 10]
    told["undo push, s"] = seconds(lambda: bpy.ops.ed.undo_push(message="Measured"))
    if hasattr(bpy.utils, "expose_bundled_modules"):
        told["usd, s"] = seconds(lambda: bpy.ops.steering.export_usd(filepath=str(folder / f"{count}.usdc")))
    # The objects of tagged vehicles would be most of the file.
    cache = next(each for each in bpy.data.collections if "steering_cache" in each)
    bpy.data.libraries.write(str(file := folder / f"{count}.blend"), {cache})
    told[".blend, MB"] = file.stat().st_size / 1e6
    return told | {"peak, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}


def _off(scene: Any, row: int, positions: Any) -> float:
    """How far an instance is at most from where the simulation had it, metres in single precision."""
    import bpy
    import numpy as np

    scene.frame_set(scene.frame_start + row)
    graph = bpy.context.evaluated_depsgraph_get()
    shown = np.array([tuple(i.matrix_world.translation) for i in graph.object_instances if i.is_instance])
    return float(np.abs(shown.astype(np.float32) - positions.astype(np.float32)).max())


def _blur(folder: Path) -> dict[str, float]:
    import numpy as np

    from scripts.moving_square import cached_square, keyed_square, picture

    across = (np.arange(200) + 0.5) / 200 * ACROSS - 0.5 * ACROSS
    middles = np.linspace(-0.5, 0.5, 2001) * WAY * SHUTTER
    exact = (np.abs(across[:, None] - middles) <= 0.5).mean(axis=1)
    told = {}
    for name, square in (("keyed", keyed_square), ("cached", cached_square)):
        seen = picture(square, WAY, SHUTTER, ACROSS, folder / f"{name}.exr")
        told[name] = float(np.abs(seen - exact)[np.abs(across) < WAY].mean())
    return told
