"""The ready Station Hall: who reads the board, how they leave, and whether they touch.

Read is the share that stands within 2 m of the board and faces it within 15 degrees for 2 s or more, most the longest
of these stands, away how far one is from the board. Pauses are shorter stands of a second or more; aside is the longest
stand there of someone who looks elsewhere. The rest are people by exit, overlaps, and jolts from frame to frame.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steering_addon.portrayal.feet.soles import runs

IN_BLENDER = True
CASES = ("0", "1", "2", "3", "4")
FRAMES, PEOPLE = 1200, 80
BANDS = {
    "read": (0.25, 0.35),
    "most, s": (2.0, 6.0),
    "away, m": (0.0, 2.0),
    "pauses": (0, 6),
    "aside, s": (0.0, 4.0),
    "elsewhere, s": (0.0, 6.0),
    "exit, least": (6, 80),
    "left inside": (0, 16),
    "overlap, m": (0.0, 0.01),
    "in wall, m": (0.0, 0.03),
    "change, m/s2": (0.0, 15.0),
    "turn, deg": (0.0, 10.0),
}
STANDS = 0.05
"""Metres a second."""
READS, FACES = 2.0, 15.0
"""Metres from the board within which people read it, and degrees by which they may look past it."""
PAUSE, LEAST = 1.0, 2.0
"""Seconds for which a stop counts as a pause, and from which on as reading."""


def figures(case: str, folder: Path) -> dict[str, float]:
    import bpy
    from mathutils import Vector

    from scripts.baked_scene import directions, fps_of, keyed, matrices

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    bpy.ops.steering.add_station_hall(seed=int(case), count=PEOPLE)
    crowd = bpy.context.view_layer.objects.active
    bpy.ops.steering.bake()
    people = sorted((ob for ob in scene.objects if ob.steering.crowd == crowd), key=lambda ob: ob.name)
    poses, hidden = matrices(scene, people), keyed(people, "hide_render", range(1, FRAMES + 1)) > 0.5
    exits = {ob.name: np.array(ob.location[:2]) for ob in bpy.data.collections["Station Exits"].objects}
    spots = [np.array(ob.location[:2]) for ob in bpy.data.collections["Station Board"].objects]
    board = min(spots, key=lambda place: place[0]), max(spots, key=lambda place: place[0])
    radius = np.array([crowd.steering.vehicle.radius * ob.steering.size_factor for ob in people])
    place, heading = poses[..., :2, 3], directions(poses, people)[..., :2]
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"station_{case}.blend"), compress=True)
    obstacles = [ob for ob in scene.objects if "OBSTACLE" in ob.steering.roles]
    corners = np.array([[ob.matrix_world @ Vector(corner) for corner in ob.bound_box] for ob in obstacles])[..., :2]
    walls = corners.min(axis=1), corners.max(axis=1)
    return judged(Played(place, heading, ~hidden, fps_of(scene), radius, board, exits, walls))


@dataclass(frozen=True)
class Played:
    """People in a hall, frame by frame, and what they are measured by.

    Attributes:
        place: (frames, n, 2) metres.
        heading: (frames, n, 2) unit vectors.
        present: (frames, n) whether each is in the run.
        fps: frames a second.
        radius: (n,) of their bodies, metres.
        board: its ends, (2,) metres each.
        exits: where each is, (2,) metres, by name.
        walls: boxes in the way, as their least and greatest corners, (k, 2) metres each.
    """

    place: np.ndarray
    heading: np.ndarray
    present: np.ndarray
    fps: float
    radius: np.ndarray
    board: tuple[np.ndarray, np.ndarray]
    exits: dict[str, np.ndarray]
    walls: tuple[np.ndarray, np.ndarray]

    @property
    def speed(self) -> np.ndarray:
        """(frames - 1, n) m/s."""
        return np.linalg.norm(np.diff(self.place, axis=0), axis=2) * self.fps

    @property
    def together(self) -> np.ndarray:
        """(frames - 1, n) whether each is present on two frames in a row."""
        return self.present[1:] & self.present[:-1]


def stands(mask: np.ndarray, fps: float) -> list[tuple[int, int, int]]:
    """Where a mask (steps, n) holds for a while: the row, the first step, and the step after the last."""
    pieces = []
    for row, column in enumerate(mask.T):
        pieces += [(row, begin, end) for begin, end in runs(column) if end - begin >= PAUSE * fps]
    return pieces


def judged(run: Played) -> dict[str, float]:
    """The figures of a run."""
    still = (run.speed < STANDS) & run.together
    gap, off = _to_board(run), _off_board(run)
    before = still & (gap <= READS)
    reads: dict[int, tuple[float, float]] = {}
    pauses = 0
    for row, begin, end in stands(before & (off <= FACES), run.fps):
        time = (end - begin) / run.fps
        pauses += time < LEAST
        if time >= max(LEAST, reads.get(row, (0.0, 0.0))[0]):
            reads[row] = time, float(gap[begin:end, row].max())
    times, gaps = (np.array(column) for column in zip(*reads.values())) if reads else (np.zeros(1),) * 2
    aside = [(end - begin) / run.fps for _, begin, end in stands(before & (off > FACES), run.fps)]
    elsewhere = [(end - begin) / run.fps for _, begin, end in stands(still & (gap > READS), run.fps)]
    gone = run.present.any(axis=0) & ~run.present[-1]
    last = [run.place[np.flatnonzero(run.present[:, row])[-1], row] for row in np.flatnonzero(gone)]
    names = [min(run.exits, key=lambda name: float(np.linalg.norm(run.exits[name] - place))) for place in last]
    change, turn = _changes(run)
    return {
        "read": len(reads) / len(run.radius),
        "most, s": float(times.max()),
        "away, m": float(gaps.max()),
        "pauses": pauses,
        "aside, s": max(aside, default=0.0),
        "elsewhere, s": max(elsewhere, default=0.0),
        "exit, least": min(names.count(name) for name in run.exits),
        "left inside": int(run.present[-1].sum()),
        "overlap, m": _overlap(run),
        "in wall, m": _in_walls(run),
        "change, m/s2": change,
        "turn, deg": turn,
    }


def _to_board(run: Played) -> np.ndarray:
    """How far people are from the board on all frames but the first, (frames - 1, n) metres."""
    place, (start, end) = run.place[1:], run.board
    way = end - start
    along = np.clip(((place - start) @ way) / (way @ way), 0.0, 1.0)
    return np.linalg.norm(start + along[..., None] * way - place, axis=-1)


def _off_board(run: Played) -> np.ndarray:
    """By how many degrees people look past the board, (frames - 1, n); 0 where they look at any of it."""
    heading, angles = run.heading[1:], []
    for edge in run.board:
        toward = edge - run.place[1:]
        cross = heading[..., 0] * toward[..., 1] - heading[..., 1] * toward[..., 0]
        angles.append(np.degrees(np.arctan2(cross, (heading * toward).sum(axis=-1))))
    between = (np.sign(angles[0]) != np.sign(angles[1])) & (np.abs(angles[0] - angles[1]) < 180.0)
    return np.where(between, 0.0, np.minimum(np.abs(angles[0]), np.abs(angles[1])))


def _changes(run: Played) -> tuple[float, float]:
    """The largest change of speed, m/s2, and the largest turn from frame to frame, degrees."""
    both = run.together[1:] & run.together[:-1]
    change = np.abs(np.diff(run.speed, axis=0))[both].max(initial=0.0) * run.fps
    cosine = (run.heading[1:] * run.heading[:-1]).sum(axis=2)[run.together]
    return float(change), float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max(initial=0.0))


def _overlap(run: Played) -> float:
    """The deepest overlap of two people, in metres."""
    deepest = 0.0
    for place, present in zip(run.place, run.present):
        rows = np.flatnonzero(present)
        reach = run.radius[rows][:, None] + run.radius[rows]
        gap = np.linalg.norm(place[rows][:, None] - place[rows], axis=2) - reach
        deepest = max(deepest, -float(gap[np.triu_indices(len(rows), 1)].min(initial=0.0)))
    return deepest


def _in_walls(run: Played) -> float:
    """How deep someone is in a wall, in metres; the way from frame to frame is looked at in fifths."""
    deepest = 0.0
    for share in np.arange(5) / 5.0:
        place = (run.place[:-1] + share * np.diff(run.place, axis=0))[run.together]
        reach = np.broadcast_to(run.radius, run.together.shape)[run.together]
        for low, high in zip(*run.walls):
            outside = np.maximum(np.maximum(low - place, place - high), 0.0)
            inside = np.minimum(place - low, high - place).min(axis=1)
            gap = np.linalg.norm(outside, axis=1) - np.maximum(inside, 0.0)
            deepest = max(deepest, float((reach - gap).max(initial=0.0)))
    return deepest
