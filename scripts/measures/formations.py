"""Places that vehicles keep: formations in the air and on foot, balls and swarms, lanes, homes, and marks to land on.

Off is how far the furthest is from its place, metres, a second after the start and later; upright how far the up axis
of jets is from that of their leader across their own headings, degrees. Axes is the smallest of the three extents of a
ball as a share of the largest, vertical the share of a swarm's speed that is up or down, distance how far the 5 % and
the 95 % of it are from where they were asked to be, metres. Slowest is the lowest speed of cars on their way back to a
lane as a share of their own, beside how far they are from it after 8 s. Trips is how often a forager came home.
Standing is by how many frames birds are off the frame on which they are to stand on a mark, touch how fast they come
down.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from steering_addon.behaviors.forage import Forage
from steering_addon.behaviors.leader_following import AS_THEY_STAND, LeaderFollowing
from steering_addon.behaviors.orbit import COUNTERCLOCKWISE, EITHER, Orbit
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Flying, OnFoot, Planar, SimpleVehicle, Swimming, Wheeled
from steering_addon.scene import Scene, all_of, leaders, positions, resources, speeds, spline, ups, velocities
from steering_addon.simulation.locomotion import PERCHED
from steering_addon.simulation.marks.declaring import Mark
from steering_addon.simulation.snapshot import Snapshot

IN_BLENDER = False
CASES = (
    *("bend 70", "loop 70", "roll 70", "bend 40", "loop 40", "roll 40", "line 1.5", "line 3"),
    *("ball 1", "ball 2", "ball 3", "swarm 1", "swarm 2", "beside 8", "beside 16", "bent 13", "home 1", "home 2"),
    *("mark 4", "mark 8"),
)
BANDS = {
    "off, m": (0.0, 2.0),
    "upright, deg": (0.0, 10.0),
    "axes": (0.8, 1.0),
    "vertical": (0.4, 0.6),
    "distance, m": (0.0, 0.2),
    "slowest": (0.7, 1.0),
    "beside, m": (0.0, 0.5),
    "trips": (3.0, 99.0),
    "standing, frames": (0, 0),
    "touch, m/s": (0.0, 1.0),
}

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


def circling(tilt: float, spread: float, seed: int, swims: bool) -> list:
    """The states of vehicles on circles of 2 m that tilt, of fish that pitch 35 degrees at most or of insects."""
    chance = np.random.default_rng(seed)
    forward = chance.normal(size=(300, 3)) * (1.0, 1.0, 0.2)
    values = {"distance": 2.0, "spread": spread, "tilt": tilt, "direction": COUNTERCLOCKWISE if swims else EITHER}
    pace = (
        {"max_speed": 1.2, "max_force": 2.0} if swims else {"max_speed": 6.0, "max_force": 60.0, "response_time": 0.1}
    )
    scene = Scene(
        chance.normal(size=(300, 3)) * (1.5, 1.5, 0.7),
        forward=forward,
        speed=0.5,
        vehicle={**pace, "radius": 0.05, "cruise_speed": 0.6},
        behaviors=[(Orbit, {**values, "approach_time": 1.0 if swims else 0.2}), (Separation, {"distance": 0.35})][::-1],
        locomotions=[(Swimming, {"max_pitch": 0.61}) if swims else (SimpleVehicle, {"max_turn_rate": 12.0})],
        tracked=leaders([0.0, 0.0, 0.0]),
        seed=seed,
    )
    return scene.run(FRAMES)


def ball(seed: int) -> dict[str, float]:
    """The smallest ratio of two extents of 300 fish in the last four seconds."""
    points = positions(circling(2.2, 1.0, seed, swims=True))[-4 * FPS :]
    extent = points.std(axis=1)
    return {"axes": (extent.min(axis=1) / extent.max(axis=1)).min()}


def swarm(seed: int) -> dict[str, float]:
    """The figures of 300 bees on their last frame."""
    states = circling(np.pi, 0.8, seed, swims=False)
    speed = np.abs(velocities(states)[-1])
    low, high = np.percentile(np.linalg.norm(positions(states)[-1], axis=-1), (5, 95))
    off = max(1.2 - low, high - 2.8, 0.0)
    return {"vertical": speed[:, 2].mean() / np.linalg.norm(speed, axis=-1).mean(), "distance, m": off}


def beside(speed: float) -> dict[str, float]:
    """The figures of cars 1 to 6 m beside their lane, to both sides."""
    off = np.array([-6.0, -3.0, -1.5, 1.5, 3.0, 6.0])
    scene = Scene(
        np.stack((off, 40.0 * np.arange(6), np.zeros(6)), axis=-1),
        speed=speed,
        vehicle={"radius": 0.9, "length": 4.5, "max_force": 4.0, "max_speed": speed / 0.8, "cruise_speed": 0.8},
        behaviors=[(PathFollowing, {"radius": 1.2})],
        locomotions=[(Wheeled, {})],
        paths=((spline(np.array([[0.0, -5.0, 0.0], [0.0, 900.0, 0.0]]), False),),),
    )
    states = scene.run(8 * FPS)
    return {"slowest": speeds(states).min() / speed, "beside, m": np.abs(positions(states)[-1, :, 0]).max()}


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


def mark(seconds: float) -> dict[str, float]:
    """The figures of starlings that are to stand on a mark after some seconds, each alone."""
    frame, late, touch = int(seconds * FPS), [], []
    for seed in range(6):
        chance = np.random.default_rng(seed)
        scene = Scene(
            chance.uniform((-20.0, -15.0, 2.0), (20.0, 15.0, 16.0), (1, 3)),
            forward=chance.normal(size=(1, 3)) * (1.0, 1.0, 0.2),
            speed=10.0,
            behaviors=[(Wander, {"strength": 2.0})],
            vehicle={"radius": 0.11, "max_force": 20.0, "max_speed": 13.0, "cruise_speed": 10.0 / 13.0},
            locomotions=[(Flying, {"least_speed": 0.35})],
            tracked=leaders([0.0, 0.0, 5.0]),
            seed=seed,
        )
        here = Mark("Mark", seconds, 1, np.arange(1), ground=1)
        states = scene.run(frame + FPS, at=lambda _, snapshot, here=here: replace(snapshot, marks=(here,)))
        stands = np.array([state.told(PERCHED)[0] for state in states])
        late.append(abs(int(stands.argmax()) - frame) if stands.any() else FPS)
        touch.append(speeds(states)[stands.argmax() - 1, 0])
    return {"standing, frames": max(late), "touch, m/s": float(max(touch))}


def home(seed: int) -> dict[str, float]:
    """How often 20 foragers came home in a minute, the median."""
    chance = np.random.default_rng(seed)
    scene = Scene(
        chance.uniform(3.0, 8.0, (20, 3)) * (1.0, 1.0, 0.0),
        vehicle={"radius": 0.1, "max_speed": 1.5, "max_force": 6.0},
        behaviors=[(Forage, {"home": 21, "distance": 6.0, "meal": 1.0})],
        locomotions=[(Planar, {})],
        tracked=all_of(resources([6.0, 6.0, 0.0]), leaders([0.0, 0.0, 0.0])),
        seed=seed,
    )
    laden = np.stack([state.memories["forage"].laden for state in scene.run(60 * FPS)[1:]])
    return {"trips": float(np.median((laden[:-1] & ~laden[1:]).sum(axis=0)))}


def figures(case: str, folder: Path) -> dict[str, float]:
    name, _, number = case.partition(" ")
    others = {"line": line, "beside": beside, "bent": bent, "mark": mark}
    seeded = {"ball": ball, "swarm": swarm, "home": home}
    if name in seeded:
        return seeded[name](int(number))
    return others[name](float(number)) if name in others else jets(name, float(number))
