"""Bodies whose feet step on grounds, for the laws of feet that are held."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from steering_addon.portrayal.feet.treads import Carried, FootCorrection, Stepping
from tests.portrayal.stepping import soles

FRAMES = 96
FRAME_TIME = 1.0 / 24.0
TIME = np.arange(FRAMES) * FRAME_TIME
UP = np.array((0.0, 0.0, 1.0))
FEET = slice(0, 12), slice(12, 24)
Body = tuple[Carried, list[Stepping]]


def body_of(points: np.ndarray, gone: np.ndarray, heading: np.ndarray) -> Body:
    """A body that has gone so far, (f,) metres, with these headings, (f,), and its feet at points (f, 24, 3)."""
    forward = np.stack((np.sin(heading), -np.cos(heading), 0.0 * heading), axis=1)
    position = np.cumsum(np.diff(gone, prepend=0.0)[:, None] * forward, axis=0)
    body = Carried(position, forward, np.tile(UP, (FRAMES, 1)), np.ones(FRAMES), np.zeros(FRAMES))
    return body, [Stepping(points[:, foot], np.zeros(FRAMES)) for foot in FEET]


def walk(speed: float = 1.3, played: float = 1.0, radius: float = np.inf) -> Body:
    """A body that walks at `speed`, straight or round a bend, while its feet step `played` times as fast as it."""
    return body_of(soles(TIME, speed * played), speed * TIME, TIME * speed / radius)


def stand(turn: float = 0.0, draw: float = 0.0) -> Body:
    """A body that stands and turns by radians, while its clips draw its feet back on the ground by metres."""
    share = np.clip((np.arange(FRAMES) - 20) / 48.0, 0.0, 1.0)
    points = np.repeat(soles(np.zeros(1), 0.0), FRAMES, axis=0) * (1.0, 1.0, 0.0)
    points[..., 1] += draw * share[:, None]
    return body_of(points, 0.0 * TIME, turn * share)


def fly() -> Body:
    """A body whose feet never touch the ground."""
    body, feet = walk()
    return body, [Stepping(foot.points + UP, foot.rests) for foot in feet]


BODIES: dict[str, Callable[[], Body]] = {
    "walks": walk,
    "hurries its feet": lambda: walk(played=1.25),
    "drags its feet": lambda: walk(played=0.8),
    "walks round a bend": lambda: walk(radius=2.0),
    "walks round a tight bend": lambda: walk(0.9, radius=-1.0),
    "turns on the spot": lambda: stand(turn=-3.0, draw=0.1),
    "draws its feet in": lambda: stand(draw=0.4),
}


def rising(along: float = 0.0, across: float = 0.0):
    """A plane that rises by these shares along -y and x."""
    normal = np.array((-across, along, 1.0)) / np.sqrt(along * along + across * across + 1.0)
    return lambda at, _=None: (across * at[:, 0] - along * at[:, 1], np.tile(normal, (len(at), 1)))


def stairs(at: np.ndarray, _: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Steps of 12 cm down the way, 40 cm long."""
    return 0.12 * np.floor(at[:, 1] / 0.4), np.tile(UP, (len(at), 1))


def ridge(at: np.ndarray, _: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """A ridge of 4 cm across the place where a foot is put that is drawn in."""
    return np.where(np.abs(at[:, 1] - 0.2) < 0.05, 0.04, 0.0), np.tile(UP, (len(at), 1))


def kerb(at: np.ndarray, _: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """A kerb of 3 cm below the middle of the soles of a body that stands, which their heels and toes are beside."""
    return np.where(np.abs(at[:, 1]) < 0.06, 0.03, 0.0), np.tile(UP, (len(at), 1))


GROUNDS = {
    "level": rising(),
    "up a slope": rising(along=0.36),
    "down a steep slope": rising(along=-0.45),
    "across a slope": rising(across=0.3),
    "stairs": stairs,
    "ridge": ridge,
    "kerb": kerb,
}


def on(body: Carried, ground) -> Carried:
    """The body at the height of a ground."""
    height, _ = ground(body.position)
    return replace(body, position=body.position * (1.0, 1.0, 0.0) + height[:, None] * UP)


def leaning(body: Carried, ground) -> Carried:
    """The body at right angles to a ground."""
    _, up = ground(body.position)
    ahead = body.forward - np.einsum("fi,fi->f", body.forward, up)[:, None] * up
    return replace(body, forward=ahead / np.linalg.norm(ahead, axis=1, keepdims=True), up=up)


def in_world(body: Carried, foot: Stepping, correction: FootCorrection | None = None) -> np.ndarray:
    """(f, m, 3) the points of a sole, corrected."""
    points = foot.points
    if correction is not None:
        off = points - correction.centre[:, None]
        points = np.einsum("fij,fmj->fmi", correction.turn, off) + (correction.centre + correction.shift)[:, None]
    return body.position[:, None] + np.einsum("fij,fmj->fmi", body.axes, points) * body.size[:, None, None]


def steps_of(places: np.ndarray) -> np.ndarray:
    """(f - 1,) the longest way of any point (f, m, 3) from frame to frame."""
    return np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
