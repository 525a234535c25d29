"""Prints a table per crowd of baked files that says whether its motion looks alive.

scripts/motion runs this in a Blender with factory settings and passes its options as JSON.
"""

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
from scripts.driving import Driving, driving
from scripts.motion_bands import KINDS, Recording, measured, table
from scripts.standing import Standing, standing


@dataclass
class Report:
    """The measurements of one crowd, one run per file, and how it stands on surfaces or drives in the first."""

    first: Recording
    on_surfaces: Standing | None = None
    on_wheels: Driving | None = None
    runs: list[dict[str, float]] = field(default_factory=list)

    def __str__(self) -> str:
        recording = self.first
        frames, n = recording.position.shape[:2]
        facts = f"{n} {recording.kind}, {frames} frames at {recording.fps:g} a second"
        return f"{facts}, body {recording.body_length:.2f} m, cruise {recording.cruise.mean():.1f} m/s"


Poses = Mapping[str, np.ndarray]
"""World matrices (frames, 4, 4) of vehicles by name."""


def measure(
    scene: bpy.types.Scene,
    reports: dict[str, Report],
    names: str = "",
    poses: Poses | None = None,
    *,
    feet: bool = True,
    **given: Any,
) -> None:
    """Measure the crowds of a scene and add each run to the report of its name.

    Args:
        names: a pattern; the matching objects are measured as one crowd.
        poses: the vehicles' poses if already known.
        feet: whether to say how they stand and drive too, for which the scene has to be played.
        given: arguments of `recording` that override the stored settings.
    """
    measured_crowds = [crowd for crowd in crowds(scene, names) if crowd.vehicles]
    if poses is None:
        vehicles = [vehicle for crowd in measured_crowds for vehicle in crowd.vehicles]
        poses = dict(zip([vehicle.name for vehicle in vehicles], np.swapaxes(matrices(scene, vehicles), 0, 1)))
    for crowd in measured_crowds:
        crowd_poses = np.stack([poses[vehicle.name] for vehicle in crowd.vehicles], axis=1)
        motion = recording(scene, crowd, crowd_poses, **given)
        on_ground = (standing(scene, crowd), driving(scene, crowd)) if feet else ()
        report = reports.setdefault(crowd.name, Report(motion, *on_ground))
        report.runs.append(measured(motion))


def print_tables(reports: dict[str, Report]) -> list[str]:
    """Print the tables; the rows that are not alive."""
    failed = []
    for name, report in reports.items():
        text, wrong = table(report.first.kind, report.first.obstacles, report.runs)
        print(f"\n{name}: {report}\n{text}")
        if report.on_surfaces is not None:
            print("\n".join(("on surfaces:", *report.on_surfaces.lines())))
        if report.on_wheels is not None:
            print("\n".join(("on wheels:", *report.on_wheels.lines())))
        failed += [f"{name}: {title}" for title in wrong]
    if failed:
        print(f"\nNot alive: {'; '.join(failed)}")
    return failed


def report(scene: bpy.types.Scene, poses: Poses) -> None:
    """Print the tables of a scene's crowds, without those of their feet."""
    reports: dict[str, Report] = {}
    measure(scene, reports, poses=poses, feet=False)
    print_tables(reports)


def main(options: SimpleNamespace) -> int:
    if options.kind not in ("", *KINDS):
        raise SystemExit(f"Unknown kind {options.kind!r}; choose from {', '.join(KINDS)}.")
    given = {name: getattr(options, name) for name in ("kind", "path", "body_length", "cruise")}
    reports: dict[str, Report] = {}
    for file in options.files:
        bpy.ops.wm.open_mainfile(filepath=str(file))
        measure(bpy.context.scene, reports, options.objects, **given)
    if not reports:
        missing = f"no object called {options.objects}" if options.objects else "no vehicle in a crowd; try --objects"
        raise SystemExit(f"There is {missing} in {', '.join(map(str, options.files))}.")
    return 1 if print_tables(reports) and options.check else 0


if __name__ == "__main__":
    leave(lambda: main(SimpleNamespace(**json.loads(sys.argv[1]))))
