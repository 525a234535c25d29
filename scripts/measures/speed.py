"""How long bakes and previews of ready scenes take: CPU time a frame, in units of a yardstick in the same process.

A case is what is added, and how many. Scrub is a frame that the preview has played before, baked one of the same
scene with keys.
"""

from pathlib import Path

import numpy as np

from scripts.measures.bench import seconds

IN_BLENDER = True
CASES = ("flock 20", "flock 200", "school 200", "walkers 24", "herd 24")
FRAMES = 60
BANDS = {"bake": (0.0, 1.2), "preview": (0.0, 2.0), "scrub": (0.0, 2.0), "baked": (0.0, 1.0)}


def figures(case: str, folder: Path) -> dict[str, float]:
    import bpy

    name, count = case.split()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    getattr(bpy.ops.steering, f"add_{name}")(count=int(count))

    def plays() -> None:
        for frame in range(1, FRAMES + 1):
            scene.frame_set(frame)

    plays()
    unit = min(seconds(lambda: np.sort(np.random.default_rng(1).uniform(size=300_000))) for _ in range(5))
    bpy.ops.steering.preview()
    times = {"preview": seconds(plays), "scrub": seconds(plays)}
    times |= {"bake": seconds(bpy.ops.steering.bake), "baked": seconds(plays)}
    return {name: spent / FRAMES / unit for name, spent in times.items()}
