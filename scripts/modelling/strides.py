"""How a person one unit tall poses: walking, running, turning on the spot, standing. Only numbers, no datablocks.

A foot on the ground moves back as fast as the person goes: it rolls over the heel, lies flat, and rolls over the ball
with the toes flat. Hips and feet are given, the two bones of a leg follow. The model faces +Y, with +X to its right.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from steering_addon.simulation.arrays.vectors import cross

HIP, KNEE, ANKLE, SHOULDERS = 0.50, 0.265, 0.04, 0.80
"""Heights of the joints above the ground."""
HIP_ASIDE, SHOULDER_ASIDE = 0.048, 0.112
"""Half the distance between the hips, and between the shoulders."""
HEEL, BALL = -0.036, 0.055
"""Where the heel and the ball of a foot are, ahead of its ankle."""
THIGH, SHIN = HIP - KNEE, KNEE - ANKLE
STRETCHED = 0.9985
"""The share of a leg's length to which it stretches at most."""
SIDES = {"R": 1.0, "L": -1.0}

Matrix = np.ndarray
"""(3, 3) how a part is turned from where it is at rest, in the space of the model."""


@dataclass
class Pose:
    """How the parts of a person are turned, in the space of the model.

    Attributes:
        hips: (3,) where the hips are, from where they are at rest.
        turns: by the name of the bone; those that are missing are turned like the one above.
    """

    hips: np.ndarray
    turns: dict[str, Matrix] = field(default_factory=dict)


@dataclass(frozen=True)
class Gait:
    """How a person walks or runs, in lengths of the person and in radians.

    Attributes:
        stride: of a cycle of two steps.
        stance: the share of a cycle that a foot is on the ground.
        height: of the hips, from where they are at rest.
        behind: how far the middle of a stance is behind the hips.
        bob, sway, twist, drop: up and down, from side to side, about the up axis, and of the hip of the swinging leg.
        lean: forwards.
        strike, push: of the foot as the heel touches the ground, and as the toes leave it.
        lift: of the swinging foot.
        aside: of the feet from the middle.
        arms, elbows, carried: swing of the arms, bend of the elbows, and how far arms are held away from the body.
        nod: of the head.
    """

    stride: float = 0.76
    stance: float = 0.60
    height: float = -0.026
    behind: float = 0.022
    bob: float = 0.010
    sway: float = 0.014
    twist: float = 0.11
    drop: float = 0.05
    lean: float = 0.03
    strike: float = 0.34
    push: float = 0.95
    lift: float = 0.034
    aside: float = 0.042
    arms: float = 0.36
    elbows: float = 0.18
    carried: float = 0.06
    nod: float = 0.015


STROLL = Gait(sway=0.022, twist=0.08, drop=0.075, lean=-0.02, arms=0.24, elbows=0.10, carried=0.09, aside=0.05)
BRISK = Gait(sway=0.008, twist=0.15, drop=0.035, lean=0.08, arms=0.55, elbows=0.42, carried=0.05, aside=0.034)
RUN = Gait(
    stride=1.5,
    stance=0.31,
    height=-0.035,
    behind=0.015,
    bob=0.022,
    sway=0.006,
    twist=0.2,
    drop=0.03,
    lean=0.16,
    strike=0.12,
    push=0.95,
    lift=0.13,
    aside=0.028,
    arms=0.75,
    elbows=1.45,
    carried=0.1,
)
TURN_ANGLE = math.radians(60.0)
"""Of a cycle of two steps on the spot."""
WITH_GROUND = 0.11
"""The share of its swing in which a foot still, and already, goes with the ground."""
TURN_STANCE, TURN_LIFT = 0.66, 0.035


def about(axis: int, angle: float) -> Matrix:
    """A turn about an axis: x lifts what is ahead, y lowers what is to the right, z goes to the left."""
    turn, (i, j) = np.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
    turn[i, i] = turn[j, j] = math.cos(angle)
    turn[j, i] = math.sin(angle)
    turn[i, j] = -turn[j, i]
    return turn


about_x, about_y, about_z = (partial(about, axis) for axis in range(3))


def smooth(part: float) -> float:
    """From 0 to 1, level at both ends."""
    part = min(max(part, 0.0), 1.0)
    return part * part * (3.0 - 2.0 * part)


def window(time: float, start: float, end: float, fade: float) -> float:
    """1 between two times, 0 outside, with smooth edges."""
    return smooth((time - start) / fade + 0.5) * smooth((end - time) / fade + 0.5)


