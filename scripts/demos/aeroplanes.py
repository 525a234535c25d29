"""Three aeroplanes chase each other round a figure of eight among pylons, and a balloon drifts across their course."""

import math
from types import SimpleNamespace

import aircraft
import bpy
import extension
import film
import models
import numpy as np
import stage
import surfaces
from mathutils import Vector

from scripts.baked_scene import matrices
from scripts.user_steps import adjust

FRAMES = 264
TOP_SPEED = 22.0  # m/s
CRUISE = 0.91  # share of the top speed
MASS = 700.0  # kg
AGILITY = 22.0  # m/s2
LIFTS = 0.2  # seconds in which a wing takes up another lift

RED = aircraft.Livery("#e0402e", "#fff3dc", "#2b3358", "#fbe9c4")
YELLOW = aircraft.Livery("#f9bd22", "#39404d", "#fbf3df", "#e9573a")
BLUE = aircraft.Livery("#2f86d0", "#fbf6ea", "#f2a93b", "#eaf3f8")
PLANES = (  # name, livery, kind, metres along the course where it starts
    ("Red Biplane", RED, "BIPLANE", -38.0),
    ("Yellow Racer", YELLOW, "RACER", -53.0),
    ("Blue Delta", BLUE, "DELTA", -68.0),
)
COURSE = (  # one lap: round to the left, over the crossing, round to the right, and under it
    (13.0, -19.0, 9.0),
    (30.5, -29.5, 10.5),
    (50.5, -27.0, 12.0),
    (64.5, -13.0, 14.5),
    (66.5, 7.0, 17.0),
    (55.5, 24.0, 18.5),
    (36.0, 30.0, 20.0),
    (17.5, 23.0, 21.5),
    (3.5, 7.5, 22.5),
    (-9.5, -9.0, 23.0),
    (-24.5, -23.0, 21.0),
    (-44.5, -25.0, 19.0),
    (-60.0, -12.5, 16.5),
    (-62.0, 7.0, 14.0),
    (-50.0, 22.5, 14.5),
    (-30.0, 25.0, 15.0),
    (-13.5, 13.5, 13.0),
    (-0.5, -2.5, 11.0),
)
PYLONS = (  # metres along the course, metres to the right of it
    (-8.0, 0.6),
    (44.0, -13.0),
    (92.0, -13.0),
    (225.0, 13.0),
    (275.0, 13.0),
)
BALLOON = (  # frame, location, heading in degrees
    (1, (-10.0, 66.0, 14.0), 0.0),
    (130, (-3.0, 42.0, 19.0), 14.0),
    (FRAMES, (4.0, 16.0, 22.0), 35.0),
)


def build(scene: bpy.types.Scene) -> SimpleNamespace:
    """Model and place everything, as an animator would before adding any steering; what has a role in it."""
    film.look(scene, stage.SUN, FRAMES)
    stage.build(seed=4)
    stage.airstrip((0.0, 92.0, 0.0), math.radians(83))
    course = stage.curve("Course", COURSE, closed=True)
    line = stage.points_of(course)
    planes = [_plane(line, *row) for row in PLANES]
    mesh = models.pylon("Pylon")
    pylons = []
    for along, right in PYLONS:
        place, way = _on(line, along)
        aside = way.cross(Vector((0, 0, 1))).normalized() * right
        pylons.append(models.place("Pylon", mesh, (place.x + aside.x, place.y + aside.y, 0.0)))

    def room(x: float, y: float) -> float:
        course, airstrip, camera = np.hypot(*(line[:, :2] - (x, y)).T).min(), abs(y - 97.0) - 8.0, y + 75.0
        return float(min(course, airstrip, camera))

    stage.plant(room, 150, seed=3)
    return SimpleNamespace(planes=planes, pylons=pylons, balloon=_balloon(), course=course)


def _on(line: np.ndarray, along: float) -> tuple[Vector, Vector]:
    """The point this number of metres along a closed line, and the direction of the line there."""
    ahead = np.roll(line, -1, axis=0)
    lengths = np.linalg.norm(ahead - line, axis=1)
    ends = np.cumsum(lengths)
    row = int(np.searchsorted(ends, along % ends[-1], side="right"))
    part = 1.0 - (ends[row] - along % ends[-1]) / lengths[row]
    return Vector(line[row] * (1.0 - part) + ahead[row] * part), Vector(ahead[row] - line[row]).normalized()


def _plane(line: np.ndarray, name: str, livery: aircraft.Livery, kind: str, start: float) -> bpy.types.Object:
    """An aeroplane on the course, heading along it, with a turning propeller."""
    place, way = _on(line, start)
    ob = models.place(name, aircraft.aeroplane(name, livery, kind), place)
    ob.rotation_euler = way.to_track_quat("Y", "Z").to_euler()
    title = f"{name} Propeller"
    blades = models.place(title, aircraft.propeller(title, livery.trim), (0.0, 2.36, -0.02))
    blades.parent = ob
    blades.driver_add("rotation_euler", 1).driver.expression = "frame * 0.83"
    return ob


def _balloon() -> bpy.types.Object:
    """The balloon, keyed by hand to drift across the course and rise a little."""
    gores = ("#ef6a3a", "#fff3dc", "#2f86a8", "#f7c548")
    ob = models.place("Balloon", aircraft.balloon("Balloon", gores, ("#fff3dc", "#c9382e")))
    for frame, place, turn in BALLOON:
        ob.location, ob.rotation_euler.z = place, math.radians(turn)
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_euler", index=2, frame=frame)
    return ob


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
    demo.bake(f"{len(cast.planes)} aeroplanes over {FRAMES} frames")
    obstacles = [*cast.pylons, cast.balloon]
    baked, obstacle_poses = np.split(matrices(scene, [*cast.planes, *obstacles]), (len(cast.planes),), axis=1)
    shoot(scene, baked[:, :, :3, 3])
    scene, planes, obstacles = demo.reopen(cast.planes[0].steering.crowd, baked, cast.planes, obstacles)
    miss = surfaces.closest(scene, planes, obstacles, baked, obstacle_poses)
    demo.film()

    demo.tell(
        len(planes),
        f"closest approach to an obstacle {miss.distance:.2f} m "
        f"({miss.vehicle} and {miss.obstacle}, frame {miss.frame})",
        {
            f"{miss.vehicle} flies into {miss.obstacle} in frame {miss.frame}.": miss.distance <= 0.0,
            "An aeroplane flies upside down.": (baked[..., 2, 2] < 0.0).any(),
        },
    )


if __name__ == "__main__":
    extension.run(main)
