"""Places that vehicles keep: formations in the air and on foot, and lanes.

Off is how far the furthest is from its place, metres, a second after the start and later; upright how far the up axis
of jets is from that of their leader across their own headings, degrees. Slowest is the lowest speed of cars on their
way back to a lane in a bend as a share of that of one in the lane.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from steering_addon.behaviors.leader_following import AS_THEY_STAND, LeaderFollowing
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.locomotion import Flying, OnFoot, Wheeled
from steering_addon.scene import Scene, leaders, positions, speeds, spline, ups
from steering_addon.simulation.snapshot import Snapshot

IN_BLENDER = False
CASES = ("bend 70", "loop 70", "roll 70", "bend 40", "loop 40", "roll 40", "line 1.5", "line 3", "bent 13")
BANDS = {"off, m": (0.0, 2.0), "upright, deg": (0.0, 10.0), "slowest": (0.7, 1.0)}

FPS, FRAMES = 24, 264
BEGINS, LASTS = 48, 120
"""The frame on which the leader's maneuver begins, and for how long it lasts."""
JET = {"mass": 1.0, "radius": 2.0, "cruise_speed": 0.64}


def leader(case: str, speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, forward and up axes of a leader frame by frame, (f, 3) each; one frame more than there are steps."""
    frame = np.arange(FRAMES + 1)
    share = np.clip((frame - BEGINS) / LASTS, 0.0, 1.0)
    eased = share**3 * (10.0 - 15.0 * share + 6.0 * share * share)
    rate = 30.0 * share * share * (1.0 - share) ** 2 * 2.0 * np.pi * FPS / LASTS
    yaw, pitch, roll = (np.zeros(FRAMES + 1) for _ in range(3))
    if case == "bend":
        yaw, roll = 0.5 * np.pi * eased, np.arctan(0.25 * rate * speed / 9.81)
    elif case == "loop":
        pitch = 2.0 * np.pi * eased
    else:
        roll = 2.0 * np.pi * eased * (1.0 if speed > 50 else -1.0)
    forward = np.stack((-np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), np.sin(pitch)), axis=-1)
    level = np.stack((np.cos(yaw), np.sin(yaw), np.zeros(FRAMES + 1)), axis=-1)
    above = np.cross(level, forward)
    # A left turn leans to the left.
    up = above * np.cos(roll)[:, None] - level * np.sin(roll)[:, None]
    position = np.cumsum(forward * speed / FPS, axis=0)
    if case == "roll":
        # Round an axis above it, as in a barrel.
        position += 6.0 * ((0.0, 0.0, 1.0) - up)
    return position.astype(np.float32).astype(float), forward, up


def wedge(count: int, apart: float) -> np.ndarray:
    """Places of a wedge behind a leader, (count, 3)."""
    k = np.arange(1, count + 1)
    x = np.where(k % 2 == 1, 1.0, -1.0) * ((k + 1) // 2)
    return apart * np.stack((x, -0.5 * np.abs(x), np.zeros(count)), axis=-1)


def off_places(
    places: np.ndarray, states: list, track: tuple[np.ndarray, np.ndarray, np.ndarray], level: bool
) -> np.ndarray:
    """How far each is off its place, (f, n) metres."""
    position, forward, up = (axis[: len(states)] for axis in track)
    if level:
        up = np.broadcast_to((0.0, 0.0, 1.0), up.shape)
    axes = np.stack((np.cross(forward, up), forward, up), axis=1)
    wanted = position[:, None] + np.einsum("nk,fkc->fnc", places, axes)
    return np.linalg.norm(positions(states) - wanted, axis=-1)


def jets(case: str, speed: float, count: int = 11, apart: float = 7.0) -> dict[str, float]:
    """The figures of a wedge that rolls along."""
    track, places = leader(case, speed), wedge(count, apart)
    values = {"places": AS_THEY_STAND, "rolling": True, "approach_time": 0.8, "response_time": 0.4, "strength": 20.0}
    scene = Scene(
        places + track[0][0],
        speed=speed,
        vehicle={**JET, "max_speed": speed + 90.0, "max_force": 400.0},
        behaviors=[(LeaderFollowing, values)],
        locomotions=[(Flying, {"max_climb": np.pi / 2, "max_dive": np.pi / 2, "climb_speed": 1.0})],
        tracked=leaders([0.0, 0.0, 0.0]),
    )
    states = scene.run(FRAMES, at=lambda frame, snapshot: led(track, frame, snapshot))
    off = off_places(places, states, track, level=False)
    ahead = np.stack([state.motion.forward for state in states])
    across = track[2][: len(states), None] - ahead * (ahead * track[2][: len(states), None]).sum(-1, keepdims=True)
    upright = (ups(states) * across).sum(-1) / np.linalg.norm(across, axis=-1)
    return {"off, m": off[FPS:].max(), "upright, deg": np.degrees(np.arccos(np.clip(upright[FPS:], -1, 1))).max()}


def led(track: tuple[np.ndarray, np.ndarray, np.ndarray], frame: int, snapshot: Snapshot) -> Snapshot:
    position, forward, up = (axis[frame : frame + 1] for axis in track)
    return replace(snapshot, tracked=replace(snapshot.tracked, position=position, forward=forward, up=up))


def line(speed: float, count: int = 100, turn: float = 0.4, apart: float = 1.2) -> dict[str, float]:
    """The figures of people, five deep, who charge beside a leader that turns by some radians."""
    time = np.arange(FRAMES + 1) / FPS
    yaw = turn * np.clip((time - 3.0) / 5.0, 0.0, 1.0)
    forward = np.stack((-np.sin(yaw), np.cos(yaw), np.zeros(FRAMES + 1)), axis=-1)
    position = np.cumsum(forward * (speed * np.clip(time, 0.0, 1.0) / FPS)[:, None], axis=0)
    track = position, forward, np.broadcast_to((0.0, 0.0, 1.0), forward.shape)
    abreast = (np.arange(count // 5) - 0.5 * (count // 5 - 1)) * apart
    places = np.array([(x, -1.3 * apart * row, 0.0) for x in abreast for row in range(5)])
    scene = Scene(
        places,
        vehicle={"radius": 0.3, "max_speed": speed + 1.5, "max_force": 8.0, "keep_apart": True},
        behaviors=[(LeaderFollowing, {"places": AS_THEY_STAND, "approach_time": 0.8, "response_time": 0.4})],
        locomotions=[(OnFoot, {})],
        tracked=leaders([0.0, 0.0, 0.0]),
    )
    states = scene.run(FRAMES, at=lambda frame, snapshot: led(track, frame, snapshot))
    return {"off, m": off_places(places, states, track, level=True)[FPS:].max()}


def bent(speed: float, bend: float = 60.0) -> dict[str, float]:
    """The slowest of cars 3 and 6 m beside their lane in a bend, as a share of the slowest of one in the lane."""
    turn = np.linspace(0.0, 4.0, 250)
    line = np.stack((bend * (1.0 - np.cos(turn)), bend * np.sin(turn), np.zeros(250)), axis=-1)

    def slowest(off: float) -> float:
        scene = Scene(
            [[off, 5.0, 0.0]],
            speed=speed,
            vehicle={"radius": 0.9, "length": 4.5, "max_force": 4.0, "max_speed": speed / 0.83, "cruise_speed": 0.83},
            behaviors=[(PathFollowing, {"radius": 1.2})],
            locomotions=[(Wheeled, {})],
            paths=((spline(line, False),),),
        )
        return float(speeds(scene.run(8 * FPS)).min())

    return {"slowest": min(slowest(off) for off in (-6.0, -3.0, 3.0, 6.0)) / slowest(0.0)}


def figures(case: str, folder: Path) -> dict[str, float]:
    name, _, number = case.partition(" ")
    others = {"line": line, "bent": bent}
    return others[name](float(number)) if name in others else jets(name, float(number))
