"""Writes clips onto vehicles that are baked already, from their keys."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...portrayal.heads import attends
from ...portrayal.riding import Carriage, carriage, unmoved
from ...portrayal.state_properties import STATE
from ...simulation.arrays.chance import keys_of_vehicles
from ...simulation.arrays.vectors import Scalars
from ...simulation.ground import level_heading
from ...simulation.roles import Role
from ..animation.animation_data import evaluate
from ..animation.bake_record import BakeRecord
from ..animation.custom_properties import path_of
from ..animation.ownership import Played, bake_of
from ..animation.places import places_of
from ..animation.rotation_channels import data_path, matrices_from_channels, width_of
from ..animation.run_records import Outcome, outcome_of
from ..clips.clip_bodies import Bodies, Members
from ..clips.crowd_clips import scale_of
from ..objects.doubles import doubles
from ..objects.tagged_objects import tagged
from ..properties import settings_of
from ..read.local_space import AXIS_NAMES, model_axes, to_world
from ..read.surfaces import SurfaceReader, may_change
from ..refusal import Refusal
from ..stored_values import finite_numbers, sound_front
from .clip_writer import ClipWriter

if TYPE_CHECKING:
    from bpy.types import Object, Scene

    from ..animation.state_history import TakenUp


def write_again(crowd: Object, vehicles: Sequence[Object], scene: Scene, *, replace: bool) -> tuple[int, list[str]]:
    """Write the clips of a crowd onto its baked vehicles.

    Returns:
        The number of vehicles, and what the animator should know.

    Raises:
        Refusal: none is baked, or the clips cannot be played; nothing was changed.
    """
    records = {ob: record for ob in vehicles if (record := bake_of(ob)) is not None and record.moves}
    if not records:
        raise Refusal(f"No vehicle of {crowd.name} is baked, so there is no way to keep step with. Bake first.")
    together: dict[tuple[float, float], list[Object]] = {}
    for ob, record in records.items():
        together.setdefault((record.first, record.last), []).append(ob)
    stored = settings_of(scene)
    writers = []
    for (first, last), members in together.items():
        frames = np.arange(first, last + 1.0)
        seeds = np.array([ob.steering.seed for ob in members], dtype=np.int64)
        identities = np.array([ob.steering.identity for ob in members], dtype=np.int64)
        keys = keys_of_vehicles(stored.seed if stored else 0, identities, seeds)
        surfaces = tagged(scene.objects, Role.SURFACE)
        writer = ClipWriter([Members(crowd, tuple(members), keys)], scene, frames, replace=replace, surfaces=surfaces)
        _play(writer, members, [records[ob] for ob in members], frames, scene)
        writers.append(writer)
    for writer in writers:
        for _ in writer.prepare():
            pass
    for writer in writers:
        writer.write()
    return len(records), [warning for writer in writers for warning in writer.warnings]


def _play(
    writer: ClipWriter, vehicles: Sequence[Object], records: Sequence[BakeRecord], frames: np.ndarray, scene: Scene
) -> None:
    """Let a writer see vehicles on all frames."""
    position, basis = bodies_of(vehicles, frames, scene)
    frame_time = scene.render.fps_base / scene.render.fps
    rides, moved = _rides(vehicles, position, level_heading(basis[..., 1].reshape(-1, 3)), frames, scene)
    gone = np.diff(position, axis=0) - np.stack([by.way for by in rides])[1:]
    velocity = np.concatenate((gone, np.zeros((1, *position.shape[1:])))) / frame_time
    outcomes = [outcome_of(ob) for ob in vehicles]
    present = np.array([_present(outcome, frames) for outcome in outcomes]).T
    heights = finite_numbers(vehicles, "height")
    caller = _callers(
        [outcome.states for outcome in outcomes], np.linalg.norm(velocity, axis=2), heights, frames, scene
    )
    states = np.array([_states(ob, frames) for ob in vehicles]).T
    at_goal = np.array([_arrived(record, frames) for record in records]).T
    for row in range(len(frames)):
        entered = present[row] & ~present[:row].any(axis=0)
        bodies = Bodies(
            position=position[row],
            forward=basis[row, :, :, 1],
            up=basis[row, :, :, 2],
            velocity=velocity[row],
            growth=np.ones(len(heights)),
            entered=entered,
            present=present[row],
            in_company=np.zeros(len(heights), dtype=np.bool_),
            state=states[row],
            arrived=at_goal[row],
            caller=caller[row],
            carriage=rides[row],
        )
        writer.frame(row, [bodies], moved)


def _rides(
    vehicles: Sequence[Object], position: np.ndarray, heading: np.ndarray, frames: np.ndarray, scene: Scene
) -> tuple[list[Carriage], set[int]]:
    """What the ground of vehicles did on each frame, and the rows of the surfaces that moved.

    Args:
        position: (f, n, 3) metres.
        heading: (f n, 3) level.
    """
    objects, heading = tagged(scene.objects, Role.SURFACE), heading.reshape(position.shape)
    if not any(may_change(ob) for ob in objects):
        return [unmoved(len(vehicles))] * len(frames), set()
    lift = np.array([ob.steering.origin_height * scale_of(ob, ob) for ob in vehicles])
    reader, rides, moved = SurfaceReader(objects), [], set()
    before, was = None, None
    with _frame_kept(scene):
        for row, frame in enumerate(frames.tolist()):
            scene.frame_set(int(frame))
            ground = reader.read(bpy.context.evaluated_depsgraph_get(), int(frame))
            earlier = ground if before is None else before
            rides.append(carriage(earlier, ground, was, position[row], lift))
            moved |= ground.moved_since(earlier)
            before, was = ground, (position[row], heading[row])
    return rides, moved


def _callers(
    histories: Sequence[Sequence[TakenUp]], speed: Scalars, heights: Scalars, frames: np.ndarray, scene: Scene
) -> np.ndarray:
    """As `Bodies.caller`, (f, n, 3): by name, as histories tell of states; `speed` (f, n) m/s."""
    callers = np.full((*speed.shape, 3), np.nan)
    places: dict[str, np.ndarray] = {}
    frame_time = scene.render.fps_base / scene.render.fps
    for k, history in enumerate(histories):
        ends = [*(each.frame for each in history[1:]), frames[-1] + 1.0]
        for taken_up, end in zip(history, ends):
            ob = scene.objects.get(taken_up.caller) if taken_up.state and taken_up.caller else None
            if ob is None:
                continue
            if ob.name not in places:
                places[ob.name] = places_of(ob, scene, frames)
            since = (frames - taken_up.frame) * frame_time
            looks = attends(since, speed[:, k], heights[k]) & (frames >= taken_up.frame) & (frames < end)
            callers[looks, k] = places[ob.name][looks]
    return callers


def _states(ob: Object, frames: np.ndarray) -> np.ndarray:
    """The numbers of the states of a vehicle, (f,), as they are keyed on it; 0 without any."""
    curve = Played(ob).curves(path_of(STATE)).get(0)
    return np.zeros(len(frames), np.int64) if curve is None else np.rint(evaluate(curve, frames)).astype(np.int64)


def _arrived(record: BakeRecord, frames: np.ndarray) -> np.ndarray:
    """(f,) whether a vehicle is where it was led."""
    at_goal = np.zeros(len(frames), dtype=np.bool_)
    for first, last in record.arrived_frames:
        at_goal |= (frames >= first) & (frames <= last)
    return at_goal


def _present(outcome: Outcome, frames: np.ndarray) -> np.ndarray:
    """(f,) whether a vehicle is present."""
    if outcome.present_frames is None:
        return np.ones(len(frames), dtype=np.bool_)
    first, last = outcome.present_frames
    return (frames >= first) & (frames <= last)


def bodies_of(vehicles: Sequence[Object], frames: np.ndarray, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """The positions (f, n, 3) and bases (f, n, 3, 3) of baked vehicles."""
    position, basis = np.empty((len(frames), len(vehicles), 3)), np.empty((len(frames), len(vehicles), 3, 3))
    carried = [k for k, ob in enumerate(vehicles) if ob.parent is not None]
    for k, ob in enumerate(vehicles):
        if ob.parent is None:
            axes, scale = _axes(ob), doubles(ob.scale)
            turns = matrices_from_channels(_channel(ob, data_path(ob.rotation_mode), frames), ob.rotation_mode)
            parts = np.tile(np.eye(4), (len(frames), 1, 1))
            position[:, k], basis[:, k] = to_world(parts, _channel(ob, "location", frames), turns, axes, scale)
    if carried:
        with _frame_kept(scene):
            for row, frame in enumerate(frames.tolist()):
                scene.frame_set(int(frame))
                for k in carried:
                    matrix = doubles(vehicles[k].matrix_world)
                    axes = _axes(vehicles[k])
                    position[row, k], basis[row, k] = to_world(matrix, np.zeros(3), np.eye(3), axes, np.ones(3))
    return position, basis


def _channel(ob: Object, path: str, frames: np.ndarray) -> np.ndarray:
    """The values of a channel of an object on frames, (f, c)."""
    curves = Played(ob).curves(path)
    width = 3 if path == "location" else width_of(ob.rotation_mode)
    now = doubles(getattr(ob, path))
    columns = [evaluate(curves[k], frames) if k in curves else np.full(len(frames), now[k]) for k in range(width)]
    return np.stack(columns, axis=-1)


def _axes(ob: Object) -> np.ndarray:
    return model_axes(*(AXIS_NAMES[axis] for axis in sound_front(ob)))


@contextmanager
def _frame_kept(scene: Scene):
    """Return to the present frame at the end."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)
