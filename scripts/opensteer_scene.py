"""A scene modelled on one of OpenSteer's demos: its numbers, run by our simulation, with checks of the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steering_addon.simulation.arrays.vectors import Number, columns
from steering_addon.simulation.behavior import Behavior, Steering
from steering_addon.simulation.declaration import number
from steering_addon.simulation.world import Agents, World

FPS = 24.0


@dataclass(frozen=True)
class Check:
    """A measurement that a scene has to meet.

    Attributes:
        title: its description.
        value: the measured value.
        least, most: the range it has to be in.
    """

    title: str
    value: float
    least: float = -np.inf
    most: float = np.inf

    @property
    def holds(self) -> bool:
        return bool(self.least <= self.value <= self.most)

    def __str__(self) -> str:
        limits = [f"at least {self.least:g}"] * bool(np.isfinite(self.least))
        limits += [f"at most {self.most:g}"] * bool(np.isfinite(self.most))
        return f"{'ok ' if self.holds else 'NOT'} {self.title}: {self.value:.3g} ({', '.join(limits)})"


@dataclass(frozen=True)
class OpenSteerScene:
    """A scene modelled on one of OpenSteer's demos.

    Attributes:
        demonstrates: the point of the scene.
        checks: runs the scene and returns its checks; takes a seed, and the share of the full length to run.
    """

    demonstrates: str
    checks: Callable[[int, float], list[Check]]


@dataclass(frozen=True)
class ConstantForce(Behavior):
    """Push in a constant direction, to test the vehicle model alone."""

    name = "constant_force"
    label = "Constant Force"
    term = "constant force"

    x: Number = number(0.0, "Force along x", least=-np.inf)
    y: Number = number(0.0, "Force along y", least=-np.inf)
    z: Number = number(0.0, "Force along z", least=-np.inf)

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        return Steering(columns(self.x, self.y, self.z))


def turning(forward: np.ndarray) -> np.ndarray:
    """(frames - 1, n) radians that each heading turns from frame to frame."""
    return np.arccos(np.clip((forward[1:] * forward[:-1]).sum(axis=-1), -1.0, 1.0))


def heading_error(forward: np.ndarray, way: tuple[float, float, float]) -> float:
    """The largest angle between the headings and a direction, degrees."""
    wanted = np.array(way) / np.linalg.norm(way)
    return float(np.degrees(np.arccos(np.clip(forward @ wanted, -1.0, 1.0))).max())


def frames(seconds: float, share: float) -> int:
    """The number of frames in this share of a time, at least 2."""
    return max(round(seconds * share * FPS), 2)


def ring(rng: np.random.Generator, count: int, inner: float, outer: float) -> np.ndarray:
    """(count, 3) random places on the ground between two circles about the origin."""
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    return disk_point(angle) * rng.uniform(inner, outer, count)[:, None]


def disk_point(angle: np.ndarray) -> np.ndarray:
    """(n, 3) level unit vectors."""
    return np.stack((np.cos(angle), np.sin(angle), np.zeros_like(angle)), axis=-1)
