"""Two schools of a hundred fish each meet head on over a reef, part, swim through each other and close again.

The fish are those of Add > Steering > School of Fish.
"""

import math
from types import SimpleNamespace

import bpy
import extension
import numpy as np
import stage
import surfaces

from scripts.baked_scene import matrices
from scripts.user_steps import adjust

FRAMES = 192
PREROLL = 72  # frames before the film in which the schools settle
FISH = 100  # in each school
LENGTH = 0.3  # m, of a fish
RADIUS = 0.09  # m, of a body in the contact check: a fish is long but slim
KEPT_FREE = 0.095  # m, of a body in the bake: a little more, so that fish give way before bodies touch
CRUISE, TOP_SPEED = 1.15, 1.9  # m/s
STRENGTH = 3.6  # m/s2
TURN_RATE = 1.6  # rad/s: faster turns look frightened
NEAR = 0.62  # m, the distance of separation
STARTS = (((-7.2, -1.6, 2.7), (-4.8, -0.7, 2.3)), ((7.2, -1.2, 2.6), (4.8, -0.5, 2.9)))
"""The first two points of the path of each school, which cross over the middle of the reef."""
WIDE = 1.5  # m, the radius of the paths
COLORS = (  # by the materials of the fish of each school
    {"Back": "#c4481f", "Flank": "#f59a32", "Belly": "#ffe3ae", "Fin": "#f7c948"},
    {"Back": "#1d3f86", "Flank": "#4f95d8", "Belly": "#eaf4f6", "Fin": "#f2d24a"},
)
SAMPLED = 3  # frames from one to the next on which tails are looked at
LOST = 2.0  # m: a fish further from all of its school is lost
SECOND_SHOT, THIRD_SHOT = 61, 129  # first frames


def build(scene: bpy.types.Scene, seed: int) -> list[SimpleNamespace]:
    """Model and place everything, and add two ready schools."""
    stage.bring("Fish", FRAMES)
    return [_school(scene, number, seed) for number in range(2)]


def _school(scene: bpy.types.Scene, number: int, seed: int) -> SimpleNamespace:
    """A ready school at the start of its path, headed along it."""
    points = np.array(STARTS[number])
    bpy.ops.steering.add_school(count=FISH, size=LENGTH, seed=2 * seed + number, location=points[0])
    crowd = bpy.context.object
    # Without the region the school leaves the place where it was added.
    bpy.data.objects.remove(crowd.steering.containment.region)
    color = ("Orange", "Blue")[number]
    crowd.name = crowd.users_collection[0].name = f"{color} School"
    members = (ob for ob in crowd.users_collection[0].objects if ob.parent is None and ob != crowd)
    fish = sorted(members, key=lambda ob: ob.name)
    stage.recolor(fish, COLORS[number])
    heading = math.atan2(*(points[1] - points[0])[:2] * (-1.0, 1.0))
    for ob in fish:
        ob.rotation_euler.z = heading
        for part in (ob, *ob.children_recursive):
            part.display.show_shadows = False
            part.name = f"{color} {part.name.split('.')[0]}"
    return SimpleNamespace(crowd=crowd, fish=fish, way=bpy.data.objects[f"Way of the {crowd.name}"])


def steer(scene: bpy.types.Scene, schools: list[SimpleNamespace], seed: int) -> None:
    """Set the behaviors that a ready school lacks, as a user would in the sidebar."""
    extension.tag([school.way for school in schools], "PATH")
    for number, (school, other) in enumerate(zip(schools, reversed(schools))):
        settings = school.crowd.steering
        settings.identity = 2 * FISH + number + 1  # the random numbers that a school shares depend on it
        settings.containment.use = False
        avoid = {"distance": 8.0, "look_ahead_time": 4.0, "clearance": 0.15, "weight": 1.5}
        adjust(
            school.crowd,
            vehicle={"max_speed": TOP_SPEED, "cruise_speed": CRUISE / TOP_SPEED, "max_force": STRENGTH},
            swimming={"max_turn_rate": TURN_RATE},
            # Each school keeps together on its way; only the other one parts it.
            wander={"parting_strength": 0.0},
            separation={"distance": NEAR, "weight": 1.5, "neighbors": "EVERYONE"},
            # The path keeps them moving; without it fish that give way to each other would stop and wait.
            path_following={"path": school.way, "radius": WIDE, "weight": 1.2},
            alignment={"weight": 0.6},
            cohesion={"weight": 0.2},
            unaligned_collision_avoidance={"neighbors": "CHOSEN_CROWD", "crowd": other.crowd, **avoid},
        )
        settings.vehicle.radius, settings.vehicle.keep_apart = KEPT_FREE, True
    extension.begin_before(scene, PREROLL, seed)


