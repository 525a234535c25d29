"""Adjusting: the combined force of all behaviors is corrected before anything moves.

    wish -> ways -> passages -> adjustments

The wish is the velocity that the force leads to. On the ground, it is turned along the planned way past obstacles that
stand there, and aside where others go first through what is too narrow for two; then adjustments such as avoiding each
other have the last word. An agent on the ground that no adjustment steers takes up the course along its way directly.

The less progress an agent makes, the less its strength limits its wish: from a standstill it would wish for little, and
swept along backwards for going back. Nor does it on the way round a corner: there it limits the turn to that way, and
not one to the goal behind the wall.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .arrays.chance import mix, uniform
from .arrays.frozen import replace
from .arrays.scalars import Mask, Scalars, anybody, clamp, nobody, shared
from .arrays.vectors import Vectors
from .avoiding.jams import JAMMING, Progress, update_progress
from .behavior import Adjustment, Behavior, Wish
from .combining import Component
from .decisions import Decisions
from .intention import EVERY_MOVING, Intention
from .lane_use import Passing
from .memory import Memory
from .ways.passages import let_pass
from .ways.planning import PLANNING_TIME, Planned, planned_course
from .world import Agents, World

WAYS, PROGRESS, PASSING = "ways", "progress", "passing"
"""Under what the stages remember their agents; no behavior has these names."""
LOOKS = 0x100C
"""Salts the keys from which it is drawn when each agent decides."""


def progress_in(memories: Mapping[str, Memory], n: int) -> Scalars:
    """The share of the velocity it wishes for that each of n vehicles recently had, (n,); 1 for those not watched."""
    progress = memories.get(PROGRESS)
    return progress.share if isinstance(progress, Progress) else shared(1.0, n)


def adjust_forces(
    world: World,
    agents: Agents,
    behaviors: Sequence[Behavior],
    components: Mapping[str, Component],
    force: Vectors,
    beyond: Callable[[], Vectors],
    intention: Intention,
    decided: Decisions,
) -> tuple[Vectors, dict[str, Vectors], Intention, Decisions]:
    """The force of some agents after all adjustments.

    Args:
        components: what each behavior contributes to the force, by its name.
        force: (n, 3) what their behaviors come to, newtons.
        beyond: gives what they would come to beyond that if strength did not limit it, (n, 3) newtons.
        intention: what else they say.

    Returns:
        force: (n, 3) newtons.
        corrections: (n, 3) what each adjustment has added, newtons, by its name.
        intention: what else they say, the adjustments included.
        decided: everything else that is decided.
    """
    adjustments = [behavior for behavior in behaviors if isinstance(behavior, Adjustment)]
    steered = ~np.isnan(intention.interval)
    # The agents that keep clear of obstacles and have a place to go to.
    avoiding = _any_of([behavior.weight != 0.0 for behavior in behaviors if behavior.avoids], agents)
    heads_on = steered | (avoiding & np.isfinite(agents.goal[:, 0]) if anybody(avoiding) else avoiding)
    travels = agents.on_the_level & heads_on
    if anybody(travels):
        # Agents that stop for an obstacle that stands do not plan their way past it.
        travels = travels & ((intention.awaits == -1) | (intention.awaits == EVERY_MOVING))
    corrections: dict[str, Vectors] = {}
    if not anybody(steered | travels):
        return force, corrections, intention, decided
    wish = Wish.of(agents, force, intention.top_speed(agents.max_speed))
    wish, decided = _deciding(world, agents, adjustments, intention.interval, wish, decided)
    free = np.where(
        _rounds_corners(agents, travels, decided), 1.0, clamp(1.0 - wish.progress / JAMMING.stuck, 0.0, 1.0)
    )
    if anybody(free > 0.0):
        full = Wish.of(agents, force + free[:, None] * beyond(), wish.top_speed).velocity
        wish = replace(wish, velocity=full, course=full)
    wish, decided = _on_its_way(world, agents, wish, travels, steered, decided)
    wish, decided = _letting_pass(world, agents, wish, travels, decided)
    # An agent that is just passing an obstacle is past it before its way matters again.
    avoiding_forces = [components[b.name].force for b in behaviors if b.avoids and b.name in components]
    passing = _any_of([(avoiding_force != 0.0).any(axis=1) for avoiding_force in avoiding_forces], agents)
    turned = travels & ~steered & ~passing
    course, turned = wish.course, turned & (wish.course != wish.velocity).any(axis=1)
    for adjustment in adjustments:
        if corrections:
            wish = wish.after(agents, force, intention.top_speed(agents.max_speed))
        steering = adjustment.adjust(world, agents, wish, decided.recalled(adjustment, agents))
        decided = decided.adding(adjustment, world, agents, steering)
        intention = intention.adding(steering, adjustment.weight, agents.max_speed)
        if steering.force is not None:
            corrections[adjustment.name] = steering.force * adjustment.weight[:, None]
            force = force + corrections[adjustment.name]
    if anybody(turned):
        force = np.where(turned[:, None], agents.steering_to(course), force)
    return force, corrections, intention, decided


def _any_of(masks: Sequence[Mask], agents: Agents) -> Mask:
    """The agents for which any of the masks holds, (n,)."""
    either = nobody(len(agents))
    for mask in masks:
        either = either | mask if anybody(mask) else either
    return either


def _rounds_corners(agents: Agents, travels: Mask, decided: Decisions) -> Mask:
    """The agents on planned ways to corners, (n,): their strength limits how they turn to the way, not to the goal."""
    if WAYS not in decided.memories:
        return nobody(len(agents))
    return travels & decided.memory(WAYS, Planned, agents).turns


def _deciding(
    world: World, agents: Agents, adjustments: Sequence[Adjustment], interval: Scalars, wish: Wish, decided: Decisions
) -> tuple[Wish, Decisions]:
    """The wish with the agents that decide in this step, and with the progress of all. Each agent decides once in an
    interval, (n,) as of `Intention`, at moments of its own, and as soon as it has never decided."""
    interval = np.maximum(np.where(np.isnan(interval), PLANNING_TIME, interval), world.dt)
    phase = world.time / interval + uniform(mix(agents.keys, LOOKS))
    memory = decided.memory(PROGRESS, Progress, agents)
    decides = (np.floor(phase) != np.floor(phase - world.dt / interval)) | ~memory.begun
    patience = min((adjustment.jamming.patience for adjustment in adjustments), default=JAMMING.patience)
    memory = update_progress(world, agents, wish.velocity, memory, patience)
    return replace(wish, decides=decides, progress=memory.share), decided.remembering(PROGRESS, agents, memory)


def _on_its_way(
    world: World, agents: Agents, wish: Wish, travels: Mask, steered: Mask, decided: Decisions
) -> tuple[Wish, Decisions]:
    """The wish with the course along the planned way."""
    if not (WAYS in decided.memories or anybody(world.obstacles.present)):
        return wish, decided
    memory = decided.memory(WAYS, Planned, agents)
    course, memory = planned_course(
        world, agents, wish.velocity, wish.top_speed, travels, steered, wish.decides, memory
    )
    wish = replace(wish, course=course, ahead=np.where(travels, memory.ahead, np.inf))
    return wish, decided.remembering(WAYS, agents, memory)


def _letting_pass(
    world: World, agents: Agents, wish: Wish, travels: Mask, decided: Decisions
) -> tuple[Wish, Decisions]:
    """The wish in which agents let others go first where their ways are too narrow for two."""
    if world.ways is None or not (PASSING in decided.memories or world.ways.lead_through_passages):
        return wish, decided
    memory, held_up = decided.memory(PASSING, Passing, agents), wish.progress < JAMMING.stuck
    course, memory = let_pass(world, world.ways, agents, wish.course, held_up, travels, memory)
    return replace(wish, course=course), decided.remembering(PASSING, agents, memory)
