"""Situations that every behavior has to cope with, made from its declaration, so that a new one is covered too."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from steering_addon.locomotion import Planar
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.candidates import FIRST, NEXT, Candidates
from steering_addon.simulation.declaration import Kind, Parameter
from steering_addon.simulation.geometry.obstacles import EITHER, PASS_SIDES, Obstacles, boxes, obstacles
from steering_addon.simulation.geometry.paths import Path, spline
from steering_addon.simulation.geometry.regions import SHAPES, Regions, regions
from steering_addon.simulation.geometry.shapes import INSIDE
from steering_addon.simulation.snapshot import Tracked, no_tracked
from steering_addon.simulation.world import Agents
from tests.scene import PRIORITY, Scene, about, all_of, leaders, locked, resources

UP = (0.0, 0.0, 1.0)
LEADERS = 3
LOCKED = 2
PATHS = 3
REGIONS = 2
CROWDS = 2
RESOURCES = 2


SHAPES_OF_FORMATIONS = (np.array([[2.0, -1.0, 0.0], [-2.0, -1.0, 0.5], [0.0, 3.0, 0.0]]), np.zeros((0, 3)))


def busy(kind: type[Behavior], n: int, seed: int = 0, *, columns: bool = True) -> Scene:
    """Vehicles of all sorts, in pairs, among leaders; with an obstacle in the way of each, paths, regions and flows.

    Two locked vehicles are added, one of their crowd and one of another. With `columns`, each vehicle has parameters of
    its own: numbers about the default, every choice, explicit targets among the leaders, the vehicles and none; else
    all have the defaults.
    """
    rng = np.random.default_rng((seed, n))
    position = rng.uniform((-10.0, -10.0, -3.0), (10.0, 10.0, 3.0), (n, 3))
    beside, supplies, bounds, flows = company(n, seed)
    position[1::2] = position[: n // 2 * 2 : 2] + beside[1::2]
    forward = rng.uniform((-1.0, -1.0, -0.4), (1.0, 1.0, 0.4), (n, 3))
    ahead = position + forward * rng.uniform(3.0, 6.0, (n, 1)) + rng.uniform(-0.3, 0.3, (n, 3))
    length = rng.uniform(-3.0, 3.0, (n, 3)) * (np.arange(n) % 2)[:, None]
    max_speed = rng.uniform(3.0, 6.0, n)
    return Scene(
        position=position,
        forward=forward,
        up=rng.uniform((-0.3, -0.3, 0.8), (0.3, 0.3, 1.0), (n, 3)),
        speed=rng.uniform(0.0, 1.0, n) * max_speed,
        behaviors=[(kind, columns_for(kind, n, rng) if columns else {})],
        vehicle={
            "mass": rng.uniform(0.5, 3.0, n),
            "radius": rng.uniform(0.2, 0.6, n),
            "max_force": rng.uniform(5.0, 20.0, n),
            "max_speed": max_speed,
        },
        tracked=all_of(
            leaders(*rng.uniform((-10.0, -10.0, -3.0), (10.0, 10.0, 3.0), (LEADERS, 3))),
            locked(*(np.resize(position, (LOCKED, 3)) + beside[:1].sum(axis=0)), crowd=np.arange(LOCKED) % CROWDS),
            supplies,
        ),
        drift=rng.uniform(-0.5, 0.5, 3),
        obstacles=all_of(
            obstacles(
                ahead,
                rng.uniform(0.4, 1.0, n),
                ahead + length,
                rng.uniform(-0.3, 0.3, (n, 3)) * (np.arange(n) % 3 == 0)[:, None],
                np.arange(n) % len(PASS_SIDES),
            ),
            angular(ahead, np.random.default_rng((seed, n, 2))),
        ),
        paths=paths(rng),
        regions=bounds,
        flows=flows,
        shapes=SHAPES_OF_FORMATIONS,
        candidates=(stops(n),),
    )


@functools.lru_cache(maxsize=64)
def company(n: int, seed: int) -> tuple[np.ndarray, Tracked, Regions, tuple[Path, ...]]:
    """What does not depend on the behavior: offsets between two of a pair, resources, regions and flows."""
    rng = np.random.default_rng((seed, n, 1))
    beside = rng.uniform(-0.7, 0.7, (n, 3))
    supplies = resources(*rng.uniform((-8.0, -8.0, -2.0), (8.0, 8.0, 2.0), (RESOURCES, 3)), amount=(0.1, np.inf))
    return beside, supplies, boundaries(rng), paths(rng)


def stops(n: int) -> Candidates:
    """The leaders and every other vehicle, to be visited one after the other; not in the order of their rows."""
    rows = np.concatenate((n + np.arange(LEADERS), np.arange(n)[::2]))[::-1]
    return Candidates(rows, keys_of(0, rows), NEXT)


def angular(ahead: np.ndarray, rng: np.random.Generator) -> Obstacles:
    """A turned box before every third vehicle; a long, low room and a round hall that contain some of them."""
    centre = ahead[1::3] + rng.uniform(-0.5, 0.5, (len(ahead[1::3]), 3))
    k = len(centre)
    axes = np.stack([about(axis, 50.0) for axis in rng.normal(size=(k + 1, 3))])
    side = np.arange(k + 1) // k if k else np.ones(1, dtype=np.int64)
    half = np.concatenate((rng.uniform(0.3, 1.2, (k, 3)), [[9.0, 6.0, 4.0]]))
    return all_of(
        boxes(np.concatenate((centre, [[1.0, -1.0, 0.5]])), half, axes, side=side, pass_side=np.arange(k + 1) % 5),
        obstacles([[0.0, 1.0, 0.0]], 8.0, [[3.0, 1.0, 1.0]], side=np.full(1, INSIDE)),
    )


def paths(rng: np.random.Generator) -> tuple[Path, ...]:
    """Two winding lines in one curve, a closed one, and a curve of a single point."""
    corners = rng.uniform((-10.0, -10.0, -3.0), (10.0, 10.0, 3.0), (3, 7, 3))
    return (
        (spline(corners[0], False), spline(corners[1], True)),
        (spline(corners[2], True),),
        (spline(corners[0, :1], False),),
    )


def boundaries(rng: np.random.Generator) -> Regions:
    """A sphere and a box, turned and stretched, that contain some of the vehicles."""
    axes = np.stack([about(axis, 40.0) for axis in rng.normal(size=(REGIONS, 3))])
    centre = rng.uniform((-6.0, -6.0, -2.0), (6.0, 6.0, 2.0), (REGIONS, 3))
    return regions(centre, rng.uniform(2.0, 5.0, (REGIONS, 3)), np.arange(REGIONS) % len(SHAPES), axes)


def columns_for(kind: type[Behavior], n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """A column of valid values for each parameter."""
    return {name: _column(parameter, n, rng) for name, parameter in kind.parameters().items()}


def _column(parameter: Parameter, n: int, rng: np.random.Generator) -> np.ndarray:
    if parameter.kind is Kind.NUMBER:
        return np.clip(parameter.default * rng.uniform(0.5, 1.5, n), parameter.least, parameter.most)
    if parameter.kind is Kind.INTEGER:
        return np.full(n, parameter.default)
    if parameter.kind is Kind.SWITCH:
        return rng.uniform(size=n) < 0.5
    if parameter.kind is Kind.CHOICE:
        return rng.choice([choice.number for choice in parameter.choices], n)
    if parameter.kind is Kind.PATH:
        return rng.choice([parameter.default, -1, *range(PATHS)], n)
    if parameter.kind is Kind.REGION:
        return rng.choice([parameter.default, -1, *range(REGIONS)], n)
    if parameter.kind is Kind.SHAPE:
        return rng.integers(-1, len(SHAPES_OF_FORMATIONS), n)
    if parameter.kind is Kind.CROWD:
        return rng.integers(-1, CROWDS, n)
    if parameter.in_order:
        return rng.choice([parameter.default, FIRST, FIRST, -1, n], n)
    return np.where(rng.uniform(size=n) < 0.5, parameter.default, rng.integers(-1, n + LEADERS, n))


def flat(kind: type[Behavior], n: int) -> Scene:
    """As `busy`, on the ground."""
    scene = busy(kind, n, seed=1)
    scene = replace(scene, forward=scene.forward * (1.0, 1.0, 0.0), up=UP)
    return replace(scene, locomotions=[(Planar, {})])


def alone(kind: type[Behavior], n: int) -> Scene:
    """Vehicles without anything around them."""
    scene = busy(kind, n, columns=False)
    nowhere = regions(np.zeros((0, 3)), 1.0, 0)
    nothing = scene.obstacles.take([])
    return replace(scene, tracked=no_tracked(), obstacles=nothing, paths=(), regions=nowhere, flows=(), candidates=())


def heap(kind: type[Behavior], n: int) -> Scene:
    """All in one place and at rest, in the middle of an obstacle, on top of their targets; a path and a region of one
    point, a flow straight through."""
    point = np.array([1.0, 2.0, 3.0])
    return Scene(
        position=np.tile(point, (n, 1)),
        behaviors=[(kind, {})],
        tracked=all_of(leaders(point, point), locked(point), resources(point, amount=0.05)),
        obstacles=obstacles(np.array([point, point]), 0.5, np.array([point, point + np.array(UP)])),
        paths=((spline(point[None], True),), (), (spline(np.tile(point, (3, 1)), False),)),
        regions=regions(point, 0.0, 0),
        flows=((spline(point[None], True), spline(np.array([point - UP, point + UP]), False)), ()),
        combining=PRIORITY,
    )


def helpless(kind: type[Behavior], n: int) -> Scene:
    """Vehicles without force, without speed, or without both."""
    scene = busy(kind, n, seed=2)
    third = np.arange(n) % 3
    vehicle = scene.vehicle | {"max_force": np.where(third == 1, 5.0, 0.0), "max_speed": np.where(third == 2, 5.0, 0.0)}
    return replace(scene, vehicle=vehicle, speed=np.where(third == 2, 2.0, 0.0))


def upright(kind: type[Behavior], n: int) -> Scene:
    """Vehicles that head straight up and straight down, where the heading has no level part."""
    scene = busy(kind, n, seed=3)
    return replace(
        scene, forward=np.where(np.arange(n) % 2, 1.0, -1.0)[:, None] * [[0.0, 0.0, 1.0]], up=(0.0, 1.0, 0.0)
    )


def everywhere(kind: type[Behavior], n: int) -> Scene:
    """The defaults in a busy place."""
    return busy(kind, n, seed=4, columns=False)


SITUATIONS: tuple[Any, ...] = (busy, everywhere, flat, alone, heap, helpless, upright)


def without_sides(scene: Scene) -> Scene:
    """The scene with obstacles that may be passed on either side."""
    return replace(scene, obstacles=replace(scene.obstacles, pass_side=np.full(len(scene.obstacles), EITHER)))


def crowded(n: int, size: float = 2.5, seed: int = 0) -> Scene:
    """Vehicles of all weights close together, on their way somewhere."""
    rng = np.random.default_rng(seed)
    return Scene(
        rng.uniform(-size, size, (n, 3)) * (1.0, 1.0, 0.3),
        forward=rng.normal(size=(n, 3)) + np.array([0.0, 2.0, 0.0]),
        speed=rng.uniform(0.5, 5.0, n),
        vehicle={"mass": rng.uniform(0.5, 3.0, n)},
    )


def nearby(place: Scene, row: int, distance: float, angle: float) -> list[int]:
    """The neighbors of one vehicle, by the definition: nearer than a distance and within the field of view (paper,
    figure 13)."""
    rows = []
    for other in range(len(place)):
        offset = place.position[other] - place.position[row]
        r = np.linalg.norm(offset)
        if other != row and r < distance:
            off_axis = np.arccos(np.clip(offset @ place.forward[row] / r, -1.0, 1.0)) if r else 0.0
            if off_axis <= angle / 2.0:
                rows.append(other)
    return rows


def loop_over(place: Scene, steering_of: Callable[[int], Any]) -> np.ndarray:
    """A loop over the vehicles: the steering of each, cut at length 1, in newtons."""
    mass = np.broadcast_to(place.vehicle.get("mass", 1.0), len(place))
    forces = np.zeros((len(place), 3))
    for row in range(len(place)):
        steering = np.asarray(steering_of(row), dtype=float)
        forces[row] = steering / max(1.0, np.linalg.norm(steering)) * mass[row]
    return forces


def told(agents: Agents, **said: np.ndarray) -> Agents:
    """The agents, once a behavior has said this of them."""
    return replace(agents, intention=replace(agents.intention, **said))
