"""Portraits: what is to be seen of each vehicle on a frame, whoever shows it.

    sketch -> portrait -> what needs the whole run (`finish.py`)

A sketch is what one step has led to: bodies, who is absent, states. A portrait is a sketch with what also follows from
the frames before: what is played of clips, and the numbers for drivers. Bake, preview and any other writer read
portraits, and none works out looks by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..simulation.arrays.chance import Keys
from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody
from ..simulation.arrays.vectors import Vectors, magnitude
from ..simulation.locomotion import FLARES, PERCHED
from ..simulation.snapshot import Snapshot, State
from .clips import Clip, ClipSettings
from .doings import Doings, exchanges, longest
from .driver_properties import FOLDED, STATE, Beats, DriverProperties, Portrayal, stride_factors
from .heads import Gaze, Heads
from .playing import FrameMotion, Played, Player
from .riding import Ridden, ridden, unmoved
from .sketch import Frame, Sketch, VisibleBodies, arrived, callers, carriage_of, in_company, over_links, surfaces_before


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
        names: (k,) of the properties that say how far a vehicle has taken them up; states may share one.
    """

    rows: Rows
    numbers: Sequence[int]
    names: Sequence[str]


@dataclass(frozen=True)
class PortraitSubjects:
    """The vehicles to portray, and what is known of them before the run.

    Attributes:
        frame_time, step: seconds of a frame and of a step.
        models: those that play clips.
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
class ModelPortrait:
    """The m vehicles of one model on a frame.

    Attributes:
        growth: (m,) how many times as large as on the first frame they are.
        heads: theirs; None if nothing turns them.
    """

    bodies: VisibleBodies
    growth: Scalars
    on_ground: Ridden
    played: Played
    heads: Heads | None


@dataclass(frozen=True)
class CrowdPortrait:
    """The numbers that drivers read of the m vehicles of a crowd on a frame.

    Attributes:
        properties: (m,) by name, but for how far heads turn.
        heads: theirs; None if that is not keyed.
    """

    properties: Mapping[str, Scalars]
    heads: Heads | None


@dataclass(frozen=True)
class Portrait(Sketch):
    """The vehicles as they are to be seen on a frame: a sketch, with what follows from all frames so far. `models`: as
    those of the subjects; `driven`: the crowds with numbers for drivers, alike."""

    models: Sequence[ModelPortrait]
    driven: Sequence[CrowdPortrait]


class Portrayer:
    """Portrays the vehicles of a run. `sketched_by`: what sketches depend on besides states and frames."""

    def __init__(self, subjects: PortraitSubjects) -> None:
        self.subjects = subjects
        self._models = [_ModelPortrayer(model, subjects.frame_time) for model in subjects.models]
        self._driven = [_CrowdPortrayer(crowd, subjects.frame_time) for crowd in subjects.driven]
        self._talk = any(clip.with_company for model in subjects.models for clip in model.clips)
        self._reacts = bool(subjects.models) or any(crowd.gaze is not None for crowd in subjects.driven)
        self._exchange = max((longest(model.clips) for model in subjects.models), default=0.0)
        self._heights: Scalars | None = None
        self.sketched_by = (
            self._reacts,
            self._exchange,
            [(crowd.rows, crowd.numbers, crowd.names) for crowd in subjects.stateful],
        )

    def sketch(self, before: State | None, state: State, frame: Frame) -> Sketch:
        """The sketch of a frame, whatever was sketched before; `before` is the state on the frame before, None on the
        first."""
        n, pose, away, snapshot = len(state), state.pose, state.away, frame.snapshot
        reacts, numbers = self._reacts, self._state_numbers(state)
        bodies = VisibleBodies(
            position=state.shown,
            side=pose.side,
            forward=pose.forward,
            up=pose.up,
            velocity=state.motion.velocity,
            height=frame.heights,
            lift=snapshot.lift,
            raised=state.raised if len(state.raised) else np.zeros(n),
            present=~away,
            entered=~away if before is None else ~away & before.away,
            active=snapshot.present,
            perched=state.told(PERCHED),
            flares=state.told(FLARES),
            state=numbers,
            arrived=arrived(state, before, snapshot) if reacts else np.zeros(n, dtype=np.bool_),
            caller=callers(state, snapshot, frame.heights) if reacts else np.full((n, 3), np.nan),
            carriage=carriage_of(state, before, snapshot) if reacts else unmoved(n),
            **over_links(state, snapshot),
            **exchanges(state, self.subjects.frame_time, self._exchange),
        )
        return Sketch(
            number=frame.number,
            bodies=bodies,
            outside=state.outside if len(state.outside) else np.zeros(n, dtype=np.bool_),
            eaten=self._eaten(state, snapshot),
            parent_parts=frame.parent_parts,
            outputs=state.outputs,
            states=self._states(state, numbers),
            moved=frozenset(snapshot.surfaces.moved_since(surfaces_before(before, snapshot))),
            tracked=snapshot.tracked,
        )

    def portrait(self, sketch: Sketch) -> Portrait:
        """The portrait that a sketch becomes; sketches come in the order of the frames, and none is left out."""
        bodies = sketch.bodies
        places = sketch.places if self._reacts else bodies.position
        models: list[ModelPortrait] = []
        if self._models:
            growth, together = self._growth(bodies.height), self._in_company(bodies)
            models = [model.portrait(bodies, growth, together, places) for model in self._models]
        driven = [crowd.portrait(sketch, places) for crowd in self._driven]
        return Portrait(**vars(sketch), models=models, driven=driven)

    def _state_numbers(self, state: State) -> Rows:
        numbers = np.zeros(len(state), dtype=np.int64)
        if state.mindset is not None:
            for crowd in self.subjects.stateful:
                numbers[crowd.rows] = np.array([0, *crowd.numbers])[state.mindset.mode[crowd.rows]]
        return numbers

    def _states(self, state: State, numbers: Rows) -> list[dict[str, Scalars | Rows]]:
        mindset, step = state.mindset, self.subjects.step
        properties: list[dict[str, Scalars | Rows]] = []
        for crowd in self.subjects.stateful:
            shares = {name: np.zeros(len(crowd.rows)) for name in crowd.names}
            if mindset is not None:
                spread = mindset.spread(mindset.taken_up(state.time - step, step))[crowd.rows]
                for mode, name in enumerate(crowd.names, 1):
                    shares[name] = shares[name] + spread[:, mode]
            properties.append({STATE: numbers[crowd.rows], **shares})
        return properties

    def _eaten(self, state: State, snapshot: Snapshot) -> Mask:
        rows = self.subjects.resources
        if rows is None or not len(rows):
            return np.zeros(0, dtype=np.bool_)
        return snapshot.tracked.amount[rows] <= (state.taken[rows] if len(state.taken) else 0.0)

    def _growth(self, heights: Scalars) -> Scalars:
        """How many times as large as on the first frame bodies are, (n,)."""
        if self._heights is None:
            self._heights = heights
        known = (self._heights > 0.0) & (heights > 0.0)
        return np.where(known, heights / np.where(known, self._heights, 1.0), 1.0)

    def _in_company(self, bodies: VisibleBodies) -> Mask:
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

    def portrait(self, all_bodies: VisibleBodies, growth: Scalars, together: Mask, places: Vectors) -> ModelPortrait:
        """The portrait on the next frame. `all_bodies`: those of all n vehicles; `growth`, `together`: (n,) how many
        times as large as at first they are, and whether they stand with another; `places`: (k, 3) as of `Sketch`."""
        model = self._model
        bodies, growth, together = all_bodies.take(model.rows), growth[model.rows], together[model.rows]
        travel, axes = bodies.velocity * self._frame_time, (bodies.position, bodies.forward, bodies.up, bodies.carriage)
        beaten, effort = self._beats(bodies)
        if self._before is None:
            now, do = ridden(None, *axes), np.full(len(model.rows), -1, dtype=np.int64)
            was, was_forward = now.position - travel, now.forward
        else:
            before, place, played_before = self._before
            now, new = ridden((before, place), *axes), bodies.entered[:, None]
            was = np.where(new, now.position - travel, before.position)
            was_forward = np.where(new, now.forward, before.forward)
            happens = bodies.arrived, bodies.entered, bodies.occasion, bodies.lot
            do = self._does.asked(self._row, played_before, bodies.state, *happens)
        # On a cart one goes along without flying.
        was = np.where(bodies.perched[:, None], now.position, was)
        playing, cycles = bodies.state, np.zeros(len(model.rows))
        if anybody(bodies.on_link):
            # Over a link one goes ahead, whichever way it leads.
            gone = np.where(bodies.cycle > 0.0, magnitude(now.position - was), 0.0)
            was = np.where(bodies.on_link[:, None], now.position - now.forward * gone[:, None], was)
            playing = np.where(bodies.link_clip > 0, bodies.link_clip, playing)
            cycles = gone / np.maximum(bodies.cycle, EPSILON)
        motion = FrameMotion.between(
            now.position,
            now.forward,
            now.up,
            was,
            was_forward,
            size=model.size * growth,
            do=do,
            in_company=together,
            state=playing,
            beaten=beaten,
            effort=effort,
            cycles=cycles,
        )
        if self._before is None:
            played = self._player.start(motion)
            self._does.begin(bodies.arrived)
        else:
            played = self._player.step(played_before, motion, bodies.entered)
        self._before, self._row = (now, bodies.position, played), self._row + 1
        return ModelPortrait(bodies, growth, now, played, self._heads(bodies, now, places))

    def _beats(self, bodies: VisibleBodies) -> tuple[Scalars, Scalars]:
        """The beats of wings since the frame before, seconds at the usual rate, and their effort, (m,) each."""
        if self._model.beats is None:
            return np.zeros(len(bodies.entered)), np.ones(len(bodies.entered))
        columns = bodies.position, bodies.velocity, bodies.entered, bodies.perched, bodies.flares
        return self._model.beats.frame(*columns)

    def _heads(self, bodies: VisibleBodies, on_ground: Ridden, places: Vectors) -> Heads | None:
        gaze, rows = self._model.gaze, self._model.rows
        if gaze is None:
            return None
        eyes = bodies.position + bodies.up * self._model.eyes[:, None]
        seen = gaze.points(rows, bodies.caller, bodies.state, places)
        return Heads(eyes, bodies.forward, bodies.up, on_ground.forward, on_ground.up, seen)


class _CrowdPortrayer:
    """Computes what drivers read of the vehicles of a crowd, frame after frame."""

    def __init__(self, crowd: DrivenCrowd, frame_time: float) -> None:
        self._crowd = crowd
        self._run = DriverProperties(crowd.portrayal, crowd.keys, frame_time, crowd.cruise)

    def portrait(self, sketch: Sketch, places: Vectors) -> CrowdPortrait:
        bodies, rows = sketch.bodies, self._crowd.rows
        strides = stride_factors(self._crowd.portrayal, bodies.height[rows])
        first = bodies.entered[rows], bodies.start_speed()[rows]
        properties = self._run.frame(bodies.position[rows], strides, *first, bodies.perched[rows], bodies.flares[rows])
        outputs = {name: column[rows] for name, column in sketch.outputs.items()}
        return CrowdPortrait({**outputs, **properties, FOLDED: self._run.folded}, self._heads(bodies, places))

    def _heads(self, bodies: VisibleBodies, places: Vectors) -> Heads | None:
        gaze, rows = self._crowd.gaze, self._crowd.rows
        if gaze is None:
            return None
        members = bodies.take(rows)
        seen = gaze.points(rows, members.caller, members.state, places)
        return Heads(members.eyes, members.forward, members.up, members.forward, members.up, seen)
