"""A predator among its prey: how often it hunts, feeds and rests, and how it touches.

The scene is a ready herd and a vehicle that patrols, with the states Hunt, Feed and Rest; the prey has Startle and
Caught. All of it is added by operators. Moved is how far the caught move from a second after; overlap the deepest of
two bodies, and frames those on which two overlap by more than a centimetre.
"""

from pathlib import Path

IN_BLENDER = True
CASES = ("0", "1", "2")
FRAMES, PREY = 1200, 12
BANDS = {
    "meals": (3, 8),
    "first, s": (0.0, 20.0),
    "last, s": (0.0, 50.0),
    "least, s": (5.0, 30.0),
    "most, s": (5.0, 30.0),
    "hunts, s": (0.2, 8.0),
    "feeds, s": (2.0, 8.0),
    "rests, s": (1.0, 8.0),
    "caught": (2, 12),
    "moved, m": (0.0, 0.5),
    "overlap, m": (0.0, 0.15),
    "frames": (0, 60),
}


def figures(case: str, folder: Path) -> dict[str, float]:
    import bpy

    from scripts import hunt_scenes

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.steering.seed = int(case)
    crowds = hunt_scenes.built(int(case), PREY)
    bpy.ops.steering.bake()
    states = [ob for crowd in crowds for ob in crowd.children if ob.name in ("Hunt", "Feed", "Rest", "Caught")]
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"hunts_{case}.blend"), compress=True)
    return hunt_scenes.figures(scene, {ob.name: ob.steering.state.number for ob in states})
