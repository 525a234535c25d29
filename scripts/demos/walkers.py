"""Sixty people walk along a winding street in both directions, round a fountain, planters and each other."""

import math
import random
from dataclasses import replace
from types import SimpleNamespace

import bpy
import extension
import numpy as np
import stage
import surfaces
from mathutils import Vector

from scripts.baked_scene import parts_aside
from scripts.motion_metrics import nearest_distances
from scripts.user_steps import adjust
from steering_addon.blender.crowds.ready_scenes.models import PERSON, THINGS, appended

FRAMES = 240
PREROLL = 72  # frames before the film in which the walkers get into their stride
WALKERS = 60
LADEN = 0.45  # the share of those who carry something
TOPS = ("#d9483b", "#e9a92c", "#2f7f86", "#33507f", "#f3ead7", "#7a4a78", "#4f8a4c", "#e27f8d", "#3a3f4c", "#5fa4cf")
LEGS = ("#2c3648", "#5a4636", "#3d4552", "#8a8371", "#263b57", "#6b3f3a")
WARDROBES = 3  # times that the ready outfits are there, each in other colours
SWING = 0.40  # radians: the least range of a walking leg
SPEED, SPREAD = 1.34, 0.15  # mean in m/s, and the largest deviation as a share of it
TOP_SPEED = 1.9  # m/s
STRENGTH = 2.0  # m/s2
RADIUS = 0.28  # m
PAVEMENT = 0.12  # m, height of the street
MIDDLE = (57.0, 129.0)  # metres along the street between which walkers start
OBSTACLES = ("Fountain", "Planter", "Stall")
SECOND_SHOT, THIRD_SHOT = 97, 169  # first frames


def build(scene: bpy.types.Scene, seed: int) -> SimpleNamespace:
    """Bring the set, as an animator makes it before adding any steering, and place people; what has a role in it."""
    stage.bring("Walkers", FRAMES)
    street = bpy.data.objects["Street"]
    obstacles = [ob for ob in bpy.data.objects if ob.name.startswith(OBSTACLES)]
    return SimpleNamespace(walkers=_walkers(scene, _line(street), seed), obstacles=obstacles, street=street)


def _line(street: bpy.types.Object) -> np.ndarray:
    """Points on the middle of the street, one per metre, (k, 2)."""
    bpy.context.view_layer.update()
    points = np.array([street.matrix_world @ v.co for v in street.to_mesh().vertices])[:, :2]
    street.to_mesh_clear()
    along = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))))
    metres = np.arange(0.0, along[-1])
    return np.stack([np.interp(metres, along, column) for column in points.T], axis=1)


def _beside(line: np.ndarray, along: float, right: float) -> tuple[Vector, float]:
    """The point this far along the street and to the right of its middle, metres, and the street's heading there."""
    metres = np.arange(len(line))
    x, y = (np.interp(along, metres, column) for column in line.T)
    dx, dy = (np.interp(along, metres, np.gradient(column)) for column in line.T)
    size = math.hypot(dx, dy)
    return Vector((x + right * dy / size, y - right * dx / size, PAVEMENT)), math.atan2(dy, dx) - math.pi / 2


def _walkers(scene: bpy.types.Scene, line: np.ndarray, seed: int) -> list[bpy.types.Object]:
    """People spread along the street, every second one walking back, all on their right-hand side."""
    chance = random.Random(3 + seed)
    crowd = bpy.data.collections.new("Walkers")
    scene.collection.children.link(crowd)
    walkers: list[bpy.types.Object] = []
    starts, third = _starts(line, chance), WALKERS // WARDROBES
    for first in range(0, WALKERS, third):
        with appended(PERSON, PERSON.size, WALKERS) as cast:
            for place, turn in starts[first : first + third]:
                walker = cast.add(f"Walker {len(walkers) + 1:02}", len(walkers), crowd)
                walker.location, walker.rotation_euler.z = place, turn
                walker.scale = [chance.uniform(0.92, 1.06)] * 3
                if chance.random() < LADEN:
                    cast.carry(walker, chance.choice(THINGS))
                walkers.append(walker)
        for outfit in range(PERSON.variants):
            alike = [walker for walker in walkers[first:] if walkers.index(walker) % PERSON.variants == outfit]
            stage.recolor(alike, {"Top": chance.choice(TOPS), "Legs": chance.choice(LEGS)})
    for part in (part for walker in walkers for part in walker.children_recursive):
        part.display.show_shadows = False
    return walkers


