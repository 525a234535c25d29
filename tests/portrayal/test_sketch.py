"""Company: standing near another who stands, and facing it."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.separation import Separation
from steering_addon.minds.conditions import Arrived
from steering_addon.portrayal.sketch import arrived, in_company, over_links
from steering_addon.scene import CrowdState, trigger, with_states
from steering_addon.simulation.presence.attendance import GO_ON, LEAVE, STAY
from steering_addon.simulation.run import step
from steering_addon.simulation.snapshot import Settings
from steering_addon.simulation.steering import errands
from tests.minds.herds import AT_ONCE
from tests.scene import Scene, leaders, positions, speeds
from tests.simulation.presence.test_arrivals import DOOR, FPS, on_arrival, walk
from tests.simulation.presence.test_stays import visit

FACING = ([(0.0, 0.0), (0.0, 0.8)], [(0.0, 1.0), (0.0, -1.0)])


def accompanied(places: list, fronts: list, speeds: list | None = None) -> list[bool]:
    """Whether people of .27 m radius with fronts (x, y), who go along these at some speeds, are in company."""
    position, forward = (np.array([(*each, 0.0) for each in points]) for points in (places, fronts))
    forward /= np.linalg.norm(forward, axis=1)[:, None]
    speed = np.zeros(len(places)) if speeds is None else np.array(speeds)
    return in_company(position, forward, forward * speed[:, None], np.full(len(places), 0.27)).tolist()


def test_two_who_stand_face_to_face_are_in_company() -> None:
    assert accompanied(*FACING) == [True, True]


@pytest.mark.parametrize(
    ("places", "fronts", "speeds", "expected"),
    [
        ([(0.0, 0.0), (0.0, 2.5)], FACING[1], None, [False, False]),
        (*FACING, [0.0, 1.0], [False, False]),
        (FACING[0], [(0.0, 1.0), (0.0, 1.0)], None, [False, False]),
        (FACING[0], [(0.0, 1.0), (1.0, 0.0)], None, [True, False]),
        ([(0.0, 0.0), (0.0, 0.0)], FACING[1], None, [False, False]),
        ([(0.0, 0.0)], [(0.0, 1.0)], None, [False]),
        ([], [], None, []),
    ],
    ids=["too far", "one goes by", "behind a back", "one looks aside", "one place", "alone", "empty"],
)
def test_who_is_not(places: list, fronts: list, speeds: list | None, expected: list[bool]) -> None:
    if not places:
        assert in_company(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0)).tolist() == expected
    else:
        assert accompanied(places, fronts, speeds) == expected


def at_goal(states) -> np.ndarray:
    """(f,) whether the first vehicle is where it was led."""
    return np.array([arrived(now, before, now.inputs)[0] for before, now in zip([None, *states], states)])


@pytest.mark.parametrize("way", ["arrival", "docking"])
def test_who_stays_for_good_has_arrived_from_its_arrival_on(way: str) -> None:
    scene = walk(way)
    states = scene.run(120, at=on_arrival(scene, STAY))
    at = at_goal(states)
    assert not at[0] and at[-1]
    assert np.linalg.norm(positions(states)[np.argmax(at), 0] - DOOR) < 0.6


def test_a_stay_counts_from_its_beginning_to_its_end_and_what_follows_on_its_own() -> None:
    states = visit("arrival")
    at = at_goal(states)
    first = int(np.argmax(at))
    spell = int(np.argmin(at[first:]))
    assert 0.8 * 3.0 < spell / FPS < 3.0 + 3.0
    still = speeds(states)[first : first + spell, 0] < 0.05
    assert still[-1] and np.count_nonzero(still) > 2.5 * FPS
    assert not at[first + spell : first + spell + round(FPS)].any(), "nothing arrives at its end"


@pytest.mark.parametrize("what", [GO_ON, LEAVE])
def test_who_continues_or_leaves_has_arrived_for_a_moment(what: int) -> None:
    scene = walk("arrival")
    at = at_goal(scene.run(130, at=on_arrival(scene, what)))
    assert (what == GO_ON) <= np.count_nonzero(at) <= 2


def test_those_who_stand_beside_a_place_that_is_taken_have_arrived_too() -> None:
    places = np.array([(0.0, 1.5 * row, 0.0) for row in range(4)])
    behaviors = [(Arrival, {"target": 4}), (Separation, {"distance": 1.5})]
    scene = Scene(places, behaviors=behaviors, speed=1.0, tracked=leaders(DOOR), fps=FPS)
    states = scene.run(200)
    assert not errands(states[-1]).arrived.all()
    assert arrived(states[-1], states[-2], states[-1].inputs).all()
    assert not arrived(states[10], states[9], states[10].inputs).any()
    # Triggers say the same.
    calling = with_states(states[-1].inputs, [CrowdState("Rest", numbers=AT_ONCE)], [trigger(1, Arrived)])
    assert step(replace(states[-1], inputs=calling), calling).mindset.mode.all()
    # Called away, they are no longer there, though where they stood is remembered.
    away = replace(states[-1].inputs, settings=(Settings((), 0),))
    assert (arrived(states[-1], states[-2], away) == errands(states[-1]).arrived).all()


class Several(SimpleNamespace):
    """Columns of some number of rows."""

    def __init__(self, rows: int, **columns: Any) -> None:
        super().__init__(rows=rows, **columns)

    def __len__(self) -> int:
        return int(self.rows)


def test_what_is_played_on_a_link_goes_by_its_cycle_and_who_is_carried_walks_on_and_off() -> None:
    """A ladder, a slide without a cycle, a ladder whose climbers stand in between, and a lift."""
    links = Several(
        4,
        cycle=np.array((0.4, 0.0, 0.4, 0.0)),
        length=np.array((6.0, 3.0, 6.0, 5.0)),
        clip=np.array((4, 5, 6, 7)),
        carrier=np.array((-1, -1, -1, 2)),
        model=SimpleNamespace(stands=np.array((False, False, True, False))),
    )
    on, along = np.array((True,) * 6 + (False,)), np.array((0.0, 1.0, 1.0, 0.0, 2.5, -0.3, -1.0))
    crossing = SimpleNamespace(on=on, along=along, link=np.array((0, 1, 2, 3, 3, 0, -1)))
    seen = over_links(Several(7, crossing=crossing), SimpleNamespace(links=links))
    assert seen["on_link"].tolist() == [True, True, True, True, False, False, False]
    assert seen["link_clip"].tolist() == [4, 5, 6, 7, 0, 0, 0]
    assert seen["cycle"].tolist() == [0.4, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0]
