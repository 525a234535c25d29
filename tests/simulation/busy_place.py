"""A busy place that is made from a name: with chance of its own, so that nothing but the simulation is measured."""

from zlib import crc32

import numpy as np

from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.simulation.arrays.angles import cosine, sine
from steering_addon.simulation.arrays.chance import keys_of, mix, smooth_noise, uniform
from steering_addon.simulation.candidates import NEXT, Candidates
from steering_addon.simulation.geometry.flows import Current, current
from steering_addon.simulation.geometry.meshes import Mesh, mesh
from steering_addon.simulation.geometry.obstacles import PASS_SIDES, Obstacles, boxes, obstacles
from steering_addon.simulation.geometry.paths import Spline, spline
from steering_addon.simulation.geometry.regions import BOX, SPHERE, Regions, regions
from steering_addon.simulation.geometry.shapes import INSIDE
from tests.scene import Scene, all_of, leaders, locked, resources
from tests.surfaces import mesh_obstacles, mesh_regions

FPS = 3.0
MEMBERS = 8
LEADERS = 4


class Chance:
    """Random numbers that depend on a name only."""

    def __init__(self, name: str) -> None:
        self._key = crc32(name.encode())

    def __call__(self, n: int, salt: str) -> np.ndarray:
        """(n,) numbers in [0, 1)."""
        return uniform(mix(mix(keys_of(self._key, np.arange(n)), crc32(salt.encode())), 7))

    def vectors(self, n: int, salt: str) -> np.ndarray:
        """(n, 3) numbers in [-1, 1)."""
        return 2.0 * np.stack([self(n, salt + axis) for axis in "xyz"], axis=-1) - 1.0

    def turns(self, k: int, salt: str) -> np.ndarray:
        """(k, 3, 3) axes turned about the up axis."""
        angle = 6.0 * self(k, salt)
        zero, unit = np.zeros(k), np.ones(k)
        rows = ((cosine(angle), sine(angle), zero), (-sine(angle), cosine(angle), zero), (zero, zero, unit))
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=1)

    def curve(self, middle: np.ndarray, salt: str, closed: bool = False) -> Spline:
        """A curve that winds about a place."""
        keys = mix(keys_of(self._key, np.arange(3)), crc32(salt.encode()))
        corners = [smooth_noise(keys, 1, np.full(3, 0.1), time)[0] for time in np.arange(10) * 0.6]
        return spline(np.array(corners) * np.array([12.0, 12.0, 3.0]) + middle, closed)

    def stone(self, salt: str, size: float) -> Mesh:
        """A closed box whose corners are out of place."""
        corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-0.5, 0.5)])
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        points = size * (corners + 0.2 * self.vectors(8, salt))
        return mesh(points, np.array([t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]))

    def sheet(self, salt: str) -> Mesh:
        """An open piece of four triangles that stands upright and is bent."""
        edge = np.stack((1.5 * np.arange(-1.0, 2.0), self(3, salt), np.full(3, -1.5)), axis=-1)
        points = np.concatenate((edge, edge + np.array([0.0, 0.0, 3.0])))
        return mesh(points, np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]))

    def dunes(self, salt: str, across: int = 14) -> Mesh:
        """A wide open sheet of many triangles that stands across the way and is uneven."""
        x, z = (along.ravel() for along in np.indices((across, across)))
        points = np.stack((1.5 * x - 10.0, self(len(x), salt), 1.5 * z - 10.0), axis=-1)
        corner = np.flatnonzero((x < across - 1) & (z < across - 1))
        first = np.stack((corner, corner + across, corner + across + 1), axis=-1)
        second = np.stack((corner, corner + across + 1, corner + 1), axis=-1)
        return mesh(points, np.concatenate((first, second)))


