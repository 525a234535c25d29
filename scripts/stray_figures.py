"""How strays come home in a baked file: measured from keys and stored settings, without the extension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from scripts.baked_scene import crowds, directions, fps_of, matrices, stored
from scripts.motion_metrics import least_room
from steering_addon.blender.animation.animation_data import channelbags
from steering_addon.simulation.geometry.capsules import half_axis
from steering_addon.simulation.vehicle import VehicleModel

STATE = "steering_state"
STANDS = 0.1
"""Speed in m/s below which a rider stands."""
RUNS = 1.0
"""Speed in m/s above which a stray is driven."""
EDGE = 1.5
"""Radius of the herd in median distances from its middle."""


@dataclass(frozen=True)
class Cast:
    """The animals and riders of a baked scene, frame by frame.

    Attributes:
        place, forward: (frames, n, 3) metres, and unit vectors; the cows first, then the riders.
        cows: their count.
        state: (frames, n) the number of the state of each, 0 for none.
        fps: frames a second.
    """

    place: np.ndarray
    forward: np.ndarray
    radius: np.ndarray
    half: np.ndarray
    cows: int
    state: np.ndarray
    fps: float

    @property
    def away(self) -> np.ndarray:
        """(frames, n) whether each is in a state."""
        return self.state > 0

    @classmethod
    def of(cls, scene: bpy.types.Scene, cows: str, riders: str) -> Cast:
        """The members of two crowds of a scene, by the crowds' names."""
        known = {crowd.name: crowd for crowd in crowds(scene)}
        chosen = [known[cows], known[riders]]
        members = [ob for crowd in chosen for ob in crowd.vehicles]
        poses = matrices(scene, members)
        bodies = [(crowd.values(VehicleModel, "vehicle"), crowd) for crowd in chosen]
        size = np.array([stored(ob).get("size_factor", 1.0) for ob in members])
        radius, length = (
            size * np.concatenate([np.full(len(crowd.vehicles), body[name]) for body, crowd in bodies])
            for name in ("radius", "length")
        )
        frames = range(scene.frame_start, scene.frame_end + 1)
        return cls(
            poses[..., :3, 3],
            directions(poses, members),
            radius,
            half_axis(radius, length),
            len(chosen[0].vehicles),
            states_of(members, frames),
            fps_of(scene),
        )


def states_of(members: Sequence[bpy.types.Object], frames: range) -> np.ndarray:
    """The number of the state of each on each frame, (f, n), by its keyed property; 0 for none."""
    return np.rint(keyed(members, f'["{STATE}"]', frames))


def keyed(members: Sequence[bpy.types.Object], path: str, frames: range) -> np.ndarray:
    """The keyed values of a channel of each on each frame, (f, n); 0 without keys."""
    values = np.zeros((len(frames), len(members)))
    for column, ob in enumerate(members):
        action = ob.animation_data.action if ob.animation_data else None
        for curve in (curve for bag in (channelbags(action) if action else ()) for curve in bag.fcurves):
            if curve.data_path == path:
                values[:, column] = [curve.evaluate(frame) for frame in frames]
    return values


def figures(scene: bpy.types.Scene, cows: str, riders: str) -> dict[str, float]:
    """The figures that scripts/measures/strays.py explains; the strays are in a state on the second frame."""
    cast = Cast.of(scene, cows, riders)
    n, place = cast.cows, cast.place
    strayed = np.flatnonzero(cast.away[2, :n])
    herd = np.setdiff1d(np.arange(n), strayed)
    middle = place[:, herd].mean(axis=1)
    gap = np.linalg.norm((place - middle[:, None])[..., :2], axis=-1)
    edge = gap[:, herd].max(axis=1)
    radius = EDGE * np.median(gap[:, herd], axis=1)
    speed = np.linalg.norm(np.gradient(place, axis=0), axis=-1) * cast.fps
    went = cast.away[:, n:].any(axis=0)
    post = np.linalg.norm((place[:, n:] - place[:1, n:])[..., :2], axis=-1)
    passed, behind = _driving(cast, strayed, middle, speed)
    turns = np.abs(np.degrees(_turn(cast.forward[:, n:])))
    still = (speed[1:, n:] < STANDS) & (speed[:-1, n:] < STANDS)
    home = np.flatnonzero(cast.away[:, strayed].any(axis=1))
    return {
        "home, s": (home[-1] + 1 if len(home) else 0) / cast.fps,
        "beyond, m": float((gap[-1, strayed] - edge[-1]).max(initial=-np.inf)),
        "went": float(went.sum()),
        "stayed, m": float(post[:, ~went].max(initial=0.0)),
        "from post, m": float(post[-1].max()),
        "passed, m": passed,
        "behind": behind,
        "into herd, m": float(np.maximum(radius[:, None] - gap[:, n:], 0.0).max()),
        "overlap, m": float(deepest_overlaps(cast).max()),
        "spun, deg": float((turns * still).sum(axis=0).max()),
        "herd moved, m": float(np.linalg.norm((middle - middle[0])[:, :2], axis=-1).max()),
    }


def _driving(cast: Cast, strayed: np.ndarray, middle: np.ndarray, speed: np.ndarray) -> tuple[float, float]:
    """The nearest that a rider on its way was to a stray on the side of home, and where riders are that drive one."""
    nearest, cosines = np.inf, []
    for stray in strayed:
        out = (cast.place[:, stray] - middle)[:, :2]
        out /= np.linalg.norm(out, axis=-1, keepdims=True)
        offset = (cast.place[:, cast.cows :] - cast.place[:, [stray]])[..., :2]
        distance = np.linalg.norm(offset, axis=-1)
        cosine = (offset * out[:, None]).sum(axis=-1) / np.maximum(distance, 1e-9)
        busy = cast.away[:, [stray]] & cast.away[:, cast.cows :]
        nearest = min(nearest, distance[busy & (cosine < 0.0)].min(initial=np.inf))
        driver = np.where(busy, distance, np.inf).argmin(axis=1)
        driven = cast.away[:, stray] & busy.any(axis=1) & (speed[:, stray] > RUNS)
        cosines += cosine[np.arange(len(cosine)), driver][driven].tolist()
    return float(nearest), float(np.median(cosines)) if cosines else np.nan


def _turn(forward: np.ndarray) -> np.ndarray:
    """The turns from frame to frame, seen from above; (frames - 1, n) radians."""
    x, y = forward[..., 0], forward[..., 1]
    return np.arctan2(x[:-1] * y[1:] - y[:-1] * x[1:], x[:-1] * x[1:] + y[:-1] * y[1:])


def deepest_overlaps(cast: Cast) -> np.ndarray:
    """The deepest overlap of two bodies on each frame, (frames,) metres."""
    return np.maximum(-least_room(cast.place, cast.forward, cast.radius, cast.half), 0.0)
