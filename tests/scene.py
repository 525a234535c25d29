"""Scenes for tests: those of the public builder, which tests can also move, turn and take vehicles from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import steering_addon.scene as public
from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.scene import (
    PRIORITY,
    WEIGHTED_SUM,
    Crowd,
    all_of,
    headings,
    in_crowds,
    leaders,
    locked,
    positions,
    resources,
    speeds,
    ups,
    velocities,
)
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.candidates import Candidates
from steering_addon.simulation.declaration import Kind
from steering_addon.simulation.geometry.paths import Spline
from steering_addon.simulation.geometry.stature import Stature
from steering_addon.simulation.locomotion import Locomotion
from steering_addon.simulation.presence.arrivals import Errand
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import Snapshot, State

__all__ = [
    "PRIORITY",
    "WEIGHTED_SUM",
    "Crowd",
    "Scene",
    "about",
    "all_of",
    "angle_between",
    "flat_or_free",
    "headings",
    "in_crowds",
    "leaders",
    "locked",
    "met_at_origins",
    "pitches",
    "positions",
    "resources",
    "speeds",
    "turned",
    "ups",
    "velocities",
]


def met_at_origins(n: int) -> Stature:
    """How n bodies stand that obstacles meet at their origins."""
    return Stature(*np.zeros((4, n)))


def errand_of(bound: np.ndarray, left: np.ndarray, arrived: np.ndarray) -> Errand:
    """The errands of vehicles to whose goals ways lead."""
    return replace(Errand.blank(len(bound)), bound=bound, left=left, arrived=arrived)


def turned(points: Any, turn: np.ndarray) -> np.ndarray:
    """The vectors turned by a rotation matrix (3, 3); (..., 3) to (..., 3)."""
    return np.asarray(points, dtype=float) @ turn.T


def about(axis: Any, degrees: float) -> np.ndarray:
    """The matrix (3, 3) of a turn about an axis (3,), counter-clockwise as seen from its tip."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + s * skew + (1.0 - c) * skew @ skew


