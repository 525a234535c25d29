"""Prints of each crowd of baked files whether it looks alive.

scripts/motion runs it, in a Blender with nothing added, and hands it what it was asked as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np

from scripts.baked_scene import crowds, matrices, recording
from scripts.blender_process import leave
from scripts.motion_bands import KINDS, Recording, measured, table


@dataclass
class Report:
    """The runs of one crowd, a file each."""

    first: Recording
    runs: list[dict[str, float]] = field(default_factory=list)

    def __str__(self) -> str:
        seen = self.first
        frames, n = seen.position.shape[:2]
        facts = f"{n} {seen.kind}, {frames} frames at {seen.fps:g} a second"
        return f"{facts}, body {seen.body_length:.2f} m, cruise {seen.cruise.mean():.1f} m/s"


Poses = Mapping[str, np.ndarray]
"""World matrices (frames, 4, 4) of vehicles by name."""


def measure(
    scene: bpy.types.Scene, found: dict[str, Report], names: str = "", poses: Poses | None = None, **told: Any
) -> None:
    """Measure the crowds of a scene and put each with the runs of the same name.

    `poses` are those of the vehicles where they are known already; what is `told` goes to the recording.
    """
    there = [crowd for crowd in crowds(scene, names) if crowd.vehicles]
    if poses is None:
        vehicles = [vehicle for crowd in there for vehicle in crowd.vehicles]
        poses = dict(zip([vehicle.name for vehicle in vehicles], np.swapaxes(matrices(scene, vehicles), 0, 1)))
    for crowd in there:
        own = np.stack([poses[vehicle.name] for vehicle in crowd.vehicles], axis=1)
        seen = recording(scene, crowd, own, **told)
        found.setdefault(crowd.name, Report(seen)).runs.append(measured(seen))


def tell(found: dict[str, Report]) -> list[str]:
    """Print the tables; what is not alive."""
    failed = []
    for name, report in found.items():
        text, wrong = table(report.first.kind, report.first.obstacles, report.runs)
        print(f"\n{name}: {report}\n{text}")
        failed += [f"{name}: {title}" for title in wrong]
    if failed:
        print(f"\nNot alive: {'; '.join(failed)}")
    return failed


def report(scene: bpy.types.Scene, poses: Poses) -> None:
    """Print the tables of a scene's crowds."""
    found: dict[str, Report] = {}
    measure(scene, found, poses=poses)
    tell(found)


def main(options: SimpleNamespace) -> int:
    if options.kind not in ("", *KINDS):
        raise SystemExit(f"There is no kind {options.kind!r}; there are {', '.join(KINDS)}.")
    told = {name: getattr(options, name) for name in ("kind", "path", "body_length", "cruise")}
    found: dict[str, Report] = {}
    for file in options.files:
        bpy.ops.wm.open_mainfile(filepath=str(file))
        measure(bpy.context.scene, found, options.objects, **told)
    if not found:
        wanted = f"no object called {options.objects}" if options.objects else "no vehicle in a crowd; try --objects"
        raise SystemExit(f"There is {wanted} in {', '.join(map(str, options.files))}.")
    return 1 if tell(found) and options.check else 0


if __name__ == "__main__":
    leave(lambda: main(SimpleNamespace(**json.loads(sys.argv[1]))))
