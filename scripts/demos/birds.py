"""Two hundred birds follow a white one through the towers of a town in the evening; a baked phase beats their wings."""

import itertools
import math
import random
from types import SimpleNamespace

import bpy
import extension
import film
import models
import numpy as np
import stage
import surfaces
import town
from mathutils import Matrix, Vector

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

DOVE = {"Back": "#fdfaf2", "Belly": "#f1ebe2", "Wing": "#fffdf8", "Lining": "#fff4e2", "Beak": "#ee9a4a"}
LEADER_LENGTH = 0.53  # m
TRACK = (  # of the leader, one point per half second: a figure of eight, 80 m wide
    (-38.0, -6.0, 20.0),
    (-34.5, -9.4, 20.2),
    (-30.2, -11.6, 20.4),
    (-25.6, -12.2, 20.6),
    (-21.0, -11.4, 20.8),
    (-16.6, -9.6, 21.0),
    (-12.4, -7.2, 21.3),
    (-8.3, -4.5, 21.6),
    (-4.2, -1.8, 21.9),
    (0.0, 0.8, 22.2),
    (4.2, 3.3, 22.6),
    (8.6, 5.7, 23.0),
    (13.0, 8.0, 23.4),
    (17.6, 10.0, 23.7),
    (22.4, 11.3, 23.9),
    (27.3, 11.6, 23.9),
    (32.0, 10.4, 23.7),
    (36.0, 7.6, 23.3),
    (38.8, 3.6, 22.7),
    (39.9, -1.2, 22.0),
    (39.0, -6.0, 21.3),
    (36.2, -10.0, 20.7),
    (32.2, -12.8, 20.2),
    (27.4, -14.0, 19.9),
    (22.5, -13.7, 19.7),
)
TOWERS = (  # kind, location, height
    ("CAMPANILE", (-22.0, -2.0), 28.0),
    ("SPIRE", (2.5, -5.5), 36.0),
    ("ONION", (13.0, 14.5), 29.0),
    ("SPIRE", (25.5, -1.5), 33.0),
    ("CLOCK", (35.0, -21.0), 29.0),
)
REGION = ((0.0, 0.0, 23.0), (60.0, 40.0, 9.0))  # centre and half extents
SECOND_SHOT, THIRD_SHOT = 81, 161  # first frames
ROOM = 8.0  # m from the centre of a tower, enough for a camera
ROOFS = 11.5  # m, the height of the highest house


def build(scene: bpy.types.Scene, seed: int) -> SimpleNamespace:
    """Model and place everything, as an animator would before adding any steering; what has a role in it."""
    film.look(scene, stage.SUN, FRAMES)
    stage.build(seed=9, sky=stage.blended(stage.EVENING, 4), clouds=stage.EVENING_CLOUDS)
    _town()
    towers = []
    for i, (kind, (x, y), height) in enumerate(TOWERS):
        name = f"Tower {i + 1}"
        towers.append(models.place(name, town.tower(name, kind, height), (x, y, 0.0), heading=0.2 * i))
    region = bpy.data.objects.new("Sky over the Town", None)
    region.empty_display_type = "CUBE"
    region.location, region.scale = REGION
    scene.collection.objects.link(region)
    flock, leader = _flock(scene, seed), _leader(scene)
    return SimpleNamespace(birds=flock, leader=leader, towers=towers, region=region)


