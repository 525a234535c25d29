"""The run: from one frame to the next, and from the first to the last.

    plan -> for snapshot in sweep(plan): state = step(state, snapshot) -> write

A step is a pipeline, of which each stage is a module:

    sense -> mind -> goals -> steer -> combine -> ways -> adjust -> meet -> locomotion -> guides -> contacts -> links

A run of the first hundred frames agrees with the first hundred of a longer one: a step knows the frame it starts from
and the one it leads to, nothing beyond.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from .arrays.frozen import replace
from .arrays.scalars import Mask, Rows, Scalars, all_of, anybody, clamp, nobody, put, which
from .arrays.vectors import Vectors, dot, magnitude, picked, truncate, unit
from .by_hand import hands_at, let_go
from .crossing import cross_links, get_on, those_on_links
from .decisions import Decisions, HeldDecisions, HeldWish
from .geometry.paths import exist, lines_followed
from .ground import left_of, level, of_rows
from .lane_use import Routed
from .marks.meeting import meet_marks
from .memory import memory_among
from .moving import move, set_down, stand_up
from .presence.admission import admit, only_present, those_at_the_end
from .sensing import bodies_at, terrain_at, upward_of, world_at
from .snapshot import Snapshot, State
from .steering import decide, errands, find_companions_led, followed, goals_seen, start_speeds
from .vehicle import Motion, Pose
from .ways.spans import Build
from .ways.traffic import Traffic
from .world import World

WORTH_KEEPING = 2**25 - 2**16
"""Bytes."""
AS_FAST = 0.1
"""Metres a second by which a driver that enters may slow down before the others look at it again."""
NONE_WAITS: Mask = np.zeros(0, dtype=np.bool_)


def simulate(
    start: State, snapshots: Iterable[Snapshot], lead_in: Sequence[Snapshot] = (), preroll: Rows | None = None
) -> Iterator[State]:
    """The vehicles frame by frame, one state a snapshot, beginning with where they start.

    Args:
        start: the state before the first snapshot is taken in.
        snapshots: the scene frame by frame.
        lead_in: the scene on the frames before the first, in order: the pre-roll, after which a flock is in flight on
            the first frame.
        preroll: (n,) the number of those frames that each vehicle moves in; it waits at its start until then. By
            default all vehicles move in all of them.
    """
    state = start
    for snapshot in snapshots:
        if state.inputs is None:
            state = deque(leading_in(state, (*lead_in, snapshot), preroll), maxlen=1).pop()
        else:
            state = step(state, snapshot)
        yield state


def leading_in(start: State, snapshots: Sequence[Snapshot], preroll: Rows | None) -> Iterator[State]:
    """The states in the pre-roll, and after them that at the last of the snapshots, the first frame of the run; as of
    `simulate`."""
    _keep_memory()
    frames = len(snapshots) - 1
    start = replace(start, began=bodies_at(start, snapshots[-1], snapshots[-1], 0.0))
    start = preroll_start(start, snapshots, preroll)
    state = replace(_taken_in(start, snapshots[0]), time=start.time - frames * snapshots[0].frame_time)
    yield state
    for passed, snapshot in enumerate(snapshots[1:]):
        waiting = NONE_WAITS if preroll is None else preroll < frames - passed
        state = step(state, snapshot, waiting)
        yield state


def step(state: State, snapshot: Snapshot, waiting: Mask = NONE_WAITS) -> State:
    """The state one frame later, at the frame of `snapshot`; a state without inputs only takes them in. `waiting`: (n,)
    the vehicles that do not set off yet, or empty. Others see them standing at their start."""
    if state.inputs is None:
        return _taken_in(state, snapshot)
    before, began = state.inputs, state.time
    for substep in range(before.substeps):
        present = only_present(before, state.gone)
        moving = only_present(present, waiting)
        # Sense.
        world = world_at(_standing(state, waiting), present, snapshot, substep / before.substeps)
        # Mind.
        if moving.minds is not None:
            state, moving = moving.minds.choose(state, moving, world)
        aware = let_go(state, moving, world.dt)
        moving = only_present(aware, those_on_links(state))
        # Goals, steer, combine, ways, adjust.
        force, decided, state = _decided(state, moving, world)
        state, decided = get_on(state, aware, snapshot, world, decided)
        # Meet marks.
        if before.marks:
            force, moving, places, decided = meet_marks(state, before, snapshot, moving, world, force, decided)
            state = replace(state, places=places)
        # Locomotion, guides and contacts.
        time = began + before.frame_time * ((substep + 1) / before.substeps)
        taking_part = only_present(moving, decided.arrivals.gone, those_on_links(state))
        terrain = terrain_at(before, snapshot, substep, world.obstacles)
        hands = hands_at(before, snapshot, substep)
        state = move(state, taking_part, world, terrain, hands, force, decided, time)
        # Links.
        if moving.vehicle is not present.vehicle:
            present = replace(present, vehicle=moving.vehicle)
        state, got_off = cross_links(state, present, snapshot, world)
        state = set_down(state, before, got_off)
        state = replace(state, traffic=_traffic_after(state, taking_part, world, time))
    return _taken_in(state, snapshot)


def _decided(state: State, snapshot: Snapshot, world: World) -> tuple[Vectors, Decisions, State]:
    """The force and the decisions on which vehicles act in a step, and the state that holds them.

    All decide every few steps, and some in each; the others hold what they decided last.
    """
    every = snapshot.decides_every
    if every <= 1:
        return *decide(state, snapshot, world), state
    held, motion, model = state.held, state.motion, snapshot.vehicle
    answer = (np.maximum(model.response_time, every * world.dt) / model.mass)[:, None]
    at_once = nobody(len(state)) if held is None else _deciding_at_once(state, snapshot, held, world.time)
    if held is not None and anybody(begins := snapshot.present & ~held.present):
        # Until they decide, they wish to go on as they enter.
        held = held.renewed(which(begins), HeldWish.of(motion.velocity, motion.forward), held.decided)
    decided = state.undecided()
    if held is None or held.steps >= every:
        force, decided = decide(state, only_present(snapshot, at_once), replace(world, dt=world.dt * every))
        wish = HeldWish.of(motion.velocity + force * answer, motion.forward)
        last = wish if held is None else held.wish
        # Drivers are left to their reactions.
        brakes_from = np.where(snapshot.handling.reaction > 0.0, 0.0, magnitude(motion.velocity))
        held = HeldDecisions(wish, last, decided, 0, snapshot.present, brakes_from)
    if anybody(at_once):
        force, decided = decide(state, only_present(snapshot, ~at_once), world, decided)
        wish = HeldWish.of(motion.velocity + force * answer, motion.forward)
        held = held.renewed(which(at_once), wish, decided)
    held = replace(held, steps=held.steps + 1, present=snapshot.present)
    # Velocities change while wishes hold, so that a force that lasts would become weaker.
    age = np.where(at_once, 0.0, (every - 1) * world.dt) / model.mass
    force = (held.wish_now(every, motion.forward) - motion.velocity) / (answer - age[:, None])
    return force, held.decided_now(every, decided), replace(state, held=held)


def _deciding_at_once(state: State, snapshot: Snapshot, held: HeldDecisions, time: float) -> Mask:
    """The vehicles present that decide in this step whatever they hold, (n,): those that begin to take part, unless all
    decide in this step or the next, and those that fight, hurry after or away from something, keep their places in a
    formation, or land. Such places may move, and those share them who follow the same settings. So do those that are
    taking up a state: a fright does not wait, and what they wish for and can changes in each step until they have.
    `time`: of the scene, seconds."""
    decided, soon = held.decided, held.steps >= snapshot.decides_every - 1
    at_once = nobody(len(state)) if soon else ~held.present
    if state.mindset is not None:
        at_once = at_once | (state.mindset.since + state.mindset.blend >= time)
    for told in (decided.hurries, decided.alarmed):
        at_once = at_once if told is None else at_once | told
    lands = None if decided.lands is None else np.isfinite(decided.lands[:, 0])
    for have_places in (decided.in_formation, lands):
        if have_places is not None:
            _, row = followed(state, snapshot)
            at_once = at_once | np.isin(row, row[have_places])
    return at_once & snapshot.present


def _traffic_after(state: State, snapshot: Snapshot, world: World, time: float) -> Mapping[Build, Traffic]:
    """The traffic on the grounds of walkers at the end of a step."""
    if world.ways is None:
        return state.traffic
    motion, model = state.motion, snapshot.vehicle
    own_speed, goes = model.cruise_speed * model.max_speed, snapshot.present & ~state.away
    speed = magnitude(motion.velocity)
    return world.ways.traffic_after(
        *(motion.position, speed, own_speed, model.radius, goes, errands(state).goal),
        *(world.passing, time, world.dt, state.all_decided),
    )


def _standing(state: State, waiting: Mask) -> State:
    """The state in which the waiting vehicles, which have the velocity of their start, are at rest."""
    if not anybody(waiting):
        return state
    velocity = np.where(waiting[:, None], 0.0, state.motion.velocity)
    return replace(state, motion=replace(state.motion, velocity=velocity))


def _taken_in(state: State, snapshot: Snapshot) -> State:
    """The state at the frame of a snapshot, with the vehicles present there."""
    waited, ended = state.outside, those_at_the_end(state)
    first = state.inputs is None
    state, inputs = admit(state, snapshot, ended)
    if first:
        state = stand_up(state, replace(snapshot, present=all_of(len(state))))
    elif anybody(ended) and len(waited):
        state = stand_at_start(state, snapshot, ended & waited)
    state = replace(state, inputs=inputs)
    enters = inputs.present if first else waited[: len(state.outside)] & ~state.outside[: len(waited)]
    # Vehicles outside turn before anybody sees it.
    turning = state.outside if first else enters
    if anybody(turning):
        state = _facing_their_ways(state, inputs, turning)
    return _no_faster_than_they_may(state, enters)


def _facing_their_ways(state: State, inputs: Snapshot, some: Mask) -> State:
    """The state in which those of some vehicles, (n,), that may turn on the spot face where they go."""
    turning = some & inputs.grounded & (inputs.handling.side_step > 0.0)
    if not anybody(turning):
        return state
    motion, alone = state.motion, replace(inputs, present=turning)
    world = world_at(state, replace(inputs, present=inputs.present | turning), inputs, 0.0)
    goal = goals_seen(state, alone, world)
    offset = np.where(np.isfinite(goal), goal - motion.position, 0.0)
    way = level(offset, upward_of(state, inputs), inputs.grounded)
    turning = turning & (magnitude(way) > inputs.vehicle.radius)
    facing = replace(motion.turned(unit(way)), velocity=unit(way) * magnitude(motion.velocity)[:, None])
    columns = {name: np.where(turning[:, None], value, getattr(motion, name)) for name, value in vars(facing).items()}
    return set_down(replace(state, motion=Motion(**columns)), inputs, turning)


def _no_faster_than_they_may(state: State, enters: Mask) -> State:
    """The state in which drivers that enter, (n,), have slowed down for bends and for all that they brake for, which
    may be others that have."""
    inputs = state.inputs
    if inputs is None or not anybody(enters):
        return state
    drivers = enters & np.isfinite(inputs.handling.axle)
    if not anybody(drivers):
        return state
    enter = only_present(inputs, ~drivers)
    # At a first look they find their lanes, at a second one those who come to the same place, and then who has slowed.
    _, decided = decide(state, enter, world_at(state, inputs, inputs, 0.0))
    slower = drivers
    while anybody(slower):
        oriented = replace(state, memories=decided.memories)
        limit = start_speeds(oriented, enter, world_at(oriented, inputs, inputs, 0.0))
        velocity = truncate(state.motion.velocity, limit)
        slower = magnitude(state.motion.velocity) > magnitude(velocity) + AS_FAST
        state = replace(state, motion=replace(state.motion, velocity=velocity))
    return state


def _keep_memory() -> None:
    """Have the C library keep memory that arrays give back, instead of returning it to the system each time.

    Fetching it again for every array of a step takes longer than the arithmetic. The GNU library takes the size of what
    is given back as a measure of what is worth keeping, up to 32 MB; others keep it anyway.
    """
    np.empty(WORTH_KEEPING, dtype=np.uint8)


def preroll_start(start: State, snapshots: Sequence[Snapshot], preroll: Rows | None) -> State:
    """The start of a run with a pre-roll, with those who go along with a body that moves in it where they set off.

    They are placed about their leader as he is on the first frame. On the frame on which they set off he is elsewhere,
    on his way there. They set off about him as they were placed, nearer to their places beside him by what they can
    make up in as long a time, and at his velocity. A flock that had to turn round, catch up or fall back first would
    not go at his speed on the first frame.

    Args:
        start: the state as placed for the first frame.
        snapshots: the scene in the pre-roll, followed by that on the first frame.
        preroll: (n,) the number of frames before the first in which each moves; None for all.
    """
    first, n, last = snapshots[-1], len(start), len(snapshots) - 1
    if not last or not len(first.tracked.radius):
        return start
    body, _ = find_companions_led(start, first, world_at(start, first, first, 0.0))
    row = np.maximum(body - n, 0)
    frames = np.full(n, last) if preroll is None else np.minimum(preroll, last)
    places = np.stack([each.tracked.position for each in snapshots])
    shift = level(places[last - frames, row] - places[last, row], upward_of(start, first), first.grounded)
    # What a vehicle carries goes where that goes.
    along: Mask = (body >= n) & (first.tracked.carrier[row] < 0) & (magnitude(shift) > 0.0)
    if not anybody(along):
        return start
    motion = start.motion
    state = replace(start, motion=replace(motion, position=motion.position + np.where(along[:, None], shift, 0.0)))
    for number in np.unique(frames[along]).tolist():
        those = along & (frames == number)
        before, after = snapshots[last - number], snapshots[last - number + 1]
        state = _beside(state, before, after, body, those, number * first.frame_time)
    return state


def _beside(state: State, before: Snapshot, after: Snapshot, body: Rows, those: Mask, seconds: float) -> State:
    """The state with some vehicles nearer to their places beside the bodies that they go along with.

    Args:
        before, after: the scene on the frame on which they set off, and on the next.
        body: (n,) rows of World.bodies.
        those: (n,) the vehicles that set off.
        seconds: the time in which they can make up the way that they are nearer.
    """
    world = world_at(state, before, after, 0.0)
    beside, place = find_companions_led(state, before, world)
    upward, motion, top_speed = upward_of(state, before), state.motion, before.vehicle.max_speed
    velocity = level(picked(world.bodies.velocity, np.maximum(body, 0)), upward, before.grounded)
    made_up: Scalars = seconds * np.maximum(top_speed - magnitude(velocity), 0.0)
    way = level(place - motion.position, upward, before.grounded)
    way = np.where((beside == body)[:, None], truncate(way, made_up), 0.0)
    moved = replace(motion.turned(truncate(velocity, top_speed)), position=motion.position + way)
    columns = {name: np.where(those[:, None], column, getattr(motion, name)) for name, column in vars(moved).items()}
    return replace(state, motion=Motion(**columns))


def stand_at_start(state: State, snapshot: Snapshot, those: Mask) -> State:
    """The state in which some vehicles, (n,), are about to enter where their paths begin, and remember nothing.

    On the first frame on which a vehicle is away it is where it left, on the next at the start: what is hidden is not
    seen to move, not even in the blur of motion. Each is as far beside its path as it was at the end. With ground
    below, it is as high above it, too.
    """
    routed = memory_among(Routed, state.memories.values())
    rows = which(those)
    if routed is None or not len(rows):
        return state
    blank = {name: memory.put(rows, memory.blank(len(rows))) for name, memory in state.memories.items()}
    kept = {name: getattr(routed, name) for name in ("path", "spline", "way")}
    memories = {name: replace(m, **kept) if isinstance(m, Routed) else m for name, m in blank.items()}
    zero = np.zeros((3, len(rows))).T
    state = replace(
        state,
        memories=memories,
        force=put(state.force, rows, zero),
        smoothed_acceleration=put(state.smoothed_acceleration, rows, zero),
    )
    there = which(those & exist(snapshot.paths, routed.path, routed.spline))
    if not len(there):
        return state
    motion = state.motion.put(there, _at_start(state, snapshot, routed.take(there), there))
    pose = state.pose
    axes = (put(getattr(pose, name), there, picked(getattr(motion, name), there)) for name in ("side", "forward", "up"))
    leaning = None if state.leaning is None else Pose(*axes)
    return set_down(replace(state, motion=motion, leaning=leaning), snapshot, those)


def _at_start(state: State, snapshot: Snapshot, routed: Routed, rows: Rows) -> Motion:
    """The motion of vehicles at the start of their paths, at cruise speed."""
    motion, model, grounded = state.motion.take(rows), snapshot.vehicle.take(rows), snapshot.grounded[rows]
    upward = of_rows(upward_of(state, snapshot), rows)
    line = lines_followed(snapshot.paths, routed.path, routed.spline, routed.left)
    begin = np.where(routed.way > 0.0, 0.0, line.length)
    end = line.length - begin
    first, last = line.position(begin), line.position(end)
    ahead, before = (line.tangent(along) * routed.way[:, None] for along in (begin, end))
    off = motion.position - last
    height, rise = dot(off, upward), dot(first - last, upward)
    aside = clamp(dot(off, unit(left_of(before, upward))), -routed.width, routed.width)
    height = np.where(grounded, height, clamp(height, -routed.width, routed.width))
    if not len(snapshot.surfaces):
        height = height - np.where(grounded, rise, 0.0)
    place = first + unit(left_of(ahead, upward)) * aside[:, None] + upward * height[:, None]
    heading = unit(level(ahead, upward, grounded))
    heading = np.where((magnitude(heading) > 0.0)[:, None], heading, motion.forward)
    speed: Vectors = heading * (model.cruise_speed * model.max_speed)[:, None]
    return replace(motion.turned(speed), position=place)
