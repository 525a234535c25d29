"""The playback of clips on each frame, from the way that each agent goes.

Feet hold on the ground if a clip advances by distance: while an agent goes s metres, the phase p of its clips grows so
that

    sum over the clips of  share * stride * (curve(p after) - curve(p before))  =  s

where the curve is the clip's own: feet of real clips do not move evenly. Slower than its slowest clip, an agent takes
shorter and slower steps: the clip has a share of less than 1, over one that stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..simulation.arrays.angles import angle_of, cosine_and_sine
from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Mask, Rows, Scalars
from ..simulation.arrays.vectors import Vectors, cross, dot
from .clips import ANY, BEAT, DO, MOVE, ON_LINK, PHASES, Clip, ClipSettings, Playing, StateClips, influences, leading
from .gaits import Repertoire

SMOOTHING = 0.12
"""Seconds over which the speed that chooses the clips is a running mean."""
STARTS = 1.3
"""An agent that stands starts at this multiple of the speed below which it stands."""
QUICKEST = 2.5
"""Most cycles that a clip plays in the time of one as it was made: faster, legs flicker."""
PERCHES = 0.01
"""Metres a second up to which an agent that could beat its wings stands."""
LINGERS = 12.0
"""Seconds after which an agent that stands may take another clip that stands."""
TURNS = 0.2
"""Radians a second: an agent that stands turns at this rate before it plays a clip that turns."""
TALKS = 0.75
"""How often an agent in company takes a clip for that, where there are others that stand: now and then it listens."""
OFFSET, RATE, STEPS, LINGER, ANOTHER, TALK = 0x0FF5, 0x4A7E, 0x57E9, 0x119E, 0xA407, 0x7A1C


@dataclass(frozen=True)
class FrameMotion:
    """The motion of bodies since the frame before, in the axes that they had on the way.

    Attributes:
        ahead, aside, climb: (n,) metres along the front, to the left and up.
        turn: (n,) radians to the left about the up axis.
        size: (n,) how many times as large as the measured model they are.
        do: (n,) the row of a clip that is asked for, to be played once, or -1.
        in_company: (n,) whether they stand with another.
        state: (n,) the number of their state.
        beaten: (n,) seconds of beats at the usual rate.
        effort: (n,) how far wings swing: 1 for the usual, 0 in a glide.
        cycles: (n,) of the clip of a link.
    """

    ahead: Scalars
    aside: Scalars
    climb: Scalars
    turn: Scalars
    size: Scalars
    do: Rows
    in_company: Mask
    state: Rows
    beaten: Scalars
    effort: Scalars
    cycles: Scalars | float = 0.0

    @classmethod
    def between(
        cls, position: Vectors, forward: Vectors, up: Vectors, was: Vectors, was_forward: Vectors, **others: Any
    ) -> "FrameMotion":
        """The way from the frame before to this one. `position`, `forward`, `up`: (n, 3) metres and unit axes on this
        frame; `was`, `was_forward`: (n, 3) position and forward on the frame before."""
        left = cross(up, forward)
        gone = position - was
        ahead, aside = dot(gone, forward), dot(gone, left)
        # The way bends with the body: half of the turn is taken back.
        turn = -angle_of(dot(was_forward, left), dot(was_forward, forward))
        cosines, sines = cosine_and_sine(-0.5 * turn)
        return cls(
            ahead=ahead * cosines + aside * sines,
            aside=aside * cosines - ahead * sines,
            climb=dot(gone, up),
            turn=turn,
            **others,
        )


@dataclass(frozen=True)
class Played(Playing):
    """The playback of n agents on a frame, and their memory for the next one.

    Attributes:
        share: (clips, n) of each clip in the pose; what they lack of 1 is the model at rest.
        moving: (n,) the phase of the clips that move, in cycles.
        ahead, aside: (n,) m/s at the model's size, as running means.
        turning: (n,) radians a second, alike.
        direction: (n,) rows of the repertoire's directions, -1 where it has none for the state.
        past: (pairs, n) whether it is past each change of gait.
        stands: (n,) whether it stands.
        doing: (n,) row of the clip that is played once, or -1.
        remaining: (n,) seconds until that is over.
        seconds: (n,) since its first frame.
        in_company: (n,) whether it stands with another.
        state: (n,) the number of its state.
        effort: (n,) how far wings swing.
    """

    share: Scalars
    moving: Scalars
    ahead: Scalars
    aside: Scalars
    turning: Scalars
    direction: Rows
    past: Mask
    stands: Mask
    doing: Rows
    remaining: Scalars
    seconds: Scalars
    in_company: Mask
    state: Rows
    effort: Scalars

    @property
    def still(self) -> Mask:
        """(n,) whether it neither moves nor turns, so that a pose of the whole body leaves its feet where they are."""
        return self.stands & (np.abs(self.turning) <= TURNS)


class Player:
    """Plays the clips of n agents frame after frame; what it remembers is in what it returns."""

    def __init__(self, clips: Sequence[Clip], settings: ClipSettings, keys: Keys, frame_time: float) -> None:
        """`settings` and `keys` have n rows, `frame_time` is in seconds. Raises ValueError if there is no clip."""
        if not clips:
            raise ValueError("there is no clip to play")
        self._clips = tuple(clips)
        self._settings, self._keys, self._frame_time = settings, keys, frame_time
        self._of_states = StateClips(clips)
        self._repertoire = Repertoire(clips, keys, self._of_states.moves)
        self._seconds = np.array([clip.seconds for clip in clips])
        kinds = np.array([clip.plays for clip in clips])
        moves = (kinds == MOVE) & np.array([clip.speed > 0.0 for clip in clips])
        self._moves = moves
        self._turns = [row for row, clip in enumerate(clips) if kinds[row] == MOVE and not moves[row] and clip.turn]
        self._state = np.array([clip.state for clip in clips])
        self._on_links = np.flatnonzero(kinds == ON_LINK).tolist()
        self._offset = np.array([np.floor(clip.offset * PHASES + 0.5) / PHASES for clip in clips])
        self._metres = np.array([_metres_by_phase(clip) for row, clip in enumerate(clips) if moves[row]])
        self._rests = _rests(clips, self._offset)
        self._perches = PERCHES if any(self._of_states.beats) else 0.0
        self._agent_step = 1.0 - settings.variation * uniform(mix(keys, STEPS))
        self._agent_rate = 1.0 + settings.variation * (2.0 * uniform(mix(keys, RATE)) - 1.0)
        self._lingers = uniform(mix(keys, LINGER))
        self._another_keys, self._talk_keys = mix(keys, ANOTHER), mix(keys, TALK)

    def start(self, motion: FrameMotion) -> Played:
        """The playback of agents on their first frame; `motion` is how they would have come."""
        n, count = len(self._keys), len(self._clips)
        draw = np.where(self._settings.random_offset, uniform(mix(self._keys, OFFSET)), 0.0)
        blank = Played(
            phase=np.repeat(draw[None], count, axis=0),
            influence=np.zeros((count, n)),
            share=np.zeros((count, n)),
            moving=draw,
            ahead=motion.ahead / motion.size / self._frame_time,
            aside=motion.aside / motion.size / self._frame_time,
            turning=motion.turn / self._frame_time,
            direction=np.zeros(n, dtype=np.int64),
            past=np.zeros((self._repertoire.pairs, n), dtype=np.bool_),
            stands=np.zeros(n, dtype=np.bool_),
            doing=np.full(n, -1, dtype=np.int64),
            remaining=np.zeros(n),
            seconds=np.zeros(n),
            in_company=motion.in_company,
            state=motion.state,
            effort=motion.effort,
        )
        chosen = self._choose_gaits(blank)
        share = self._shares(chosen)
        moving = np.where(chosen.stands, self._rests[0] if len(self._rests) else draw, draw)
        phase = np.where(self._moves[:, None], moving + self._offset[:, None], blank.phase)
        once = np.array([clip.plays == DO for clip in self._clips])
        phase = np.where(once[:, None], 0.0, phase)
        return replace(chosen, share=share, influence=self._influences(share), moving=moving, phase=phase)

    def step(self, before: Played, motion: FrameMotion, entered: Mask | None = None) -> Played:
        """The playback of agents on the next frame.

        Args:
            before: what they played on the frame before.
            entered: (n,) whether this is the first frame on which an agent is present; `motion` is then the one that it
                would have come. None if no agent enters.
        """
        current = self._choose_gaits(self._follow(before, motion))
        target = self._shares(current)
        change = np.max(np.abs(target - before.share), axis=0, initial=0.0)
        pace = self._frame_time / self._settings.fade
        share = before.share + (target - before.share) * np.where(change > pace, pace / np.maximum(change, pace), 1.0)
        gone = np.sqrt(motion.ahead * motion.ahead + motion.aside * motion.aside) / motion.size
        moving = self._advance(before.moving, share, gone, current)
        played = replace(
            current,
            share=share,
            influence=self._influences(share),
            moving=moving,
            phase=self._phases(before, current, moving, motion),
            seconds=before.seconds + self._frame_time,
        )
        if entered is None or not entered.any():
            return played
        new = vars(self.start(motion))
        return replace(played, **{name: np.where(entered, new[name], getattr(played, name)) for name in new})

    def _follow(self, before: Played, motion: FrameMotion) -> Played:
        """The running means of an agent's motion, and what it was asked to do."""
        share = self._frame_time / (SMOOTHING + self._frame_time)
        means = {
            "ahead": motion.ahead / motion.size / self._frame_time,
            "aside": motion.aside / motion.size / self._frame_time,
            "turning": motion.turn / self._frame_time,
        }
        changed = {name: getattr(before, name) + share * (new - getattr(before, name)) for name, new in means.items()}
        remaining = before.remaining - self._frame_time
        # What is done once ends, in the time of a fade, where its body sets off, turns or takes up another state.
        of_state = self._state[np.maximum(before.doing, 0)]
        stays = before.still & ((of_state == ANY) | (of_state == motion.state))
        remaining = np.where(stays, remaining, np.minimum(remaining, self._settings.fade))
        over = remaining < 0.5 * self._frame_time
        asked = (motion.do >= 0) & over
        return replace(
            before,
            doing=np.where(asked, motion.do, np.where(over, -1, before.doing)),
            remaining=np.where(asked, self._seconds[np.maximum(motion.do, 0)], np.where(over, 0.0, remaining)),
            in_company=motion.in_company,
            state=motion.state,
            effort=motion.effort,
            **changed,
        )

    def _choose_gaits(self, played: Played) -> Played:
        """Whether agents stand, in which direction they move, and which changes of gait they are past."""
        speed = np.sqrt(played.ahead * played.ahead + played.aside * played.aside)
        places = self._of_states.places(played.state)
        kept = self._repertoire.direction_before(played.direction, places)
        slowest = self._settings.slowest * self._repertoire.slowest(kept)
        stands = speed <= np.maximum(np.where(played.stands, STARTS * slowest, slowest), self._perches)
        direction = np.where(stands, kept, self._repertoire.direction(played.ahead, played.aside, kept, places))
        return replace(played, stands=stands, direction=direction, past=self._repertoire.beyond(speed, played.past))

    def _shares(self, played: Played) -> Scalars:
        """The shares that clips would have if nothing had to fade, (clips, n)."""
        speed = np.sqrt(played.ahead * played.ahead + played.aside * played.aside)
        slowest = self._repertoire.slowest(played.direction)
        ratio = np.where(slowest > 0.0, np.minimum(speed / np.where(slowest > 0.0, slowest, 1.0), 1.0), 0.0)
        steps = shorter(ratio, self._settings.shorter_steps) * self._agent_step
        walks = np.where(played.stands, 0.0, np.minimum(steps, 1.0))
        places = self._of_states.places(played.state)
        # Without a clip that stands it keeps the pose in which its step ends.
        walks = np.where((played.direction >= 0) & ~self._of_states.stands[places], 1.0, walks)
        share = self._repertoire.shares(speed, played.direction, played.past) * walks
        columns = np.arange(len(walks))
        share[self._standing_clip(played, places), columns] += 1.0 - walks
        self._beat(share, played, places)
        for row in self._turns:
            same_way = played.turning * (1.0 if self._clips[row].turn > 0.0 else -1.0)
            turns = np.where(
                played.stands & self._of_states.turns[places, row], np.clip(same_way / TURNS - 1.0, 0.0, 1.0), 0.0
            )
            share *= 1.0 - turns
            share[row] += turns
        does = np.where((played.doing >= 0) & (played.remaining > self._settings.fade), 1.0, 0.0)
        share *= 1.0 - does
        share[np.maximum(played.doing, 0), columns] += does
        for row in self._on_links:
            on = played.state == self._state[row]
            share[:, on] = 0.0
            share[row, on] = 1.0
        return share

    def _beat(self, share: Scalars, played: Played, places: Rows) -> None:
        """Let agents in the air or in water beat: those whose state has clips for that, and none to move on feet. They
        beat while they move, and without a clip that stands, always. `share` (clips, n) is changed."""
        for place, rows in enumerate(self._of_states.beats):
            if not rows or self._of_states.moves[place]:
                continue
            agents = np.flatnonzero((places == place) & ~(played.stands & self._of_states.stands[place]))
            chosen = np.array(rows)[np.floor(self._lingers[agents] * len(rows)).astype(np.int64)]
            share[:, agents] = 0.0
            share[chosen, agents] = np.minimum(played.effort[agents], 1.0)

    def _influences(self, share: Scalars) -> Scalars:
        return influences(share, at_rest=any(self._of_states.beats))

    def _standing_clip(self, played: Played, places: Rows) -> Rows:
        """The clip that each agent takes for now while it stands, (n,): after a while it may be another. `places` (n,)
        are those of its state in `StateClips`."""
        turn = np.floor(played.seconds / LINGERS + self._lingers).astype(np.uint64)
        draw = uniform(mix(self._another_keys, turn))
        talks = played.in_company
        if talks.any():
            talks = talks & (uniform(mix(self._talk_keys, turn)) < TALKS)
        stood = np.where(played.stands, places, self._of_states.between_steps(places))
        return self._of_states.standing(stood, draw, talks)

    def _advance(self, moving: Scalars, share: Scalars, gone: Scalars, current: Played) -> Scalars:
        """The phase of the clips that move after a way in metres, (n,)."""
        if not self._moves.any():
            return moving
        share = share[self._moves]
        metres = np.einsum("cn,cp->np", share, self._metres)
        seconds, weight = np.einsum("cn,c->n", share, self._seconds[self._moves]), np.einsum("cn->n", share)
        usual = self._frame_time * weight / np.maximum(seconds, 1e-9)
        after = advanced(moving, metres, gone)
        after = np.minimum(after, moving + QUICKEST * usual)
        return np.where(current.stands, self._toward_rest(moving), after)

    def _toward_rest(self, moving: Scalars) -> Scalars:
        """The phase on its way to the next one at which the feet are best left, (n,)."""
        if not len(self._rests):
            return moving
        gap = self._rests[:, None] - (moving - np.floor(moving))
        gap = np.min(np.where(gap < -1e-9, gap + 1.0, np.maximum(gap, 0.0)), axis=0)
        return moving + np.minimum(gap, self._frame_time / self._seconds[self._moves].min())

    def _phases(self, before: Played, current: Played, moving: Scalars, motion: FrameMotion) -> Scalars:
        """The phases of all clips, (clips, n)."""
        phase = np.empty_like(before.phase)
        for row, clip in enumerate(self._clips):
            if self._moves[row]:
                phase[row] = moving + self._offset[row]
            elif row in self._turns:
                fraction = np.maximum(motion.turn / clip.turn, 0.0)
                phase[row] = before.phase[row] + np.minimum(fraction, QUICKEST * self._frame_time / clip.seconds)
            elif clip.plays == BEAT:
                phase[row] = before.phase[row] + motion.beaten / clip.seconds
            elif clip.plays == ON_LINK:
                was, on = before.state == clip.state, current.state == clip.state
                begun = np.where(was, before.phase[row], np.ceil(before.phase[row]))
                phase[row] = np.where(on, begun + motion.cycles, before.phase[row])
            elif clip.plays == DO:
                # From one whole number to the next.
                start = np.floor(before.phase[row])
                ended = np.where(before.phase[row] > start, start + 1.0, start)
                onwards = np.minimum(before.phase[row] + self._frame_time / clip.seconds, start + 1.0)
                phase[row] = np.where((current.doing == row) & (before.doing == row), onwards, ended)
            else:
                phase[row] = before.phase[row] + self._agent_rate * self._frame_time / clip.seconds
        return phase


