"""The ready Cowboys and Strays: whether riders bring strays home, and how.

Home is when the last stray is, beyond how far one is outside the herd at the end; went the number of riders who go,
stayed how far the others move, passed how near a rider is to a stray before it has got round it, behind the median
cosine of where riders are to the line from home through the stray. A case is a seed, or a baked file.
"""

from pathlib import Path

IN_BLENDER = True
CASES = ("0", "1", "2")
FRAMES = 960
BANDS = {
    "home, s": (0.0, 40.0),
    "beyond, m": (-100.0, 3.0),
    "went": (2, 2),
    "stayed, m": (0.0, 0.3),
    "from post, m": (0.0, 2.0),
    "passed, m": (4.0, 1000.0),
    "behind": (0.8, 1.0),
    "into herd, m": (0.0, 2.5),
    "overlap, m": (0.0, 0.1),
    "spun, deg": (0.0, 20.0),
    "herd moved, m": (0.0, 6.0),
}


def figures(case: str, folder: Path) -> dict[str, float]:
    import bpy

    from scripts import stray_figures

    if case.endswith(".blend"):
        bpy.ops.wm.open_mainfile(filepath=case)
    else:
        bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
        bpy.ops.steering.add_cowboys_and_strays(seed=int(case))
        bpy.ops.steering.bake()
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"strays_{case}.blend"), compress=True)
    return stray_figures.figures(bpy.context.scene, "Cows", "Riders")
