"""Portraits: what is to be seen of each vehicle on a frame, whoever shows it.

    sketch -> portrait -> what needs the whole run (`finish.py`)

A sketch is what one step has led to: bodies, who is absent, states. A portrait is a sketch with what also follows from
the frames before: what is played of clips, and the numbers for drivers. Bake, preview and any other writer read
portraits, and none works out looks by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..simulation.arrays.chance import Keys
from ..simulation.arrays.vectors import Mask, Rows, Scalars, Vectors, anybody, magnitude
from ..simulation.geometry.surfaces import Surfaces
from ..simulation.ground import level_heading
from ..simulation.maneuvers.settling import Settling
from ..simulation.presence.stays import Staying, memory_of_name
from ..simulation.snapshot import Snapshot, State
from ..simulation.steering import errands
from .beating import Beats
from .clips import Clip, ClipSettings
from .company import in_company
from .doings import Doings
from .driver_properties import DriverProperties, Portrayal, stride_factors
from .frame import Frame
from .heads import EYES, Gaze, Heads, attends
from .playing import Played, Player, Way
from .riding import Carriage, Ridden, carriage, ridden, unmoved


@dataclass(frozen=True)
class ModelClips:
    """The clips of the vehicles of one model, and how each of these m vehicles plays them.

    Attributes:
        rows: (m,) of the vehicles.
        clips: in the order of strips, the lowest first.
        settings, keys: m rows, and (m,).
        size: (m,) how many times as large as the measured model they are on the first frame.
        beats: how they beat wings, a tail or fins; None if no clip does.
        gaze: where their heads turn; None if nothing turns them.
        eyes: (m,) metres from the origin up to the eyes.
    """

    rows: Rows
    clips: Sequence[Clip]
    settings: ClipSettings
    keys: Keys
    size: Scalars
    beats: Beats | None = None
    gaze: Gaze | None = None
    eyes: Scalars = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class DrivenCrowd:
    """A crowd whose m vehicles have numbers for drivers.

    Attributes:
        rows, keys: (m,) of its vehicles.
        portrayal: m rows.
        cruise: its usual speed, m/s.
        gaze: where heads turn; None if that is not keyed.
    """

    rows: Rows
    keys: Keys
    portrayal: Portrayal
    cruise: float
    gaze: Gaze | None = None


@dataclass(frozen=True)
class StatefulCrowd:
    """A crowd with states.

    Attributes:
        rows: (m,) of its vehicles.
        numbers: (k,) of its states, in the order of the modes.
    """

    rows: Rows
    numbers: Sequence[int]


@dataclass(frozen=True)
class Subjects:
    """The vehicles to portray, and what is known of them before the run.

    Attributes:
        frame_time, step: seconds of a frame and of a step.
        radius: (n,) metres.
        models: those that play clips.
        driven, stateful: crowds.
        resources: (m,) the rows of tracked bodies that are gone once they are eaten up.
    """

    frame_time: float
    step: float
    radius: Scalars
    models: Sequence[ModelClips] = ()
    driven: Sequence[DrivenCrowd] = ()
    stateful: Sequence[StatefulCrowd] = ()
    resources: Rows | None = None


@dataclass(frozen=True)
class Bodies:
    """The bodies of n vehicles on a frame.

    Attributes:
        position, side, forward, up: (n, 3) metres and unit axes.
        velocity: (n, 3) m/s.
        height, lift: (n,) metres of the body, 0 if unknown, and of its origin above the place where it stands.
        present, entered: (n,) whether it is there, and whether this is the first frame on which it is.
        active: (n,) whether it takes part, rather than wait where it is.
        state: (n,) the number of its state, 0 for none.
        arrived: (n,) whether it is where it was led.
        caller: (n, 3) the place of what called it into its state, nan where it does not look at that.
        carriage: what the ground has done with it since the frame before.
    """

    position: Vectors
    side: Vectors
    forward: Vectors
    up: Vectors
    velocity: Vectors
    height: Scalars
    lift: Scalars
    present: Mask
    entered: Mask
    active: Mask
    state: Rows
    arrived: Mask
    caller: Vectors
    carriage: Carriage

    def take(self, rows: Rows) -> Bodies:
        return Bodies(**{name: column[rows] for name, column in vars(self).items()})

    def start_speed(self) -> Scalars:
        """The speeds at which bodies enter, (n,) m/s; 0 if none does."""
        if not anybody(self.entered):
            return np.zeros(len(self.entered))
        return np.where(self.active, magnitude(self.velocity), 0.0)


@dataclass(frozen=True)
class Sketch:
    """What one step has led to, as far as it can be seen.

    Attributes:
        number: of the frame.
        bodies: of all n vehicles.
        outside: (n,) the vehicles that have not entered yet.
        eaten: (m,) the resources of which nothing is left.
        parent_parts: (p, 4, 4) as of `Frame`.
        outputs: (n,) what locomotions give for drivers, by name.
        shares: how far the vehicles of each crowd with states have taken these up, (m, k), 0 to 1.
        moved: the rows of the surfaces that moved since the frame before.
    """

    number: int
    bodies: Bodies
    outside: Mask
    eaten: Mask
    parent_parts: Scalars
    outputs: Mapping[str, Scalars]
    shares: Sequence[Scalars]
    moved: frozenset[int]

    @property
    def away(self) -> Mask:
        """(n,) the vehicles that have not entered yet or have left."""
        return ~self.bodies.present


@dataclass(frozen=True)
class ModelPortrait:
    """What the m vehicles of one model play on a frame.

    Attributes:
        bodies: theirs.
        growth: (m,) how many times as large as on the first frame they are.
        on_ground: they in the space of their ground.
        played: of their clips.
        heads: theirs; None if nothing turns them.
    """

    bodies: Bodies
    growth: Scalars
    on_ground: Ridden
    played: Played
    heads: Heads | None


@dataclass(frozen=True)
class CrowdPortrait:
    """What drivers read of the m vehicles of a crowd on a frame.

    Attributes:
        properties: (m,) by name, but for how far heads turn.
        heads: theirs; None if that is not keyed.
    """

    properties: Mapping[str, Scalars]
    heads: Heads | None


@dataclass(frozen=True)
class Portrait(Sketch):
    """What is to be seen of the vehicles on a frame: a sketch, with what follows from all frames so far.

    Attributes:
        models: as those of the subjects.
        driven: the crowds with numbers for drivers, alike.
    """

    models: Sequence[ModelPortrait]
    driven: Sequence[CrowdPortrait]


class Portrayer:
    """Portrays the vehicles of a run.

    Attributes:
        subjects: these.
        sketched_by: what sketches depend on besides states and frames.
    """

    def __init__(self, subjects: Subjects) -> None:
        self.subjects = subjects
        self._models = [_ModelPortrayer(model, subjects.frame_time) for model in subjects.models]
        self._driven = [_CrowdPortrayer(crowd, subjects.frame_time) for crowd in subjects.driven]
        self._talk = any(clip.with_company for model in subjects.models for clip in model.clips)
        self._heeds = bool(subjects.models) or any(crowd.gaze is not None for crowd in subjects.driven)
        self._heights: Scalars | None = None
        self.sketched_by = self._heeds, [(crowd.rows, list(crowd.numbers)) for crowd in subjects.stateful]

    def portray(self, before: State | None, state: State, frame: Frame) -> Portrait:
        """The portrait of the next frame; `before` is the state on the frame before, None on the first."""
        return self.portrait(self.sketch(before, state, frame))

    def sketch(self, before: State | None, state: State, frame: Frame) -> Sketch:
        """The sketch of a frame, whatever was sketched before; arguments as for `portray`."""
        n, pose, away, snapshot = len(state), state.pose, state.away, frame.snapshot
        heeds = self._heeds
        bodies = Bodies(
            position=state.motion.position,
            side=pose.side,
            forward=pose.forward,
            up=pose.up,
            velocity=state.motion.velocity,
            height=frame.heights,
            lift=snapshot.lift,
            present=~away,
            entered=~away if before is None else ~away & before.away,
            active=snapshot.present,
            state=self._state_numbers(state),
            arrived=arrived(state, before) if heeds else np.zeros(n, dtype=np.bool_),
            caller=_callers(state, snapshot, frame.heights) if heeds else np.full((n, 3), np.nan),
            carriage=_carriage(state, before, snapshot) if heeds else unmoved(n),
        )
        return Sketch(
            number=frame.number,
            bodies=bodies,
            outside=state.outside if len(state.outside) else np.zeros(n, dtype=np.bool_),
            eaten=self._eaten(state, snapshot),
            parent_parts=frame.parent_parts,
            outputs=state.outputs,
            shares=self._shares(state),
            moved=frozenset(snapshot.surfaces.moved_since(_surfaces_before(before, snapshot))),
        )

    def portrait(self, sketch: Sketch) -> Portrait:
        """The portrait that a sketch becomes; sketches come in the order of the frames, and none is left out."""
        bodies = sketch.bodies
        models: list[ModelPortrait] = []
        if self._models:
            growth, together = self._growth(bodies.height), self._in_company(bodies)
            models = [model.portrait(bodies, growth, together) for model in self._models]
        return Portrait(**vars(sketch), models=models, driven=[crowd.portrait(sketch) for crowd in self._driven])

    def _state_numbers(self, state: State) -> Rows:
        numbers = np.zeros(len(state), dtype=np.int64)
        if state.mindset is not None:
            for crowd in self.subjects.stateful:
                numbers[crowd.rows] = np.array([0, *crowd.numbers])[state.mindset.mode[crowd.rows]]
        return numbers

    def _shares(self, state: State) -> list[Scalars]:
        mindset, step = state.mindset, self.subjects.step
        if mindset is None:
            return [np.zeros((len(crowd.rows), len(crowd.numbers))) for crowd in self.subjects.stateful]
        spread = mindset.spread(mindset.taken_up(state.time - step, step))
        return [spread[crowd.rows, 1 : len(crowd.numbers) + 1] for crowd in self.subjects.stateful]

    def _eaten(self, state: State, snapshot: Snapshot) -> Mask:
        rows = self.subjects.resources
        if rows is None or not len(rows):
            return np.zeros(0, dtype=np.bool_)
        eaten: Mask = snapshot.tracked.amount[rows] <= (state.taken[rows] if len(state.taken) else 0.0)
        return eaten

    def _growth(self, heights: Scalars) -> Scalars:
        """How many times as large as on the first frame bodies are, (n,)."""
        if self._heights is None:
            self._heights = heights
        known = (self._heights > 0.0) & (heights > 0.0)
        return np.where(known, heights / np.where(known, self._heights, 1.0), 1.0)

    def _in_company(self, bodies: Bodies) -> Mask:
        """Whether bodies stand with another, of any crowd, (n,); none if no clip is for that."""
        together = np.zeros(len(bodies.present), dtype=np.bool_)
        if self._talk:
            rows = np.flatnonzero(bodies.present)
            columns = bodies.position[rows], bodies.forward[rows], bodies.velocity[rows], self.subjects.radius[rows]
            together[rows] = in_company(*columns)
        return together


class _ModelPortrayer:
    """Portrays the vehicles of one model, frame after frame."""

    def __init__(self, model: ModelClips, frame_time: float) -> None:
        self._model, self._frame_time = model, frame_time
        self._player = Player(model.clips, model.settings, model.keys, frame_time)
        self._does = Doings(model.clips, model.keys, frame_time)
        self._row = 0
        self._before: tuple[Ridden, Vectors, Played] | None = None

    def portrait(self, all_bodies: Bodies, growth: Scalars, together: Mask) -> ModelPortrait:
        """The portrait on the next frame.

        Args:
            all_bodies: those of all n vehicles.
            growth, together: (n,) how many times as large as at first they are, and whether they stand with another.
        """
        model = self._model
        bodies, growth, together = all_bodies.take(model.rows), growth[model.rows], together[model.rows]
        came, size = bodies.velocity * self._frame_time, model.size * growth
        beat = model.beats.frame(bodies.position, bodies.velocity, bodies.entered) if model.beats else (None, None)
        axes = bodies.position, bodies.forward, bodies.up, bodies.carriage
        if self._before is None:
            now = ridden(None, *axes)
            seen = size, None, together, bodies.state, *beat
            way = Way.between(now.position, now.forward, now.up, now.position - came, now.forward, *seen)
            played = self._player.start(way)
            self._does.begin(bodies.arrived)
        else:
            before, place, last = self._before
            now = ridden((before, place), *axes)
            new = bodies.entered[:, None]
            was = np.where(new, now.position - came, before.position)
            was_forward = np.where(new, now.forward, before.forward)
            do = self._does.asked(self._row, last, bodies.state, bodies.arrived, bodies.entered)
            seen = size, do, together, bodies.state, *beat
            way = Way.between(now.position, now.forward, now.up, was, was_forward, *seen)
            played = self._player.step(last, way, bodies.entered)
        self._before, self._row = (now, bodies.position, played), self._row + 1
        return ModelPortrait(bodies, growth, now, played, self._heads(bodies, now))

    def _heads(self, bodies: Bodies, on_ground: Ridden) -> Heads | None:
        if self._model.gaze is None:
            return None
        eyes = bodies.position + bodies.up * self._model.eyes[:, None]
        faces = on_ground.forward, on_ground.up
        return Heads(eyes, bodies.forward, bodies.up, *faces, bodies.caller, bodies.state)


class _CrowdPortrayer:
    """Computes what drivers read of the vehicles of a crowd, frame after frame."""

    def __init__(self, crowd: DrivenCrowd, frame_time: float) -> None:
        self._crowd = crowd
        self._run = DriverProperties(crowd.portrayal, crowd.keys, frame_time, crowd.cruise)

    def portrait(self, sketch: Sketch) -> CrowdPortrait:
        bodies, rows = sketch.bodies, self._crowd.rows
        strides = stride_factors(self._crowd.portrayal, bodies.height[rows])
        properties = self._run.frame(bodies.position[rows], strides, bodies.entered[rows], bodies.start_speed()[rows])
        outputs = {name: column[rows] for name, column in sketch.outputs.items()}
        return CrowdPortrait({**outputs, **properties}, self._heads(bodies))

    def _heads(self, bodies: Bodies) -> Heads | None:
        if self._crowd.gaze is None:
            return None
        mine = bodies.take(self._crowd.rows)
        eyes = mine.position + np.maximum(EYES * mine.height - mine.lift, 0.0)[:, None] * mine.up
        return Heads(eyes, mine.forward, mine.up, mine.forward, mine.up, mine.caller, mine.state)


def arrived(state: State, before: State | None) -> Mask:
    """The vehicles that are where a behavior has led them, or stand beside it as others are, (n,).

    One that continues without a stay has arrived for a frame, one that stays for a time from its beginning to its end.

    Args:
        before: the state on the frame before; None on the first.
    """
    at, passing = errands(state).arrived.copy(), np.zeros(len(state), dtype=np.bool_)
    over, staying = passing.copy(), passing.copy()
    behaviors = {memory_of_name(name): name for name in state.arrived}
    for name, memory in state.memories.items():
        if isinstance(memory, Staying | Settling):
            stands = memory.settled if isinstance(memory, Settling) else memory.arrived > 0.0
            goes_on = state.arrived.get(behaviors.get(name, name))
            staying |= stands if goes_on is None else stands & ~goes_on
    for name, goes_on in state.arrived.items():
        earlier = None if before is None else before.arrived.get(name)
        new = goes_on if earlier is None else goes_on & ~earlier
        stay = state.memories.get(memory_of_name(name))
        stayed = stay.arrived > 0.0 if isinstance(stay, Staying) else np.zeros(len(state), dtype=np.bool_)
        over |= new & stayed
        passing |= new & ~stayed
    has_arrived: Mask = ((at & ~over) | staying | passing) & ~state.away
    return has_arrived


def _surfaces_before(before: State | None, snapshot: Snapshot) -> Surfaces:
    """The surfaces on the frame before a snapshot, which are its own on the first."""
    return snapshot.surfaces if before is None or before.inputs is None else before.inputs.surfaces


def _carriage(state: State, before: State | None, snapshot: Snapshot) -> Carriage:
    was = None if before is None else (before.motion.position, level_heading(before.pose.forward))
    return carriage(_surfaces_before(before, snapshot), snapshot.surfaces, was, state.motion.position, snapshot.lift)


def _callers(state: State, snapshot: Snapshot, heights: Scalars) -> Vectors:
    """The places of what called vehicles into their states, (n, 3) metres, nan where they do not look at it."""
    n, mindset, tracked, motion = len(state), state.mindset, snapshot.tracked, state.motion
    places = np.full((n, 3), np.nan)
    if mindset is None:
        return places
    carrier = motion.position[np.maximum(tracked.carrier, 0)]
    of_tracked = np.where((tracked.carrier >= 0)[:, None], carrier, tracked.position)
    looks = attends(state.time - mindset.since, magnitude(motion.velocity), heights)
    rows = np.flatnonzero(looks & (mindset.mode > 0) & (mindset.body >= 0) & (mindset.body != np.arange(n)))
    places[rows] = np.concatenate((motion.position, of_tracked))[mindset.body[rows]]
    return places
