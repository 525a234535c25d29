"""The ready Cowboys and Strays: whether riders bring strays home, and how.

Home is when the last stray is, beyond how far one is outside the herd at the end; went the number of riders who go,
stayed how far the others move, passed how near a rider is to a stray before it has got round it, behind the median
cosine of where riders are to the line from home through the stray. A case is a seed, or a baked file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scripts.motion_metrics import least_room
from steering_addon.simulation.geometry.capsules import half_axis
from steering_addon.simulation.vehicle import VehicleModel

IN_BLENDER = True
CASES = ("0", "1", "2")
FRAMES = 960
BANDS = {
    "home, s": (0.0, 40.0),
    "beyond, m": (-100.0, 3.0),
    "went": (2, 2),
    "stayed, m": (0.0, 0.3),
    "from post, m": (0.0, 2.0),
    "passed, m": (4.0, 1000.0),
    "behind": (0.8, 1.0),
    "into herd, m": (0.0, 2.5),
    "overlap, m": (0.0, 0.1),
    "spun, deg": (0.0, 20.0),
    "herd moved, m": (0.0, 6.0),
}
STANDS = 0.1
"""Speed in m/s below which a rider stands."""
RUNS = 1.0
"""Speed in m/s above which a stray is driven."""
EDGE = 1.5
"""Radius of the herd in median distances from its middle."""


def figures(case: str, folder: Path) -> dict[str, float]:
    import bpy

    if case.endswith(".blend"):
        bpy.ops.wm.open_mainfile(filepath=case)
    else:
        bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
        bpy.ops.steering.add_cowboys_and_strays(seed=int(case))
        bpy.ops.steering.bake()
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"strays_{case}.blend"), compress=True)
    return judged(bpy.context.scene, "Cows", "Riders")


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
    def of(cls, scene: Any, cows: str, riders: str) -> Cast:
        """The members of two crowds of a scene, by the crowds' names."""
        from scripts.baked_scene import crowds, directions, fps_of, matrices, states_of, stored

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


def judged(scene: Any, cows: str, riders: str) -> dict[str, float]:
    """The figures of a baked scene, by the names of both crowds; the strays are in a state on the second frame."""
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
