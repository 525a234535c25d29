"""The stages of a bake are independent: other writers can replace keys."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert, keys
from tests.blender.building import empty, frames, part
from tests.blender.dumping import scene_dump
from tests.blender.seen import flight
from tests.blender.steered import bake, crowd, fleet, leader, obstacle, road
from tests.sampling import sampled

FRAMES = 24


class RecordingWriter:
    """Keeps the poses of the vehicles, and writes nothing.

    Attributes:
        frames: the numbers of the frames taken in.
        positions: (n, 3) on each.
        heights: (n,) on each.
    """

    def __init__(self) -> None:
        self.frames, self.positions, self.heights = [], [], []
        self.finished = self.discarded = False
        self.warnings, self.told = (), ""

    def frame(self, portrait) -> None:
        self.frames.append(portrait.number)
        self.positions.append(portrait.bodies.position)
        self.heights.append(portrait.bodies.height)

    def finish(self, run) -> Iterator[float]:
        yield 0.5
        self.finished = True

    def discard(self) -> None:
        self.discarded = True


class PointWriter:
    """Writes the positions of the vehicles on all frames into a file that numpy reads, (f, n, 3) metres."""

    def __init__(self, path) -> None:
        self._path, self._positions, self.warnings, self.told = path, [], (), ""

    def frame(self, portrait) -> None:
        self._positions.append(np.where(portrait.away[:, None], np.nan, portrait.bodies.position))

    def finish(self, run) -> Iterator[float]:
        yield 0.0
        np.save(self._path, np.array(self._positions))

    def discard(self) -> None:
        self._positions = []

    @staticmethod
    def delete(objects):
        return ()


def busy_scene() -> list:
    """Vehicles of several rotation modes, some with a parent, in a scene with everything that behaviors need."""
    frames(1, FRAMES)
    target = leader(location=(4.0, 30.0, 2.0))
    insert(target, "location", {1: (4.0, 30.0, 2.0), 20: (-20.0, 5.0, 9.0), 40: (9.0, -9.0, 0.0)})
    obstacle(location=(3.0, 8.0, 0.5))
    road()
    ships = fleet(9, crowd=crowd(wander={"strength": 2.0}, seek={}, path_following={}, obstacle_avoidance={}))
    ships[0].steering.crowd.steering.portrayal.use = True
    modes = ("XYZ", "QUATERNION", "AXIS_ANGLE")
    for k, ship in enumerate(ships):
        ship.rotation_mode = modes[k % 3]
        ship.scale *= 1.0 + 0.1 * k
    mast = empty("Mast")
    insert(mast, "rotation_euler", {1: (0.0, 0.0, 0.0), 40: (1.0, 2.0, 9.0)})
    ships[1].parent = ships[4].parent = ships[5].parent = ships[6].parent = mast
    return ships


def run(plan, writer):
    """Carry out a plan with another writer; the result of the bake."""
    baking = part("blender.write.bake").baking(plan, writer=writer)
    while True:
        try:
            next(baking)
        except StopIteration as finished:
            return finished.value


def plan():
    return part("blender.read.plan").plan_reading(bpy.context.scene)


def test_other_writers_get_each_frame_once_and_nothing_else_is_written(addon, tmp_path) -> None:
    ships = busy_scene()
    _, positions, _ = flight()
    before = scene_dump(("actions", "objects"))["actions"]
    writer = RecordingWriter()
    result = run(plan(), writer)
    assert writer.frames == list(range(1, FRAMES + 1))
    assert np.array_equal(np.array(writer.positions), positions)
    assert all(np.allclose(heights, 0.09 * (1.0 + 0.1 * np.arange(9))) for heights in writer.heights)
    assert writer.finished
    assert not writer.discarded
    assert (result.vehicles, result.frames) == (9, FRAMES)
    run(plan(), PointWriter(tmp_path / "points.npy"))
    np.testing.assert_array_equal(np.load(tmp_path / "points.npy"), positions)
    assert scene_dump(("actions", "objects"))["actions"] == before
    assert not any(keys(ship) for ship in ships)


@sampled(one_of=3)
@pytest.mark.parametrize("length", [3, 1, 16])
def test_keys_do_not_depend_on_the_number_of_frames_converted_together(addon, monkeypatch, length) -> None:
    ships = busy_scene()
    bake()
    expected = [keys(ship) for ship in ships]
    writing = part("blender.write.key_writer")
    monkeypatch.setattr(writing, "AT_ONCE", 1)
    monkeypatch.setattr(writing, "LEAST_FRAMES", length)
    bake()
    assert [keys(ship) for ship in ships] == expected


@pytest.mark.parametrize(("vehicles", "frames"), [(1, 250), (400, 250), (100_000, 250), (3, 2)])
def test_frames_are_converted_in_chunks_that_do_not_grow_with_the_crowd(vehicles: int, frames: int) -> None:
    at_once = part("blender.write.key_writer").frames_at_once(vehicles, frames)
    writer = part("blender.write.key_writer")
    assert 1 <= at_once <= frames
    assert at_once * vehicles <= max(writer.AT_ONCE, writer.LEAST_FRAMES * vehicles)
    assert at_once >= min(writer.LEAST_FRAMES, frames)
