"""Three aeroplanes chase each other round a figure of eight among pylons, and a balloon drifts across their course."""

import math
from types import SimpleNamespace

import bpy
import extension
import numpy as np
import stage
import surfaces

from scripts.user_steps import adjust

FRAMES = 264
TOP_SPEED = 22.0  # m/s
CRUISE = 0.91  # share of the top speed
MASS = 700.0  # kg
AGILITY = 22.0  # m/s2
LIFTS = 0.2  # seconds in which a wing takes up another lift

PLANES = ("Red Biplane", "Yellow Racer", "Blue Delta")


def build(scene: bpy.types.Scene) -> SimpleNamespace:
    """Bring the set, as an animator makes it before adding any steering; what has a role in it."""
    stage.bring("Aeroplanes", FRAMES)
    obs = bpy.data.objects
    pylons = [ob for ob in obs if ob.name.startswith("Pylon")]
    return SimpleNamespace(
        planes=[obs[name] for name in PLANES], pylons=pylons, balloon=obs["Balloon"], course=obs["Course"]
    )


def steer(scene: bpy.types.Scene, cast: SimpleNamespace, seed: int) -> None:
    """Tag the objects and set the aeroplanes' behaviors, as a user would in the sidebar."""
    number = len(cast.planes)
    crowd = extension.gather("Aeroplanes", cast.planes, range(1, number + 1), number + 1)
    extension.tag([*cast.pylons, cast.balloon], "OBSTACLE")
    extension.tag([cast.course], "PATH")

    for plane in cast.planes:
        plane.steering.start_speed = CRUISE
    cast.balloon.steering.pass_side = "LEFT"
    adjust(
        crowd,
        vehicle={
            "max_speed": TOP_SPEED,
            "cruise_speed": CRUISE,
            "mass": MASS,
            "max_force": MASS * AGILITY,
            "radius": 3.2,
            "damping": LIFTS,
        },
        # The turn itself begins smoothly.
        simple_vehicle={"max_bank": math.radians(65), "bank_time": 0.25, "bank_smoothing": 0.0},
        path_following={"priority": 2, "path": cast.course, "radius": 7.0},
        obstacle_avoidance={"priority": 1, "clearance": 1.0},
    )
    crowd.steering.combining = "PRIORITY"
    scene.steering.substeps, scene.steering.seed = 4, seed


def shoot(scene: bpy.types.Scene, tracks: np.ndarray) -> None:
    """Film the flight with three cameras: at the first pylon, in chase, and above the balloon. `tracks`: (frames,
    planes, 3) positions of the aeroplanes."""
    middle, last = tracks.mean(axis=1), tracks[:, -1]

    calm = stage.smooth(middle, 10)
    stage.shoot("At the Pylon", 40.0, 1, (4.0, -54.0, 18.0) + calm * (0.5, 0.2, 0.0), calm)

    way = stage.unit(np.gradient(stage.smooth(last, 8), axis=0) * (1.0, 1.0, 0.4))
    behind = stage.smooth(last, 4) - 15.0 * way + (0.0, 0.0, 5.0)
    stage.shoot("In Chase", 30.0, 85, behind, 0.5 * stage.smooth(last, 4) + 0.5 * stage.smooth(middle, 5))

    stage.shoot("Above the Balloon", 50.0, 171, np.tile((-44.0, -43.0, 38.0), (len(calm), 1)), calm)


def main(demo: extension.Demo) -> None:
    scene = bpy.context.scene
    cast = build(scene)
    steer(scene, cast, demo.seed)
    obstacles = [*cast.pylons, cast.balloon]
    description = f"{len(cast.planes)} aeroplanes over {FRAMES} frames"
    baked, obstacle_poses = demo.bake(description, cast.planes, obstacles)
    shoot(scene, baked[:, :, :3, 3])
    scene, planes, obstacles = demo.reopen(cast.planes[0].steering.crowd, baked, cast.planes, obstacles)
    miss = surfaces.closest(scene, planes, obstacles, baked, obstacle_poses)
    demo.film()

    demo.tell(
        len(planes),
        f"closest approach to an obstacle {miss}",
        {
            f"{miss.vehicle} flies into {miss.obstacle} in frame {miss.frame}.": miss.distance <= 0.0,
            "An aeroplane flies upside down.": (baked[..., 2, 2] < 0.0).any(),
        },
    )


if __name__ == "__main__":
    extension.run(main)
