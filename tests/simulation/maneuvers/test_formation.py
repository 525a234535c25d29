"""Formations: places that go along with a leader, in the air and on the ground."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.measures.formations import leader, led, line, off_places, wedge
from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.keep_company import KeepCompany
from steering_addon.behaviors.leader_following import AS_THEY_STAND, LeaderFollowing
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import OnFoot, Planar
from steering_addon.recording.mishaps import OFF_PLACE, Mishaps
from steering_addon.simulation.geometry.regions import SPHERE, regions
from steering_addon.simulation.maneuvers.formation import vertices_taken
from steering_addon.simulation.run import simulate
from steering_addon.simulation.stations import FREE, NONE_LEFT, Station
from tests.scene import Crowd, Scene, about, in_crowds, leaders, positions, turned

KEPT = {"places": AS_THEY_STAND, "approach_time": 0.8, "response_time": 0.4}


def test_places_that_stay_level_do_not_roll_with_the_leader_however_seldom_vehicles_decide() -> None:
    track, places = leader("roll", 70.0), wedge(4, 9.0)
    scene = Scene(
        places + track[0][0],
        speed=70.0,
        decides_every=2,
        vehicle={"max_speed": 160.0, "max_force": 400.0},
        behaviors=[(LeaderFollowing, KEPT)],
        tracked=leaders([0.0, 0.0, 0.0]),
    )
    states = scene.run(120, at=lambda frame, snapshot: led(track, frame, snapshot))
    assert off_places(places, states, track, level=True).max() < 0.1
    assert states[-1].motion.up[:, 2].min() > 0.5


def test_a_line_charges_as_a_line() -> None:
    assert line(3.0, count=20)["off, m"] < 0.5


def test_the_places_are_those_of_the_first_frame_after_a_pre_roll_too() -> None:
    """Even though the leader turns in it."""
    places = np.array([[6.0, -3.0, 1.0], [-4.0, -2.0, 0.0]])

    def at(frame: int, snapshot):
        turn = about((0.0, 0.0, 1.0), 1.5 * min(frame, 0))
        position = turned([[0.0, 4.0 * frame / 24.0, 0.0]], np.eye(3))
        return replace(
            snapshot, tracked=replace(snapshot.tracked, position=position, forward=turned([[0, 1, 0]], turn))
        )

    scene = Scene(places, speed=4.0, behaviors=[(LeaderFollowing, KEPT)], tracked=leaders([0.0, 0.0, 0.0]))
    after = positions(scene.run(60, preroll=24, at=at))[-1]
    assert after - (0.0, 4.0 * 59 / 24.0, 0.0) == pytest.approx(places, abs=0.05)


def test_each_takes_another_vertex_and_the_nearest_ones() -> None:
    points = np.array([[3.0, -1.0, 0.0], [-3.0, -1.0, 0.0], [0.0, -6.0, 0.0], [40.0, 0.0, 0.0]])
    start = np.array([[-2.0, -2.0, 0.0], [0.5, -7.0, 0.0], [2.5, -2.0, 0.0]])
    scene = Scene(
        start,
        behaviors=[(LeaderFollowing, {"formation": 0, "separation": 0.0})],
        vehicle={"max_speed": 6.0},
        tracked=leaders([0.0, 0.0, 0.0]),
        drift=(0.0, 3.0, 0.0),
        shapes=(points,),
        fps=12.0,
    )
    last = positions(scene.run(12 * 12))[-1] - (0.0, 3.0 * (12 * 12 - 1) / 12.0, 0.0)
    assert last == pytest.approx(points[[1, 2, 0]], abs=0.05)


def test_who_comes_late_takes_a_vertex_that_is_free_however_seldom_vehicles_decide() -> None:
    scene = Scene(
        [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
        behaviors=[(LeaderFollowing, {"formation": 0})],
        tracked=leaders([0.0, 0.0, 0.0]),
        shapes=(np.array([[0.0, -1.0, 0.0], [8.0, -2.0, 0.0], [-8.0, -2.0, 0.0]]),),
        decides_every=2,
    )
    late = scene.run(9, at=lambda frame, snapshot: replace(snapshot, present=np.array([True, frame > 4, frame > 4])))
    assert sorted(late[-1].memories["leader_following"].vertex) == [0, 1, 2]


def test_with_too_few_vertices_some_keep_their_places_and_nobody_takes_one_twice() -> None:
    world, agents, _ = Scene(np.zeros((3, 3)), shapes=(np.arange(6.0).reshape(2, 3),)).seen()
    seen, here = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [9.0, 9.0, 9.0]]), np.zeros(3, int)
    first = vertices_taken(world, agents, here, here, seen, Station.blank(3))
    assert sorted(first) == [NONE_LEFT, 0, 1] and first[2] == NONE_LEFT
    known = replace(Station.blank(3), shape=here, leader=here, vertex=np.array([1, FREE, FREE]))
    late = vertices_taken(world, agents, here, here, seen, known)
    assert late[0] == 1 and sorted(late[1:]) == [NONE_LEFT, 0]
    elsewhere = vertices_taken(world, agents, here, here + 1, seen, replace(known, vertex=np.array([1, NONE_LEFT, 0])))
    assert elsewhere.tolist() == first.tolist(), "about another leader they start over"
    without = vertices_taken(world, agents, np.full(3, -1), here, seen, Station.blank(3))
    assert (without == FREE).all()


def test_crowds_that_share_a_formation_and_its_leader_share_out_its_vertices() -> None:
    """One that was elsewhere meanwhile has lost its vertex to whoever has taken it."""
    points = np.array([[0.0, -1.0, 0.0], [8.0, -2.0, 0.0], [-8.0, -2.0, 0.0]])
    scene = Scene([[0.0, -2.0, 0.0], [7.0, -2.0, 0.0], [0.1, -2.2, 0.0]], tracked=leaders([0.0, 0.0, 0.0]),
                  shapes=(points,))  # fmt: skip
    crowds = [Crowd(np.array(rows), (LeaderFollowing.of(len(rows), formation=0),)) for rows in ([0, 1], [2])]
    kept = {"leader_following": replace(Station.blank(3), shape=np.zeros(3, int), vertex=np.array([0, FREE, FREE]))}
    for memories in ({}, kept):
        state, snapshot = replace(scene.start(), memories=memories), in_crowds(scene.snapshot(), crowds)
        after = list(simulate(state, [snapshot] * 4))[-1].memories["leader_following"]
        assert sorted(after.vertex) == [0, 1, 2]


def test_those_too_weak_to_keep_their_places_are_noted() -> None:
    """The leader rolls faster than the outer ones can follow."""
    track, places = leader("roll", 70.0), wedge(6, 9.0)
    scene = Scene(
        places + track[0][0],
        speed=70.0,
        vehicle={"radius": 1.0, "max_speed": 160.0, "max_force": 90.0},
        behaviors=[(LeaderFollowing, {**KEPT, "rolling": True})],
        tracked=leaders([0.0, 0.0, 0.0]),
    )
    mishaps = Mishaps(6)
    for frame, state in enumerate(scene.passing(160, lambda frame, snapshot: led(track, frame, snapshot))):
        mishaps.look(frame, state)
    noted = mishaps.frames[OFF_PLACE]
    assert (noted[:2] < 0).all() and (noted[4:] > 48).all()


def test_who_never_gets_to_its_place_is_noted_and_who_is_long_on_its_way_is_not() -> None:
    """The leader goes on at 4 m/s."""
    scene = Scene(
        [[-1.0, -20.0, 0.0], [1.0, -20.0, 0.0]],
        vehicle={"radius": 0.5, "max_speed": [3.5, 6.0], "max_force": 20.0},
        behaviors=[(LeaderFollowing, {**KEPT, "formation": 0})],
        tracked=leaders([0.0, 0.0, 0.0]),
        shapes=(np.array([[-1.0, -2.0, 0.0], [1.0, -2.0, 0.0]]),),
        fps=12.0,
    )

    def goes_on(frame: int, snapshot):
        return replace(snapshot, tracked=replace(snapshot.tracked, position=np.array([[0.0, frame / 3.0, 0.0]])))

    mishaps = Mishaps(2)
    for frame, state in enumerate(scene.passing(12 * 12, goes_on)):
        mishaps.look(frame, state)
    assert (mishaps.frames[OFF_PLACE] >= 0).tolist() == [True, False]


def test_in_a_formation_nobody_keeps_apart_and_wanders_nor_turns_back_to_a_region_that_lets_go() -> None:
    places = np.array([[1.0, -2.0, 0.0], [1.5, -2.0, 0.0]])
    beside = [(Separation, {"distance": 3.0}), (Wander, {}), (Containment, {"region": 0, "release": True})]
    scene = Scene(
        places,
        behaviors=[*beside, (LeaderFollowing, KEPT)],
        tracked=leaders([0.0, 0.0, 0.0]),
        regions=regions([[30.0, 0.0, 0.0]], 5.0, SPHERE),
    )
    assert positions(scene.run(48))[-1] == pytest.approx(places, abs=1e-9)
    loose = replace(scene, behaviors=[*beside, (LeaderFollowing, {})])
    assert np.abs(positions(loose.run(48))[-1] - places).max() > 0.5


@pytest.mark.parametrize("behavior", [UnalignedCollisionAvoidance, KeepCompany])
def test_those_in_one_formation_neither_avoid_each_other_nor_keep_company(behavior) -> None:
    """However close their places are: those keep them apart."""
    places = np.array([[0.92 * x, -3.0 - 0.92 * y, 0.0] for x in (-1, 0, 1) for y in range(3)])
    scene = Scene(
        places,
        speed=1.0,
        forward=(0.0, 1.0, 0.0),
        decides_every=2,
        locomotions=[(OnFoot, {})],
        vehicle={"max_speed": 2.4, "cruise_speed": 0.4, "max_force": 2.5, "radius": 0.44},
        behaviors=[(LeaderFollowing, KEPT), (behavior, {})],
        tracked=leaders([0.0, 0.0, 0.0]),
    )

    def at(frame: int, snapshot):
        """The leader sways by a few degrees as it walks."""
        turn = about((0.0, 0.0, 1.0), 4.0 * np.sin(frame / 12.0))
        position = turned([[0.0, frame / 24.0, 0.0]], np.eye(3))
        return replace(
            snapshot, tracked=replace(snapshot.tracked, position=position, forward=turned([[0.0, 1.0, 0.0]], turn))
        )

    alone = positions(replace(scene, behaviors=scene.behaviors[:1]).run(60, at=at))
    assert np.abs(positions(scene.run(60, at=at)) - alone).max() < 0.05


def test_a_keyed_share_leads_from_one_formation_to_the_other() -> None:
    points, start = np.array([[0.0, -4.0, 0.0]]), np.array([[5.0, -4.0, 0.0]])

    def after(formed: float) -> np.ndarray:
        scene = Scene(
            start,
            behaviors=[(LeaderFollowing, {**KEPT, "formation": 0, "formed": formed})],
            locomotions=[(Planar, {})],
            tracked=leaders([0.0, 0.0, 0.0]),
            shapes=(points,),
            fps=12.0,
        )
        return positions(scene.run(12 * 8))[-1, 0]

    assert [after(share)[0] for share in (0.0, 0.5, 1.0)] == pytest.approx([5.0, 2.5, 0.0], abs=0.05)