def _starts(line: np.ndarray, chance: random.Random) -> list[tuple[Vector, float]]:
    """Places along the street with room between them, and headings."""
    fountain = bpy.data.objects["Fountain"].location
    planters = [ob.location for ob in bpy.data.objects if ob.name.startswith("Planter")]
    starts: list[tuple[Vector, float]] = []
    while len(starts) < WALKERS:
        way = 1 if len(starts) % 2 == 0 else -1
        place, heading = _beside(line, chance.uniform(*MIDDLE), way * chance.uniform(0.1, 2.1))
        others = min(((place - start).length for start, _ in starts), default=math.inf)
        pots = min((place - planter).length for planter in planters)
        if others >= 1.1 and pots >= 2.0 and (place - fountain).length >= 4.5:
            starts.append((place, heading + (0.0 if way > 0 else math.pi)))
    return starts


def steer(scene: bpy.types.Scene, cast: SimpleNamespace, seed: int) -> None:
    """Tag the objects and set the walkers' behaviors, as a user would in the sidebar; each direction is a crowd."""
    extension.tag(cast.obstacles, "OBSTACLE")
    extension.tag([cast.street], "PATH")
    chance = random.Random(5 + seed)
    for name, direction, walkers in (
        ("Along the Street", "FORWARD", cast.walkers[::2]),
        ("Back Again", "BACKWARD", cast.walkers[1::2]),
    ):
        back = direction == "BACKWARD"
        crowd = extension.gather(name, walkers, range(1 + back, WALKERS + 1, 2), WALKERS + 1 + back)
        for walker in walkers:
            walker.steering.size_factor = walker.scale.x
            walker.steering.speed_factor = 1.0 + chance.uniform(-SPREAD, SPREAD)
        vehicle = {"mass": 1.0, "max_force": STRENGTH, "pace_drift": 0.15, "radius": RADIUS, "keep_apart": True}
        avoidance = {"distance": 6.0, "look_ahead_time": 4.0, "clearance": 0.2, "weight": STRENGTH}
        adjust(
            crowd,
            vehicle={"max_speed": TOP_SPEED, "cruise_speed": SPEED / TOP_SPEED, **vehicle},
            path_following={"path": cast.street, "direction": direction, "radius": 2.6},
            separation={"distance": 1.6, "angle": math.tau, "weight": 0.8, "neighbors": "EVERYONE"},
            unaligned_collision_avoidance={"neighbors": "EVERYONE", "method": "VELOCITY", **avoidance},
            wander={"strength": 0.1, "rate": 0.2},
            obstacle_avoidance={"look_ahead_time": 2.0, "clearance": 0.25},
        )
        settings = crowd.steering
        settings.locomotion, settings.combining, settings.preroll = "PLANAR", "ALLOCATION", PREROLL
        with appended(PERSON, PERSON.size, 1) as ready:
            ready.give_clips(crowd, walkers[0], scene)

    scene.steering.substeps, scene.steering.seed = 2, seed


