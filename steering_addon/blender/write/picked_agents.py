"""Turns picked agents of a crowd cache into keyed objects and back.

What is keyed is not simulated again: the cache says where each agent is on each frame and in what state, and from this
follows what else a keyed bake shows, such as clips, held feet and wings.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np
from bpy.types import Collection, Context, Object

from ...portrayal.portrait import Portrayer
from ...portrayal.sketch import Frame
from ...simulation.arrays.identities import rows_among
from ...simulation.locomotion import FLARES, PERCHED
from ...simulation.mindset import Mindset
from ...simulation.snapshot import State, start_state
from ..animation.ownership import bake_of
from ..animation.rotation_channels import matrices_from_channels
from ..animation.run_records import set_owners
from ..crowds import crowd_cache
from ..crowds.cache_edits import edit_agents
from ..crowds.cached_motion import CachedMotion, ShownAgents
from ..crowds.crowd_cache import ARRIVED, resting_parts
from ..crowds.picked_objects import agents_of, check_removable, object_for, remove_made
from ..objects.crowd_caches import MARK, PICKED, cache_id, is_made, mark, points_identity
from ..objects.hierarchy import Family
from ..objects.tagged_objects import put_to_rest, wake
from ..pieces import as_part
from ..read.local_space import to_world
from ..read.plan import Plan, plan_reading
from ..read.reading import Reader
from ..read.start_pose import give_back
from ..read.sweep import read_ahead, sweep
from .key_writer import KeyWriter
from .subjects import driven_crowds, playing_models, stateful_crowds, subjects_of

LANDINGS = {PERCHED: crowd_cache.PERCHED, FLARES: crowd_cache.FLARES}
"""The outputs of flyers that a cache has as flags."""
SWEEPING = 0.8
"""Share of the progress that going through the frames takes; writing keys is the rest."""


def making_objects(
    context: Context, cache: Collection, crowd: Object, identities: Sequence[int], *, replace_own_keys: bool
) -> Generator[float, None, tuple[list[Object], Sequence[str]]]:
    """Let objects stand for agents of a cache, yielding the share that is done; closing it leaves nothing. Returns the
    vehicles that stand for them now, and warnings. Refused if one of the agents cannot become an object."""
    scene, motion = context.scene, CachedMotion(cache, crowd)
    agents = agents_of(cache, crowd, motion, identities, scene)
    made: list[Object] = []
    try:
        vehicles = []
        for agent in agents:
            if agent.points is not None:
                parts = object_for(context, crowd, agent, motion)
                made += parts
                vehicles.append(parts[0])
            else:
                vehicles.append(agent.ob)
        # A view layer does not have the new objects before.
        context.view_layer.update()
        # The cache moves the others.
        plan = plan_reading(scene, only=vehicles, replace_own_keys=replace_own_keys, alone=True)
        plan = replace(plan, frames=np.arange(motion.first, motion.last + 1))
        run = cache_id(cache).partition(":")[0]
        warnings = yield from _keying(plan, motion, run, replace_own_keys=replace_own_keys)
    except BaseException:
        remove_made([ob for ob in made if ob.parent not in made], scene)
        raise
    family = Family()
    rested = [ob for ob in vehicles if MARK in ob]
    for ob in rested:
        del ob[MARK]
        ob[PICKED] = 0
    wake({*rested, *(part for ob in rested for part in resting_parts(ob, family))})
    for ob in vehicles:
        ob.steering.locked = True
    edit_agents(motion.edits, np.array(identities), hidden=True, picked=True)
    set_owners(run, {ob.steering.identity: 0 for ob in vehicles if is_made(ob)})
    context.view_layer.update()
    return vehicles, warnings


def _keying(
    plan: Plan, motion: CachedMotion, run: str, *, replace_own_keys: bool
) -> Generator[float, None, Sequence[str]]:
    """Key the vehicles of a plan as their agents move, yielding the share that is done; returns warnings."""
    reader, playing = Reader(plan), playing_models(plan)
    writer = KeyWriter(plan, playing, replace_own_keys=replace_own_keys)
    portrayer = Portrayer(subjects_of(plan, playing, driven_crowds(plan)))
    before: State | None = None
    try:
        with closing(sweep(plan, reader)) as frames:
            for row, (frame, state, arrived) in enumerate(_played(plan, motion, read_ahead(frames))):
                sketch = portrayer.sketch(before, state, frame)
                bodies = replace(sketch.bodies, arrived=arrived)
                writer.frame(portrayer.portrait(replace(sketch, bodies=bodies)))
                before = state
                yield SWEEPING * (row + 1) / len(plan.frames)
        yield from as_part(writer.finish(run), SWEEPING, 1.0)
    except BaseException:
        writer.discard()
        raise
    return writer.warnings


def _played(plan: Plan, motion: CachedMotion, frames: Iterator[Frame]) -> Iterator[tuple[Frame, State, np.ndarray]]:
    """The frames of a plan, with its vehicles as a cache has them, and who is where it was led, (n,)."""
    agents = rows_among(motion.identity, plan.vehicles.identity)
    shown = motion.on_frames(plan.frames, agents)
    position, basis, away = shown.position, _bases(plan, shown), shown.pose < 0
    velocity = _velocity(position, away, motion.start_velocity(agents), plan.frame_time)
    mindset, told = None, dict(shown.columns)
    states, flags = told.pop("state", None), told.pop("flags", np.zeros(away.shape, np.int8))
    # Phases follow from the motion, in finer steps.
    told.pop("phase", None)
    told |= {name: (flags & flag > 0).astype(np.float64) for name, flag in LANDINGS.items() if (flags & flag).any()}
    for row, frame in enumerate(frames):
        state = start_state(
            position[row], basis[row, :, :, 1], basis[row, :, :, 2], velocity[row], frame.number * plan.frame_time
        )
        if states is not None:
            mindset = _taken_up(plan, mindset, states[row], state.time)
        outputs = {name: column[row].astype(np.float64) for name, column in told.items()}
        state = replace(state, gone=away[row], inputs=frame.snapshot, mindset=mindset, outputs=outputs)
        yield frame, state, flags[row] & ARRIVED > 0


def _bases(plan: Plan, shown: ShownAgents) -> np.ndarray:
    """The side, forward and up axes of vehicles, (f, n, 3, 3), from the rotations of their models."""
    source, turns = plan.vehicles.source, matrices_from_channels(shown.rotation, "QUATERNION")
    signs = source.scales(range(len(source)))
    bases = np.empty(turns.shape)
    for k, axes in enumerate(source.axes):
        _, bases[:, k] = to_world(np.eye(4), shown.position[:, k], turns[:, k], axes, signs[k])
    return bases


def _velocity(position: np.ndarray, away: np.ndarray, start: np.ndarray, frame_time: float) -> np.ndarray:
    """(f, n, 3) m/s since the frame before; as a vehicle enters as it does, `start` (n, 3), or if that is not known
    toward the next."""
    came = np.diff(position, axis=0, prepend=position[:1]) / frame_time
    ahead = np.concatenate((came[1:], came[-1:]))
    enters = ~away & np.concatenate((np.ones((1, len(start)), np.bool_), away[:-1]))
    return np.where(enters[..., None], np.where(np.isnan(start), ahead, start), came)


def _taken_up(plan: Plan, before: Mindset | None, numbers: np.ndarray, time: float) -> Mindset:
    """The mindset of vehicles that are in states of these numbers, (n,), each as soon as it is there."""
    crowds = stateful_crowds(plan)
    mode = np.zeros(len(plan), dtype=np.int64)
    for crowd in crowds:
        for k, number in enumerate(crowd.numbers, 1):
            mode[crowd.rows[numbers[crowd.rows] == number]] = k
    mindset = before or Mindset.blank(len(plan), max((len(crowd.numbers) for crowd in crowds), default=0) + 1, time)
    return replace(mindset, mode=mode, since=np.where(mode == mindset.mode, mindset.since, time))


def give_agents_back(
    context: Context, cache: Collection | None, crowd: Object, objects: Sequence[Object], identities: Sequence[int]
) -> tuple[list[int], list[str]]:
    """Let a cache show agents again, and remove the objects that were made for them. Refused if something else is
    parented to what would be removed.

    Args:
        cache: that of the crowd; None without one.
        objects: the vehicles that stand for agents of it.
        identities: of further agents, whose objects are gone.

    Returns:
        The identities of those that the cache does not hold, and warnings.
    """
    scene, family = context.scene, Family()
    made, rested = [ob for ob in objects if is_made(ob)], [ob for ob in objects if not is_made(ob)]
    check_removable(made)
    identities = [*identities, *(ob.steering.identity for ob in objects)]
    motion = CachedMotion(cache, crowd) if cache is not None else None
    held = set() if motion is None else set(motion.identity.tolist())
    parts = [part for ob in objects for part in (ob, *family.descendants(ob))]
    for ob in made:
        if (bake := bake_of(ob)) is not None:
            set_owners(bake.bake_id, {ob.steering.identity: points_identity(ob)})
    warnings = list(KeyWriter.delete(parts))
    for ob in rested:
        give_back(ob)
        ob.steering.property_unset("locked")
        del ob[PICKED]
        if motion is not None and ob.steering.identity in held:
            mark(ob, cache_id(cache), motion.first, motion.last)
    resting = [ob for ob in rested if MARK in ob]
    put_to_rest({*resting, *(part for ob in resting for part in resting_parts(ob, family))}, scene)
    remove_made(made, scene)
    if motion is not None and motion.edits is not None:
        edit_agents(motion.edits, np.array(identities, dtype=np.int64), hidden=False, picked=False)
    context.view_layer.update()
    return [identity for identity in identities if identity not in held], warnings
