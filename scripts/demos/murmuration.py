"""A falcon stoops into ten thousand starlings in the evening: the flock opens before it, and waves run through it.

The flock is the ready one of the Add menu, whose members are points of one mesh; they bake into a crowd cache.
"""

import math

import bpy
import extension
import numpy as np
import stage

from scripts.user_steps import adjust, select

FRAMES = 108
PREROLL = 14  # frames before the film, in which the falcon comes
STARLINGS = 10000
SPACING = 0.85  # of the usual distances between them
HEIGHT = 55.0  # m, of the middle of the flock
FASTEST, STRENGTH = 32.0, 60.0  # m/s and m/s2
LETS_GO, REACTION = 1.2, 0.5  # seconds
SIMPLER = 0.3  # share of the faces of a starling that are kept, as thousands are in each picture
FIELDS, LATER = (20.0, -105.0, 2.0), (30.0, -145.0, 2.0)  # where the cameras on the ground are
SECOND_SHOT, THIRD_SHOT = 33, 61  # first frames
HOLE, AROUND = 4.0, 12.0  # m from the falcon
MANY = 100  # starlings within the latter where it is in the flock
SAMPLE = 60  # starlings, as thousands would take seconds
LOWEST = 5.0  # m above the ground


def build(scene: bpy.types.Scene, seed: int) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Bring the set, in which the falcon waits, and add the flock; the crowd of starlings, and the falcon."""
    stage.bring("Murmuration", FRAMES)
    # Thousands of birds have no place on which their shadows would be seen, and finding these takes seconds a picture.
    scene.display.shading.show_shadows = False
    bpy.ops.steering.add_flock(count=STARLINGS, spacing=SPACING, seed=seed, location=(0.0, 0.0, HEIGHT))
    crowd = bpy.context.object
    [points] = [ob for ob in scene.objects if "POINTS" in ob.steering.roles]
    for part in points.steering.models.all_objects:
        part.modifiers.new("Fewer Faces", "DECIMATE").ratio = SIMPLER
    return crowd, bpy.data.objects["Falcon"]


def steer(scene: bpy.types.Scene, flock: bpy.types.Object, falcon: bpy.types.Object, seed: int) -> None:
    """Let the falcon chase the flock, and the flock run from it, as a user would in the sidebar."""
    extension.tag([falcon], "VEHICLE", new_crowd=True)
    falcons, falcon.steering.start_speed = falcon.steering.crowd, 0.8
    falcons.name, falcons.steering.locomotion = "Falcons", "FLYING"
    adjust(
        falcons,
        flying={"max_dive": math.radians(70), "max_climb": math.radians(45)},
        vehicle={"max_speed": FASTEST, "cruise_speed": 0.7, "max_force": STRENGTH},
        pursuit={"quarry": flock, "pause_time": LETS_GO},
        portrayal={"phase_by": "TIME", "cycle_time": 0.3, "glide_share": 0.6},
    )
    select([flock])
    bpy.ops.steering.behavior_add(behavior="evasion")
    adjust(flock, evasion={"pursuer": falcon, "reaction_time": REACTION})
    extension.begin_before(scene, PREROLL, seed)


def cached() -> np.ndarray:
    """Where the starlings are on the frames of the film, (frames, starlings, 3), as their cache has them."""
    [held] = [ob for ob in bpy.data.objects if ob.get("steering_part") == "FRAMES"]
    places = np.empty(3 * len(held.data.vertices), np.float32)
    held.data.vertices.foreach_get("co", places)
    return places.reshape(-1, STARLINGS, 3)[PREROLL:]


def shown(scene: bpy.types.Scene, frame: int) -> np.ndarray:
    """Where starlings are seen on a frame, (starlings, 3)."""
    scene.frame_set(frame)
    instances = bpy.context.evaluated_depsgraph_get().object_instances
    return np.array([each.matrix_world.translation[:] for each in instances if each.is_instance])


def crowding(places: np.ndarray, some: np.ndarray) -> float:
    """How many others a starling has within the size of the hole, in the mean over some (n,) of places (n, 3)."""
    near = places[some]
    sample = near[:: max(len(near) // SAMPLE, 1)]
    return float(np.mean([(np.linalg.norm(places - place, axis=1) < HOLE).sum() - 1 for place in sample]))


def shoot(scene: bpy.types.Scene, flock: np.ndarray, falcon: np.ndarray) -> None:
    """Film with three cameras: from the fields, behind the falcon, and from the fields again. `flock`: (frames,
    starlings, 3) places; `falcon`: (frames, 3) places."""
    middle, hunter = stage.smooth(np.median(flock, axis=1), 10), stage.smooth(falcon, 4)
    both = 0.8 * middle + 0.2 * hunter - (0.0, 0.0, 12.0)
    stage.shoot("From the Fields", 24.0, 1, np.tile(FIELDS, (len(flock), 1)), both)

    way = stage.unit(stage.smooth(np.gradient(hunter, axis=0), 6))
    follows = stage.smooth(hunter - 9.0 * way + (0.0, 0.0, 3.0), 3)
    stage.shoot("With the Falcon", 24.0, SECOND_SHOT, follows, hunter + 4.0 * way)

    later, below = np.tile(LATER, (len(flock), 1)), np.subtract(middle, (0.0, 0.0, 4.0))
    stage.shoot("After It", 24.0, THIRD_SHOT, later, below)


def main(demo: extension.Demo) -> None:
    scene = bpy.context.scene
    flock, falcon = build(scene, demo.seed)
    steer(scene, flock, falcon, demo.seed)
    [poses] = demo.bake(f"{STARLINGS} starlings and a falcon over {FRAMES + PREROLL} frames", [falcon])
    places = cached()
    hunter = poses[:, 0, :3, 3]
    shoot(scene, places, hunter)
    scene, _ = demo.reopen(flock, poses, [falcon])
    astray = max(np.abs(shown(scene, frame) - places[frame - 1]).max() for frame in (1, FRAMES // 2, FRAMES))
    demo.film()

    distance = np.linalg.norm(places - hunter[:, None], axis=-1)
    inside = np.flatnonzero((distance < AROUND).sum(axis=1) > MANY)
    within = (distance[inside] < HOLE).sum()
    usual = sum(crowding(places[frame], distance[frame] < AROUND) for frame in inside)
    left = within / max(usual, 1.0)
    lowest = places[..., 2].min()
    demo.tell(
        STARLINGS + 1,
        f"the falcon is {len(inside)} frames in the flock, "
        f"where it has {left:.0%} as many starlings within {HOLE:.0f} m as they have; {lowest:.0f} m above the ground",
        {
            "The starlings are not shown where they were baked.": astray > 1e-4,
            "The falcon does not reach the flock.": len(inside) < 12,
            "The starlings do not make way for the falcon.": left > 0.25,
            "A starling comes too near to the ground.": lowest < LOWEST,
        },
    )


if __name__ == "__main__":
    extension.run(main)
