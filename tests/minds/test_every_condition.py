"""The laws that hold for every condition of a trigger; a new condition needs a line in CASES."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from steering_addon.minds.calling import find_calls
from steering_addon.minds.conditions import (
    CONDITIONS,
    Alone,
    Always,
    AnyCondition,
    Arrived,
    Crowded,
    Faster,
    Inside,
    Nearby,
    OfBodies,
    Outside,
    Partnered,
    Sees,
    Stuck,
    Touched,
)
from steering_addon.minds.declaring import Mind, Mode, StateModel, TriggerModel
from steering_addon.scene import BOX, SPHERE, Crowd, Scene, in_crowds, leaders, regions, trigger
from steering_addon.simulation.declaration import REACH
from steering_addon.simulation.mindset import Mindset
from steering_addon.simulation.partners import Partners
from tests.minds.herds import meeting_in

CENTRES, HALF = np.array([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]]), np.array([[5.0, 5.0, 5.0], [2.0, 3.0, 4.0]])
"""A sphere and a box."""
RADIUS = 0.5
"""That of all bodies, metres."""


@dataclass(frozen=True)
class Field:
    """Vehicles of two crowds among wolves, in and around two regions; those of crowd 0 may be called.

    Attributes:
        position, forward: (n, 3).
        speed, idle: (n,) m/s and seconds.
        arrived, fights: (n,) the second whether it stands before its partner.
        crowd, identity: (n,).
        wolves: (w, 3) what triggers watch for.
        strangers: (s, 3) bodies that none watches for.
        axes: (3, 3) of the regions, which lie in them about `middle` (3,).
        present: whether wolves and regions are.
    """

    position: np.ndarray
    forward: np.ndarray
    speed: np.ndarray
    idle: np.ndarray
    arrived: np.ndarray
    fights: np.ndarray
    crowd: np.ndarray
    identity: np.ndarray
    wolves: np.ndarray
    strangers: np.ndarray
    axes: np.ndarray
    middle: np.ndarray
    present: bool = True

    @classmethod
    def of(cls, position: Any, wolves: Any, **columns: Any) -> Field:
        """Vehicles of crowd 0 at places (n, 3), which head along y unless told otherwise."""
        position = np.asarray(position, dtype=float)
        n = len(position)
        given = {
            "forward": np.tile([0.0, 1.0, 0.0], (n, 1)), "speed": np.zeros(n), "idle": np.zeros(n),
            "arrived": np.zeros(n, dtype=bool), "fights": np.zeros(n, dtype=bool),
            "crowd": np.zeros(n, dtype=np.int64), "identity": np.arange(n) + 40,
            "strangers": np.zeros((0, 3)), "axes": np.eye(3), "middle": np.zeros(3),
        } | columns  # fmt: skip
        return cls(position, wolves=np.asarray(wolves, dtype=float).reshape(-1, 3), **given)

    @classmethod
    def by_chance(cls, seed: int, n: int = 40) -> Field:
        """Vehicles all about; a quarter are of the other crowd, some touch a wolf."""
        chance = np.random.default_rng(seed)
        forward, touches = chance.normal(size=(n, 3)), chance.normal(size=(4, 3))
        position, wolves = chance.uniform(-12.0, 12.0, (n, 3)) * [1, 1, 0.4], chance.uniform(-9.0, 9.0, (3, 3))
        position[:4] = wolves[0] + touches / np.linalg.norm(touches, axis=1)[:, None] * [[0.9], [1.02], [1.08], [1.2]]
        return cls.of(
            position, wolves, forward=forward / np.linalg.norm(forward, axis=1)[:, None],
            speed=chance.uniform(0.0, 6.0, n), idle=chance.uniform(0.0, 4.0, n), arrived=chance.random(n) < 0.4,
            fights=chance.random(n) < 0.4, crowd=(np.arange(n) % 4 == 3).astype(np.int64),
            identity=chance.permutation(n) * 7 + 3,
        )  # fmt: skip

    def take(self, rows: np.ndarray) -> Field:
        """The vehicles of some rows."""
        names = ("position", "forward", "speed", "idle", "arrived", "fights", "crowd", "identity")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def turned(self, angle: float, shift: Any) -> Field:
        """Everything turned about up, then shifted."""
        turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
        moved = {name: getattr(self, name) @ turn + shift for name in ("position", "wolves", "strangers", "middle")}
        return replace(self, forward=self.forward @ turn, axes=self.axes @ turn, **moved)

    def gaps(self, k: int) -> np.ndarray:
        """The distances from a vehicle to the wolves, (w,) metres."""
        return np.linalg.norm(self.wolves - self.position[k], axis=1)

    def ahead(self, k: int) -> np.ndarray:
        """The angles between the heading of a vehicle and the wolves, (w,) radians."""
        return np.arccos(np.clip((self.wolves - self.position[k]) @ self.forward[k] / self.gaps(k), -1.0, 1.0))

    def outside(self, k: int) -> float:
        """How far a vehicle is outside the nearer of the regions, metres."""
        away = np.abs(self.position[k] - CENTRES)
        return min(max(np.linalg.norm(away[0]) - HALF[0, 0], 0.0), np.linalg.norm(np.maximum(away[1] - HALF[1], 0.0)))

    def mates(self, k: int, distance: float) -> int:
        """The number of other vehicles of its crowd nearer to a vehicle than a distance."""
        near = np.linalg.norm(self.position - self.position[k], axis=1) < distance
        return int((near & (self.crowd == self.crowd[k])).sum()) - 1


EXACT = Field.of(
    [[0, -6, 0], [0, 6, 0], [0, -5.5, 0], [-7, 0, 0], [5, 0, 0], [-6, 0, 0], [30, 0, 0], [34, 0, 0], [37.5, 0, 0]],
    [[0.0, 0.0, 0.0]],
    speed=np.array([3.0, 3.01, 2.9, 0, 0, 0, 0, 0, 0]),
    idle=np.array([2.0, 1.99, 2.01, 0, 0, 0, 0, 0, 0]),
)
"""Vehicles that are as far away, as fast and as long idle as in CASES, to the digit."""


@dataclass(frozen=True)
class Case:
    """A condition with settings under which it calls some of the vehicles of each field and not others. `calls`:
    whether it calls vehicle k of a field, or for a condition about bodies, which of the wolves do, (w,); `grows`,
    `shrinks`: the parameters with which it calls at least as many as before, or at most as many."""

    kind: type[AnyCondition]
    settings: dict[str, Any]
    calls: Callable[[Field, int], Any]
    grows: tuple[str, ...] = ()
    shrinks: tuple[str, ...] = ()


CASES = (
    Case(Nearby, {"distance": 6.0}, lambda f, k: f.gaps(k) < 6.0, grows=("distance",)),
    Case(Sees, {"distance": 6.0, "angle": 2.4}, lambda f, k: (f.gaps(k) < 6.0) & (f.ahead(k) <= 1.2),
         grows=("distance", "angle")),
    Case(Inside, {}, lambda f, k: f.outside(k) <= 0.0),
    Case(Outside, {"margin": 1.0}, lambda f, k: f.outside(k) > 1.0, shrinks=("margin",)),
    Case(Arrived, {}, lambda f, k: f.arrived[k]),
    Case(Touched, {}, lambda f, k: f.gaps(k) - 2.0 * RADIUS <= 0.1 * RADIUS),
    Case(Alone, {"distance": 4.0, "count": 2}, lambda f, k: f.mates(k, 4.0) < 2, grows=("count",),
         shrinks=("distance",)),
    Case(Crowded, {"distance": 4.0, "count": 2}, lambda f, k: f.mates(k, 4.0) >= 2, grows=("distance",),
         shrinks=("count",)),
    Case(Stuck, {"time": 2.0}, lambda f, k: f.idle[k] >= 2.0, shrinks=("time",)),
    Case(Partnered, {}, lambda f, k: f.fights[k]),
    Case(Faster, {"speed": 3.0}, lambda f, k: f.speed[k] > 3.0, shrinks=("speed",)),
    Case(Always, {}, lambda f, k: True),
)  # fmt: skip
every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.kind.name)
in_fields = pytest.mark.parametrize("seed", [1, 2, 3])


@dataclass(frozen=True)
class Heard:
    """What each vehicle of crowd 0 hears, by its identity: whether a call, from which wolf, -1 for itself, how near."""

    calls: dict[int, bool]
    wolf: dict[int, int]
    gap: dict[int, float]

    @property
    def who(self) -> set[int]:
        return {identity for identity, calls in self.calls.items() if calls}


def heard(field: Field, kind: type[AnyCondition], watched: Any = None, **settings: Any) -> Heard:
    """What a trigger with a condition calls in a field; it watches for the wolves unless told otherwise."""
    order = np.argsort(field.identity)
    n, w = len(order), len(field.wolves)
    scene = Scene(
        field.position[order],
        forward=field.forward[order],
        speed=field.speed[order],
        identity=field.identity[order],
        vehicle={"radius": RADIUS},
        tracked=leaders(*field.wolves, *field.strangers),
        regions=regions(CENTRES @ field.axes + field.middle, HALF, np.array([SPHERE, BOX]), np.stack([field.axes] * 2)),
    )
    scene.tracked = replace(scene.tracked, present=np.full(len(scene.tracked.roles), field.present))
    scene.regions = replace(scene.regions, present=np.full(2, field.present))
    crowd = field.crowd[order]
    snapshot = in_crowds(scene.snapshot(), [Crowd(np.flatnonzero(crowd == number), ()) for number in (0, 1)])
    rows, before = np.flatnonzero(crowd == 0), replace(Mindset.blank(n, 2, 0.0), idle=field.idle[order])
    # Of the others, some have not met their partners, and some have fought before.
    fights, even = field.fights[order], np.arange(n) % 2 == 0
    met, asked = np.where(fights | even, 0.0, np.inf), np.where(fights | ~even, 0.0, -1.0)
    partners = replace(Partners.blank(n), wanted=np.arange(n)[::-1], met=met, asked=asked)
    state = replace(scene.start(), memories={"fight": partners})
    meeting = meeting_in(snapshot, state, before, field.arrived[order])
    bodies = n + np.arange(w) if watched is None else watched
    calling = trigger(1, kind, bodies=bodies, regions=np.arange(2), key=6, **settings)
    mind = Mind(0, (Mode(1, 0, StateModel.of(1)),), (calling,))
    calls = find_calls(mind, meeting, before.take(rows, 2), snapshot.keys[rows])
    assert np.isfinite(calls.strength).all() and not np.isnan(calls.gap).any() and (calls.gap >= 0.0).all()
    who = field.identity[order][rows].tolist()
    return Heard(
        dict(zip(who, (calls.strength[:, 1] > 0.0).tolist())),
        dict(zip(who, np.maximum(calls.body[:, 1] - n, -1).tolist())),
        dict(zip(who, calls.gap[:, 1].tolist())),
    )


def test_each_condition_has_a_case() -> None:
    assert [case.kind for case in CASES] == list(CONDITIONS)


def test_conditions_are_told_apart_by_name_number_and_label() -> None:
    numbers = {kind.name: kind.stored_number for kind in CONDITIONS}
    assert len(set(numbers)) == len(set(numbers.values())) == len({kind.label for kind in CONDITIONS}) == len(CASES)
    assert all(kind.label and kind.choice().description for kind in CONDITIONS)


@every
def test_a_trigger_has_each_parameter_as_the_condition_declares_it_and_shows_it_only_with_it(case: Case) -> None:
    stored = TriggerModel.parameters()
    for name, parameter in case.kind.parameters().items():
        assert stored[name].only_with and replace(stored[name], only_with=()) == parameter
    shown = {name for name, p in stored.items() if case.kind.stored_number in p.only_with[1:]}
    assert shown == set(case.kind.parameters())


@every
@pytest.mark.parametrize("field", [Field.by_chance(1), Field.by_chance(2), EXACT], ids=["1", "2", "exact"])
def test_it_calls_those_that_it_says(case: Case, field: Field) -> None:
    found = heard(field, case.kind, **case.settings)
    expected = {}
    for k in np.flatnonzero(field.crowd == 0).tolist():
        calls, identity = np.asarray(case.calls(field, k)), int(field.identity[k])
        expected[identity] = bool(calls.any())
        if issubclass(case.kind, OfBodies) and calls.any():
            nearest = int(np.where(calls, field.gaps(k), np.inf).argmin())
            between = 2.0 * RADIUS if case.kind is Touched else 0.0
            assert found.wolf[identity] == nearest
            assert found.gap[identity] == pytest.approx(max(field.gaps(k)[nearest] - between, 0.0))
        elif calls.any():
            assert (found.wolf[identity], found.gap[identity]) == (-1, np.inf)
    assert found.calls == expected
    assert field is EXACT or case.kind is Always or 2 <= sum(expected.values()) <= len(expected) - 2


@every
@in_fields
def test_the_same_is_called_whatever_the_order_of_rows_and_wherever_the_world_is(case: Case, seed: int) -> None:
    field = Field.by_chance(seed)
    found = heard(field, case.kind, **case.settings)
    assert heard(field, case.kind, **case.settings) == found
    shuffled = field.take(np.random.default_rng(seed).permutation(len(field.position)))
    assert heard(shuffled, case.kind, **case.settings) == found
    turned = heard(field.turned(0.7 + seed, [30.0, -80.0, 12.0]), case.kind, **case.settings)
    assert (turned.calls, turned.wolf) == (found.calls, found.wolf) and turned.gap == pytest.approx(found.gap)


@every
@in_fields
def test_others_of_no_concern_change_nothing(case: Case, seed: int) -> None:
    """Another crowd among the vehicles, one far away, and bodies that it does not watch for."""
    field = Field.by_chance(seed)
    near, far = (replace(Field.by_chance(seed + 10), crowd=np.ones(40, dtype=np.int64)) for _ in range(2))
    far = far.turned(0.0, [5000.0, 0.0, 0.0])
    columns = ("position", "forward", "speed", "idle", "arrived", "fights", "crowd")
    more = {name: np.concatenate([getattr(each, name) for each in (field, near, far)]) for name in columns}
    identity = np.concatenate((field.identity, np.arange(80) * 7 + 1))
    fuller = replace(field, **more, identity=identity, strangers=field.position[::5])
    assert heard(fuller, case.kind, **case.settings) == heard(field, case.kind, **case.settings)


@every
@in_fields
def test_more_are_called_as_its_parameters_say(case: Case, seed: int) -> None:
    field = Field.by_chance(seed)
    for name in (*case.grows, *case.shrinks):
        values = [case.settings[name] * factor for factor in (0.5, 0.75, 1.0, 1.5, 2.0)]
        called_by = [heard(field, case.kind, **{**case.settings, name: value}).who for value in values]
        in_order = called_by if name in case.grows else called_by[::-1]
        assert all(fewer <= more for fewer, more in pairwise(in_order)) and called_by[0] != called_by[-1]
    # The wolves stand still; test_calling.py has what approaches.
    assert {*case.grows, *case.shrinks} == set(case.kind.parameters()) - {"warning_time"}


@every
@in_fields
def test_a_chance_takes_the_same_share_of_those_called_whoever_else_there_is(case: Case, seed: int) -> None:
    field = Field.by_chance(seed)
    everyone, some, few = (heard(field, case.kind, chance=share, **case.settings).who for share in (1.0, 0.6, 0.2))
    assert few <= some <= everyone and (few < some < everyone or len(everyone) < 6)
    fewer = field.take(np.flatnonzero((field.crowd == 1) | (np.arange(40) % 3 > 0)))
    if not issubclass(case.kind, Alone | Crowded):
        assert heard(fewer, case.kind, chance=0.6, **case.settings).who == some & set(fewer.identity.tolist())


@every
def test_what_is_absent_does_not_call_and_nothing_holds_a_vehicle_inside(case: Case) -> None:
    field = Field.by_chance(1)
    gone = heard(replace(field, present=False), case.kind, **case.settings).who
    if issubclass(case.kind, OfBodies):
        assert gone == set() == heard(field, case.kind, watched=np.zeros(0, dtype=np.int64), **case.settings).who
    elif case.kind in (Inside, Outside):
        assert gone == (set() if case.kind is Inside else set(heard(field, case.kind).calls))
    else:
        assert gone == heard(field, case.kind, **case.settings).who


@pytest.mark.parametrize("kind", [kind for kind in CONDITIONS if issubclass(kind, OfBodies)])
def test_no_vehicle_calls_itself_by_its_body(kind: type[AnyCondition]) -> None:
    assert not heard(Field.of([[0.0, 0.0, 0.0]], []), kind, watched=np.zeros(1, dtype=np.int64)).who


@every
@pytest.mark.parametrize("places", [[[0, 0, 0]], [[0, 0, 0]] * 3, [[0, 0, 0], [1e5, 0, 0]]], ids=["one", "heap", "far"])
def test_odd_places_and_the_limits_of_parameters_are_no_trouble(case: Case, places: Any) -> None:
    field = Field.of(places, [[0.0, 0.0, 0.0]])
    for name, parameter in case.kind.parameters().items():
        for limit in (max(parameter.least, -REACH), min(parameter.most, REACH)):
            heard(field, case.kind, **{**case.settings, name: limit})
    heard(field, case.kind, **case.settings)