def _town() -> None:
    """Houses in blocks along bent streets, with squares around the towers."""
    chance = random.Random(5)
    shape = models.Shape()
    shape.face([(88 * x, 78 * y, 0.05) for x, y, _ in models.ring(40)], "#cdbf9f")
    towers = np.array([place for _, place, _ in TOWERS])
    for i, j in itertools.product(range(-6, 7), range(-6, 7)):
        x = 13.0 * i + 2.5 * math.sin(j * 0.9) + chance.uniform(-0.8, 0.8)
        y = 12.0 * j + 2.5 * math.sin(i * 0.8) + chance.uniform(-0.8, 0.8)
        room = np.hypot(*(towers - (x, y)).T).min()
        if math.hypot(x / 84, y / 74) > 1.0 or room < 7.5:
            continue
        heading = (math.pi / 2) * chance.randrange(4) + 0.12 * math.sin(i + j)
        size = (chance.uniform(7.0, 9.0), chance.uniform(6.0, 7.5), chance.uniform(4.2, 7.2))
        town.house(shape, town.spot(x, y, heading), size, chance)
    models.place("Town", shape.mesh("Town"))

    def room(x: float, y: float) -> float:
        return 24.0 if math.hypot(x, y) > 98.0 else 0.0

    stage.plant(room, 110, seed=6)


def _flock(scene: bpy.types.Scene, seed: int) -> list[bpy.types.Object]:
    """The birds in a loose cloud behind the leader, all with its heading."""
    chance = random.Random(1 + seed)
    flock = bpy.data.collections.new("Flock")
    scene.collection.children.link(flock)
    start, way = Vector(TRACK[0]), (Vector(TRACK[1]) - Vector(TRACK[0])).normalized()
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


def _leader(scene: bpy.types.Scene) -> bpy.types.Object:
    """The white bird, keyed by hand: it banks into its turns, and its wings beat steadily."""
    with appended(BIRD, LEADER_LENGTH, 1) as cast:
        ob = cast.add("White Leader", 0, scene.collection)
    models.recolor([ob], DOVE)
    ob.rotation_mode = "QUATERNION"
    points = np.array(TRACK)
    ways, bends = np.gradient(points, axis=0), np.gradient(np.gradient(points, axis=0), axis=0)
    for i, (point, way, bend) in enumerate(zip(points, ways, bends)):
        frame = 1 + (i - 4) * film.FPS // 2
        up = Vector((0, 0, 9.81)) + Vector(bend) * 4.0
        side = Vector(way).cross(up).normalized()
        forward = Vector(way).normalized()
        ob.rotation_quaternion = Matrix((side, forward, side.cross(forward))).transposed().to_quaternion()
        ob.location = point
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_quaternion", frame=frame)
    for frame in (1 - PREROLL, FRAMES):
        ob["steering_phase"] = (frame - 1) / film.FPS * 0.75 * BEATS + 20.0
        ob.keyframe_insert('["steering_phase"]', frame=frame)
    return ob


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
    towers = np.array([place for _, place, _ in TOWERS])

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
    demo.bake(f"{len(cast.birds)} birds over {FRAMES + PREROLL} frames")
    wings = [wing for bird in cast.birds for wing in bird.children]
    baked = matrices(scene, [*cast.birds, *cast.towers, cast.leader])
    poses, tower_poses, leader = np.split(baked, (len(cast.birds), baked.shape[1] - 1), axis=1)
    shoot(scene, poses[..., :3, 3], leader[:, 0, :3, 3])
    crowd = cast.birds[0].steering.crowd
    scene, birds, wings, towers = demo.reopen(crowd, poses, cast.birds, wings, cast.towers)
    beats = models.swing(poses[::SAMPLED], matrices(scene, wings[::2], step=SAMPLED))
    miss = surfaces.closest(scene, birds, towers, poses, tower_poses)
    lowest = poses[..., 2, 3].min()

    demo.film()

    demo.tell(
        len(birds),
        f"closest approach to a tower {miss.distance:.2f} m ({miss.vehicle} and {miss.obstacle}, frame {miss.frame}), "
        f"to the ground {lowest:.1f} m",
        {
            f"{miss.vehicle} flies into {miss.obstacle} in frame {miss.frame}.": miss.distance <= 0.0,
            "A bird flies into the roofs.": lowest < ROOFS,
            "A bird does not beat its wings.": beats.min() < 0.5,
        },
    )


if __name__ == "__main__":
    extension.run(main)