def shoot(scene: bpy.types.Scene, walkers: np.ndarray, line: np.ndarray) -> None:
    """Film with three cameras. `walkers`: (frames, walkers, 3) positions; `line`: points on the middle of the
    street."""
    part = np.linspace(0.0, 1.0, len(walkers))[:, None]

    eye = np.array((-13.0, -16.5, 6.5)) * (1.0 - part) + np.array((-4.0, -19.0, 7.5)) * part
    look = np.array((-1.0, -1.2, 0.9)) * (1.0 - part) + np.array((2.0, -0.2, 0.9)) * part
    stage.shoot("Over the Square", 36.0, 1, eye, look)

    hero, eye = _company(walkers)
    stage.shoot("Ahead of a Walker", 36.0, SECOND_SHOT, eye, hero)

    eye, look = (
        np.array([_beside(line, metre + 2.5 * k, aside - 2.0 * aside * k)[0] for k in part[:, 0]])
        for metre, aside in ((64.0, -0.5), (82.0, 1.2))
    )
    stage.shoot("Down the Street", 40.0, THIRD_SHOT, eye + np.array((0.0, 0.0, 7.0)), look)


def _company(walkers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points to look at and the positions of a camera that films a walker on the way back from ahead.

    The walker is the one with the most others around, among those whose camera has enough room.
    """
    best, shot = -math.inf, None
    frames = slice(SECOND_SHOT, THIRD_SHOT)
    for number in range(1, walkers.shape[1], 2):
        hero = stage.smooth(walkers[:, number], 10)
        way = stage.unit(np.gradient(hero, axis=0))
        right = np.cross(way, (0.0, 0.0, 1.0))
        eye = stage.smooth(hero + 8.0 * way - 2.4 * right + (0.0, 0.0, 3.0), 14)
        look = hero - 1.5 * way + 0.6 * right + (0.0, 0.0, 0.95)
        room = np.linalg.norm((walkers - eye[:, None])[frames, :, :2], axis=-1).min()
        company = (np.linalg.norm((walkers - look[:, None])[frames, :, :2], axis=-1) < 6.0).mean() * walkers.shape[1]
        score = company + 10.0 * min(room - 2.5, 0.0)
        if score > best:
            best, shot = score, (look, eye)
    return shot


def main(demo: extension.Demo) -> None:
    scene = bpy.context.scene
    cast = build(scene, demo.seed)
    steer(scene, cast, demo.seed)
    description = f"{len(cast.walkers)} walkers over {FRAMES} frames"
    poses, obstacle_poses = demo.bake(description, cast.walkers, cast.obstacles)
    shoot(scene, poses[..., :3, 3], _line(cast.street))
    crowd = cast.walkers[0].steering.crowd
    scene, walkers, obstacles = demo.reopen(crowd, poses, cast.walkers, cast.obstacles)
    with parts_aside(walkers):
        legs = _thighs(scene, walkers)
    # The shadow below a walker is as wide as the body, and moves with the armature.
    shadows = [next(part for part in walker.children if "Shadow" in part.name) for walker in walkers]
    miss = surfaces.closest(scene, shadows, obstacles, poses, obstacle_poses)
    miss = replace(miss, vehicle=bpy.data.objects[miss.vehicle].parent.name)
    demo.film()

    demo.tell(
        len(walkers),
        f"closest approach to an obstacle {miss}, of two walkers {nearest_distances(poses[..., :3, 3]).min():.2f} m",
        {
            f"{miss.vehicle} walks into {miss.obstacle} in frame {miss.frame}.": miss.distance <= 0.0,
            "A walker does not move its legs.": np.ptp(legs, axis=0).min() < SWING,
        },
    )


def _thighs(scene: bpy.types.Scene, walkers: list[bpy.types.Object]) -> np.ndarray:
    """How far the right thighs of walkers are swung on every fifth frame, (frames, n) radians."""
    angles = []
    for frame in range(1, FRAMES + 1, 5):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        bones = [ob.evaluated_get(graph).pose.bones["Thigh.R"] for ob in walkers]
        angles.append([math.asin(min(max(bone.y_axis.y, -1.0), 1.0)) for bone in bones])
    return np.array(angles)


if __name__ == "__main__":
    extension.run(main)
