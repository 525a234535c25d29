"""How the cars of a baked crowd drive: lanes, comfort, room, and how braking runs through a queue."""

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from scripts.baked_scene import Crowd, crowds, fps_of, road_of, stored
from scripts.motion_metrics import least_room
from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.locomotion import Wheeled
from steering_addon.portrayal.feet.soles import runs
from steering_addon.simulation.geometry.paths import Spline
from steering_addon.simulation.maneuvers.braking import COMFORT
from steering_addon.simulation.roles import Role
from steering_addon.simulation.vehicle import VehicleModel

LIT, SHORTEST = 0.1, 0.2
"""The brake from which on its lights shine, and the seconds for which they have to."""
STANDS, DRIVES = 0.1, 0.5
"""Speeds in m/s below which a car stands and above which it has set off."""
QUEUE, WITHIN = 30.0, 3.0
"""Metres between the middles of two cars in a lane, and seconds between their lights, that belong together."""


@dataclass(frozen=True)
class Driving:
    """Cars, their lanes and what is near them.

    Attributes:
        place, forward: (f, n, 3) metres and unit headings, on keys.
        brake: (f, n) 0 to 1.
        lanes: (n,) the lane of each car, None without a path.
        axle, sharpest: metres from the origin to the rear axle; the largest curvature of its circle, 1/m.
        radius, length: of the bodies, metres.
        others: (f, k, 3) places of other vehicles and of obstacles, with their radii (k,).
        brakes, gap, gap_time: what drivers plan with behind another car: m/s2, metres, seconds.
        fps: frames a second.
    """

    place: np.ndarray
    forward: np.ndarray
    brake: np.ndarray
    lanes: Sequence[Spline | None]
    axle: float
    sharpest: float
    radius: float
    length: float
    others: tuple[np.ndarray, np.ndarray]
    brakes: float
    gap: float
    gap_time: float
    fps: float

    @staticmethod
    def _row(title: str, values: np.ndarray) -> str:
        return f"  {title:<43}p95 {np.nanpercentile(values, 95):8.3f}   max {np.nanmax(values):8.3f}"

    def lines(self) -> list[str]:
        """What it comes to, as a table."""
        rear = self.place - self.axle * self.forward
        way = np.diff(rear, axis=0)
        covered = np.linalg.norm(way[..., :2], axis=-1)
        speed = np.linalg.norm(np.diff(self.place, axis=0), axis=-1) * self.fps
        before, after = self.forward[:-1], self.forward[1:]
        turn = np.arcsin(np.clip(before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0], -1.0, 1.0))
        drives = covered * self.fps > DRIVES
        curvature = np.abs(turn[drives]) / covered[drives]
        sideways = np.abs(turn) * self.fps * covered * self.fps
        middle = before + after
        slip = np.abs(way[..., 0] * middle[..., 1] - way[..., 1] * middle[..., 0])[drives] / covered[drives] / 2.0
        braking = np.diff(speed, axis=0) * self.fps
        text = [
            f"  speed, m/s                                 mean {speed.mean():7.2f}   max {speed.max():8.2f}",
            self._row("acceleration sideways, m/s2", sideways),
            self._row("braking, m/s2", -braking),
            f"  curvature, share of the largest            max {curvature.max(initial=0.0) / self.sharpest:8.3f}",
            f"  slip of the rear axle, share of the way    max {slip.max(initial=0.0):8.4f}",
            f"  standing at the end, for ten seconds       {self._stuck(speed):8d}",
        ]
        return text + self._in_lanes(rear) + self._gaps() + self._ripples(speed)

    def _stuck(self, speed: np.ndarray) -> int:
        return int((speed[-round(10 * self.fps) :] < STANDS).all(axis=0).sum())

    def _in_lanes(self, rear: np.ndarray) -> list[str]:
        off = []
        for points in (rear, self.place):
            on = [(k, lane) for k, lane in enumerate(self.lanes) if lane is not None]
            gaps = [(points[:, k] - lane.position(lane.nearest(points[:, k])))[:, :2] for k, lane in on]
            off.append(np.linalg.norm(np.array(gaps), axis=-1) if gaps else np.zeros((1, 1)))
        if not any(lane is not None for lane in self.lanes):
            return []
        return [
            self._row("rear axle from the middle of its lane, m", off[0]),
            self._row("origin from the middle of its lane, m", off[1]),
        ]

    def _gaps(self) -> list[str]:
        return [
            f"  room between cars, m                       min {self.room_between():8.3f}",
            f"  room to walkers and obstacles, m           min {self.room_to_others():8.3f}",
        ]

    @property
    def _half(self) -> float:
        return max(self.length / 2.0 - self.radius, 0.0)

    def room_between(self) -> float:
        """The least room between two cars on any key, metres; inf for a single one."""
        radius, half = (np.full(self.place.shape[1], size) for size in (self.radius, self._half))
        return float(least_room(self.place, self.forward, radius, half).min())

    def room_to_others(self) -> float:
        """The least room from a car to a walker or an obstacle on any key, seen from above, metres; inf for none."""
        places, radii = self.others
        if not len(radii):
            return np.inf
        offset = places[:, None] - self.place[:, :, None]
        along = np.clip((offset * self.forward[:, :, None]).sum(axis=-1), -self._half, self._half)
        gap = np.linalg.norm((offset - along[..., None] * self.forward[:, :, None])[..., :2], axis=-1)
        return float((gap - self.radius - radii).min())

    def _ripples(self, speed: np.ndarray) -> list[str]:
        """The seconds from a car to the next behind it in its lane, of brake lights and of setting off.

        Lights count that go on because of the car ahead: cars far behind it each brake for the bend alone, one that is
        too fast before its lights go on brakes for something else, and the lights of one that stands say nothing new.
        """
        lit = self.brake > LIT
        lights = [_onsets(lit[:, k], round(SHORTEST * self.fps)) for k in range(lit.shape[1])]
        goes = [_starts(speed[:, k]) for k in range(speed.shape[1])]
        text = []
        lights = [frames[speed[np.minimum(frames, len(speed) - 1), k] > DRIVES] for k, frames in enumerate(lights)]
        for title, events, free in (("brake lights", lights, ~lit), ("setting off", goes, None)):
            delays = self._delays(events, speed, free)
            if delays:
                low, middle, high = np.percentile(delays, (10, 50, 90))
                text.append(
                    f"  {title} from car to car, s{' ' * (22 - len(title))}p10 {low:5.2f}   p50 {middle:5.2f}   "
                    f"p90 {high:5.2f}   of {len(delays)}"
                )
        return text

    def _delays(self, events: list[np.ndarray], speed: np.ndarray, free: np.ndarray | None) -> list[float]:
        """The seconds from events of cars to the next ones of those behind them, of several the last before.

        Args:
            free: (f, n) whose brake is not down: who brakes already or has to before, or need not for the car ahead,
                does not count.
        """
        delays = []
        for leader, times in enumerate(events):
            for frame in times:
                behind = self._behind(leader, frame)
                if behind is None or (free is not None and not free[frame, behind]):
                    continue
                if free is not None and self._too_near(leader, behind, min(frame, len(speed) - 1), speed):
                    continue
                after = events[behind][events[behind] >= frame]
                if not len(after) or after[0] - frame > WITHIN * self.fps:
                    continue
                if ((times > frame) & (times < after[0])).any():
                    continue
                if free is None or self._too_near(leader, behind, min(after[0], len(speed) - 1), speed):
                    delays.append(float(after[0] - frame) / self.fps)
        return delays

    def _too_near(self, leader: int, behind: int, frame: int, speed: np.ndarray) -> bool:
        """Whether a car is faster than lets it stop behind the one ahead, should that brake (Gipps 1981)."""
        lane = self.lanes[leader]
        first, last = lane.nearest(self.place[frame, [behind, leader]])
        way = np.sign(lane.tangent(np.array([first]))[0] @ self.forward[frame, behind])
        ahead = way * (last - first)
        room = (ahead % lane.length if lane.closed else ahead) - self.length - self.gap
        reacting = self.brakes * self.gap_time
        square = reacting * reacting + speed[frame, leader] ** 2 + 2.0 * self.brakes * room
        return bool(speed[frame, behind] > np.sqrt(max(square, 0.0)) - reacting)

    def _behind(self, leader: int, frame: int) -> int | None:
        """The next car behind another in its lane on a frame."""
        offset = self.place[frame] - self.place[frame, leader]
        ahead = (offset * self.forward[frame, leader]).sum(axis=-1)
        same_way = (self.forward[frame] * self.forward[frame, leader]).sum(axis=-1) > 0.3
        near = np.linalg.norm(offset, axis=-1)
        mine = [lane is not None and lane is self.lanes[leader] for lane in self.lanes]
        rows = np.flatnonzero(same_way & (ahead < 0.0) & (near < QUEUE) & mine)
        return int(rows[near[rows].argmin()]) if len(rows) else None