@dataclass(frozen=True)
class Step:
    """A foot.

    Attributes:
        ankle: (3,) where it is.
        pitch: of the foot, and `toes` of its toes, against the ground; positive lifts what is ahead.
        heading: of the foot, to the left.
    """

    ankle: np.ndarray
    pitch: float
    toes: float
    heading: float = 0.0


def _rolling(at: float, pitch: float) -> tuple[float, float]:
    """Where the ankle is, (ahead, up), of a foot that would stand flat at a place and is on its heel or its ball."""
    pivot = HEEL if pitch > 0.0 else BALL
    c, s = math.cos(pitch), math.sin(pitch)
    return at + pivot - pivot * c - ANKLE * s, -pivot * s + ANKLE * c


def _hermite(part: float, start: float, end: float, leaves: float, comes: float) -> float:
    """A cubic from one value to another with these slopes at its ends."""
    square, cube = part * part, part * part * part
    return (
        (2.0 * cube - 3.0 * square + 1.0) * start
        + (cube - 2.0 * square + part) * leaves
        + (3.0 * square - 2.0 * cube) * end
        + (cube - square) * comes
    )


def stepping(gait: Gait, phase: float, side: float) -> Step:
    """The foot of a side (1 right, -1 left), whose stance begins at phase 0."""
    phase -= math.floor(phase)
    stance, stride = gait.stance, gait.stride
    first, last = 0.5 * stance * stride - gait.behind, -0.5 * stance * stride - gait.behind
    heel, ball = 0.16 * stance, 0.58 * stance
    if phase < stance:
        at = first - stride * phase
        if phase < heel:
            pitch = toes = gait.strike * (1.0 - smooth(phase / heel))
        else:
            rise = max(phase - ball, 0.0) / (stance - ball)
            pitch, toes = -gait.push * rise * rise, 0.0
        ahead, up = _rolling(at, pitch)
    else:
        part = (phase - stance) / (1.0 - stance)
        (y0, z0), (y1, z1) = _rolling(last, -gait.push), _rolling(first, gait.strike)
        # Near the ground it goes with the ground, as long as that takes.
        slope = -stride * (1.0 - stance)
        free = (part - WITH_GROUND) / (1.0 - 2.0 * WITH_GROUND)
        y0, y1 = y0 + WITH_GROUND * slope, y1 - WITH_GROUND * slope
        if 0.0 < free < 1.0:
            slope *= 1.0 - 2.0 * WITH_GROUND
            ahead = _hermite(free, y0, y1, slope, slope)
        else:
            ahead = y0 + slope * (part - WITH_GROUND) if free <= 0.0 else y1 + slope * (part - 1.0 + WITH_GROUND)
        # Off the ground and down to it without grazing: what grazes would be taken for a foot that carries.
        up = _hermite(part, z0, z1, 0.0, 0.0) + gait.lift * math.sqrt(math.sin(math.pi * part)) * (1.2 - 0.4 * part)
        pitch = -gait.push * (1.0 - smooth(1.7 * part)) + gait.strike * smooth(2.0 * part - 0.8)
        toes = max(pitch, 0.0)
    return Step(np.array((side * gait.aside, ahead, up)), pitch, toes)


def pivoting(angle: float, phase: float, side: float, aside: float) -> Step:
    """The foot of a side while the person turns on the spot, by an angle a cycle."""
    phase -= math.floor(phase)
    reach = 0.5 * TURN_STANCE * angle
    if phase < TURN_STANCE:
        heading, up = reach - angle * phase, 0.0
    else:
        part = (phase - TURN_STANCE) / (1.0 - TURN_STANCE)
        slope = -angle * (1.0 - TURN_STANCE)
        heading = _hermite(part, -reach, reach, slope, slope)
        up = TURN_LIFT * math.sqrt(math.sin(math.pi * part))
    place = about_z(heading) @ np.array((side * aside, 0.0, 0.0))
    return Step(place + np.array((0.0, 0.0, ANKLE + up)), -3.0 * up, 0.0, heading)


def standing(side: float, aside: float = HIP_ASIDE, ahead: float = 0.0, turned: float = 0.0) -> Step:
    """A foot that stands flat."""
    return Step(np.array((side * aside, ahead, ANKLE)), 0.0, 0.0, -side * turned)


