"""Random courses: crowds with shipped presets on paths with boxes, balls and meshes, combined in all ways.

A case is a range of seeds, each of which draws a course: the preset, the way to combine, the path with its radii, and
the obstacles on it. A vehicle is stuck if it does not reach the end of the path, or stands for more than 2 s on its
way; one that goes deeper into an obstacle than a twentieth of its radius has not passed it.
"""

from pathlib import Path

IN_BLENDER = False
CASES = tuple(f"{first}-{first + 24}" for first in range(0, 200, 25))
BANDS = {"stuck": (0, 0), "deep": (0, 0), "turning, deg/s": (0.0, 60.0)}


def figures(case: str, folder: Path) -> dict[str, float]:
    import numpy as np

    from scripts.course_scenes import random_course

    first, last = map(int, case.split("-"))
    outcomes = [random_course(seed).run() for seed in range(first, last + 1)]
    stuck = [outcome.stuck() for outcome in outcomes]
    deep = [not outcome.passed() and not outcome.stuck() for outcome in outcomes]
    turning = np.mean([outcome.turning.mean() for outcome in outcomes])
    return {"stuck": sum(stuck), "deep": sum(deep), "turning, deg/s": turning}
