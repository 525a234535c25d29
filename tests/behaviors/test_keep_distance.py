"""Keep distance (ours): queues without contacts."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar, Wheeled
from steering_addon.simulation.locomotion import Locomotion
from tests.sampling import sampled
from tests.scene import Scene, all_of, leaders, locked, positions, speeds

FPS = 12
BODIES = 1.0
"""Metres: two radii."""


def queue(n: int = 10, ahead=None, values=None, **changes) -> Scene:
    """Vehicles in one lane along +Y, all toward a far goal; the last ones are the fastest."""
    ahead = np.cumsum(np.random.default_rng(1).uniform(1.2, 6.0, n)) if ahead is None else np.asarray(ahead)
    given = {
        "position": np.stack((np.zeros(n), ahead, np.zeros(n)), axis=-1),
        "speed": 2.0,
        "behaviors": [(Seek, {"target": n}), (KeepDistance, values or {})],
        "tracked": all_of(leaders([0.0, 1e4, 0.0]), locked([0.0, 60.0, 0.0])),
        "vehicle": {"max_speed": np.linspace(8.0, 3.0, n)},
        "locomotions": [(Planar, {})],
        "fps": FPS,
    }
    return Scene(**(given | changes))


def gaps(states) -> np.ndarray:
    """(frames, n - 1) metres between the bodies of successive vehicles."""
    return np.diff(positions(states)[..., 1], axis=1) - BODIES


@sampled
@pytest.mark.parametrize("combining", (0, 1, 4))
def test_a_queue_forms_behind_a_standing_vehicle_without_contacts(combining: int) -> None:
    states = replace(queue(), combining=combining).run(FPS * 32)
    assert gaps(states).min() > 0.0
    assert speeds(states)[-1].max() < 0.05
    assert np.allclose(gaps(states)[-1], 0.5, atol=0.15), "the room at standstill"
    assert positions(states)[-1, -1, 1] == pytest.approx(60.0 - BODIES - 0.5, abs=0.15)


def test_only_vehicles_that_go_the_same_way_in_the_lane_count() -> None:
    def braked(position, forward=(0.0, 1.0, 0.0), **values) -> bool:
        place = Scene([[0.0, 0.0, 0.0]], speed=4.0, behaviors=[(KeepDistance, values)])
        return bool(replace(place, tracked=locked(position, forward=forward)).steering()[0][0, 1] < 0.0)

    assert braked([0.0, 3.0, 0.0])
    assert not braked([0.0, -3.0, 0.0]), "behind"
    assert not braked([1.1, 3.0, 0.0]), "to the side of both bodies"
    assert braked([1.1, 3.0, 0.0], lane_width=3.0)
    assert not braked([0.4, 3.0, 0.0], lane_width=0.5)
    assert not braked([0.0, 3.0, 0.0], forward=(0.0, -1.0, 0.0)), "oncoming"
    assert not braked([0.0, 3.0, 0.0], forward=(1.0, 0.0, 0.0)), "crossing"
    assert not braked([0.0, 30.0, 0.0])
    assert not braked([0.0, 3.0, 0.0], distance=2.0)


def test_a_driver_without_a_curve_counts_who_is_ahead_on_one_circle() -> None:
    turn = 0.5
    place = 20.0 * np.array([np.cos(turn) - 1.0, np.sin(turn), 0.0])
    assert abs(place[0]) > 2.0 * BODIES, "beside the straight lane"

    def braked(turned: float, kind: type[Locomotion] = Wheeled) -> bool:
        given = {"reaction_time": 0.0} if kind is Wheeled else {}
        scene = Scene([[0.0, 0.0, 0.0]], speed=8.0, behaviors=[(KeepDistance, {})], locomotions=[(kind, given)])
        scene.vehicle = {"max_speed": 9.0, "max_force": 3.0}
        forward = (-np.sin(turned), np.cos(turned), 0.0)
        return bool(replace(scene, tracked=locked(place, forward=forward)).steering()[0][0, 1] < 0.0)

    assert braked(turn)
    assert not braked(0.0) and not braked(-turn), "it goes another way"
    assert not braked(turn, Planar), "only drivers keep a lane"


def test_with_a_free_lane_it_does_nothing() -> None:
    place = queue(1, tracked=leaders([0.0, 1e4, 0.0]))
    world, agents, [_, keeping] = place.seen()
    steering = keeping.steer(world, agents, None)
    assert (steering.force == 0.0).all()
    assert np.isinf(steering.speed_limit).all()


def test_it_sees_at_least_the_distance_that_it_takes_to_stop() -> None:
    """At 14 m/s with 4 m/s2 that takes 24.5 m at least; the distance says 5."""
    place = queue(1, ahead=[0.0], tracked=all_of(leaders([0.0, 1e4, 0.0]), locked([0.0, 80.0, 0.0])))
    place = replace(place, speed=14.0, vehicle={"max_speed": 14.0, "max_force": 4.0}, locomotions=[(Planar, {})])
    place.behaviors[1] = (KeepDistance, {"distance": 5.0})
    states = place.run(FPS * 12)
    assert positions(states)[:, 0, 1].max() < 80.0 - BODIES
    assert speeds(states)[-1, 0] < 0.1
