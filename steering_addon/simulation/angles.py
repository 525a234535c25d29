"""Sine and cosine that give the same bytes everywhere.

numpy's own come from the processor's widest instructions in one version and from the system's library in the next, and
differ in the last digit: enough for a flock to end up elsewhere. These are made of + - * floor alone, with the
polynomials of Sun's fdlibm (k_sin.c, k_cos.c), and lie within a unit or so in the last place of the true values.
"""

from __future__ import annotations

import numpy as np

from .vectors import Scalars

QUARTERS_A_RADIAN = 0.6366197723675814
QUARTER_HIGH, QUARTER_LOW = 1.5707963267341256, 6.077100506506192e-11
"""A quarter turn in two parts: the high one, of 33 bits, times a count of quarters is exact."""
SINE = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
COSINE = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)


def sine(angle: Scalars) -> Scalars:
    """The sines of angles in radians, no more than some thousands of turns."""
    return _swung(angle, 0.0)


def cosine(angle: Scalars) -> Scalars:
    """The cosines of angles in radians, no more than some thousands of turns."""
    return _swung(angle, 1.0)


def _swung(angle: Scalars, ahead: float) -> Scalars:
    """The sine of what lies some quarter turns ahead of the angle."""
    quarters = np.floor(angle * QUARTERS_A_RADIAN + 0.5)
    rest = (angle - quarters * QUARTER_HIGH) - quarters * QUARTER_LOW
    square = rest * rest
    rising = rest + rest * square * _polynomial(SINE, square)
    falling = 1.0 - 0.5 * square + square * square * _polynomial(COSINE, square)
    quarter = quarters + ahead
    quarter = quarter - 4.0 * np.floor(quarter / 4.0)
    size: Scalars = np.where((quarter == 0.0) | (quarter == 2.0), rising, falling)
    swung: Scalars = np.where(quarter >= 2.0, -size, size)
    return swung


def _polynomial(factors: tuple[float, ...], x: Scalars) -> Scalars:
    """The factors of falling powers of x, added up."""
    value: Scalars = np.full_like(x, factors[0])
    for factor in factors[1:]:
        value = value * x + factor
    return value