def shorter(ratio: Scalars, steps: Scalars) -> Scalars:
    """The length of the steps at a share of a clip's speed, (n,) as a share of the clip's own. With `steps` of 1 only
    their length changes, with 0 only their rate, with 1/2 both by the root of the ratio."""
    root = np.sqrt(ratio)
    lower = 1.0 + (root - 1.0) * 2.0 * steps
    upper = root + (ratio - root) * (2.0 * steps - 1.0)
    return np.where(steps < 0.5, lower, upper)


def advanced(phase: Scalars, metres: Scalars, gone: Scalars) -> Scalars:
    """The phases after a way, (n,). `phase`: (n,) cycles; `metres`: (n, PHASES + 1) the way behind each phase of a
    cycle, rising from 0; `gone`: (n,) metres, at least 0."""
    n = len(phase)
    stride = metres[:, PHASES]
    moves = stride > 1e-6
    cycle = np.floor(phase)
    position = (phase - cycle) * PHASES
    below = np.minimum(np.floor(position).astype(np.int64), PHASES - 1)
    agents = np.arange(n)
    behind = metres[agents, below]
    distance = behind + (metres[agents, below + 1] - behind) * (position - below) + gone
    cycles = np.floor(distance / np.where(moves, stride, 1.0))
    remaining = distance - cycles * stride
    below = np.minimum(np.count_nonzero(metres[:, 1:] <= remaining[:, None], axis=1), PHASES - 1)
    behind = metres[agents, below]
    step = metres[agents, below + 1] - behind
    fraction = np.clip((remaining - behind) / np.where(step > 0.0, step, 1.0), 0.0, 1.0)
    return np.where(moves, np.maximum(cycle + cycles + (below + fraction) / PHASES, phase), phase)


def _metres_by_phase(clip: Clip) -> Scalars:
    """The metres behind a clip by the phase that all moving clips share, (PHASES + 1,)."""
    start = int(np.floor(clip.offset * PHASES + 0.5)) % PHASES
    steps = np.roll(np.diff(clip.curve), -start)
    return np.concatenate(([0.0], np.cumsum(steps))) * clip.stride


def _rests(clips: Sequence[Clip], offset: Scalars) -> Scalars:
    """The shared phases at which the feet of the first moving clip are best left, (r,), each in [0, 1)."""
    first = leading(clips)
    if first < 0:
        return np.zeros(0)
    phases = np.array(clips[first].rests) - offset[first]
    return np.sort(phases - np.floor(phases))
