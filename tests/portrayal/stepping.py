"""Two-legged bodies made of points, whose speed is known."""

import numpy as np

from steering_addon.portrayal.clips import PHASES, STAND, Clip
from steering_addon.portrayal.gait import Sampled, matched, measured

HEIGHT = 1.8
ACROSS, ALONG = (-0.04, 0.0, 0.04), (-0.1, -0.03, 0.05, 0.1)


def soles(
    phase: np.ndarray, speed: float, seconds: float = 1.0, way=(0.0, -1.0), on_ground: float = 0.6, lift: float = 0.12
) -> np.ndarray:
    """(f, m, 3) the points of two soles at phases (f,), in the body's space; they rest on the ground while it moves."""
    points = []
    reach = speed * seconds * on_ground
    for side, offset in ((-0.1, 0.0), (0.1, 0.5)):
        part = (phase + offset) % 1.0
        swing = np.clip((part - on_ground) / (1.0 - on_ground), 0.0, 1.0)
        swung = swing * swing * (3.0 - 2.0 * swing)
        ahead = np.where(part < on_ground, reach / 2.0 - reach * part / on_ground, reach * (swung - 0.5))
        height = np.where(part < on_ground, 0.0, lift * np.sin(np.pi * swing))
        points += [
            np.stack((side + x + ahead * way[0], y + ahead * way[1], height), axis=1) for x in ACROSS for y in ALONG
        ]
    return np.stack(points, axis=1)


def sampled(name: str = "Walk", speed: float = 1.3, seconds: float = 1.0, scale: float = 1.0, **options) -> Sampled:
    phase = np.arange(PHASES + 1) / PHASES
    return Sampled(name, seconds, scale * soles(phase, speed, seconds, **options), liveliness=0.4)


def standing(seconds: float = 2.0, scale: float = 1.0) -> Sampled:
    points = np.repeat(soles(np.zeros(1), 0.0), PHASES + 1, axis=0)
    points[..., 2] = 0.0
    return Sampled("Idle", seconds, scale * points)


def clips_of(*clips: Sampled) -> list[Clip]:
    """Clips of one body, measured and matched."""
    return matched([measured(clip, HEIGHT) for clip in clips], clips, HEIGHT)


def walking() -> list[Clip]:
    """A clip that stands, a walk and a run."""
    clips = clips_of(standing(), sampled(), sampled("Run", 3.0, 0.8, on_ground=0.45))
    assert clips[0].plays == STAND
    return clips
