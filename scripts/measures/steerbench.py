"""Scenes of the public SteerBench, scored by its own kit: who arrives, what touches, how much they turn.

The environment variable STEERBENCH names the folder of the kit, with its cases.py, score.py, split.json and the folder
`cases`. All agents of all scenes share one set of settings: seek, with avoidance by velocity choice. The case is a list
of the kit's split.json; the scene that no system passes does not count. With `on foot` behind it, the shipped
Pedestrians walk instead of discs that move any way.
"""

import json
import os
import sys
from pathlib import Path

IN_BLENDER = False
CASES = ("visible", "visible on foot")
BANDS = {"failed": (0, 0), "contacts": (0, 0), "turning, deg/s": (0.0, 3.95), "time ratio": (1.0, 1.2)}
ON_FOOT = " on foot"
BANDS |= {"failed on foot": (0, 0), "contacts on foot": (0, 0), "turning, deg/s on foot": (0.0, 6.0)}
BANDS |= {"time ratio on foot": (1.0, 1.3)}
APART = "bottleneck-evacuation-2"


def figures(case: str, folder: Path) -> dict[str, float]:
    kit = os.environ.get("STEERBENCH")
    if not kit:
        raise SystemExit("Set STEERBENCH to the folder of SteerBench's kit.")
    sys.path.insert(0, kit)
    from cases import load
    from score import score

    from scripts.steerbench_scenes import PEOPLE, trajectories

    case, on_foot, _ = case.partition(ON_FOOT)
    split = json.loads(Path(kit, "split.json").read_text(encoding="utf-8"))
    scores = []
    for name in split[case]:
        info = split["info"][name]
        scene = load(Path(kit, "cases", info["file"]), split["seed"])
        places = trajectories(scene, split["dt"], info["frames20"], PEOPLE if on_foot else "VELOCITY")
        shapes = {"circles": scene.circles, "oriented": scene.oriented, "desired_speed": scene.desired_speed}
        result = score(places, scene.radius, scene.goals, scene.boxes, split["dt"], **shapes)
        print(f"{name:28}{'passed' if result['success_tolerant'] else 'FAILED'}", file=sys.stderr, flush=True)
        scores += [result] if name != APART else []
    means = {}
    for figure, key in (("turning, deg/s", "turn_deg_per_s"), ("time ratio", "time_ratio")):
        values = [result[key] for result in scores if result[key] is not None]
        means[figure] = sum(values) / max(len(values), 1)
    contacts = sum(result["aa_collisions"] + result["ao_collisions"] for result in scores)
    failed = sum(not result["success_tolerant"] for result in scores)
    return {name + on_foot: value for name, value in ({"failed": failed, "contacts": contacts} | means).items()}