def angle_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(...,) radians, exact for small ones too."""
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), (a * b).sum(axis=-1))


def pitches(states: list[State]) -> np.ndarray:
    """(frames, n) degrees."""
    return np.degrees(np.arcsin(np.clip(headings(states)[..., 2], -1.0, 1.0)))


def flat_or_free(flat: bool, **values: Any) -> list[tuple[type[Locomotion], dict[str, Any]]]:
    """The locomotions of a scene whose vehicles keep to the ground, or else move freely in space."""
    return [(Planar if flat else SimpleVehicle, values)]


@dataclass
class Scene(public.Scene):
    """A scene with one crowd."""

    def moved(self, offset: Any = (0.0, 0.0, 0.0), turn: np.ndarray | None = None) -> Scene:
        """The whole scene turned about the origin, then moved."""
        matrix = np.eye(3) if turn is None else turn
        shift = np.array(offset, dtype=float)

        def place(points: Any) -> np.ndarray:
            return turned(points, matrix) + shift

        def line(spline: Spline) -> Spline:
            return replace(spline, points=place(spline.points), tangents=turned(spline.tangents, matrix))

        return replace(
            self,
            position=place(self.position),
            forward=turned(self.forward, matrix),
            up=turned(self.up, matrix),
            drift=turned(self.drift, matrix),
            tracked=replace(
                self.tracked,
                position=_carried_or(self.tracked.position, self.tracked.carrier, place),
                forward=_carried_or(self.tracked.forward, self.tracked.carrier, lambda v: turned(v, matrix)),
                up=_carried_or(self.tracked.up, self.tracked.carrier, lambda v: turned(v, matrix)),
            ),
            obstacles=replace(
                self.obstacles,
                start=_carried_or(self.obstacles.start, self.obstacles.carrier, place),
                end=_carried_or(self.obstacles.end, self.obstacles.carrier, place),
                velocity=turned(self.obstacles.velocity, matrix),
                axes=np.where(
                    (self.obstacles.carrier >= 0)[:, None, None],
                    self.obstacles.axes,
                    turned(self.obstacles.axes, matrix),
                ),
            ),
            paths=tuple(tuple(map(line, curve)) for curve in self.paths),
            perches=replace(
                self.perches, position=place(self.perches.position), along=turned(self.perches.along, matrix)
            ),
            regions=replace(self.regions, centre=place(self.regions.centre), axes=turned(self.regions.axes, matrix)),
            flows=tuple(tuple(map(line, curve)) for curve in self.flows),
        )

    def run_until(
        self,
        over: Callable[[list[State]], Any],
        frames: int,
        at: Callable[[int, Snapshot], Snapshot] = lambda frame, snapshot: snapshot,
    ) -> list[State]:
        """The states of a run that ends on the first frame on which it is over, or with the given count of frames.
        `over`: gets the states up to a frame, two at least, and tells whether they are enough; `at`: as for `run`."""
        states: list[State] = []
        for state in self.passing(frames, at):
            states.append(state)
            if len(states) > 1 and over(states):
                break
        return states

    def run_until_each(self, has: Callable[[State], Any], frames: int) -> list[State]:
        """The states of a run that ends once each vehicle has, on one frame or another, (n,) booleans of a state."""
        each = np.zeros(len(self.position), dtype=bool)

        def over(states: list[State]) -> bool:
            each[has(states[-1])] = True
            return bool(each.all())

        return self.run_until(over, frames)

    def passing(
        self, frames: int, at: Callable[[int, Snapshot], Snapshot] = lambda frame, snapshot: snapshot
    ) -> Iterator[State]:
        """The states of a run one by one, each computed when it is asked for; the arguments are those of `run`."""
        first = self._first()
        return simulate(self.start(), (at(frame, self._on(frame, first)) for frame in range(frames)))

    def take(self, rows: Any) -> Scene:
        """The scene with the vehicles of some rows, in that order; targets and carriers stay the same bodies."""
        n = len(self)
        rows = np.asarray(rows, dtype=np.int64)
        new = np.full(n, -1)
        new[rows] = np.arange(len(rows))

        def renumbered(body: Any) -> np.ndarray:
            body = np.asarray(body, dtype=np.int64)
            vehicle = new[np.clip(body, 0, n - 1)] if n else body
            return np.where(body < 0, body, np.where(body < n, vehicle, body - n + len(rows)))

        def selected(value: Any) -> Any:
            return np.asarray(value)[rows] if np.ndim(value) else value

        def of(kind: type[Behavior], values: dict[str, Any]) -> dict[str, Any]:
            targets = {name for name, parameter in kind.parameters().items() if parameter.kind is Kind.BODY}
            return {name: selected(renumbered(v) if name in targets else v) for name, v in values.items()}

        return replace(
            self,
            position=self.position[rows],
            forward=self.forward[rows],
            up=self.up[rows],
            speed=selected(self.speed),
            identity=np.asarray(self.identity)[rows],
            vehicle={name: selected(value) for name, value in self.vehicle.items()},
            locomotions=[
                (kind, {name: selected(v) for name, v in values.items()}) for kind, values in self.locomotions
            ],
            locomotion_row=selected(self.locomotion_row),
            behaviors=[(kind, of(kind, values)) for kind, values in self.behaviors],
            candidates=tuple(self._candidates(group, renumbered) for group in self.candidates),
            tracked=replace(self.tracked, carrier=renumbered(self.tracked.carrier)),
            obstacles=replace(self.obstacles, carrier=renumbered(self.obstacles.carrier)),
        )

    @staticmethod
    def _candidates(group: Candidates, renumbered: Callable[[np.ndarray], np.ndarray]) -> Candidates:
        """The candidates of a group that are left, under their new numbers."""
        rows = renumbered(group.rows)
        return replace(group, rows=rows[rows >= 0], keys=group.keys[rows >= 0])


def _carried_or(points: np.ndarray, carrier: np.ndarray, place: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The points after `place`, except those in the local space of a carrier, which stay; (k, 3) to (k, 3)."""
    return np.where((np.asarray(carrier) >= 0)[:, None], points, place(points))
