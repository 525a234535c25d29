"""Measures a clip: how fast and in which direction a model has to go for its feet to hold, and how far by each phase.

Feet that rest on the ground carry the body forwards: they move backwards in the clip. So the direction is the main axis
of the velocities of feet that touch the ground, and of its two ends the one against which they spend more time there,
as the way back through the air is as long and quicker. Real clips do not move evenly, and feet that are down together
do not agree: at each phase the body moves with the weighted mean of the feet that touch the ground. That is the
clip's distance curve, and what each foot moves otherwise is the slide of the clip itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import angle_of, cosine_and_sine
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Rows, Scalars, total
from .clips import DO, MOVE, PHASES, STAND, Clip, leading
from .feet.soles import Foot, Points, find_feet, measure_foot, median, stances, weighted_median

UNSURE = 0.15
"""Where time on the ground tells the two ends of the axis apart by less, the direction is unknown."""
LONGEST = 6.0
"""Seconds that the cycle of a model a metre high lasts at most, with the root of its height, for its steps
to be distinguished in PHASES parts of it."""
STEADY = 0.45
"""The share of the feet's motion on the ground that a body's motion has to explain."""
REPEATS = 0.15
"""Model heights between the last pose and the first of what repeats itself, at most."""
GENTLE, LONG = 0.07, 2.5
"""Most that the bones of what stands move, model heights a second, unless it lasts longer than LONG seconds."""
SUPPORTED = 0.5
"""The share of its time that what stands is on its feet."""
TURNS = 0.35
"""Radians a cycle: what turns less goes straight."""
SPOT = 0.08
"""The share of the height that the radius of a turn has at least; a smaller one lies between the feet."""
LOW_POSTURE = 0.65
"""A clip in which the body is lower than this share of what it is in a walk, such as sitting, is done once."""
STILL = 0.03
"""Model heights a second: what a foot that stands may move."""
STANDS = 0.7
"""The share of the time on the ground for which the feet of a clip that stands are still."""
ROOT_MOTION = 0.1
"""Model heights a cycle: what carries all points further is root motion."""
TURNING = 0.6
"""The share of the feet's motion that a turn has to explain to be one."""
CERTAIN = 0.3
"""Weight from which on a foot counts as on the ground."""
SLOWEST, FASTEST = 0.3, 3.0
"""Limits of the speed at any phase, as multiples of the usual one."""


@dataclass(frozen=True)
class Sampled:
    """The lowest points of a model over a cycle of one of its clips.

    Attributes:
        seconds: of the cycle.
        points: (PHASES + 1, m, 3) metres, z up; the last phase is the first of the next cycle.
        liveliness: model heights a second that its parts move, in the mean.
        gap: metres between the last pose and the first, where it is widest; root motion does not count.
        posture: the mean height of its parts, metres.
    """

    name: str
    seconds: float
    points: Points
    liveliness: float = 0.0
    gap: float = 0.0
    posture: float = 0.0


@dataclass(frozen=True)
class Moving:
    """The motion of the feet of a clip over the ground.

    Attributes:
        direction: (2,) unit vector in which the body goes.
        profile: (PHASES,) m/s at each phase.
        turning: radians a second to the left.
        sure, support, down: as of a clip.
        still: the share of the time on the ground in which feet do not move.
        explained: 0 to 1, the share of the feet's motion on the ground that turning explains.
        steady: 0 to 1, the share of the feet's motion on the ground that the body's explains.
    """

    feet: Sequence[Foot]
    direction: tuple[float, float]
    profile: Scalars
    turning: float
    sure: float
    support: float
    down: Scalars
    still: float
    explained: float
    steady: float


