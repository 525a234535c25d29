"""A throng that has come to a stand: who is jammed in it, and how it gets going again."""

from dataclasses import replace

import numpy as np

from steering_addon.simulation.avoiding.jams import STEPS_BACK, Jam
from steering_addon.simulation.geometry.obstacles import boxes
from tests.scene import Scene
from tests.simulation.avoiding.test_velocity_choice import RADIUS, WALKER, walkers

WISHED = 1.3


def abreast(gap: float, **changes) -> Scene:
    """Three abreast at a door for one, whose bodies have a gap between them."""
    apart = 2.0 * RADIUS + gap
    place = walkers([[x, 0.0, 0.0] for x in (-apart, 0.0, apart)], [[0.0, 30.0, 0.0]] * 3, speed=0.0, **changes)
    return replace(place, obstacles=boxes([[-4.0, 1.0, 0.0], [4.0, 1.0, 0.0]], [[3.4, 0.3, 1.0]] * 2))


def in_file(gap: float) -> Scene:
    """Three one behind the other, the first one first, who all want to go on ahead."""
    apart = 2.0 * RADIUS + gap
    return walkers([[0.0, -apart * row, 0.0] for row in range(3)], [[0.0, 30.0, 0.0]] * 3, speed=0.0)


def wants(place: Scene, progress: float) -> np.ndarray:
    """The velocities they want beside those they wish for, straight ahead all of them, (n, 3) m/s."""
    world, agents, _ = place.seen()
    [_, avoidance] = (kind.of(len(place), **values) for kind, values in place.behaviors)
    wished, share = np.tile([0.0, WISHED, 0.0], (len(place), 1)), np.full(len(place), progress)
    jam = Jam.of(world, agents, wished, share, lambda rows: avoidance.perceived(world, agents, rows))
    return jam.loosened(world, agents, wished, share) - wished


def astray(place: Scene, progress: float) -> np.ndarray:
    return np.linalg.norm(wants(place, progress), axis=1)


def test_only_who_stands_in_a_throng_jostles() -> None:
    assert (astray(abreast(0.0), 0.03) > 0.05).all()
    assert (astray(abreast(0.0), 0.1) < astray(abreast(0.0), 0.03)).all(), "the less it gets on the more"
    assert (astray(abreast(0.0), 0.5) == 0.0).all(), "who gets on does not"
    assert (astray(abreast(0.5), 0.0) == 0.0).all(), "nor who waits apart, as in a queue"
    flying = abreast(0.0, vehicle=WALKER | {"keep_in_plane": False})
    assert (astray(flying, 0.0) == 0.0).all(), "nor who flies or swims"


def test_each_jostles_by_a_chance_of_its_own() -> None:
    place = abreast(0.0)
    [one, other, _] = astray(place, 0.0)
    assert one != other
    alone = place.take(np.array([0, 1]))
    assert astray(alone, 0.0).tolist() == [one, other]


def test_who_is_held_by_somebody_ahead_steps_back_if_others_press_too() -> None:
    """Beside the jostling, which is the same for who stands abreast and for who stands in file."""
    turned_back = wants(in_file(0.1), 0.1) - wants(abreast(0.1), 0.1)
    assert np.allclose(turned_back[1], (0.0, -(1.0 + STEPS_BACK) * WISHED, 0.0)), "the one in the middle"
    assert np.allclose(turned_back[0], 0.0), "who is at the front goes on wanting to get ahead"
    assert np.allclose(turned_back[2], 0.0), "and nobody is behind the last to press it"