def leg(pose: Pose, letter: str, step: Step) -> None:
    """Add the leg above a foot to a pose: its knee bends forwards, over the foot."""
    side = SIDES[letter]
    hip = np.array((0.0, 0.0, HIP)) + pose.hips + pose.turns["Hips"] @ np.array((side * HIP_ASIDE, 0.0, 0.0))
    line = step.ankle - hip
    distance = min(float(np.linalg.norm(line)), STRETCHED * (THIGH + SHIN))
    down = line / np.linalg.norm(line)
    ahead = about_z(0.5 * step.heading) @ np.array((0.04 * side, 1.0, 0.0))
    ahead = ahead - down * float(ahead @ down)
    ahead /= np.linalg.norm(ahead)
    along = (THIGH * THIGH - SHIN * SHIN + distance * distance) / (2.0 * distance)
    out = math.sqrt(max(THIGH * THIGH - along * along, 0.0))
    knee = down * along + ahead * out
    right = cross(ahead, -down)
    for name, bone in (("Thigh", knee / THIGH), ("Shin", (down * distance - knee) / SHIN)):
        up = -bone
        pose.turns[f"{name}.{letter}"] = np.stack((right, cross(up, right), up), axis=1)
    pose.turns[f"Foot.{letter}"] = about_z(step.heading) @ about_x(step.pitch)
    pose.turns[f"Toes.{letter}"] = about_z(step.heading) @ about_x(step.toes)


def arm(pose: Pose, letter: str, swing: float, elbow: float, out: float, inwards: float = 0.0) -> None:
    """Add an arm to a pose.

    Args:
        swing: of the upper arm, forwards.
        elbow: bend of the elbow.
        out: how far the upper arm is held away from the body.
        inwards: how far the forearm is turned in front of the body.
    """
    side, chest = SIDES[letter], pose.turns["Chest"]
    upper = chest @ about_y(-side * out) @ about_x(swing)
    pose.turns[f"Upper Arm.{letter}"] = upper
    pose.turns[f"Forearm.{letter}"] = upper @ about_z(side * inwards) @ about_x(elbow)


def walking(gait: Gait, phase: float) -> Pose:
    """A cycle of two steps; the right foot touches the ground at phase 0."""
    cos, sin = math.cos(math.tau * phase), math.sin(math.tau * phase)
    middle = 0.5 * gait.stance
    bob = gait.bob * math.cos(2.0 * math.tau * (phase - middle))
    sway = gait.sway * math.cos(math.tau * (phase - middle))
    pose = Pose(np.array((sway, 0.0, gait.height + bob)))
    roll = -gait.drop * math.cos(math.tau * (phase - middle))
    pose.turns["Hips"] = about_z(gait.twist * cos) @ about_y(-roll) @ about_x(-0.4 * gait.lean)
    pose.turns["Chest"] = about_z(-0.7 * gait.twist * cos) @ about_y(0.35 * roll) @ about_x(-gait.lean)
    pose.turns["Head"] = about_x(-0.3 * gait.lean + gait.nod * math.cos(2.0 * math.tau * (phase - middle)))
    for letter, side in SIDES.items():
        leg(pose, letter, stepping(gait, phase if side > 0.0 else phase + 0.5, side))
        # An arm swings with the other leg, a little late; its elbow bends as it comes forwards.
        swing = -side * (math.cos(0.35) * cos + math.sin(0.35) * sin)
        bend = gait.elbows * (1.0 + 0.45 * swing)
        arm(pose, letter, 0.12 * gait.arms + 0.5 * gait.arms * swing - 0.1 * gait.elbows, bend, gait.carried)
    return pose


def turning(angle: float, phase: float) -> Pose:
    """Two steps on the spot, which turn the body by an angle to the left."""
    middle = 0.5 * TURN_STANCE
    over = math.cos(math.tau * (phase - middle))
    pose = Pose(np.array((0.018 * over, 0.0, -0.006)))
    lead = 0.12 if angle > 0.0 else -0.12
    pose.turns["Hips"] = about_y(0.03 * over)
    pose.turns["Chest"] = about_z(lead)
    pose.turns["Head"] = about_z(2.5 * lead)
    for letter, side in SIDES.items():
        leg(pose, letter, pivoting(angle, phase if side > 0.0 else phase + 0.5, side, HIP_ASIDE))
        arm(pose, letter, 0.05, 0.2, 0.07)
    return pose


@dataclass(frozen=True)
class Look:
    """Where the head turns while a person stands: between two seconds, to the left and up."""

    start: float
    end: float
    left: float
    up: float = 0.0