def measured(
    sampled: Sampled, height: float, front: tuple[float, float] = (0.0, -1.0), groups: Sequence[Rows] | None = None
) -> Clip:
    """Measure a clip: the kind that it is, and the speed, stride and distance curve at which its feet hold.

    Args:
        height: of the model, metres.
        front: (2,) unit vector, the level direction in which the model faces.
        groups: the columns of the points of each foot; None to find them in how they move.
    """
    points, drift = in_place(sampled.points, height)
    closes = max(sampled.gap, 0.0)
    moving = find_motion(points, sampled.seconds, height, drift, groups)
    blank = Clip(sampled.name, STAND, sampled.seconds, closes=closes, drift=drift)
    if moving is None:
        plays = kind_of(None, sampled, height, 0.0)
        return replace(blank, plays=plays, drift=(0.0, 0.0, 0.0), support=0.0, down=np.zeros(PHASES))
    sole = total(np.array([foot.rests for foot in moving.feet])) / len(moving.feet)
    clip = replace(blank, sure=moving.sure, support=moving.support, down=moving.down, sole=sole)
    turn = moving.turning * sampled.seconds
    speed = total(moving.profile) / PHASES
    plays = kind_of(moving, sampled, height, speed)
    # What would move if it repeated itself has a speed, too, for those who say that it does.
    if kind_of(moving, replace(sampled, gap=0.0), height, speed) != MOVE:
        own_slide = slides(moving, sampled.seconds, still=True)
        return replace(clip, plays=plays, drift=(0.0, 0.0, 0.0), own_slide=own_slide, sure=1.0)
    clip = replace(
        clip, plays=plays, turn=turn, own_slide=slides(moving, sampled.seconds), rests=double_support(moving)
    )
    on_the_spot = abs(turn) > TURNS and speed < SPOT * height * abs(moving.turning)
    if speed <= STILL * height or moving.steady <= STEADY or on_the_spot:
        return clip
    ahead = moving.direction[0] * front[0] + moving.direction[1] * front[1]
    left = moving.direction[1] * front[0] - moving.direction[0] * front[1]
    curve = np.concatenate(([0.0], np.cumsum(moving.profile)))
    return replace(
        clip,
        sure=0.0 if has_many_steps(sampled.seconds, height) else clip.sure,
        speed=speed,
        stride=speed * sampled.seconds,
        curve=curve / curve[-1],
        heading=float(angle_of(np.array([left]), np.array([ahead]))[0]),
    )


def has_many_steps(seconds: float, height: float) -> bool:
    """Whether a clip that moves is too long, for a model of this height in metres, to be a cycle of a few steps."""
    return seconds > LONGEST * float(np.sqrt(height))


def in_place(points: Points, height: float) -> tuple[Points, tuple[float, float, float]]:
    """The points (PHASES + 1, m, 3) without root motion, and that motion, (3,) metres a cycle."""
    gone = points[-1] - points[0]
    drift = (median(gone[:, 0]), median(gone[:, 1]), 0.0)
    if drift[0] * drift[0] + drift[1] * drift[1] < ROOT_MOTION * ROOT_MOTION * height * height:
        return points, (0.0, 0.0, 0.0)
    return points - (np.arange(len(points)) / PHASES)[:, None, None] * np.array(drift), drift


def find_motion(
    points: Points,
    seconds: float,
    height: float,
    drift: tuple[float, float, float],
    groups: Sequence[Rows] | None = None,
) -> Moving | None:
    """Find the motion of feet over the ground; None without feet. `points`: in place; `groups`: as for `measured`."""
    feet = find_feet(points, height) if groups is None else [measure_foot(points, rows, height) for rows in groups]
    if not feet:
        return None
    rate = PHASES / seconds
    velocity = np.stack([foot.step for foot in feet]) * rate
    weight = np.stack([foot.weight for foot in feet])
    speed = np.sqrt(velocity[..., 0] * velocity[..., 0] + velocity[..., 1] * velocity[..., 1])
    on_ground = max(total(weight), 1e-12)
    still = total(weight * (speed < STILL * height)) / on_ground
    place = np.stack([0.5 * (foot.place[1:] + foot.place[:-1]) for foot in feet])
    turning, explained, velocity = without_turning(place, velocity, weight)
    axis = main_axis(velocity, weight)
    along = velocity[..., 0] * axis[0] + velocity[..., 1] * axis[1]
    sure = weight * weight
    back, forth = total(sure * (along > 0.0)), total(sure * (along < 0.0))
    root_motion = -(axis[0] * drift[0] + axis[1] * drift[1])
    if root_motion < 0.0 or (root_motion == 0.0 and forth > back):
        axis, along = (-axis[0], -axis[1]), -along
    profile, down = profile_of(along, weight)
    carried_on = total(weight * np.minimum(np.abs(along), 2.0 * profile) * profile * (along > 0.0))
    # A foot that goes forwards while another one carries the body on swings through, however low.
    carries = (weight > CERTAIN) & (along > 0.5 * profile)
    swings = (along < 0.0) & carries.any(axis=0)
    square = velocity[..., 0] * velocity[..., 0] + velocity[..., 1] * velocity[..., 1]
    power = total(np.where(swings, 0.0, weight * square))
    return Moving(
        feet=feet,
        direction=(-axis[0], -axis[1]),
        profile=profile,
        turning=turning,
        sure=1.0 if root_motion else abs(back - forth) / max(back + forth, 1e-12),
        support=float(np.count_nonzero(down > 0.0)) / PHASES,
        down=down,
        still=still,
        explained=explained,
        steady=min(carried_on / max(power, 1e-12), 1.0),
    )


