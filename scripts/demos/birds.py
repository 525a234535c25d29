"""Two hundred birds follow a white one through the towers of a town in the evening; a baked phase beats their wings."""

import math
import random
from types import SimpleNamespace

import bpy
import extension
import numpy as np
import stage
import surfaces
from mathutils import Vector

from scripts.baked_scene import matrices
from scripts.user_steps import adjust
from steering_addon.blender.crowds.ready_scenes.models import BIRD, appended

FRAMES = 240
PREROLL = 48  # frames before the film in which the flock settles
BIRDS = 200
LENGTH = 0.35  # m, of a bird, enlarged for the film
RADIUS = 0.3  # m, of a bird with half-closed wings
NEAR = 1.85  # m, the distance of separation
CRUISE, TOP_SPEED = 10.0, 13.0  # m/s
STRENGTH = 20.0  # m/s2
BEATS = 4.0  # wing beats per second
SAMPLED = 5  # frames from one to the next on which wings are looked at, which has no period of a beat
COMES = ((-38.0, -6.0, 20.0), (-34.5, -9.4, 20.2))  # where the leader is 2 s before the film, and half a second later
SECOND_SHOT, THIRD_SHOT = 81, 161  # first frames
ROOM = 8.0  # m from the centre of a tower, enough for a camera
ROOFS = 11.5  # m, the height of the highest house


def build(scene: bpy.types.Scene, seed: int) -> SimpleNamespace:
    """Bring the set, in which a white bird is keyed by hand, and place a flock behind that; what has a role in it."""
    stage.bring("Birds", FRAMES)
    obs = bpy.data.objects
    towers = [ob for ob in obs if ob.name.startswith("Tower")]
    return SimpleNamespace(
        birds=_flock(scene, seed), leader=obs["White Leader"], towers=towers, region=obs["Sky over the Town"]
    )


def _flock(scene: bpy.types.Scene, seed: int) -> list[bpy.types.Object]:
    """The birds in a loose cloud behind the leader, all with its heading."""
    chance = random.Random(1 + seed)
    flock = bpy.data.collections.new("Flock")
    scene.collection.children.link(flock)
    start, following = map(Vector, COMES)
    way = (following - start).normalized()
    birds: list[bpy.types.Object] = []
    with appended(BIRD, LENGTH, BIRDS) as cast:
        for i in range(BIRDS):
            while True:
                offset = Vector([chance.uniform(-1.0, 1.0) for _ in range(3)])
                place = start - 12.0 * way + Vector((offset.x * 9.0, offset.y * 7.0, offset.z * 4.0))
                if offset.length < 1.0 and all((place - bird.location).length > 2.5 * RADIUS for bird in birds):
                    break
            ob = cast.add(f"Bird {i + 1:03}", i, flock, 0.0)
            ob.location, ob.rotation_euler = place, way.to_track_quat("Y", "Z").to_euler()
            for part in (ob, *ob.children_recursive):
                part.display.show_shadows = False
            birds.append(ob)
    return birds


def steer(scene: bpy.types.Scene, cast: SimpleNamespace, seed: int) -> None:
    """Tag the objects and set the birds' behaviors, as a user would in the sidebar."""
    crowd = extension.gather("Flock Settings", cast.birds, range(1, BIRDS + 1), BIRDS + 1)
    extension.tag(cast.towers, "OBSTACLE")
    extension.tag([cast.leader], "LEADER")
    extension.tag([cast.region], "REGION")
    cast.region.steering.region_shape = "BOX"

    chance = random.Random(6 + seed)
    for bird in cast.birds:
        bird.steering.speed_factor = chance.uniform(0.95, 1.05)

    cruise = CRUISE / TOP_SPEED
    following = {"distance": NEAR, "separation": 4.0, "behind": 1.4, "spread": 4.5, "strength": 5.3}
    rhythm = {"cycle_time": 1.0 / BEATS, "variation": 0.08, "glide_share": 0.4, "glide_time": 0.6}
    adjust(
        crowd,
        vehicle={"max_speed": TOP_SPEED, "cruise_speed": cruise, "mass": 1.0, "max_force": STRENGTH, "radius": RADIUS},
        simple_vehicle={"max_bank": math.radians(75)},
        separation={"distance": NEAR, "angle": math.tau, "weight": 8.0},
        alignment={"distance": 2.0 * NEAR, "angle": math.radians(270), "weight": 6.0},
        cohesion={"distance": 2.0 * NEAR, "angle": math.tau, "weight": 3.0},
        wander={"strength": 3.0, "rate": 0.5, "shared_strength": 1.5},
        leader_following={"leader": cast.leader, **following},
        containment={"region": cast.region},
        obstacle_avoidance={"clearance": 0.5},
        # Each bird has its own rhythm, faster in a climb and slower in a descent.
        portrayal={"phase_by": "TIME", "effort": 0.15, **rhythm},
    )
    crowd.steering.combining = "ALLOCATION"
    extension.begin_before(scene, PREROLL, seed)