@dataclass(frozen=True)
class Gesture:
    """What an arm does between two seconds, from hanging down."""

    letter: str
    start: float
    end: float
    swing: float
    elbow: float
    out: float = 0.1
    inwards: float = 0.0
    beats: float = 0.0


@dataclass(frozen=True)
class Stance:
    """How a person stands for some seconds.

    Attributes:
        shift: how far the weight goes from foot to foot; `shifts` times in a cycle.
        breath: rise of the chest, `breaths` times in a cycle.
        nods: of the head in a cycle.
    """

    seconds: float
    shift: float = 0.014
    shifts: int = 1
    breaths: int = 3
    nods: int = 0
    looks: tuple[Look, ...] = ()
    gestures: tuple[Gesture, ...] = ()


IDLE = Stance(
    10.0, looks=(Look(1.2, 2.9, 0.65, 0.05), Look(4.1, 4.9, -0.25, -0.25), Look(6.0, 8.1, -0.8)), breaths=3, shifts=1
)
TALK = Stance(
    8.0,
    shift=0.018,
    shifts=2,
    breaths=3,
    nods=5,
    looks=(Look(0.6, 2.4, 0.18), Look(3.4, 4.4, 0.5, 0.1), Look(5.2, 7.0, -0.15)),
    gestures=(
        Gesture("R", 0.7, 3.0, 0.35, 1.25, 0.2, 0.35, 3.0),
        Gesture("L", 2.6, 4.2, 0.3, 1.1, 0.18, 0.3, 2.0),
        Gesture("R", 4.9, 6.8, 0.45, 1.5, 0.25, 0.2, 2.0),
    ),
)
WATCH = Stance(
    3.0,
    shift=0.0,
    breaths=1,
    looks=(Look(0.7, 2.3, 0.22, -0.5),),
    gestures=(Gesture("L", 0.6, 2.4, 0.5, 1.75, 0.1, 0.9),),
)
"""Looks at a watch, once."""


def standing_for(stance: Stance, phase: float) -> Pose:
    """How a person stands at a part of the time."""
    time = phase * stance.seconds
    over = math.sin(math.tau * stance.shifts * phase)
    breath = math.sin(math.tau * stance.breaths * phase)
    pose = Pose(np.array((stance.shift * over, 0.0, -0.0012 - 0.25 * stance.shift * over * over)))
    pose.turns["Hips"] = about_y(-1.8 * stance.shift * over)
    pose.turns["Chest"] = about_y(1.2 * stance.shift * over) @ about_x(0.012 * breath)
    left = up = 0.0
    for look in stance.looks:
        part = window(time, look.start, look.end, 0.5)
        left, up = left + part * look.left, up + part * look.up
    up += 0.045 * math.sin(math.tau * stance.nods * phase) if stance.nods else 0.0
    pose.turns["Chest"] = about_z(0.15 * left) @ pose.turns["Chest"]
    pose.turns["Head"] = about_z(left) @ about_x(up)
    for letter, side in SIDES.items():
        leg(pose, letter, standing(side, HIP_ASIDE + 0.008, 0.014 * side, 0.12))
        swing, elbow, out, inwards = 0.03 + 0.01 * breath, 0.16, 0.07, 0.0
        for gesture in stance.gestures:
            if gesture.letter == letter:
                part = window(time, gesture.start, gesture.end, 0.6)
                beat = 0.22 * math.sin(math.tau * gesture.beats * (time - gesture.start)) if gesture.beats else 0.0
                swing += part * (gesture.swing - swing)
                elbow += part * (gesture.elbow + beat - elbow)
                out += part * (gesture.out - out)
                inwards += part * gesture.inwards
        arm(pose, letter, swing, elbow, out, inwards)
    return pose


CYCLES: dict[str, tuple[float, Callable[[float], Pose]]] = {
    "Idle": (IDLE.seconds, partial(standing_for, IDLE)),
    "Talk": (TALK.seconds, partial(standing_for, TALK)),
    "Walk": (1.0, partial(walking, Gait())),
    "Stroll": (1.04, partial(walking, STROLL)),
    "Brisk Walk": (1.0, partial(walking, replace(BRISK, stride=0.79))),
    "Run": (0.667, partial(walking, RUN)),
    "Left Turn": (1.2, partial(turning, TURN_ANGLE)),
    "Right Turn": (1.2, partial(turning, -TURN_ANGLE)),
    "Look at Watch": (WATCH.seconds, partial(standing_for, WATCH)),
}
"""The clips of the people of ready scenes: the seconds that a cycle takes, and its poses by phase."""