def shoot(scene: bpy.types.Scene, schools: tuple[np.ndarray, np.ndarray]) -> None:
    """Film the schools with three cameras: from the side as they approach, near the meeting, and as they swim away.
    `schools`: (frames, fish, 3) positions of each."""
    first, second = (stage.smooth(places.mean(axis=1), 8) for places in schools)
    between, gap = 0.5 * (first + second), np.linalg.norm(first - second, axis=1)[:, None]
    back = np.array((0.0, -1.0, 0.0))

    eye = between * (0.6, 0.0, 0.0) + (0.0, -3.2, 2.0) + 0.5 * gap * back
    stage.shoot("Beside the Reef", 30.0, 1, stage.smooth(eye, 10), np.add(between, (0.0, 0.0, 0.15)), near=0.05)

    drift = np.linspace(-0.4, 0.7, len(between))[:, None] * (1.0, 0.0, 0.0)
    eye, look = (np.add(drift, place) for place in ((-2.6, -2.2, 3.0), (0.3, 0.1, 2.4)))
    stage.shoot("At the Meeting", 24.0, SECOND_SHOT, eye, look, near=0.05)

    eye = between * (0.5, 0.0, 0.0) + (0.8, -3.6, 1.0) + 0.35 * gap * back
    stage.shoot("Over the Reef", 30.0, THIRD_SHOT, stage.smooth(eye, 10), np.add(between, (0.0, 0.6, 0.4)), near=0.05)


def main(demo: extension.Demo) -> None:
    scene = bpy.context.scene
    schools = build(scene, demo.seed)
    steer(scene, schools, demo.seed)
    fish = [ob for school in schools for ob in school.fish]
    [poses] = demo.bake(f"{2 * FISH} fish over {FRAMES + PREROLL} frames", fish)
    rears = [ob.children[0] for ob in fish]
    places = poses[..., :3, 3]
    shoot(scene, (places[:, :FISH], places[:, FISH:]))
    scene, fish, rears = demo.reopen(schools[0].crowd, poses, fish, rears)
    rear_poses = matrices(scene, rears, step=SAMPLED)
    demo.film()

    met = _meeting(poses)
    demo.tell(
        len(fish),
        f"{met.through:.0%} swim through the other school, {met.contacts} contacts of bodies "
        f"(at most {met.deepest:.3f} m deep), closest fish of different schools {met.closest:.2f} m, "
        f"to the ground {poses[..., 2, 3].min():.1f} m",
        {
            "Too few fish get through the other school.": met.through < 0.95,
            "Two fish swim into each other.": met.deepest > 0.3 * RADIUS,
            f"A fish is at the end {met.separated:.1f} m from the nearest of its school.": met.separated > LOST,
            "A fish rolls over.": met.upright < -0.5,
            "A fish swims into the sand.": poses[..., 2, 3].min() < 2.0 * LENGTH,
            "A fish does not beat its tail.": surfaces.swing(poses[::SAMPLED], rear_poses, axis=1, about=0).min() < 0.3,
        },
    )


def _meeting(poses: np.ndarray) -> SimpleNamespace:
    """How two schools met; poses are (frames, fish, 4, 4), those of the first school first, and bodies are spheres.

    It has the share of the fish that are through, beyond the middle of the other school at the end; the number of fish
    that touch another, summed over the frames, and the deepest overlap; the closest that fish of different schools
    come; how far a fish is separated from its nearest school member at the end; and the smallest z component of any
    up axis. Metres.
    """
    places, ups = poses[..., :3, 3], poses[..., 2, 2] / np.linalg.norm(poses[..., :3, 2], axis=-1)
    gaps = np.linalg.norm(places[:, :, None] - places[:, None], axis=-1)
    gaps[:, np.arange(2 * FISH), np.arange(2 * FISH)] = np.inf
    nearest, end = gaps.min(axis=2), places[-1, :, 0]
    to_school = np.maximum(gaps[-1, :FISH, :FISH].min(axis=1), gaps[-1, FISH:, FISH:].min(axis=1))
    through = np.concatenate((end[:FISH] > end[FISH:].mean(), end[FISH:] < end[:FISH].mean()))
    return SimpleNamespace(
        through=through.mean(),
        contacts=(nearest < 2.0 * RADIUS - 1e-3).sum(),
        deepest=max(2.0 * RADIUS - nearest.min(), 0.0),
        closest=gaps[:, :FISH, FISH:].min(),
        separated=to_school.max(),
        upright=ups.min(),
    )


if __name__ == "__main__":
    extension.run(main)
