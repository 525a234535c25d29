"""Add > Steering > Station Hall: who reads the board, and that people keep clear of walls."""

import bpy
import numpy as np
from mathutils import Vector

from tests.blender.building import bake, frames
from tests.blender.crowds.test_ready_scenes import add, members, played, with_role


def test_some_stop_and_face_the_board_and_all_keep_clear_of_walls() -> None:
    frames(1, 260)
    hall = add("station_hall", count=24)
    bake()
    poses = played(members(hall), range(1, 261))
    place, forward = poses[..., :2, 3], poses[..., :2, 1]
    speed = np.linalg.norm(np.diff(place, axis=0), axis=-1) * 24.0
    spots = np.array([ob.location[:2] for ob in bpy.data.collections["Station Board"].objects])
    offset = spots[None, None] - place[1:, :, None]
    gap = np.linalg.norm(offset, axis=-1)
    reads = (speed < 0.05) & (gap.min(axis=-1) < 2.0)
    readers = np.flatnonzero(reads.sum(axis=0) > 1.8 * 24)
    # 30 % of 24 are 7; the last of them have not come to the board yet.
    assert 3 <= len(readers) <= 8
    for row in readers:
        on = np.flatnonzero(reads[:, row])[24:-24]
        cosine = np.einsum("fsi,fi->fs", offset[on, row], forward[on + 1, row]) / gap[on, row]
        # Facing one of the places of the board, within 15 degrees.
        assert np.median(cosine.max(axis=-1) / np.linalg.norm(forward[on + 1, row], axis=-1)) > 0.966
    for wall in with_role("OBSTACLE"):
        corners = np.array([tuple(wall.matrix_world @ part) for part in map(Vector, wall.bound_box)])[:, :2]
        outside = np.maximum(np.maximum(corners.min(axis=0) - place, place - corners.max(axis=0)), 0.0)
        assert np.linalg.norm(outside, axis=-1).min() > 0.2


def test_a_larger_crowd_gets_a_larger_hall() -> None:
    few, many = (add("station_hall", count=count) for count in (20, 80))
    floors = [next(ob for ob in of.users_collection[0].objects if "Floor" in ob.name) for of in (few, many)]
    assert floors[1].dimensions.x > 1.3 * floors[0].dimensions.x
