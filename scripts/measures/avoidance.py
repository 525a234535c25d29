"""The stages of avoidance: whether walkers and fish pass each other without contacts and detours, and in time.

A case is a stage of scripts/avoidance_scenes.py, and each figure the mean of three seeds: the overlap, the share that
does not arrive, the turn rate, and the time on the way over that of a straight line. docs/avoidance.md tells where the
bands come from.
"""

from pathlib import Path

IN_BLENDER = False
SEEDS = (1, 2, 3)
TURNING_AND_TIME = {
    **dict.fromkeys(("meetings", "overtaking", "fish", "aside"), (4.0, 1.12)),
    "doors": (15.0, 1.25),
    "corridor": (15.0, 1.4),
    "plaza": (12.0, 1.3),
    "bottleneck": (45.0, 3.5),
    "meetings_on_foot": (6.0, 1.2),
    "corridor_on_foot": (15.0, 1.5),
}
CASES = tuple(TURNING_AND_TIME)
BANDS = {"overlap, m": (0.0, 0.02), "missing": (0.0, 0.05)}
for _stage, (_turning, _time) in TURNING_AND_TIME.items():
    BANDS |= {f"turning, {_stage}": (0.0, _turning), f"time, {_stage}": (0.0, _time)}


def figures(case: str, folder: Path) -> dict[str, float]:
    import numpy as np

    from scripts.avoidance_scenes import measured

    runs = [measured(case, seed) for seed in SEEDS]
    names = {
        "overlap, m": "overlap",
        "missing": "missing",
        f"turning, {case}": "turning",
        f"time, {case}": "time_ratio",
    }
    return {name: float(np.mean([run[measure] for run in runs])) for name, measure in names.items()}
