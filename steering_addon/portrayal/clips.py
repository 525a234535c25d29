"""Clips: what is known of the actions that a model can play, and what is played of them.

A clip is measured once (`gait.py`), in metres of the model as it stands. Of the clips of each kind, those that stand,
move, turn on the spot, are done once or beat, an agent plays those of its state; where its state has none, those that
are for any state. Which of these it plays follows from its way (`playing.py`). Those that are played together are mixed
from tables of the numbers of each, whose rows are the phases of a cycle and two more, over its end, as phases may be
rounded up.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import Mask, Number, Rows, Scalars
from ..simulation.declaration import Declared, Unit, number, seconds, share, switch

PHASES = 64
"""The number of equal parts in which a cycle is measured."""
SAME_WAY = 0.4363
"""Radians, 25 degrees: clips whose headings differ by less move in one direction."""
STAND, MOVE, DO, BEAT, ON_LINK = 0, 1, 2, 3, 4
"""The kinds of clips: standing, moving with feet on the ground, doing something once, beating wings, a tail or fins,
and going over a link that names them."""
NOTHING = 1e-9
"""A share below which nothing of a pose is seen."""
MOST = 0.5
"""The share of the frames that see a clip in a layer, from which on that layer is of all frames."""
ANY, NO_STATE = 0, -1
"""In place of the number of a state: a clip for all states, and one for a state that its crowd does not have."""
BY_CHANCE, ON_ARRIVAL, ON_STATE, TO_PARTNER, IN_ANSWER = 0, 1, 2, 3, 4
"""When a clip is played that does something once: now and then, where a vehicle arrives, as it takes up a state, to the
partner before which it stands, or as that begins one to it."""

Curve = NDArray[np.float64]
"""(PHASES,) or (PHASES + 1,) one number for each phase of a cycle."""


def steady() -> Curve:
    """The distance curve of a clip whose feet move at one speed, (PHASES + 1,)."""
    return np.arange(PHASES + 1) / PHASES


@dataclass(frozen=True, eq=False)
class Clip:
    """A clip of a model, with everything that is known of it.

    Attributes:
        plays: STAND, MOVE, DO, BEAT or ON_LINK.
        seconds: of a cycle as the clip was made.
        speed: m/s at which its feet hold on the ground, at the model's scale; 0 where it stands.
        stride: metres of a cycle, `speed * seconds`.
        curve: (PHASES + 1,) the share of the stride behind it at each phase, rising from 0 to 1.
        heading: radians to the left of the model's front in which it moves: backwards is pi.
        turn: radians to the left that the body turns in a cycle; with no speed it turns on the spot.
        own_slide: metres that a foot slides in the worst stance when the clip is played at its own speed.
        sure: 0 to 1, how clearly the direction was seen. Below .25 a user should be asked.
        support: the share of a cycle with a foot on the ground.
        down: (PHASES,) the share of the feet that are on the ground at each phase.
        closes: metres by which the last pose differs from the first, where it differs most.
        drift: (3,) metres in world axes that the clip itself carries the model in a cycle, its root motion. A copy
            that is played has to have it taken out; `speed` counts it already.
        offset: the phase to add so that its feet go with those of the first clip that moves.
        agrees: -1 to 1, how well they do. Below .8 the two do not mix.
        rests: phases at which its feet are best left when it stops.
        sole: metres of the height at which its feet rest on the ground, their mean, above the model's origin.
        with_company: whether it is for those who stand with another, and only for them; chosen, not measured.
        state: the number of the state in which it is played, ANY, or NO_STATE for one that is never taken up; of
            ON_LINK the number by which links name it; chosen.
        when: BY_CHANCE, ON_ARRIVAL, ON_STATE, TO_PARTNER or IN_ANSWER: when it is played, if it does something once;
            chosen.
    """

    name: str
    plays: int
    seconds: float
    speed: float = 0.0
    stride: float = 0.0
    curve: Curve = field(default_factory=steady)
    heading: float = 0.0
    turn: float = 0.0
    own_slide: float = 0.0
    sure: float = 1.0
    support: float = 1.0
    down: Curve = field(default_factory=lambda: np.ones(PHASES))
    closes: float = 0.0
    drift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    offset: float = 0.0
    agrees: float = 1.0
    rests: tuple[float, ...] = (0.0,)
    sole: float = 0.0
    with_company: bool = False
    state: int = ANY
    when: int = BY_CHANCE


@dataclass(frozen=True)
class ClipSettings(Declared):
    """The settings of the clips of a crowd.

    Every parameter is (n,).
    """

    keyed = False

    shorter_steps: Number = share(0.7, "How much a slower walk has shorter steps; with 0 it only has slower ones")
    slowest: Number = share(0.1, "Share of the speed of the slowest moving clip below which it stands")
    fade: Number = seconds(0.25, "Time in which one clip gives way to another", 0.01)
    plant_feet: Mask = switch(
        True,
        "Hold feet on the ground where they stand. Only for rigs whose legs have two bones that bend, or whose feet "
        "have controls",
    )
    look_ahead: Number = seconds(
        0.35,
        "Time by which a head turns ahead of its body, to where that will face; with 0 it stays as the clips have it",
    )
    look_at_caller: Mask = switch(
        True,
        "Turn heads to what called into a state, such as a wolf: for a moment, and for as long as the vehicle stands",
    )
    posture: Number = number(
        0.05,
        "Largest random difference between vehicles in how they hold back and head; legs stay as the clips have them",
        Unit.ANGLE,
        most=0.5,
    )
    random_offset: Mask = switch(True, "Start each vehicle at a phase of its own")
    variation: Number = share(
        0.1,
        "Largest random difference between vehicles in how fast they play a clip that stands, and in how long their "
        "steps are at one speed",
    )


@dataclass(frozen=True)
class ClipLayer:
    """A clip for each of some frames, one of those that are seen on it.

    Attributes:
        frames: rows (g,), or all.
        clip: (g,) its row.
        row: (g,) of its phase in a table of its phases, or of the one before.
        before, after: (g,) the shares in the pose of this one and of the next one.
    """

    frames: Rows | slice
    clip: Rows
    row: Rows
    before: Scalars
    after: Scalars


@dataclass(frozen=True)
class Playing:
    """The playback of clips: strips that replace what is below them, the first clip lowest.

    Attributes:
        phase: (clips, ...) of agents on one frame or several; in cycles, and it never decreases.
        influence: alike, 0 to 1: the share of its strip in what is seen so far, that of the strips below it, or for
            the first one, of the model at rest.
    """

    phase: Scalars
    influence: Scalars

    def flat(self) -> "Playing":
        """Columns (clips, n, f) of n agents on f frames as (clips, n f), the frames of one agent after another."""
        return Playing(*(column.reshape(len(column), -1) for column in (self.phase, self.influence)))

    def weights(self) -> Scalars:
        """The share of each clip in the pose; alike. What the shares of a frame lack of 1 is the model at rest."""
        weights = np.empty_like(self.influence)
        above = np.ones_like(self.influence[0])
        for clip in range(len(self.influence) - 1, -1, -1):
            weights[clip] = self.influence[clip] * above
            above = above * (1.0 - self.influence[clip])
        return weights

    @once
    def layers(self) -> list[ClipLayer]:
        """The layers seen on the frames (f) of all bodies; a frame that sees fewer clips is in fewer of them."""
        weights = self.weights()
        seen = weights != 0.0
        count = int(np.count_nonzero(seen, axis=0).max(initial=0))
        layers = []
        for clip in np.argsort(~seen, axis=0, kind="stable")[:count]:
            weight = np.take_along_axis(weights, clip[None], axis=0)[0]
            few = np.flatnonzero(weight)
            frames = slice(None) if len(few) > MOST * len(weight) else few
            clip, weight = clip[frames], weight[frames]
            phase = np.take_along_axis(self.phase[:, frames], clip[None], axis=0)[0]
            position = (phase - np.floor(phase)) * PHASES
            row = np.floor(position).astype(np.int64)
            after = (position - row) * weight
            layers.append(ClipLayer(frames, clip, row, weight - after, after))
        return layers


def influences(weights: Scalars, *, at_rest: bool = False) -> Scalars:
    """The influences of strips that show clips with these shares, (clips, ...); alike. `at_rest`: whether what the
    shares lack of 1 is the model at rest, below all strips."""
    below = np.cumsum(weights, axis=0)
    at_rest_share = np.maximum(1.0 - below[-1], 0.0) if at_rest else np.zeros(below.shape[1:])
    below += np.where(at_rest_share > NOTHING, at_rest_share, 0.0)
    influence = np.where(below > NOTHING, weights / np.maximum(below, NOTHING), 0.0)
    influence[0] = np.where(at_rest_share > NOTHING, influence[0], 1.0)
    return np.minimum(influence, 1.0)


def in_order(clips: Sequence[Clip]) -> list[int]:
    """The rows of clips from the lowest strip to the highest: what stands, what moves by its speed, what it does."""
    return sorted(range(len(clips)), key=lambda row: (clips[row].plays, clips[row].speed, row))


def leading(clips: Sequence[Clip]) -> int:
    """The row of the first clip that moves, -1 without one: the slowest of those that move most nearly to the front.
    Those for a single state only count if there are no others."""
    moving = [row for row, clip in enumerate(clips) if clip.plays == MOVE and clip.speed > 0.0]
    moving = [row for row in moving if clips[row].state == ANY] or moving
    if not moving:
        return -1
    nearest = min(abs(clips[row].heading) for row in moving)
    ahead = [row for row in moving if abs(clips[row].heading) < nearest + SAME_WAY]
    return min(ahead, key=lambda row: (clips[row].speed, row))


LENGTHS = {"curve": PHASES + 1, "down": PHASES}
"""The fields of a clip that are arrays, and their lengths."""
TUPLES = ("drift", "rests")
CHOSEN = ("with_company", "state", "when")
"""The fields that are not measured."""
MEASURED = tuple(field.name for field in fields(Clip) if field.name not in CHOSEN)


@dataclass(frozen=True)
class Measurement:
    """A clip as it was measured on a model. `made_of`: the hash of the clip and the model that were measured; `scale`:
    of the model, at which the metres of the clip are meant."""

    clip: Clip
    made_of: str
    scale: float


def text_of(measurement: Measurement) -> str:
    """A measurement as text; reading it gives the same numbers."""
    clip = measurement.clip
    values = {name: getattr(clip, name) for name in MEASURED}
    plain = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}
    return json.dumps({"made_of": measurement.made_of, "scale": measurement.scale, "clip": plain})


@lru_cache(maxsize=512)
def measurement_of(text: str) -> Measurement | None:
    """The measurement that `text_of` wrote, or None for any other text."""
    try:
        stored = json.loads(text)
        values = {name: _value(name, stored["clip"][name]) for name in MEASURED}
        scale = float(stored["scale"])
        if not (isfinite(scale) and scale > 0.0):
            return None
        return Measurement(Clip(**values), str(stored["made_of"]), scale)
    except (ValueError, TypeError, KeyError):
        return None


def at_ground_speed(clip: Clip, plays: int, ground_speed: float) -> Clip:
    """The clip as a user wants it played, with the speed of the ground under it if that is not 0."""
    if plays != MOVE or ground_speed <= 0.0:
        return replace(clip, plays=plays)
    return replace(clip, plays=plays, speed=ground_speed, stride=ground_speed * clip.seconds)


def _value(name: str, stored: Any) -> Any:
    if name == "name":
        return str(stored)
    if name == "plays":
        return int(stored)
    numbers = np.array(stored, dtype=np.float64)
    if not np.isfinite(numbers).all() or (name in LENGTHS and numbers.shape != (LENGTHS[name],)):
        raise ValueError("not a measurement")
    if name in LENGTHS:
        return numbers
    return tuple(numbers.tolist()) if name in TUPLES else float(numbers)


TOGETHER = 32000
"""Numbers that are mixed together: with more, arrays do not fit the fast memory of a processor."""


def mixed_tables(tables: Sequence[NDArray[np.float64]], playing: Playing) -> NDArray[np.float64]:
    """Mix some numbers of clips that are played together, (f, ...), each of these contiguous in memory. `tables`:
    (PHASES + 2, ...) of each clip; `playing`: (clips, f) of one body, or of several one after the other."""
    columns = np.stack([table.reshape(len(table), -1).T for table in tables])
    return mixed_columns(columns, playing).T.reshape(-1, *tables[0].shape[1:])


def mixed_columns(columns: Scalars, playing: Playing) -> Scalars:
    """Mix k columns of clips, as `mixed_tables` mixes tables: (clips, k, PHASES + 2) to (k, f)."""
    frames = playing.phase.shape[1]
    mixed = np.repeat(columns[0, :, :1], frames, axis=1)
    varies = np.flatnonzero((columns != columns[0, :, :1]).any(axis=(0, 2)))
    tables = columns[:, varies].swapaxes(0, 1).reshape(len(varies), len(columns) * columns.shape[2])
    for chunk in np.array_split(np.arange(len(varies)), max(len(varies) * frames // TOGETHER, 1)):
        table, total = tables[chunk], np.zeros((len(chunk), frames))
        for layer in playing.layers:
            row = layer.clip * columns.shape[2] + layer.row
            values = np.take(table, row, axis=1, mode="clip")
            values *= layer.before
            after = np.take(table, row + 1, axis=1, mode="clip")
            after *= layer.after
            values += after
            total[:, layer.frames] += values
        mixed[varies[chunk]] = total
    return mixed


def numbers_of(clips: Sequence[Clip]) -> list[int]:
    """The numbers of the states that have clips, in order, the first ANY."""
    return sorted({ANY, *(clip.state for clip in clips if clip.state > ANY)})


def for_state(rows: Sequence[int], clips: Sequence[Clip], number: int) -> list[int]:
    """The rows, of some, of the clips played in a state, by its number: its own, or those for any state."""
    chosen = [row for row in rows if clips[row].state == number]
    return chosen or [row for row in rows if clips[row].state == ANY]


def places_of(numbers: Sequence[int], states: Rows) -> Rows:
    """The place of each state (n,) among sorted numbers, (n,); 0 for those that are not among them."""
    if len(numbers) == 1:
        return np.zeros(len(states), dtype=np.int64)
    known = np.array(numbers, dtype=np.int64)
    places = np.minimum(np.searchsorted(known, states), len(known) - 1)
    return np.where(known[places] == states, places, 0)


class StateClips:
    """The clips for each of k states that have any, and first for all others.

    Attributes:
        moves: (k) the rows of those that move.
        stands: (k,) whether there is one that stands.
        turns: (k, clips) whether a clip turns on the spot.
        beats: (k) the rows of those that beat wings, a tail or fins.
    """

    def __init__(self, clips: Sequence[Clip]) -> None:
        self._numbers = numbers_of(clips)
        moving = [row for row, clip in enumerate(clips) if clip.plays == MOVE and clip.speed > 0.0]
        turning = [row for row, clip in enumerate(clips) if clip.plays == MOVE and not clip.speed and clip.turn]
        standing = [row for row, clip in enumerate(clips) if clip.plays == STAND]
        beating = [row for row, clip in enumerate(clips) if clip.plays == BEAT]
        self.beats = [for_state(beating, clips, number) for number in self._numbers]
        self.moves = [for_state(moving, clips, number) for number in self._numbers]
        stands = [for_state(standing, clips, number) for number in self._numbers]
        self.stands: Mask = np.array([bool(rows) for rows in stands])
        self.turns = np.zeros((len(self._numbers), len(clips)), dtype=np.bool_)
        for place, state in enumerate(self._numbers):
            self.turns[place, for_state(turning, clips, state)] = True
        # A state without clips to stand or to move holds the pose of the lowest strip.
        rests = [rows or moves[:1] or [0] for rows, moves in zip(stands, self.moves)]
        self._alone, self._together = (
            [np.array([row for row in rows if clips[row].with_company is company] or rows, np.int64) for rows in rests]
            for company in (False, True)
        )

    def places(self, states: Rows) -> Rows:
        """The place among the k of the state of each agent, (n,), from the numbers of the states (n,)."""
        return places_of(self._numbers, states)

    def between_steps(self, places: Rows) -> Rows:
        """As `places`, for the clip mixed into shorter steps: for these, no agent lies down or sleeps."""
        return np.where(self.stands[0], 0, places)

    def standing(self, places: Rows, draw: Scalars, talks: Mask) -> Rows:
        """The clip that each agent takes to stand, (n,). `draw`: (n,) chance, in [0, 1); `talks`: (n,) whether it is
        one for those in company."""
        taken_clip = np.zeros(len(places), dtype=np.int64)
        for place, (alone, together) in enumerate(zip(self._alone, self._together)):
            by_chance = (rows[np.floor(draw * len(rows)).astype(np.int64)] for rows in (together, alone))
            taken_clip = np.where(places == place, np.where(talks, *by_chance), taken_clip)
        return taken_clip
