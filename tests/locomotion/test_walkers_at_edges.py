"""On Foot: pedestrians with the shipped preset before the edge of a square, who turn at walking pace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scripts.preset_crowds import FPS, columns, crowd, shipped
from steering_addon.locomotion import OnFoot
from steering_addon.locomotion.looking import LOOKS
from steering_addon.locomotion.on_foot import STOP, TURN_BACK
from steering_addon.simulation.geometry.surfaces import surfaces
from steering_addon.simulation.vehicle import VehicleModel
from tests.locomotion.grounds import plane
from tests.scene import Scene, headings, positions, speeds

HALF = 30.0
PACE = 0.93
"""Metres a second: that of a character whose clips are slower than the preset."""
FAR = 1000.0
CIRCLE = shipped("pedestrian").locomotion["on_foot"]["turn_radius"]
"""Metres."""


class Edge:
    """Twenty who wander, five at each side of a square, and head for the edge.

    Attributes:
        place, heading: (frames, n, 2).
        pace, turn: (frames, n) the speed as a share of cruise speed, and the turn, rad/s.
        outward: (frames, n) the cosine between the heading and the direction to the nearest side.
        cornered: (frames, n).
    """

    def __init__(self, gap: tuple[float, float], frames: int) -> None:
        preset = shipped("pedestrian")
        n, rng = 20, np.random.default_rng(0)
        out = np.stack(((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)))[np.arange(n) % 4]
        along = np.stack((-out[:, 1], out[:, 0]), axis=1)
        place = out * (HALF - rng.uniform(*gap, n))[:, None] + along * np.linspace(-22.0, 22.0, n)[:, None]
        forward = out + along * rng.uniform(-1.0, 1.0, n)[:, None]
        vehicle = {**preset.vehicle, "max_speed": PACE / preset.vehicle["cruise_speed"]}
        scene = replace(
            crowd(preset, n, 1, FAR),
            position=np.pad(place, ((0, 0), (0, 1))),
            forward=np.pad(forward / np.linalg.norm(forward, axis=1)[:, None], ((0, 0), (0, 1))),
            speed=PACE,
            vehicle={**columns(VehicleModel, vehicle), "radius": 0.3},
            surfaces=surfaces([plane(half=HALF)]),
        )
        states = scene.run(frames)
        self.place, self.heading = positions(states)[..., :2], headings(states)[..., :2]
        self.pace = speeds(states) / PACE
        side = np.abs(self.place).argmax(axis=-1)[..., None]
        sign = np.sign(np.take_along_axis(self.place, side, -1))
        self.outward = (np.take_along_axis(self.heading, side, -1) * sign)[..., 0]
        before, after = self.heading[:-1], self.heading[1:]
        self.turn = np.abs(before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0]) * FPS
        self.cornered = np.stack([state.bodies["on_foot"].cornered for state in states])

    def longest(self, mask: np.ndarray) -> float:
        """The longest time for which a mask (frames, n) holds for one of them, seconds."""
        return most(mask, np.full(mask.shape, 1.0 / FPS))

    def furthest(self, mask: np.ndarray) -> float:
        """The longest way that one of them walks while a mask (frames, n) holds, metres."""
        return most(mask, self.pace * PACE / FPS)


def most(mask: np.ndarray, amount: np.ndarray) -> float:
    """The largest sum of amounts (frames, n) over successive frames on which a mask holds for one of them."""
    largest, now = np.zeros(mask.shape[1]), np.zeros(mask.shape[1])
    for holds, part in zip(mask, amount):
        now = np.where(holds, now + part, 0.0)
        largest = np.maximum(largest, now)
    return float(largest.max())


@pytest.fixture(scope="module")
def square() -> Edge:
    return Edge((4.5, 6.0), 240)


def test_before_the_edge_they_keep_their_pace(square: Edge) -> None:
    ends = np.abs(square.place + 4.5 * square.heading).max(axis=-1) > HALF
    slow = (square.pace > 0.1) & (square.pace < 0.6)
    assert ends.mean() > 0.1
    assert slow[ends].mean() < 0.1
    assert square.longest(slow & ends) < 2.0


def test_they_turn_along_it_or_inward_on_their_circle_and_never_step_over(square: Edge) -> None:
    assert np.abs(square.place).max() < HALF
    nearby = np.abs(square.place).max(axis=-1) > HALF - 1.5 * CIRCLE
    # They see the edge at 1.3 circles, look once in LOOKS seconds, and then turn by 60 degrees, however fast they walk.
    unseen, arc = 0.2 * CIRCLE + LOOKS * PACE, np.pi / 3.0 * CIRCLE
    assert 0.8 * arc < square.furthest(nearby & (square.outward > 0.5)) < unseen + arc
    assert square.longest(square.pace == 0.0) < 1.0


def test_they_turn_on_their_circle(square: Edge) -> None:
    speed = PACE * np.maximum(square.pace[1:], square.pace[:-1])
    walks = (square.pace[1:] > 0.5) & (square.pace[:-1] > 0.5)
    assert (square.turn <= 1.01 * speed / CIRCLE + 1e-9)[walks].all()


def test_without_room_for_the_circle_they_step_round() -> None:
    edge = Edge((1.5, 2.0), 96)
    assert np.abs(edge.place).max() < HALF
    assert edge.cornered.mean() < 0.02
    assert edge.outward[0].min() > 0.5
    assert (edge.outward.min(axis=0) < 0.35).all()


@pytest.mark.parametrize("edge", [TURN_BACK, STOP])
def test_no_walker_stands_at_an_edge_sooner_than_braking_allows(edge: int) -> None:
    """Animals that run straight to the edge at 3 m/s, in turns of 2.5 m."""
    out, most = np.stack(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0))), 4.0
    scene = Scene(
        np.array([7.6, 7.8, 8.0, 8.2])[:, None] * out,
        forward=out + 0.1 * np.roll(out, 1, axis=0),
        speed=3.0,
        vehicle={"max_speed": 3.0, "max_force": most, "cruise_speed": 1.0},
        locomotions=[(OnFoot, {"turn_radius": 2.5, "turn_on_the_spot": 0.0, "at_edge": edge})],
        surfaces=surfaces([plane(half=10.0)]),
        fps=FPS,
    )
    place = positions(scene.run(96))[..., :2]
    pace = np.linalg.norm(np.diff(place, axis=0), axis=-1) * FPS
    assert (np.diff(pace, axis=0) * FPS).min() > -most * (1.0 + 1e-6)
    reached = 10.0 - np.abs(place).max(axis=-1)
    assert reached.min() >= 0.0
    if edge == STOP:
        assert (pace[-1] == 0.0).all()
        assert reached[-1].max() < 0.02, "they come up to it"
