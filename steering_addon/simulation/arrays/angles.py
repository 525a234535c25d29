"""Sine and cosine that give the same bytes everywhere.

numpy's own use the widest instructions of the processor in one version and the system's library in the next, and differ
in the last digit: enough to change where a flock ends up. These use + - * and floor only.

An angle x is reduced to the nearest quarter turn, in two parts so that the subtraction loses nothing:

    q = floor(x * 2/pi + 1/2)        r = (x - q * HIGH) - q * LOW        |r| <= pi/4

sin(r) and cos(r) are the polynomials of Sun's fdlibm (k_sin.c, k_cos.c); with s = r * r,

    sin(r) = r + r s (S1 + s (S2 + ...))        cos(r) = 1 - s/2 + s s (C1 + s (C2 + ...))

and q modulo 4 says which of the two the sine of x is, and with which sign. The error is about one unit in the last
place.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from .scalars import Scalars, alike, same_for_all

QUARTERS_A_RADIAN = 0.6366197723675814
QUARTER_HIGH, QUARTER_LOW = 1.5707963267341256, 6.077100506506192e-11
"""A quarter turn, in radians, as a sum: the high part has 33 bits, so that its product with a count is exact."""
QUARTER = 0.5 * np.pi
EIGHTH = 0.785
"""Radians, just below an eighth of a turn: smaller angles need no reduction."""
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
"""(6, 2) coefficients of the two polynomials, the highest power first: S6 to S1 and C6 to C1."""
SINE_OF_TURNS = (
    *(-14.336855951241795, 41.99996082785651, -76.70366601536975),
    *(81.60520938153076, -41.341701929219774, 6.283185306485779),
)
"""Coefficients of x^11, x^9 ... x of sin(2 pi x) up to a quarter turn, by least squares."""


def sine(angle: Scalars) -> Scalars:
    """The sines of angles in radians, up to some thousands of turns; (...) to (...)."""
    remainder, quarters = _nearest_quarter(angle)
    return _sine(quarters, *_small_sine_and_cosine(remainder))


def cosine(angle: Scalars) -> Scalars:
    """The cosines of angles in radians, up to some thousands of turns; (...) to (...)."""
    if np.abs(angle).max(initial=0.0) < EIGHTH:
        return _small_sine_and_cosine(angle)[1]
    remainder, quarters = _nearest_quarter(angle)
    return _sine(quarters + 1.0, *_small_sine_and_cosine(remainder))


def cosine_and_sine(angle: Scalars) -> tuple[Scalars, Scalars]:
    """The cosines and the sines of angles in radians, up to some thousands of turns; (...) to (...) each."""
    if np.abs(angle).max(initial=0.0) < EIGHTH:
        sines, cosines = _small_sine_and_cosine(angle)
        return cosines, sines
    remainder, quarters = _nearest_quarter(angle)
    small = _small_sine_and_cosine(remainder)
    return _sine(quarters + 1.0, *small), _sine(quarters, *small)


def sine_of_turns(turns: Scalars) -> Scalars:
    """The sines of angles in turns, any number of them, with an error below 2e-11; (...) to (...). A third of the time
    of `sine`: the nearest half turn is taken off, and one polynomial is enough for what is left."""
    halves = np.floor(2.0 * turns + 0.5)
    rest = turns - 0.5 * halves
    square = rest * rest
    value = SINE_OF_TURNS[0] * square
    for coefficient in SINE_OF_TURNS[1:-1]:
        value += coefficient
        value *= square
    value += SINE_OF_TURNS[-1]
    value *= rest
    return value * (1.0 - 2.0 * (halves - 2.0 * np.floor(0.5 * halves)))


def cosine_of_setting(angle: Scalars) -> Scalars:
    """The cosines of angles in radians, (n,) to (n,); a setting shared by all agents is computed once and cached."""
    return _cosine_of_one(float(angle[0]), len(angle)) if same_for_all(angle) else cosine(angle)


def tangent_of_setting(angle: Scalars) -> Scalars:
    """The tangents of angles in radians, (n,) to (n,); a setting shared by all agents is computed once and cached."""
    return _tangent_of_one(float(angle[0]), len(angle)) if same_for_all(angle) else _tangent(angle)


@lru_cache(maxsize=64)
def _cosine_of_one(angle: float, n: int) -> Any:
    return alike(cosine(np.array([angle]))[0], n)


@lru_cache(maxsize=64)
def _tangent_of_one(angle: float, n: int) -> Any:
    return alike(_tangent(np.array([angle]))[0], n)


def arctangent(tangent: Scalars) -> Scalars:
    """The angles in radians that have these tangents; (...) to (...), with an error below 1e-13. With atan(x) = 2
    atan(x / (1 + sqrt(1 + x x))), twice, the series x - x^3/3 + x^5/5 ... needs few terms."""
    steep = np.abs(tangent) > 1.0
    x = np.where(steep, 1.0 / np.where(steep, tangent, 1.0), tangent)
    for _ in range(2):
        x = x / (1.0 + np.sqrt(1.0 + x * x))
    square, series = x * x, np.zeros_like(x)
    for power in range(17, 0, -2):
        series = 1.0 / power - square * series
    angle: Scalars = 4.0 * x * series
    return np.where(steep, np.where(tangent > 0.0, QUARTER, -QUARTER) - angle, angle)


def angle_of(y: Scalars, x: Scalars) -> Scalars:
    """The angles of points (x, y) from the x axis, radians in (-pi, pi]; (...) each to (...). 0 at the origin. Half of
    the angle has the tangent y / (r + x) = (r - x) / y, of which the first is exact ahead, the second behind."""
    distance = np.sqrt(x * x + y * y)
    behind = x < 0.0
    above, below = np.where(behind, distance - x, y), np.where(behind, y, distance + x)
    flat = below == 0.0
    half = arctangent(above / np.where(flat, 1.0, below))
    return np.where(flat, np.where(behind, np.pi, 0.0), 2.0 * half)


def _tangent(angle: Scalars) -> Scalars:
    cosines, sines = cosine_and_sine(angle)
    return sines / cosines


def _nearest_quarter(angle: Scalars) -> tuple[Scalars, Scalars]:
    """The remainder r of each angle in radians, and the number of quarter turns q taken off; (...) to (...) each."""
    quarters = np.floor(angle * QUARTERS_A_RADIAN + 0.5)
    return (angle - quarters * QUARTER_HIGH) - quarters * QUARTER_LOW, quarters


def _small_sine_and_cosine(angle: Scalars) -> tuple[Scalars, Scalars]:
    """The sines and the cosines of angles in radians, up to an eighth of a turn; (...) to (...) each."""
    square = angle * angle
    sines, cosines = _polynomials(SINE_AND_COSINE, square)
    return angle + angle * square * sines, 1.0 - 0.5 * square + square * square * cosines


def _sine(quarters: Scalars, sines: Scalars, cosines: Scalars) -> Scalars:
    """The sines of angles q * pi/2 + r, from q and the sine and cosine of r; (...) each to (...)."""
    # Each factor is 0, 1 or -1. `where` takes four times as long: the processor cannot predict which way it goes.
    halves = np.floor(0.5 * quarters)
    odd = quarters - 2.0 * halves
    sign = 1.0 - 2.0 * (halves - 2.0 * np.floor(0.5 * halves))
    return (sines * (1.0 - odd) + cosines * odd) * sign


def _polynomials(coefficients: Scalars, x: Scalars) -> Scalars:
    """Two polynomials in x (...), from coefficients (f, 2), the highest power first, by Horner's rule; (2, ...)."""
    first, *middle, last = coefficients.reshape(-1, 2, *(1,) * x.ndim)
    value: Scalars = first * x
    for coefficient in middle:
        value += coefficient
        value *= x
    value += last
    return value