def without_turning(place: Points, velocity: Points, weight: Scalars) -> tuple[float, float, Points]:
    """The rate at which a body turns on its feet, radians a second to the left, how much it explains, the rest.

    Feet on the ground of a body that goes with velocity v and turns at the rate w move with -v - w x place; v and w are
    fitted. A turn that explains little is none. `place`, `velocity`: (feet, PHASES, 2); `weight`: (feet, PHASES).
    """
    sure = weight * weight
    mass = max(total(sure), 1e-12)
    middle = [total(sure * place[..., axis]) / mass for axis in (0, 1)]
    mean = [total(sure * velocity[..., axis]) / mass for axis in (0, 1)]
    x, y = place[..., 0] - middle[0], place[..., 1] - middle[1]
    u, v = velocity[..., 0] - mean[0], velocity[..., 1] - mean[1]
    spread, moment = total(sure * (x * x + y * y)), total(sure * (x * v - y * u))
    power = total(sure * (u * u + v * v))
    explained = moment * moment / max(spread * power, 1e-12)
    if explained < TURNING:
        return 0.0, 0.0, velocity
    # The fit counts feet that begin to lift; the median does not.
    reach = x * x + y * y
    off_centre = reach > 0.01 * np.max(reach)
    rate = -weighted_median(((x * v - y * u)[off_centre]) / reach[off_centre], (sure * reach)[off_centre])
    arms = np.stack((-place[..., 1], place[..., 0]), axis=-1)
    return rate, explained, velocity + rate * arms


def main_axis(velocity: Points, weight: Scalars) -> tuple[float, float]:
    """The unit vector along which velocities (..., 2) with these weights (...) are greatest; either of its ends."""
    x, y = velocity[..., 0], velocity[..., 1]
    across, difference = 2.0 * total(weight * x * y), total(weight * (x * x - y * y))
    cosine, sine = cosine_and_sine(0.5 * angle_of(np.array([across]), np.array([difference])))
    return float(cosine[0]), float(sine[0])


def profile_of(along: Scalars, weight: Scalars) -> tuple[Scalars, Scalars]:
    """The speed of the body at each phase, (PHASES,) m/s, and the share of the feet that are down.

    Where no foot is, the speeds of the phases before and after are joined. `along`: (feet, PHASES) m/s at which each
    foot goes backwards; `weight`: (feet, PHASES) how surely it is on the ground.
    """
    counts = along > 0.0
    down = np.einsum("fk->k", np.where(weight > CERTAIN, 1.0, 0.0)) / len(weight)
    certain = counts & (weight > CERTAIN)
    chosen = certain if certain.any() else counts
    if not chosen.any():
        return np.zeros(PHASES), down
    usual = weighted_median(along[chosen], np.maximum(weight[chosen], 1e-9))
    sure = np.where(counts, weight * weight, 0.0)
    mass = np.einsum("fk->k", sure)
    known = mass > 0.05
    if not known.any():
        return np.full(PHASES, usual), down
    speeds = np.einsum("fk->k", sure * along)[known] / mass[known]
    phases = np.flatnonzero(known)
    around = np.concatenate((phases - PHASES, phases, phases + PHASES))
    profile = np.interp(np.arange(PHASES), around, np.tile(speeds, 3))
    return np.clip(profile, SLOWEST * usual, FASTEST * usual), down


