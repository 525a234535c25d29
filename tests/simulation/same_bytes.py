"""The run that must give the same bytes everywhere: every behavior there is, boiled down to one hash.

python -m tests.simulation.same_bytes            shows the hash
python -m tests.simulation.same_bytes --write    stores it, after a change that is meant to move vehicles otherwise

The scene is made of the simulation's own chance and angles, so that nothing but the simulation is measured.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np

from steering_addon.behaviors import CATALOGUE, FLOCKING
from steering_addon.behaviors.brake_for import BrakeFor
from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.flow_field_following import FlowFieldFollowing
from steering_addon.behaviors.hide import Hide
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.behaviors.wall_following import WallFollowing
from steering_addon.simulation.arrays.angles import cosine, sine
from steering_addon.simulation.arrays.chance import keys_of, mix, smooth_noise, uniform
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import Kind
from steering_addon.simulation.geometry.meshes import Mesh, mesh
from steering_addon.simulation.geometry.obstacles import INSIDE, PASS_SIDES, Obstacles, boxes, obstacles
from steering_addon.simulation.geometry.painted_flows import Current, current
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.geometry.regions import BOX as BOX_REGION
from steering_addon.simulation.geometry.regions import SPHERE, Regions, regions
from steering_addon.simulation.snapshot import Snapshot
from tests.scene import Crowd, Scene, all_of, in_crowds, leaders, locked
from tests.surfaces import mesh_obstacles, mesh_regions

STORED = Path(__file__).with_name("same_bytes.sha256")
FRAMES, FPS = 12, 10.0
"""Slow enough that these few see everybody come to something."""
MIXED = (Seek, ObstacleAvoidance, *FLOCKING, Containment)
CASES = (
    *(((kind,), COMBININGS[0]) for kind in CATALOGUE),
    (FLOCKING, COMBININGS[0]),
    (CATALOGUE, COMBININGS[0]),
    *((MIXED, way) for way in COMBININGS[1:]),
)
"""Each behavior on its own, a flock, all of them together, and a few in each other way to combine: a crowd a case."""
MEMBERS = 8
VEHICLES = MEMBERS * len(CASES)
BEFORE_OBSTACLES = (ObstacleAvoidance, UnalignedCollisionAvoidance, WallFollowing, BrakeFor, Hide)
"""Whoever has one of these behaviors gets obstacles in its way."""
MESHES = 3
"""They take most of the time."""


def digest(place: Scene | None = None, frames: int = FRAMES) -> str:
    """The hash of all positions, velocities and basis vectors of the run."""
    known = hashlib.sha256()
    for state in (place or scene()).run(frames, preroll=1, at=in_all_crowds):
        motion = state.motion
        for vectors in (motion.position, motion.velocity, motion.side, motion.forward, motion.up):
            known.update(np.ascontiguousarray(vectors, dtype="<f8").tobytes())
    return known.hexdigest()


def scene() -> Scene:
    """A busy place: flyers and walkers of all sizes, each crowd close together, leaders, vehicles that stand, balls,
    pylons, boxes and meshes in their way, rooms about all, paths, flows, a painted sheet, three regions to stay in."""
    n = VEHICLES
    heading = 6.0 * chance(n, 4)
    crowd = np.arange(n) % len(CASES)
    middle = 60.0 * np.stack((chance(n, 1), chance(n, 2), 0.3 * chance(n, 3)), axis=-1)[crowd]
    position = middle + 6.0 * np.stack((chance(n, 15), chance(n, 16), chance(n, 17)), axis=-1)
    forward = np.stack((sine(heading), cosine(heading), 0.2 * chance(n, 9) - 0.1), axis=-1)
    fleeing, avoiding, flowing = (
        position[crowd == CATALOGUE.index(kind)] for kind in (Flee, ObstacleAvoidance, FlowFieldFollowing)
    )
    return Scene(
        position=position,
        forward=forward,
        speed=5.0 * chance(n, 10),
        vehicle={
            "mass": 0.5 + chance(n, 11),
            "max_force": 6.0 + 8.0 * chance(n, 12),
            "max_speed": 4.0 + 4.0 * chance(n, 13),
            "damping": 0.1 * (np.arange(n) % 5 == 1),
            "keep_in_plane": (crowd + np.arange(n) // len(CASES)) % 3 == 1,
        },
        tracked=all_of(
            leaders([10.0, 20.0, 8.0], [50.0, 45.0, 10.0], [30.0, 5.0, 0.0], fleeing[0] + 1.0),
            locked(*(position[: len(CASES)] + 0.5), crowd=crowd[: len(CASES)]),
        ),
        drift=(0.5, -0.25, 0.125),
        obstacles=all_of(*in_the_way(position, forward), *rooms(avoiding[0])),
        paths=((line(1, False), line(2, True)), (line(3, True),), (spline(np.array([[5.0, 5.0, 5.0]]), False),)),
        regions=places_to_stay(),
        flows=((line(4, False), spline(flowing[3:6], False)), (line(5, True),), painted(flowing[:3])),
        fps=FPS,
        substeps=2,
        seed=20,
    )


def in_the_way(position: np.ndarray, forward: np.ndarray) -> tuple[Obstacles, Obstacles, Obstacles]:
    """A round obstacle and a box before two of each crowd that is to come to some, before others of them meshes.

    Every other round one is a leaning pylon, every other mesh is open, every third of all is on the move.
    """
    chosen = np.array([row for row, (kinds, _) in enumerate(CASES) if set(kinds) & set(BEFORE_OBSTACLES)])
    k = len(chosen)
    wind = np.stack((chance(k, 19) - 0.5, chance(k, 20) - 0.5, np.zeros(k)), axis=-1)
    shared = {
        "velocity": wind * (np.arange(k) % 3 == 0)[:, None],
        "pass_side": np.arange(k, dtype=np.int64) % len(PASS_SIDES),
    }
    places = [
        position[some] + forward[some] * (2.0 + 4.0 * chance(k, 5 + member))[:, None]
        for member, some in enumerate(chosen + len(CASES) * member for member in range(3))
    ]
    lean = 6.0 * np.stack((chance(k, 21) - 0.5, chance(k, 22) - 0.5, chance(k, 8)), axis=-1)
    lean *= (np.arange(k) % 2)[:, None]
    half = 0.3 + np.stack((chance(k, 23), chance(k, 24), chance(k, 25)), axis=-1)
    meshes = [sheet(row) if row % 2 else stone(row, 1.0) for row in range(MESHES)]
    return (
        obstacles(places[0], 0.4 + chance(k, 14), places[0] + lean, **shared),
        boxes(places[1], half, turns(k, 18), **shared),
        mesh_obstacles(
            meshes, places[2][:MESHES], turns(MESHES, 26), **{name: some[:MESHES] for name, some in shared.items()}
        ),
    )


def rooms(near: np.ndarray) -> tuple[Obstacles, Obstacles, Obstacles]:
    """A ball, a box and a mesh in which nearly all is, each with a wall near to a place."""
    inside = {"side": np.full(1, INSIDE)}
    return (
        obstacles([near + np.array([38.0, 0.0, 0.0])], 42.0, **inside),
        boxes([near + np.array([0.0, 31.0, 4.0])], [[36.0, 35.0, 16.0]], turns(1, 27), **inside),
        mesh_obstacles([stone(98, 40.0)], [near + np.array([-30.0, 36.0, 0.0])], **inside),
    )


def places_to_stay() -> Regions:
    """A ball, a box and a mesh to stay in."""
    half, shapes = [[9.0, 14.0, 6.0]] * 2, [SPHERE, BOX_REGION]
    return all_of(
        regions([[20.0, 20.0, 5.0], [40.0, 35.0, 8.0]], half, shapes, turns(2, 18)),
        mesh_regions([stone(97, 8.0)], [[30.0, 45.0, 6.0]], turns(1, 28)),
    )


def in_all_crowds(frame: int, snapshot: Snapshot) -> Snapshot:
    """The vehicles in their crowds."""
    return in_crowds(snapshot, every_crowd())


def every_crowd() -> list[Crowd]:
    """A crowd a case; of each choice its members have one value after the other, or all the default."""
    crowds = []
    for case, (kinds, combining) in enumerate(CASES):
        rows = np.flatnonzero(np.arange(VEHICLES) % len(CASES) == case)
        behaviors = tuple(kind.of(len(rows), **_values(kind, len(rows), case)) for kind in kinds)
        crowds.append(Crowd(rows, behaviors, combining.number, key=case))
    return crowds


def _values(kind: type[Behavior], members: int, case: int) -> dict[str, np.ndarray]:
    """Columns of the parameters that have a few values only; the crowd of all behaviors has but defaults."""
    member, alike = np.arange(members), CASES[case][0] == CATALOGUE
    columns = {}
    for name, parameter in kind.parameters().items():
        if parameter.kind is Kind.CROWD:
            columns[name] = np.full(members, (case + 1) % len(CASES))
        elif parameter.kind is Kind.REGION and not alike:
            columns[name] = member % 3
        elif parameter.kind is Kind.CHOICE and not alike:
            columns[name] = np.array([choice.number for choice in parameter.choices])[member % len(parameter.choices)]
    return columns


def line(salt: int, closed: bool):
    """A curve that winds through the place."""
    keys = mix(keys_of(99, np.arange(3)), salt)
    corners = [smooth_noise(keys, 1, np.full(3, 0.1), time)[0] for time in np.arange(24) * 0.5]
    return spline(np.array(corners) * np.array([30.0, 30.0, 5.0]) + np.array([30.0, 30.0, 6.0]), closed)


def turns(k: int, salt: int) -> np.ndarray:
    """(k, 3, 3) axes turned about the up axis."""
    angle = 6.0 * chance(k, salt)
    none, one = np.zeros(k), np.ones(k)
    rows = ((cosine(angle), sine(angle), none), (-sine(angle), cosine(angle), none), (none, none, one))
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=1)


def stone(salt: int, size: float) -> Mesh:
    """A closed box whose corners are out of place."""
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-0.5, 0.5)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    away = 0.4 * (chance(24, 100 + salt).reshape(8, 3) - 0.5)
    return mesh(size * (corners + away), np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]))


def sheet(salt: int) -> Mesh:
    """An open piece of four triangles that stands upright and is bent."""
    points, triangles = _bent(salt)
    return mesh(points, triangles)


def painted(points: np.ndarray) -> Current:
    """A triangle through three points with a flow of its own at each of its corners."""
    return current(points, np.array([[0, 1, 2]]), 2.0 * chance(9, 29).reshape(1, 3, 3) - 1.0)


def _bent(salt: int) -> tuple[np.ndarray, np.ndarray]:
    edge = np.stack((1.5 * np.arange(-1.0, 2.0), chance(3, 200 + salt), np.full(3, -1.5)), axis=-1)
    points = np.concatenate((edge, edge + np.array([0.0, 0.0, 3.0])))
    return points, np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])


def chance(n: int, salt: int) -> np.ndarray:
    """Numbers in [0, 1), always the same."""
    return uniform(mix(keys_of(7, np.arange(n)), salt))


if __name__ == "__main__":
    found = digest()
    if "--write" in sys.argv[1:]:
        STORED.write_text(found + "\n", encoding="ascii")
    print(found)
