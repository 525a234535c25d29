"""Fitting new behaviors: distances and times follow size and speed, weights those of the behaviors beside them."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE, FLOCKING
from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.docking import Docking
from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.landing import Landing
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.behaviors.patrol import Patrol
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.behaviors.wander import Wander
from steering_addon.settings.fitting import DIRECTIONS_ONLY, BodiesToFit, Factors, fitted
from steering_addon.settings.preset import Preset
from steering_addon.settings.preset_values import Values, complete, held
from steering_addon.simulation.behavior import Adjustment, Behavior
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import Kind, Parameter, Unit
from tests.presets.preset_crowds import SHIPPED, shipped
from tests.sampling import sampled

WAYS = [choice.name for choice in COMBININGS]
UPRIGHT = {"child", "passers_by", "pedestrian"}
"""Presets whose body length is a height."""
WIDTH = 0.4
"""Share of their height that people are wide."""
HALF_A_DIGIT = 0.051
"""Largest relative error of a number with two significant digits."""
FITTED = {Unit.LENGTH, Unit.TIME, Unit.SPEED, Unit.ACCELERATION}


def scaled(bodies: BodiesToFit, scale: float) -> BodiesToFit:
    """Bodies that do the same in space at another scale."""
    return replace(
        bodies,
        radius=bodies.radius * scale,
        max_speed=bodies.max_speed * scale,
        max_force=bodies.max_force * scale,
    )


def bodies_for(name: str) -> BodiesToFit:
    """The bodies that a shipped preset is meant for."""
    preset = shipped(name)
    width = WIDTH if name in UPRIGHT else 1.0
    model = {key: preset.vehicle[key] for key in ("max_speed", "max_force", "mass")}
    return BodiesToFit(radius=0.5 * width * preset.body_length, grounded=preset.moves.grounded, **model)


def beside(preset: Preset) -> dict[type[Behavior], Values]:
    return {behavior: preset.behaviors[behavior.name] for behavior in CATALOGUE if behavior.name in preset.behaviors}


def numbers(behavior: type[Behavior]) -> list[tuple[str, Parameter]]:
    """The numbers of a behavior but those that every behavior has."""
    common = Behavior.parameters()
    return [(n, p) for n, p in held(behavior).items() if p.kind is Kind.NUMBER and n not in common]


FISH, PIGEON, SHARK = bodies_for("fish"), bodies_for("pigeon"), bodies_for("shark")


@pytest.mark.parametrize("behavior", CATALOGUE, ids=lambda b: b.name)
def test_the_default_vehicle_has_the_default_values(behavior) -> None:
    assert fitted(behavior, replace(BodiesToFit.default(), grounded=True), "PRIORITY", {}) == complete(behavior, {})


@sampled
@pytest.mark.parametrize("behavior", CATALOGUE, ids=lambda b: b.name)
@pytest.mark.parametrize(
    "bodies", [FISH, PIGEON, SHARK, BodiesToFit.default()], ids=["fish", "pigeon", "shark", "default"]
)
def test_a_crowd_ten_times_as_large_has_ten_times_the_distances_and_the_same_times(behavior, bodies) -> None:
    small, large = (fitted(behavior, each, "ALLOCATION", {}) for each in (bodies, scaled(bodies, 10.0)))
    grows = {Unit.LENGTH: 10.0, Unit.SPEED: 10.0, Unit.ACCELERATION: 10.0}
    for name, parameter in held(behavior).items():
        if parameter.kind is not Kind.NUMBER:
            assert small[name] == large[name]
        elif small[name] > parameter.least:
            expected = grows.get(parameter.unit, 1.0) * small[name]
            assert large[name] == pytest.approx(expected, rel=2.0 * HALF_A_DIGIT), name


@pytest.mark.parametrize("behavior", CATALOGUE, ids=lambda b: b.name)
def test_every_distance_and_time_follows_size_and_speed_and_nothing_else_does(behavior) -> None:
    """A behavior of the future, too: what is fitted follows from the unit that it declares."""
    factors, values = Factors.of(FISH), fitted(behavior, FISH, "ALLOCATION", {})
    usual = complete(behavior, {})
    for name, parameter in numbers(behavior):
        if parameter.unit not in FITTED:
            assert values[name] == usual[name], name
        elif usual[name] != 0.0:
            expected = max(usual[name] * factors.of_parameter(parameter), parameter.least)
            assert values[name] == pytest.approx(expected, rel=HALF_A_DIGIT), name
            assert values[name] < usual[name] or parameter.least == usual[name], "fish are small, slow and weak"


def test_those_who_stand_keep_apart_by_their_size_however_fast_they_fly() -> None:
    fast = replace(PIGEON, max_speed=4.0 * PIGEON.max_speed)
    assert fitted(Landing, fast, "ALLOCATION", {})["apart"] == fitted(Landing, PIGEON, "ALLOCATION", {})["apart"]


@pytest.mark.parametrize("name", SHIPPED)
def test_fitted_distances_and_times_are_like_those_of_the_shipped_presets(name: str) -> None:
    """Those were found by eye; a fit that is far from them would be wrong for that animal."""
    preset, logs = shipped(name), []
    for behavior, values in beside(preset).items():
        fit = fitted(behavior, bodies_for(name), preset.combining, {})
        for key, parameter in numbers(behavior):
            if parameter.unit in (Unit.LENGTH, Unit.TIME) and key in values and fit[key] > 0.0 < values[key]:
                logs.append(np.log(values[key] / fit[key]))
    assert np.exp(abs(np.median(logs))) < 4.0
    assert np.exp(np.abs(logs).max()) < 9.0


@sampled
@pytest.mark.parametrize("behavior", CATALOGUE, ids=lambda b: b.name)
@pytest.mark.parametrize("name", SHIPPED)
def test_times_do_not_get_silly(behavior, name: str) -> None:
    """From bees to sharks and cars no time is less than a third or more than twice of its default."""
    usual, values = complete(behavior, {}), fitted(behavior, bodies_for(name), "ALLOCATION", {})
    for key, parameter in numbers(behavior):
        if parameter.unit is Unit.TIME:
            assert usual[key] / 3.0 <= values[key] <= 2.0 * usual[key], key


def test_where_a_vehicle_has_to_stop_there_is_room_to() -> None:
    """A pigeon at 20 m/s needs 10 m to stop; 4 m, fitted to its size, would not do."""
    stopping = PIGEON.max_speed * PIGEON.max_speed / (2.0 * PIGEON.agility)
    checked = 0
    for behavior in CATALOGUE:
        values = fitted(behavior, PIGEON, "ALLOCATION", {})
        for name, parameter in numbers(behavior):
            if parameter.room_to_stop:
                checked += 1
                assert values[name] > stopping, (behavior.name, name)
    assert checked > 1


@sampled
@pytest.mark.parametrize("missing", ["radius", "max_speed", "max_force"])
@pytest.mark.parametrize("behavior", CATALOGUE, ids=lambda b: b.name)
def test_a_vehicle_without_size_speed_or_force_counts_as_usual_in_that(behavior, missing) -> None:
    bodies = replace(BodiesToFit.default(), grounded=True, **{missing: 0.0})
    assert fitted(behavior, bodies, "PRIORITY", {}) == complete(behavior, {})


def test_fitted_numbers_have_two_digits() -> None:
    """So that a field shows the whole number."""
    distance = fitted(Evasion, FISH, "ALLOCATION", {})["distance"]
    assert distance == round(distance, 1) == 3.5


@sampled
@pytest.mark.parametrize("way", [way for way in WAYS if way != DIRECTIONS_ONLY])
@pytest.mark.parametrize("behavior", CATALOGUE, ids=lambda b: b.name)
def test_beside_behaviors_with_fitted_values_a_new_one_is_fitted_as_if_alone(behavior, way: str) -> None:
    others = {b: fitted(b, FISH, way, {}) for b in (*FLOCKING, Seek) if b is not behavior}
    alone, added = fitted(behavior, FISH, way, {}), fitted(behavior, FISH, way, others)
    assert added == {**alone, "weight": pytest.approx(alone["weight"], rel=3.0 * HALF_A_DIGIT)}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_behavior_that_is_removed_and_added_again_has_a_weight_as_before(name: str) -> None:
    preset = shipped(name)
    for behavior, values in beside(preset).items():
        if "weight" in values and not issubclass(behavior, Adjustment):
            weight = fitted(behavior, bodies_for(name), preset.combining, beside(preset))["weight"]
            assert values["weight"] / 3.0 < weight < 3.0 * values["weight"], behavior.name


def test_where_all_behaviors_have_been_made_stronger_a_new_one_is_stronger_too() -> None:
    usual = {b: complete(b, {}) for b in (*FLOCKING, Seek)}
    strong = {b: {**values, "weight": 5.0 * values["weight"]} for b, values in usual.items()}
    for kind in (Containment, PathFollowing):
        weak = fitted(kind, BodiesToFit.default(), "WEIGHTED_SUM", usual)["weight"]
        assert fitted(kind, BodiesToFit.default(), "WEIGHTED_SUM", strong)["weight"] == pytest.approx(5.0 * weak)


def test_where_only_directions_are_blended_a_new_weight_is_in_the_middle_of_the_others() -> None:
    """1 beside 6.8, 4.3, 2.6 and 6 would be a fifteenth of the direction."""
    weights = {Separation: 6.8, FLOCKING[1]: 4.3, FLOCKING[2]: 2.6, Containment: 6.0}
    others = {b: {"weight": weight} for b, weight in weights.items()}
    assert 4.3 <= fitted(PathFollowing, BodiesToFit.default(), "NORMALIZED_SUM", others)["weight"] <= 6.0
    assert fitted(PathFollowing, BodiesToFit.default(), "WEIGHTED_SUM", others)["weight"] == 1.0, "a factor, not m/s2"


@pytest.mark.parametrize("way", WAYS)
def test_a_behavior_that_is_switched_off_by_its_weight_says_nothing(way: str) -> None:
    alone = fitted(PathFollowing, FISH, way, {})
    assert fitted(PathFollowing, FISH, way, {Seek: {"weight": 0.0}}) == alone


def test_an_adjustment_is_not_compared_with_what_it_adjusts() -> None:
    alone = fitted(UnalignedCollisionAvoidance, FISH, "ALLOCATION", {})
    strong = {b: {"weight": 50.0} for b in FLOCKING}
    assert fitted(UnalignedCollisionAvoidance, FISH, "ALLOCATION", strong) == alone


def test_a_new_priority_and_probability_are_shifted_as_the_others_are() -> None:
    others = {b: {"priority": 5, "probability": 0.2} for b in FLOCKING}
    values = fitted(Seek, FISH, "DITHERING", others)
    assert (values["priority"], values["probability"]) == (5, 0.2)
    exception = {FLOCKING[0]: {"priority": 1}, FLOCKING[1]: {}, FLOCKING[2]: {}}
    assert fitted(Seek, FISH, "PRIORITY", exception)["priority"] == 2, "one exception is not the rule"


@pytest.mark.parametrize(("grounded", "end"), [(False, "TURN_BACK"), (True, "STOP")])
def test_what_cannot_stand_in_the_air_does_not_stop_at_the_end_of_a_path(grounded: bool, end: str) -> None:
    assert fitted(PathFollowing, replace(BodiesToFit.default(), grounded=grounded), "PRIORITY", {})["end"] == end


def test_what_leads_is_no_weaker_than_what_keeps_order() -> None:
    """A predator with the instincts of a herd chases all the same."""
    bodies = BodiesToFit(radius=0.3, max_speed=2.4, max_force=1.2, mass=1.0, grounded=True)
    order = {Containment: {"weight": 2.9}, Separation: {"weight": 2.9}, Wander: {}}
    chase = float(fitted(Pursuit, bodies, "ALLOCATION", order)["weight"])
    assert chase * bodies.agility == pytest.approx(2.9, rel=0.02)
    assert float(fitted(Pursuit, bodies, "ALLOCATION", {Containment: {"weight": 0.6}})["weight"]) == 1.0


@pytest.mark.parametrize("walks", [False, True])
@pytest.mark.parametrize("behavior", [Seek, Arrival, Patrol, Docking])
def test_who_walks_at_a_pace_of_its_own_is_sent_somewhere_at_that_pace(behavior, walks: bool) -> None:
    bodies = replace(BodiesToFit.default(), grounded=True, walks=walks)
    assert fitted(behavior, bodies, "ALLOCATION", {})["pace"] == ("CURRENT_SPEED" if walks else "MAX_SPEED")
