"""Sine and cosine that give the same bytes everywhere.

numpy's own come from the processor's widest instructions in one version and from the system's library in the next, and
differ in the last digit: enough for a flock to end up elsewhere. These are made of + - * floor alone, with the
polynomials of Sun's fdlibm (k_sin.c, k_cos.c), and lie within a unit or so in the last place of the true values.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .vectors import Scalars, alike, same_for_all

QUARTERS_A_RADIAN = 0.6366197723675814
QUARTER_HIGH, QUARTER_LOW = 1.5707963267341256, 6.077100506506192e-11
"""A quarter turn in two parts: the high one, of 33 bits, times a count of quarters is exact."""
EIGHTH = 0.785
"""Radians: no more than an eighth of a turn, up to which there is no quarter turn to take off."""
SINE_AND_COSINE = np.array(
    (
        (1.58969099521155010221e-10, -1.13596475577881948265e-11),
        (-2.50507602534068634195e-08, 2.08757232129817482790e-09),
        (2.75573137070700676789e-06, -2.75573143513906633035e-07),
        (-1.98412698298579493134e-04, 2.48015872894767294178e-05),
        (8.33333333332248946124e-03, -1.38888888888741095749e-03),
        (-1.66666666666666324348e-01, 4.16666666666666019037e-02),
    )
)
"""The factors of falling powers of the square of an angle, of the one and the other."""


def sine(angle: Scalars) -> Scalars:
    """The sines of angles in radians, no more than some thousands of turns."""
    rest, quarters = _nearest_quarter(angle)
    return _sine(quarters, *_waves(rest))


def cosine(angle: Scalars) -> Scalars:
    """The cosines of angles in radians, no more than some thousands of turns."""
    rest, quarters = _nearest_quarter(angle)
    return _sine(quarters + 1.0, *_waves(rest))


def cosine_and_sine(angle: Scalars) -> tuple[Scalars, Scalars]:
    """The cosines and sines of angles in radians, no more than some thousands of turns."""
    if np.abs(angle).max(initial=0.0) < EIGHTH:
        sines, cosines = _waves(angle)
        return cosines, sines
    rest, quarters = _nearest_quarter(angle)
    waves = _waves(rest)
    return _sine(quarters + 1.0, *waves), _sine(quarters, *waves)


def sine_of_turns(turns: Scalars) -> Scalars:
    """The sines of angles given in turns, however many."""
    quarters = np.floor(4.0 * turns + 0.5)
    return _sine(quarters, *_waves((turns - 0.25 * quarters) * (2.0 * np.pi)))


def cosine_of_setting(angle: Scalars) -> Scalars:
    """The cosines of angles in radians, (n,), which are mostly all the same and the same as in the step before."""
    return _cosine_of_one(float(angle[0]), len(angle)) if same_for_all(angle) else cosine(angle)


def tangent_of_setting(angle: Scalars) -> Scalars:
    """The tangents of angles in radians, (n,), which are mostly all the same and the same as in the step before."""
    return _tangent_of_one(float(angle[0]), len(angle)) if same_for_all(angle) else _tangent(angle)


@lru_cache(maxsize=64)
def _cosine_of_one(angle: float, n: int) -> Any:
    return alike(cosine(np.array([angle]))[0], n)


@lru_cache(maxsize=64)
def _tangent_of_one(angle: float, n: int) -> Any:
    return alike(_tangent(np.array([angle]))[0], n)


def _tangent(angle: Scalars) -> Scalars:
    cosines, sines = cosine_and_sine(angle)
    return sines / cosines


def _nearest_quarter(angle: Scalars) -> tuple[Scalars, Scalars]:
    """How far angles in radians are from the nearest whole quarter turn, and how many quarters that is."""
    quarters = np.floor(angle * QUARTERS_A_RADIAN + 0.5)
    return (angle - quarters * QUARTER_HIGH) - quarters * QUARTER_LOW, quarters


def _waves(rest: Scalars) -> tuple[Scalars, Scalars]:
    """The sines and the cosines of angles in radians, no more than an eighth of a turn."""
    square = rest * rest
    rising, falling = _polynomials(SINE_AND_COSINE, square)
    return rest + rest * square * rising, 1.0 - 0.5 * square + square * square * falling


def _sine(quarters: Scalars, rising: Scalars, falling: Scalars) -> Scalars:
    """The sines of so many quarter turns and an angle whose sine is `rising` and whose cosine is `falling`."""
    # Each of the factors is 0, 1 or -1. Choosing by `where` takes four times as long, as it cannot be foreseen.
    halves = np.floor(0.5 * quarters)
    odd = quarters - 2.0 * halves
    sign = 1.0 - 2.0 * (halves - 2.0 * np.floor(0.5 * halves))
    return (rising * (1.0 - odd) + falling * odd) * sign


def _polynomials(factors: Scalars, x: Scalars) -> Scalars:
    """The factors (f, 2) of falling powers of x (...), added up: (2, ...)."""
    first, *others, last = factors.reshape(-1, 2, *(1,) * x.ndim)
    value: Scalars = first * x
    for factor in others:
        value += factor
        value *= x
    value += last
    return value
