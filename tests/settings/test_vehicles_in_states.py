"""How vehicles move in ready states."""

from dataclasses import replace

import pytest

from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.locomotion import Flying, OnFoot, Swimming
from steering_addon.settings.preset import Preset
from steering_addon.settings.preset_parts import STATE
from steering_addon.settings.preset_values import complete, hastened, quickened
from steering_addon.settings.vehicles_in_states import (
    behavior_in_state,
    factor_in_state,
    times_in_state,
    vehicle_in_state,
)

CROWD = {
    "mass": 2.0, "max_speed": 4.0, "max_force": 3.0, "cruise_speed": 0.5, "response_time": 0.6, "speed_time": 0.1
}  # fmt: skip


def startle(**changes) -> Preset:
    return Preset("Startle", "Run", STATE, **{"faster": 3.0, "cruise_speed": 1.0} | changes)


@pytest.mark.parametrize(
    ("kind", "cruise", "run", "top"),
    [
        (OnFoot, 0.5, 0.0, 12.0),
        (OnFoot, 0.5, 5.0, 5.0),
        (OnFoot, 0.5, 17.0, 12.0),
        (Flying, 0.8, 0.0, 1.8 * 3.2),
        (Swimming, 0.5, 0.0, 4.0),
    ],
    ids=["on foot", "with a run", "with a run that it cannot reach", "a bird", "a fish whose top speed is more"],
)
def test_a_state_is_no_faster_than_the_run_or_the_burst(kind: type, cruise: float, run: float, top: float) -> None:
    factor = factor_in_state(startle(), kind, {**CROWD, "cruise_speed": cruise}, run)
    assert 4.0 * factor == pytest.approx(top)


def test_it_turns_as_tightly_reacts_as_much_more_quickly_and_gathers_its_speed_in_time() -> None:
    fast = {"max_speed": 8.0, "max_force": 12.0, "response_time": 0.3, "speed_time": 0.1, "cruise_speed": 1.0}
    assert vehicle_in_state(startle(), OnFoot, CROWD, 2.0) == fast
    assert vehicle_in_state(startle(spurt=0.5), OnFoot, CROWD, 2.0) == {**fast, "max_force": 2.0 * 8.0 / 0.5}
    assert vehicle_in_state(startle(spurt=5.0), OnFoot, CROWD, 2.0) == fast


def test_a_state_that_cruises_as_fast_as_the_run_has_hardly_more_to_spare() -> None:
    crowd = {**CROWD, "max_speed": 11.8, "cruise_speed": 0.23}
    regroup = startle(faster=1.5, cruise_speed=0.6)
    numbers = vehicle_in_state(regroup, OnFoot, crowd, factor_in_state(regroup, OnFoot, crowd, 11.8), 11.8)
    assert numbers["max_speed"] == pytest.approx(1.3 * 11.8)
    assert numbers["max_speed"] * numbers["cruise_speed"] == pytest.approx(11.8)


def test_who_is_as_fast_as_a_slow_clip_is_no_weaker_and_no_slower_to_turn_than_its_crowd() -> None:
    slow = {name: CROWD[name] for name in ("max_force", "response_time", "speed_time")}
    assert hastened(CROWD, 0.5, CROWD) == {**slow, "max_speed": 2.0}
    assert hastened(hastened(CROWD, 2.0, CROWD), 0.25, CROWD) == {**slow, "max_speed": 2.0}
    turns = complete(OnFoot, {"turn_radius": 1.2, "whirl": 4.0})
    assert quickened(OnFoot, turns, 0.5, turns).items() <= turns.items()
    faster = {**turns, **quickened(OnFoot, turns, 1.5, turns)}
    assert quickened(OnFoot, faster, 0.25, turns).items() <= turns.items() and faster["whirl"] == 6.0


def test_what_flies_or_swims_goes_on_at_the_cruise_speed_of_its_crowd() -> None:
    assert vehicle_in_state(startle(), Flying, CROWD, 2.0)["cruise_speed"] == 0.25
    assert vehicle_in_state(startle(cruise_speed=0.0), Swimming, CROWD, None)["cruise_speed"] == 0.0


def test_what_keeps_order_in_a_crowd_is_no_weaker_in_a_state_and_as_many_times_as_strong_as_that_says() -> None:
    own = {"weight": 3.0, "distance": 5.0, "rejoin_distance": 30.0}
    assert behavior_in_state(startle(behaviors={"cohesion": {"weight": 1.0}}), Cohesion, own, Flying) == {"weight": 3.0}
    assert behavior_in_state(startle(behaviors={"cohesion": {"weight": 4.0}}), Cohesion, own, Flying) == {"weight": 4.0}
    times = startle(times={"cohesion": {"weight": 2.0, "rejoin_distance": 3.0}})
    assert behavior_in_state(times, Cohesion, own, Flying) == {"weight": 6.0, "rejoin_distance": 90.0}
    assert behavior_in_state(times, Cohesion, {}, Flying) == {}
    walking = replace(times, walking={"cohesion": {"weight": 4.0, "distance": 5.0}})
    assert behavior_in_state(walking, Cohesion, own, Flying) == {"weight": 6.0, "rejoin_distance": 90.0}
    assert behavior_in_state(walking, Cohesion, own, OnFoot) == {
        "weight": 12.0, "distance": 25.0, "rejoin_distance": 90.0
    }  # fmt: skip


@pytest.mark.parametrize(("kind", "lasts"), [(OnFoot, 3.0), (Flying, 1.5), (Swimming, 1.5)])
def test_what_flies_or_swims_bursts_for_half_as_long_as_walkers_run(kind: type, lasts: float) -> None:
    spurts = startle(spurt=0.4, state={"react": 0.2, "lasts": 3.0})
    assert times_in_state(spurts, kind) == {"react": 0.2, "lasts": lasts}
    assert times_in_state(startle(state={"lasts": 3.0}), kind) == {"lasts": 3.0}
