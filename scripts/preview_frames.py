"""Times frames of the live preview; scripts/preview_bench runs this in a Blender with factory settings."""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import bpy
import numpy as np

from scripts.blender_process import leave
from scripts.demos import extension


def part(name: str) -> ModuleType:
    """A module of the installed extension."""
    return importlib.import_module(f"{extension.NAME}.steering_addon.{name}")


Duration: TypeAlias = "tuple[float, float]"
"""Wall-clock seconds, and CPU seconds of all threads."""


def now() -> Duration:
    return time.perf_counter(), time.process_time()


def since(start: Duration) -> Duration:
    passed, worked = now()
    return passed - start[0], worked - start[1]


class Stage:
    """The times of the calls of one function of the extension, measured inside `timed`."""

    def __init__(self, module: str, name: str) -> None:
        self._owner: Any = part(module)
        self._name = name
        self.times: list[Duration] = []

    @contextmanager
    def timed(self) -> Iterator[None]:
        real = getattr(self._owner, self._name)
        setattr(self._owner, self._name, self._wrapped(real))
        try:
            yield
        finally:
            setattr(self._owner, self._name, real)

    def _wrapped(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            start = now()
            try:
                return real(*arguments, **options)
            finally:
                self.times.append(since(start))

        return timed


class ReadingStage(Stage):
    """As Stage, for the method that reads a frame."""

    def __init__(self) -> None:
        super().__init__("blender.read.reading", "read")
        self._owner = self._owner.Reader


def birds(count: int) -> None:
    assert bpy.ops.steering.add_flock(count=count) == {"FINISHED"}


def bodies(count: int) -> None:
    """As `birds`, without their wings."""
    birds(count)
    bpy.data.batch_remove([ob for ob in bpy.data.objects if ob.parent is not None])
    bpy.context.view_layer.update()


def milliseconds(times: list[Duration]) -> dict[str, float]:
    passed, worked = zip(*times)
    return {
        "median": 1000.0 * statistics.median(passed),
        "best": 1000.0 * min(passed),
        "work": 1000.0 * statistics.median(worked),
    }


def frames_taken(frames: int) -> dict[str, float]:
    """The times of all frames but the first."""
    scene, times = bpy.context.scene, []
    scene.frame_set(1)
    for frame in range(2, frames + 1):
        start = now()
        scene.frame_set(frame)
        times.append(since(start))
    return milliseconds(times)


def times_of(make: Callable[[int], None], count: int, frames: int) -> dict[str, dict[str, float]]:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    make(count)
    times = {"empty": frames_taken(frames)}
    scene.frame_set(1)
    stages = {
        "read": ReadingStage(),
        "step": Stage("blender.preview.rehearsal", "step"),
        "show": Stage("blender.preview.live", "show"),
    }
    bpy.ops.steering.preview()
    with stages["read"].timed(), stages["step"].timed(), stages["show"].timed():
        times["preview"] = frames_taken(frames)
    times |= {name: milliseconds(stage.times) for name, stage in stages.items()}
    times["again"] = frames_taken(frames)
    bpy.ops.steering.bake()
    times["baked"] = frames_taken(frames)
    return times


def main(request: dict[str, Any]) -> int:
    extension.install(Path(request["package"]))
    results = [
        {"count": count, "what": what, "times": times_of(make, count, request["frames"])}
        for count in request["counts"]
        for what, make in (("birds with wings", birds), ("bodies without wings", bodies))
    ]
    version = f"Blender {bpy.app.version_string}, numpy {np.__version__}"
    Path(request["results"]).write_text(json.dumps({"version": version, "results": results}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    leave(lambda: main(json.loads(sys.argv[1])))
