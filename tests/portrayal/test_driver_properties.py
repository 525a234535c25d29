"""Values for drivers of wings, wheels and legs: computed from the motion, with a phase that never decreases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.portrayal.driver_properties import (
    CYCLES_APART,
    DISTANCE,
    FASTEST,
    FOLDS,
    GRAVITY,
    PROPERTIES,
    RATE,
    SLOWEST,
    SMOOTHING,
    START,
    TIME,
    UNFOLDS,
    DriverProperties,
    Effort,
    Portrayal,
    stride_factors,
)
from steering_addon.simulation.arrays.chance import keys_of, mix, uniform

FRAME_TIME = 1.0 / 24.0
FRAMES, VEHICLES = 40, 5


def walk(seed: int = 0, frames: int = FRAMES, vehicles: int = VEHICLES) -> np.ndarray:
    """(f, n, 3) random paths with pauses."""
    chance = np.random.default_rng(seed)
    steps = chance.normal(0.0, 0.2, (frames, vehicles, 3)) * (chance.random((frames, vehicles, 1)) < 0.7)
    return np.cumsum(steps, axis=0)


def portrayed(settings: Portrayal, keys, sizes, positions, start_speed, frame_time) -> dict[str, np.ndarray]:
    """(f, n) the properties on all frames of vehicles that are present from the first one."""
    run = DriverProperties(settings, keys, frame_time)
    frames = [
        run.frame(position, size, np.full(len(keys), frame == 0), start_speed)
        for frame, (position, size) in enumerate(zip(positions, sizes))
    ]
    return {name: np.array([frame[name] for frame in frames]) for name in frames[0]}


def shown(positions: np.ndarray, *, sizes=None, start_speed=None, identities=None, **settings) -> dict[str, np.ndarray]:
    frames, n = positions.shape[:2]
    return portrayed(
        Portrayal.of(n, **settings),
        keys_of(3, np.arange(n) if identities is None else np.asarray(identities)),
        np.ones((frames, n)) if sizes is None else sizes,
        positions,
        np.full(n, 2.0) if start_speed is None else start_speed,
        FRAME_TIME,
    )


def by_hand(positions, keys, sizes, start_speed, settings: Portrayal) -> dict[str, np.ndarray]:
    """The same values by a plain loop over vehicles and frames."""
    frames, n = positions.shape[:2]
    result = {name: np.zeros((frames, n)) for name in PROPERTIES[:3]}
    for k in range(n):
        phase = CYCLES_APART * uniform(mix(keys, START))[k]
        rate = 1.0 + settings.variation[k] * (2.0 * uniform(mix(keys, RATE))[k] - 1.0)
        speed, distance, gain = start_speed[k], 0.0, 0.0
        for f in range(frames):
            if f > 0:
                step = math.dist(positions[f, k], positions[f - 1, k])
                before, speed = speed, step / FRAME_TIME
                gain += ((speed - before) / FRAME_TIME - gain) * FRAME_TIME / SMOOTHING
                distance += step
                climb = (positions[f, k, 2] - positions[f - 1, k, 2]) / FRAME_TIME
                if settings.phase_by[k] == TIME:
                    work = climb + speed * gain / GRAVITY
                    effort = min(max(1.0 + settings.effort[k] * work, SLOWEST), FASTEST)
                    phase += FRAME_TIME / settings.cycle_time[k] * rate * effort
                else:
                    phase += step / (settings.stride[k] * sizes[f, k])
            for name, value in zip(PROPERTIES, (speed, distance, phase)):
                result[name][f, k] = value
    return result


@given(st.integers(0, 1000), st.integers(1, 12), st.integers(0, 4), st.sampled_from((DISTANCE, TIME)))
def test_all_vehicles_together_equal_a_plain_loop(seed, frames, vehicles, phase_by) -> None:
    chance = np.random.default_rng(seed)
    positions = walk(seed, frames, vehicles)
    keys = keys_of(seed, np.arange(vehicles) + 7)
    sizes = chance.uniform(0.5, 2.0, (frames, vehicles))
    start_speed = chance.uniform(0.0, 5.0, vehicles)
    settings = Portrayal.of(
        vehicles,
        phase_by=phase_by,
        stride=chance.uniform(0.1, 3.0, vehicles),
        cycle_time=chance.uniform(0.05, 2.0, vehicles),
        effort=chance.uniform(0.0, 1.0, vehicles),
        variation=chance.uniform(0.0, 1.0, vehicles),
    )
    together = portrayed(settings, keys, sizes, positions, start_speed, FRAME_TIME)
    expected = by_hand(positions, keys, sizes, start_speed, settings)
    assert tuple(together) == PROPERTIES
    for name in expected:
        np.testing.assert_allclose(together[name], expected[name], rtol=0.0, atol=1e-9)


def flown(speed, climb=0.0, *, vehicles: int = 60, cruise: float = 10.0, **settings) -> dict[str, np.ndarray]:
    """The properties of vehicles that fly ahead at a speed, (f,) or a number, and climb, m/s."""
    speed, climb = np.broadcast_arrays(np.asarray(speed, float), climb)
    speed, climb = (np.broadcast_to(each, 960) if each.ndim == 0 else each for each in (speed, climb))
    along, height = (np.cumsum(each) * FRAME_TIME for each in (speed, climb))
    positions = np.stack((0.0 * along, along, height), axis=-1)[:, None].repeat(vehicles, axis=1)
    run = DriverProperties(
        Portrayal.of(vehicles, phase_by=TIME, **settings), keys_of(3, np.arange(vehicles)), FRAME_TIME, cruise
    )
    cruises, first = np.ones(vehicles), np.full(vehicles, speed[0])
    frames = [run.frame(each, cruises, np.full(vehicles, f == 0), first) for f, each in enumerate(positions)]
    return {name: np.array([frame[name] for frame in frames]) for name in frames[0]}


def gliding(effort: np.ndarray) -> float:
    return float((effort < 0.1).mean())


def test_birds_glide_for_their_share_of_the_time_less_in_a_climb_and_more_in_a_descent() -> None:
    birds = {"effort": 0.15, "glide_share": 0.3, "glide_time": 0.8}
    level = flown(10.0, **birds)["steering_effort"]
    # Wings take some of each glide to come to rest.
    assert 0.18 < gliding(level) < 0.32
    assert gliding(flown(10.0, 2.0, **birds)["steering_effort"]) < 0.3 * gliding(level)
    assert gliding(flown(10.0, -2.0, **birds)["steering_effort"]) > 1.8 * gliding(level)
    assert gliding(flown(10.0, **{**birds, "glide_share": 0.0})["steering_effort"]) == 0.0
    # Each on its own: on no frame do all glide, or all beat.
    assert (level < 0.1).mean(axis=1).min() > 0.0 and (level < 0.1).mean(axis=1).max() < 0.7
    # A glide lasts its time, half of it to one and a half times.
    lasts = np.diff(np.flatnonzero(np.diff((level[:, 0] < 0.3).astype(int))))[::1] * FRAME_TIME
    assert 0.3 < np.median(lasts) < 3.0


def test_the_tail_of_a_fish_beats_in_proportion_to_its_speed_and_coasts_between_bursts() -> None:
    time = np.arange(960) * FRAME_TIME
    speed = 2.0 + 0.8 * np.sin(0.7 * time) + 0.4 * np.sin(1.9 * time)
    fish = flown(speed, by_speed=1.0, glide_share=0.3, cruise=2.0)
    rate = np.diff(fish["steering_phase"], axis=0)
    r = [np.corrcoef(rate[:, k], fish["steering_speed"][1:, k])[0, 1] for k in range(rate.shape[1])]
    assert min(r) > 0.99
    assert 0.1 < gliding(fish["steering_effort"]) < 0.45
    burst = fish["steering_effort"] > 0.5
    assert burst[speed > 2.6].mean() > 1.3 * burst[speed < 1.4].mean()


def test_who_has_to_beat_all_the_time_ends_its_glide_at_once() -> None:
    n, no = 40, np.zeros(40, dtype=bool)
    effort = Effort(np.full(n, 0.5), np.full(n, 60.0), keys_of(3, np.arange(n)), FRAME_TIME)
    even, *_, climbing = [effort.frame(np.full(n, rate), no, no) for rate in (1.0, *[FASTEST] * 12)]
    assert 0.3 < gliding(even) < 0.7 and climbing.min() > 0.5


def test_wings_fold_where_a_bird_stands_and_unfold_as_it_takes_off() -> None:
    run, still, folded = DriverProperties(Portrayal.of(1), keys_of(3, np.arange(1)), FRAME_TIME), np.zeros((1, 3)), []
    for frame in range(24):
        run.frame(still, np.ones(1), np.array([frame == 0]), np.zeros(1), np.array([2 <= frame < 16]))
        folded.append(run.folded[0])
    change = FRAME_TIME / FOLDS, 1.0, 1.0 - FRAME_TIME / UNFOLDS
    assert [folded[frame] for frame in (1, 2, 15, 16, 23)] == pytest.approx([0.0, *change, 0.0])


def test_start_phases_are_spread_over_the_cycle() -> None:
    start = shown(walk(vehicles=400))["steering_phase"][0]
    assert (start >= 0.0).all()
    assert (start < CYCLES_APART).all()
    counts = np.histogram(start % 1.0, bins=4, range=(0.0, 1.0))[0]
    assert (counts > 60).all()


def test_strides_are_proportional_to_the_height() -> None:
    portrayal = Portrayal.of(3, stride_height=np.array([1.8, 1.8, 0.45]))
    assert stride_factors(portrayal, np.array([1.8, 0.9, 0.9])).tolist() == [1.0, 0.5, 2.0]


def test_without_a_height_all_strides_are_the_same() -> None:
    assert stride_factors(Portrayal.of(2), np.array([1.8, 0.9])).tolist() == [1.0, 1.0]
    assert stride_factors(Portrayal.of(2, stride_height=1.8), np.array([0.0, 1.8])).tolist() == [1.0, 1.0]
