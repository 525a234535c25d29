"""Walkers, cars and insects on all sorts of ground: how well they stand there, on keys and between them.

Heights are those of the foot, or of the wheels of a car, above the evaluated surface in millimetres; angles are in
degrees: of the way against the surface along it, of the jerk of the up axis without that of the surface itself, and of
the steepest ground below the feet, over the Max Slope of the crowd.
"""

import math
from pathlib import Path

IN_BLENDER = True
CASES = (
    *("hills", "wave", "stairs", "bridge", "overlapping", "hole", "broken", "mirrored", "lorry", "stones"),
    *("moebius", "ball", "bowl", "swell"),
)
FRAMES = 120
BANDS = {
    "on keys, max": (0.0, 1.0),
    "on keys, max, quick": (0.0, 5.0),
    "between, p95": (0.0, 3.0),
    "between, p95, quick": (0.0, 50.0),
    "off surface, p95": (0.0, 2.0),
    **dict.fromkeys(("on keys, max, steps", "between, p95, steps", "off surface, p95, steps"), (0.0, 180.0)),
    "own jerk, p95": (0.0, 0.1),
    "own jerk, p95, quick": (0.0, 2.0),
    "too steep": (-180.0, 0.01),
    # A foot bridges a corner that its body cuts.
    "no surface": (0.0, 0.05),
}
QUICK = ("Runner", "Racer")
"""Kinds of vehicles that are further off than walkers: keys are true to .1 degrees, 3.5 mm at a wheel 2 m away, and who
runs leans into its turns."""

STEPPED = ("stairs", "overlapping")
"""Grounds with steps, over which walkers are carried: by up to a riser of 170."""


def figures(case: str, folder: Path) -> dict[str, float]:
    import bpy

    from scripts import ground_scenes
    from scripts.baked_scene import crowds
    from scripts.standing import standing

    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
    ground_scenes.populate(case)
    bpy.ops.steering.bake()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{case}.blend"), compress=True)
    told = {}
    for crowd in crowds(bpy.context.scene):
        stands = standing(bpy.context.scene, crowd)
        settings, kind = crowd.vehicles[0].steering.crowd.steering, crowd.vehicles[0].name.split(".")[0]
        limit = math.pi if stands.clings else getattr(settings, settings.locomotion.lower()).max_slope
        values = stands.figures()
        values["too steep"] = values["slope, max"] - math.degrees(limit)
        for name in ("on keys, max", "between, p95", "own jerk, p95") if kind in QUICK else ():
            values[f"{name}, quick"] = values.pop(name)
        for name in ("on keys, max", "between, p95", "off surface, p95") if case in STEPPED else ():
            values[f"{name}, steps"] = values.pop(name)
        told |= {f"{name} of {kind}": values[name] for name in BANDS if name in values}
    return told
