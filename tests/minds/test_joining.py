"""States that differ in numbers alone are evaluated together, with the same result as apart."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.explore import Explore
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.rest import Rest
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.minds import following
from steering_addon.scene import SPHERE, CrowdState, Scene, leaders, obstacles, regions, with_states
from steering_addon.simulation.combining import COMBININGS, MATTERS
from steering_addon.simulation.declaration import CAUSE, Kind
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import Settings, Snapshot
from tests.sampling import sampled

SEE_THEIR_MATES = (Cohesion, Explore)
"""What these do depends on all agents that are evaluated with one: evaluated apart, they see a part of their crowd."""


def groups_in_use(snapshot: Snapshot) -> int:
    """How many rows of settings the vehicles of a scene follow after a step."""
    *_, state = simulate(scene([]).start(), [snapshot] * 2)
    assert state.mindset is not None
    assert snapshot.minds is not None
    _, row = snapshot.minds.followed(snapshot, state.mindset.mode, state.mindset.body)
    return len(np.unique(row))


def scene(behaviors: list[Any]) -> Scene:
    rng = np.random.default_rng(5)
    return Scene(
        rng.uniform(-9.0, 9.0, (40, 3)),
        forward=rng.normal(size=(40, 3)),
        behaviors=behaviors,
        tracked=leaders([3.0, 2.0, 0.0], [-5.0, 1.0, 2.0]),
        obstacles=obstacles([1.0, 1.0, 1.0], 1.5),
        regions=regions([[0.0, 0.0, 0.0]], 12.0, SPHERE),
    )


def otherwise(behavior: Any) -> dict[str, Any]:
    """Other numbers for a behavior."""
    return {
        name: 0.7 * parameter.default
        for name, parameter in behavior.parameters().items()
        if parameter.kind is Kind.NUMBER and isinstance(parameter.default, float) and parameter.default > 0.0
    }


@sampled(one_of=3)
@pytest.mark.parametrize("behavior", CATALOGUE, ids=lambda behavior: behavior.name)
def test_a_state_that_wants_the_same_as_its_crowd_changes_nothing(behavior: Any) -> None:
    kinds = [(behavior, {})] if behavior is Wander else [(Wander, {}), (behavior, {})]
    plain = scene(kinds).snapshot()
    with_state = with_states(plain, [CrowdState("On", kinds, numbers={"cue": 0.5, "blend": 0.0})])
    runs = [[state.motion.position for state in simulate(scene(kinds).start(), [s] * 4)] for s in (plain, with_state)]
    assert np.array_equal(*runs)


@sampled
@pytest.mark.parametrize("behavior", [b for b in CATALOGUE if b not in SEE_THEIR_MATES], ids=lambda b: b.name)
def test_a_state_with_other_numbers_is_evaluated_with_its_crowd(behavior: Any, monkeypatch: Any) -> None:
    kinds = [(behavior, {})] if behavior is Wander else [(Wander, {}), (behavior, {})]
    changed = [(kind, otherwise(kind)) for kind, _ in kinds]
    snapshot = with_states(scene(kinds).snapshot(), [CrowdState("On", changed, numbers={"cue": 0.5, "blend": 0.0})])
    assert groups_in_use(snapshot) == 1
    together = [state.motion.position for state in simulate(scene(kinds).start(), [snapshot] * 4)]
    monkeypatch.setattr(following, "join_settings", lambda _declared, settings, row, _among: (tuple(settings), row))
    assert groups_in_use(snapshot) == 2
    apart = [state.motion.position for state in simulate(scene(kinds).start(), [snapshot] * 4)]
    assert np.abs(np.array(together) - np.array(apart)).max() < 1e-9


@pytest.mark.parametrize(
    "change",
    [
        {"behaviors": [(Wander, {}), (Separation, {"neighbors": 1})]},
        {"behaviors": [(Flee, {"target": CAUSE})]},
        {"behaviors": [(Wander, {}), (Separation, {}), (Seek, {})]},
        {"behaviors": [(Wander, {}), (Separation, {}), (Pursuit, {})]},
        {"behaviors": [(Wander, {}), (Separation, {}), (ObstacleAvoidance, {})]},
        {"behaviors": [(Wander, {}), (Separation, {})], "combining": COMBININGS[-1].number},
    ],
    ids=["choice", "all", "goal", "nears", "avoids", "combining"],
)
def test_what_differs_in_more_than_numbers_stays_apart(change: dict[str, Any]) -> None:
    state = replace(CrowdState("On", numbers={"cue": 0.5}), **change)
    assert groups_in_use(with_states(scene([(Wander, {}), (Separation, {})]).snapshot(), [state])) == 2


@pytest.mark.parametrize("combining", [c.number for c in COMBININGS], ids=[c.name for c in COMBININGS])
def test_a_state_with_other_behaviors_is_evaluated_with_its_crowd(combining: int, monkeypatch: Any) -> None:
    """Two states that lack what the crowd has and have what it lacks, at other priorities."""
    kinds: list[Any] = [(Wander, {"weight": 0.5, "priority": 3}), (Separation, {"distance": 4.0})]
    flee = (Flee, {"target": 40, "distance": 0.0, "weight": 0.3, "priority": 4})
    states = [
        CrowdState("One", [flee, (Separation, {"distance": 3.0})], None, combining, {"cue": 0.4, "blend": 0.0}),
        CrowdState("Two", [(Rest, {}), kinds[1], flee], None, combining, {"cue": 0.5, "blend": 0.0}),
    ]
    crowd = scene(kinds)
    crowd.combining = combining
    snapshot = with_states(crowd.snapshot(), states)
    drawn = "probability" in MATTERS[combining]
    assert groups_in_use(snapshot) == (3 if drawn else 1)
    together = [state.motion.position for state in simulate(crowd.start(), [snapshot] * 12)]
    monkeypatch.setattr(following, "join_settings", lambda _declared, settings, row, _among: (tuple(settings), row))
    apart = [state.motion.position for state in simulate(crowd.start(), [snapshot] * 12)]
    assert np.abs(np.array(together) - np.array(apart)).max() < 1e-9


def test_settings_are_not_changed_by_joining_them() -> None:
    snapshot = with_states(scene([(Wander, {})]).snapshot(), [CrowdState("On", [(Wander, {"strength": 0.1})])])
    row = np.where(np.arange(40) % 2 == 0, 0, 1)
    before = [vars(each.behaviors[0]).copy() for each in snapshot.settings]
    together, rows = following.join_settings(snapshot.settings, snapshot.settings, row, [0, 1])
    assert (rows == 0).all() and isinstance(together[0], Settings)
    strengths = together[0].behaviors[0].strength  # type: ignore[attr-defined]
    assert np.array_equal(strengths == 0.1, row == 1)
    assert [vars(each.behaviors[0]) for each in snapshot.settings] == before