def driving(scene: bpy.types.Scene, crowd: Crowd) -> Driving | None:
    """How the cars of a crowd drive; None if they are not on wheels."""
    if crowd.settings.get("locomotion") != Wheeled.stored_number:
        return None
    values, vehicle = crowd.values(Wheeled), crowd.values(VehicleModel, "vehicle")
    keeps, others = crowd.values(KeepDistance), _others(scene, crowd)
    current, poses, brake, places = scene.frame_current, [], [], []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        poses.append([np.array(ob.matrix_world) for ob in crowd.vehicles])
        brake.append([ob.get("steering_brake", 0.0) for ob in crowd.vehicles])
        places.append([tuple(ob.matrix_world.translation) for ob, _ in others])
    scene.frame_set(current)
    place = np.array(poses)[..., :3, 3]
    forward = np.array(poses)[..., :3, 1]
    forward = forward * (1.0, 1.0, 0.0)
    forward /= np.linalg.norm(forward, axis=-1, keepdims=True)
    return Driving(
        place,
        forward,
        np.array(brake),
        _lanes(crowd, place[0], forward[0]),
        values["wheelbase"] / 2.0,
        float(np.tan(values["max_wheel_angle"])) / values["wheelbase"],
        vehicle["radius"],
        vehicle["length"],
        (np.array(places).reshape(len(places), len(others), 3), np.array([radius for _, radius in others])),
        COMFORT * vehicle["max_force"] / vehicle["mass"],
        keeps["gap"],
        max(keeps["gap_time"], values["reaction_time"]),
        fps_of(scene),
    )


