"""Prints a table per crowd of baked files that says whether its motion looks alive.

scripts/motion runs this in a Blender with factory settings: motion_report.py [--check] FILE.blend ...
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

import bpy
import numpy as np

from scripts.baked_scene import crowds, matrices, recording
from scripts.blender_process import leave
from scripts.motion_bands import Recording, measured, table
from scripts.standing import Standing, standing


@dataclass
class Report:
    """The measurements of one crowd, one run per file, and how it stands on surfaces in the first."""

    first: Recording
    on_surfaces: Standing | None = None
    runs: list[dict[str, float]] = field(default_factory=list)

    def __str__(self) -> str:
        recording = self.first
        frames, n = recording.position.shape[:2]
        facts = f"{n} {recording.kind}, {frames} frames at {recording.fps:g} a second"
        return f"{facts}, body {recording.body_length:.2f} m, cruise {recording.cruise.mean():.1f} m/s"


Poses = Mapping[str, np.ndarray]
"""World matrices (frames, 4, 4) of vehicles by name."""


def measure(scene: bpy.types.Scene, reports: dict[str, Report], poses: Poses | None = None) -> None:
    """Measure the crowds of a scene and add each run to the report of its name.

    Args:
        poses: the vehicles' poses if already known; then it is not said how they stand, for which the scene has to be
            played.
    """
    measured_crowds, feet = crowds(scene), poses is None
    if poses is None:
        vehicles = [vehicle for crowd in measured_crowds for vehicle in crowd.vehicles]
        poses = dict(zip([vehicle.name for vehicle in vehicles], np.swapaxes(matrices(scene, vehicles), 0, 1)))
    for crowd in measured_crowds:
        crowd_poses = np.stack([poses[vehicle.name] for vehicle in crowd.vehicles], axis=1)
        motion = recording(scene, crowd, crowd_poses)
        report = reports.setdefault(crowd.name, Report(motion, standing(scene, crowd) if feet else None))
        report.runs.append(measured(motion))


def print_tables(reports: dict[str, Report]) -> list[str]:
    """Print the tables; the rows that are not alive."""
    failed = []
    for name, report in reports.items():
        text, wrong = table(report.first.kind, report.first.obstacles, report.runs)
        print(f"\n{name}: {report}\n{text}")
        if report.on_surfaces is not None:
            print("on surfaces, heights in mm, angles in degrees:")
            for name, value in report.on_surfaces.figures().items():
                print(f"  {name:28}{value:9.3f}")
        failed += [f"{name}: {title}" for title in wrong]
    if failed:
        print(f"\nNot alive: {'; '.join(failed)}")
    return failed


def report(scene: bpy.types.Scene, poses: Poses) -> None:
    """Print the tables of a scene's crowds, without those of their feet."""
    reports: dict[str, Report] = {}
    measure(scene, reports, poses)
    print_tables(reports)


def main(arguments: list[str]) -> int:
    files = [argument for argument in arguments if argument != "--check"]
    reports: dict[str, Report] = {}
    for file in files:
        bpy.ops.wm.open_mainfile(filepath=file)
        measure(bpy.context.scene, reports)
    if not reports:
        raise SystemExit(f"There is no vehicle in a crowd in {', '.join(files)}.")
    return 1 if print_tables(reports) and "--check" in arguments else 0


if __name__ == "__main__":
    leave(lambda: main(sys.argv[1:]))