def busy(name: str, n: int = MEMBERS) -> Scene:
    """A busy place: flyers and walkers of all sizes close together, leaders, vehicles that stand, food, balls, pylons,
    boxes and meshes in their way, rooms about all, paths, flows, a painted sheet, three regions."""
    chance, row = Chance(name), np.arange(n)
    middle = 30.0 + 30.0 * chance.vectors(1, "middle")[0]
    position = middle + 3.5 * chance.vectors(n, "position")
    heading = 6.0 * chance(n, "heading")
    forward = np.stack((sine(heading), cosine(heading), 0.2 * chance(n, "climb") - 0.1), axis=-1)
    # One is close behind another.
    forward[-2], position[-2] = forward[-1], position[-1] - 1.3 * forward[-1]
    return Scene(
        position=position,
        forward=forward,
        speed=5.0 * chance(n, "speed"),
        vehicle={
            "mass": 0.5 + chance(n, "mass"),
            "radius": 0.3 + 0.2 * chance(n, "radius"),
            # The last one is too weak to do what it wants.
            "max_force": np.where(row == n - 1, 0.3, 6.0 + 8.0 * chance(n, "force")),
            "max_speed": 4.0 + 4.0 * chance(n, "max_speed"),
            "damping": 0.1 * (row % 5 == 1),
        },
        locomotions=[(SimpleVehicle, {}), (Planar, {})],
        locomotion_row=row % 3 == 1,
        tracked=all_of(
            leaders(*(middle + 7.0 * chance.vectors(LEADERS - 1, "leaders")), position[1] + 1.0),
            locked(*(position[:4] + chance.vectors(4, "locked")), crowd=np.arange(4) % 2),
            resources(*(middle + 5.0 * chance.vectors(3, "resources")), amount=np.array([0.3, 2.0, np.inf])),
        ),
        drift=(0.5, -0.25, 0.125),
        obstacles=all_of(*in_the_way(position, forward, chance), *rooms(position[0], chance)),
        paths=(
            (chance.curve(middle, "path 1"), chance.curve(middle, "path 2", True)),
            (chance.curve(middle, "path 3", True),),
            (spline(middle[None], False),),
        ),
        shapes=(4.0 * chance.vectors(3, "shape 1") - 2.0, 2.0 * chance.vectors(8, "shape 2")),
        regions=places_to_stay(middle, chance),
        flows=(
            (chance.curve(middle, "flow 1"), spline(position[3:6], False)),
            (chance.curve(middle, "flow 2", True),),
            painted(position[:3], chance),
        ),
        candidates=(Candidates(np.array([n + 2, 1, n + 1, n]), keys_of(3, np.arange(4)), NEXT),),
        fps=FPS,
        substeps=2,
        seed=20,
    )


def in_the_way(position: np.ndarray, forward: np.ndarray, chance: Chance) -> tuple[Obstacles, Obstacles, Obstacles]:
    """A ball and a leaning pylon before two vehicles, boxes before two more, a closed and an open mesh before others.

    One of each two is on the move; they are to be passed on different sides.
    """
    ahead = position[:6] + forward[:6] * (2.0 + 4.0 * chance(6, "ahead"))[:, None]
    wind = chance.vectors(2, "wind") * np.array([[0.0], [0.4]])

    def passed(first: int) -> dict[str, np.ndarray]:
        return {"velocity": wind, "pass_side": (first + np.arange(2)) % len(PASS_SIDES)}

    lean = np.array([[0.0], [3.0]]) * chance.vectors(2, "lean")
    half = 0.8 + 0.5 * chance.vectors(2, "half")
    meshes = [chance.stone("stone", 1.0), chance.sheet("sheet")]
    return (
        obstacles(ahead[:2], 0.4 + chance(2, "size"), ahead[:2] + lean, **passed(0)),
        boxes(ahead[2:4], half, chance.turns(2, "turns"), **passed(2)),
        mesh_obstacles(meshes, ahead[4:6], chance.turns(2, "mesh turns"), **passed(4)),
    )


def rooms(near: np.ndarray, chance: Chance) -> tuple[Obstacles, Obstacles, Obstacles]:
    """A ball, a box and a mesh that hold nearly all there is, each with a wall near a place."""
    inside = {"side": np.full(1, INSIDE)}
    return (
        obstacles([near + np.array([38.0, 0.0, 0.0])], 42.0, **inside),
        boxes([near + np.array([0.0, 31.0, 4.0])], [[36.0, 35.0, 16.0]], chance.turns(1, "room"), **inside),
        mesh_obstacles([chance.stone("hall", 40.0)], [near + np.array([-30.0, 36.0, 0.0])], **inside),
    )


def places_to_stay(middle: np.ndarray, chance: Chance) -> Regions:
    """A ball, a box and a mesh to stay in."""
    centre = middle + 3.0 * chance.vectors(3, "regions")
    return all_of(
        regions(centre[:2], [[4.0, 5.0, 3.0]] * 2, [SPHERE, BOX], chance.turns(2, "region turns")),
        mesh_regions([chance.stone("region", 4.0)], centre[2:], chance.turns(1, "mesh region")),
    )


def painted(points: np.ndarray, chance: Chance) -> Current:
    """A triangle through three points with a different flow at each of its corners."""
    return current(points, np.array([[0, 1, 2]]), chance.vectors(3, "paint")[None])