def kind_of(moving: Moving | None, sampled: Sampled, height: float, speed: float) -> int:
    """Whether a clip stands, moves or does something once. What moves repeats itself: its last pose is its first. What
    stands repeats itself too, gently or for long, where a gesture is short."""
    repeats = sampled.gap < REPEATS * height
    gentle = sampled.liveliness < GENTLE or sampled.seconds > LONG
    if moving is None:
        return STAND if repeats else DO
    if moving.still > STANDS:
        return STAND if repeats and gentle and moving.support > SUPPORTED else DO
    turns = abs(moving.turning) * sampled.seconds > TURNS and moving.explained > STEADY
    moves = speed > STILL * height and moving.steady > STEADY and moving.sure > UNSURE
    return MOVE if repeats and moving.still < 1.0 - STANDS and (moves or turns) else DO


def slides(moving: Moving, seconds: float, *, still: bool = False) -> float:
    """The longest way in metres that a foot slides in a stance, where the body goes as the clip says or is still."""
    step = np.zeros((PHASES, 2)) if still else (moving.profile * seconds / PHASES)[:, None] * np.array(moving.direction)
    longest = 0.0
    for foot in moving.feet:
        # A foot that goes forwards in the body's space swings, however low.
        swings = foot.step[:, 0] * moving.direction[0] + foot.step[:, 1] * moving.direction[1] > 0.0
        for rows in stances(foot.touches & (still | ~swings)):
            off = foot.step[rows] + step[rows]
            lengths = np.sqrt(off[:, 0] * off[:, 0] + off[:, 1] * off[:, 1])
            longest = max(longest, total(lengths))
    return longest


def double_support(moving: Moving) -> tuple[float, ...]:
    """The phases in the middle of each stretch in which the most feet are down."""
    down = moving.down
    return tuple(float(rows[len(rows) // 2]) / PHASES for rows in stances(down >= down.max() - 1e-9) if len(rows))


def matched(clips: Sequence[Clip], sampled: Sequence[Sampled], height: float) -> list[Clip]:
    """Clips of one model with the phase by which their feet go with those of the first one that moves.

    The phases at which feet are best left are those nearest to the pose of a clip that stands, if there is one.
    `clips`: as measured; `sampled`: what they were measured on, all on the same points; `height`: of the model, metres.
    """
    first = leading(clips)
    if first < 0:
        return list(clips)
    moving = [row for row, clip in enumerate(clips) if clip.plays == MOVE and clip.speed > 0.0]
    points = [in_place(clip.points, height)[0] for clip in sampled]
    feet = find_feet(points[first], height)
    tracks = [np.stack([measure_foot(path, foot.points, height, foot.rests).place for foot in feet]) for path in points]
    result = list(clips)
    for row, clip in enumerate(clips):
        if clip.plays == STAND and sampled[row].posture < LOW_POSTURE * sampled[first].posture:
            result[row] = replace(clip, plays=DO)
    standing = next((row for row, clip in enumerate(result) if clip.plays == STAND), None)
    for row in moving:
        offset, agrees = alignment(tracks[first], tracks[row])
        rests = clips[row].rests if standing is None else nearest_stops(tracks[row], tracks[standing])
        result[row] = replace(clips[row], offset=offset, agrees=agrees, rests=rests)
    return result


def alignment(track: Points, other: Points) -> tuple[float, float]:
    """The phase to add to another clip for its feet to go with those of a first, and how well they agree, -1 to 1.
    `track`, `other`: (feet, PHASES + 1, 2) where the feet are."""
    a, b = (feet[:, :-1] - np.einsum("fki->fi", feet[:, :-1])[:, None] / PHASES for feet in (track, other))
    products = [total(a * np.roll(b, -shift, axis=1)) for shift in range(PHASES)]
    shift = int(np.argmax(products))
    power = np.sqrt(total(a * a) * total(b * b))
    return shift / PHASES, float(products[shift] / max(power, 1e-12))


def nearest_stops(track: Points, standing: Points) -> tuple[float, ...]:
    """The phases at which the feet are nearest to where they stand, one for each half of the cycle.

    A model stops best as one foot passes the other: it is put down beside it. `track`: (feet, PHASES + 1, 2) of a clip
    that moves.
    """
    off = track[:, :-1] - standing[:, :1]
    away = np.einsum("fki->k", off * off)
    half = PHASES // 2
    best = int(np.argmin(away + np.roll(away, -half)))
    stops = [best + int(np.argmin(np.roll(away, 8 - start)[:16])) - 8 + (start - best) for start in (best, best + half)]
    return tuple(sorted((phase % PHASES) / PHASES for phase in stops))