def _lanes(crowd: Crowd, place: np.ndarray, forward: np.ndarray) -> list[Spline | None]:
    """The lane of each car: beside the nearest line of the path that the crowd follows."""
    lines, known = road_of(crowd.settings), {}
    offset = crowd.values(PathFollowing)["lane_offset"]
    lanes: list[Spline | None] = []
    for at, ahead in zip(place, forward):
        gaps = [np.linalg.norm(at - line.position(line.nearest(at[None]))[0]) for line in lines]
        if not gaps:
            lanes.append(None)
            continue
        line = lines[int(np.argmin(gaps))]
        way = -1.0 if line.tangent(line.nearest(at[None]))[0] @ ahead < 0.0 else 1.0
        key = int(np.argmin(gaps)), way
        lanes.append(known.setdefault(key, line.beside(-offset * way)))
    return lanes


def _others(scene: bpy.types.Scene, crowd: Crowd) -> list[tuple[bpy.types.Object, float]]:
    """The vehicles of other crowds and the obstacles, with their radii as seen from above."""
    radii = {
        ob: other.values(VehicleModel, "vehicle")["radius"]
        for other in crowds(scene)
        if other.name != crowd.name
        for ob in other.vehicles
    }
    for ob in scene.objects:
        if stored(ob).get("roles", 0) & Role.OBSTACLE and ob not in radii:
            radii[ob] = 0.5 * max(ob.dimensions[0], ob.dimensions[1])
    return list(radii.items())


def _onsets(lit: np.ndarray, shortest: int) -> np.ndarray:
    """The frames on which lights go on for at least some frames."""
    return np.array([begin for begin, end in runs(lit) if end - begin >= shortest and begin > 0], dtype=int)


def _starts(speed: np.ndarray) -> np.ndarray:
    """The frames on which a car that stood has set off."""
    frames, stood = [], False
    for frame, value in enumerate(speed):
        if stood and value > DRIVES:
            frames.append(frame)
        stood = value < STANDS or (stood and value <= DRIVES)
    return np.array(frames, dtype=int)