def shoot(scene: bpy.types.Scene, birds: np.ndarray, leader: np.ndarray) -> None:
    """Film the flock with three cameras: on a roof, in the flock, and ahead of the leader.

    They look up, because dark birds show best against the sky. `birds`: (frames, birds, 3) positions; `leader`:
    (frames, 3) positions.
    """
    middle, head = stage.smooth(birds.mean(axis=1), 8), stage.smooth(leader, 8)
    way, ahead_way = (stage.unit(np.gradient(track, axis=0) * (1.0, 1.0, 0.0)) for track in (middle, head))
    right = np.cross(way, (0.0, 0.0, 1.0))

    eye = middle * (0.6, 0.4, 0.0) + (-5.0, -25.0, 14.0)
    stage.shoot("From a Roof", 33.0, 1, eye, 0.75 * middle + 0.25 * head + (0.0, 0.0, -0.8))

    calm = stage.smooth(middle, 6)
    eye = _past_the_towers(calm - 11.0 * way, calm, right)
    stage.shoot("In the Flock", 28.0, SECOND_SHOT, eye, calm + 6.0 * way + (0.0, 0.0, 1.0))

    eye = head + 3.6 * ahead_way + 2.4 * right + (0.0, 0.0, -1.8)
    stage.shoot("Ahead of the Leader", 38.0, THIRD_SHOT, eye, 0.6 * middle + 0.4 * head)


def _past_the_towers(eyes: np.ndarray, looks: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The track of a camera, (frames, 3), moved aside until no tower is too near or in its line of sight."""
    frames = slice(SECOND_SHOT - 1, THIRD_SHOT - 1)
    towers = np.array([ob.location[:2] for ob in bpy.data.objects if ob.name.startswith("Tower")])

    def room(aside: float) -> float:
        moved = eyes + aside * right
        sight = [moved + part * (looks - moved) for part in (0.0, 0.3, 0.6)]
        return min(np.linalg.norm(place[frames, None, :2] - towers, axis=-1).min() for place in sight)

    aside = max(range(-16, 17), key=lambda aside: min(room(aside), ROOM) - 0.05 * abs(aside + 1))
    return eyes + aside * right


def main(demo: extension.Demo) -> None:
    scene = bpy.context.scene
    cast = build(scene, demo.seed)
    steer(scene, cast, demo.seed)
    description = f"{len(cast.birds)} birds over {FRAMES + PREROLL} frames"
    poses, tower_poses, leader = demo.bake(description, cast.birds, cast.towers, [cast.leader])
    wings = [wing for bird in cast.birds for wing in bird.children]
    shoot(scene, poses[..., :3, 3], leader[:, 0, :3, 3])
    crowd = cast.birds[0].steering.crowd
    scene, birds, wings, towers = demo.reopen(crowd, poses, cast.birds, wings, cast.towers)
    beats = surfaces.swing(poses[::SAMPLED], matrices(scene, wings[::2], step=SAMPLED))
    miss = surfaces.closest(scene, birds, towers, poses, tower_poses)
    lowest = poses[..., 2, 3].min()

    demo.film()

    demo.tell(
        len(birds),
        f"closest approach to a tower {miss}, to the ground {lowest:.1f} m",
        {
            f"{miss.vehicle} flies into {miss.obstacle} in frame {miss.frame}.": miss.distance <= 0.0,
            "A bird flies into the roofs.": lowest < ROOFS,
            "A bird does not beat its wings.": beats.min() < 0.5,
        },
    )


if __name__ == "__main__":
    extension.run(main)
