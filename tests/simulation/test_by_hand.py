"""By hand: a vehicle follows a guide for a while, taken over and given back without a jolt."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import CATALOGUE, Crawling, OnFoot, Wheeled
from steering_addon.scene import surfaces
from steering_addon.simulation.guides import Guides
from steering_addon.simulation.snapshot import State
from tests.sampling import sampled
from tests.scene import Scene, headings, positions, ups, velocities

FIRST, LAST, FRAMES = 20, 50, 80
HERO = 1
STRONGEST = 12.0
"""Of all vehicles, m/s2."""


def flock(**others: Any) -> Scene:
    """Three wandering vehicles."""
    settings: dict[str, Any] = {
        "speed": 4.0,
        "behaviors": [(Wander, {}), (Cohesion, {"distance": 30.0})],
        "vehicle": {"max_force": STRONGEST, "max_speed": 6.0},
    }
    return Scene([[0.0, 0.0, 2.0], [3.0, 1.0, 2.0], [-3.0, 2.0, 2.0]], **(settings | others))


def led(place: Scene, guide: Any, first: int = FIRST, last: int = LAST, share: float = 1.0) -> list[State]:
    """The run in which a guide, places (FRAMES, 3), leads the hero from one frame to another."""

    def at(frame: int, snapshot: Any) -> Any:
        on = share if first <= frame <= last else 0.0
        return replace(snapshot, guides=Guides(np.array([HERO]), np.array([on]), guide[frame][None]))

    return place.run(FRAMES, at=at)


def bulging(states: list[State], by: Any) -> Any:
    """A guide that has the motion of the hero, but is pushed aside in the middle; it rests before and after."""
    path = positions(states)[:, HERO].copy()
    s = np.clip((np.arange(FRAMES) - FIRST) / (LAST - FIRST), 0.0, 1.0)
    path += np.asarray(by) * (64.0 * s**3 * (1.0 - s) ** 3)[:, None]
    path[:FIRST], path[LAST + 1 :] = path[FIRST], path[LAST]
    return path


def plane(reach: float, rise: float = 0.0) -> Any:
    """A square of ground about the origin that rises to the east."""
    corners = np.array([[x * reach, y * reach, x * reach * rise] for x in (-1, 1) for y in (-1, 1)])
    return surfaces([(corners, np.array([[0, 2, 3], [0, 3, 1]]))])


def accelerations(states: list[State]) -> Any:
    """The change of the hero's velocity from frame to frame, (FRAMES - 1,) m/s2."""
    return np.linalg.norm(np.diff(velocities(states)[:, HERO], axis=0), axis=-1) * 24.0


@sampled
@pytest.mark.parametrize("substeps", [1, 3])
def test_the_hero_is_on_its_guide_and_comes_and_goes_without_a_jolt(substeps: int) -> None:
    place = flock(substeps=substeps)
    guide = bulging(place.run(FRAMES), (0.0, 0.5, 0.4))
    states = led(place, guide)
    path = positions(states)[:, HERO]
    assert np.abs(path - guide)[FIRST : LAST + 1].max() < 1e-9
    assert np.abs(path - positions(place.run(FRAMES))[:, HERO])[: FIRST + 1].max() == 0.0
    assert accelerations(states)[FIRST - 2 : FIRST + 2].max() < 1.1 * STRONGEST
    assert accelerations(states)[LAST - 2 : LAST + 3].max() < 1.1 * STRONGEST
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() < 0.6


def test_others_see_where_it_is_led() -> None:
    place = flock()
    alone = place.run(FRAMES)
    states = led(place, bulging(alone, (8.0, 0.0, 0.0)))
    others = positions(states)[:, 0] - positions(alone)[:, 0]
    assert np.abs(others[: FIRST + 1]).max() == 0.0 < 0.01 < np.abs(others[FIRST + 2 :]).max()


def test_it_heads_along_its_guide_and_leans_into_its_turns() -> None:
    place = flock(behaviors=[])
    turn = np.arange(FRAMES) / 24.0 * 1.5
    circle = np.stack((3.0 * np.cos(turn), 3.0 * np.sin(turn), np.full(FRAMES, 2.0)), axis=1)
    states = led(place, circle, first=0, last=FRAMES - 1)
    late = slice(FRAMES // 2, FRAMES)
    forward, up = headings(states)[late, HERO], ups(states)[late, HERO]
    along = np.gradient(circle, axis=0)[late]
    along /= np.linalg.norm(along, axis=1)[:, None]
    assert (np.einsum("fa,fa->f", forward, along) > np.cos(0.06)).all()
    inward = -circle[late] * [1.0, 1.0, 0.0] / 3.0
    lean = np.arctan2(np.einsum("fa,fa->f", up, inward), up[:, 2])
    assert lean == pytest.approx(np.arctan(3.0 * 1.5**2 / 9.81), abs=0.05)


def test_a_guide_elsewhere_is_reached_without_a_jolt() -> None:
    place = flock(behaviors=[])
    guide = np.zeros((FRAMES, 3))
    guide[:] = (6.0, 9.0, 4.0)
    guide[:, 1] += np.arange(FRAMES) / 24.0 * 2.0
    states = led(place, guide, first=10, last=79)
    gap = np.linalg.norm(positions(states)[:, HERO] - guide, axis=1)
    assert gap[10] > 3.0 and gap[75] < 1e-9
    assert accelerations(states).max() < 2.1 * STRONGEST
    steps = np.linalg.norm(np.diff(positions(states)[:, HERO], axis=0), axis=1)
    assert steps.max() < 0.6


def test_what_a_guide_made_too_fast_slows_down_as_fast_as_it_can() -> None:
    place = flock(behaviors=[])
    guide = np.zeros((FRAMES, 3))
    guide[:, 1] = (np.arange(FRAMES) / 24.0) ** 2 * 8.0
    guide += (3.0, 1.0, 2.0)
    states = led(place, guide, first=0, last=40)
    speed = np.linalg.norm(velocities(states)[:, HERO], axis=1)
    assert speed[40] > 24.0
    assert np.diff(speed[40:])[:20] == pytest.approx(-STRONGEST / 24.0, abs=1e-9)


def test_a_share_pulls() -> None:
    place = flock(behaviors=[])
    guide = np.tile([3.0, 1.0, 2.0], (FRAMES, 1)) + np.arange(FRAMES)[:, None] / 24.0 * np.array([0.5, 4.0, 0.0])
    away = [np.linalg.norm(positions(led(place, guide, share=s))[LAST, HERO] - guide[LAST]) for s in (0.0, 0.3, 0.6)]
    assert away[0] > 2.0 * away[1] > 4.0 * away[2]


@sampled
@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
def test_every_body_can_be_led(kind: Any) -> None:
    place = flock(locomotions=[(kind, {})])
    guide = bulging(place.run(FRAMES), (2.0, 0.0, 0.5))
    states = led(place, guide)
    path = positions(states)[:, HERO]
    off = np.abs(path - guide)[FIRST : LAST + 1]
    # What keeps to the ground follows along the ground.
    assert off[:, : 2 if kind.grounded else 3].max() < 1e-9
    if kind.grounded:
        assert (path[:, 2] == 2.0).all()
    assert accelerations(states)[LAST : LAST + 3].max() < 1.2 * STRONGEST


@sampled
@pytest.mark.parametrize("kind", [OnFoot, Wheeled, Crawling], ids=lambda kind: kind.name)
def test_what_stands_on_surfaces_follows_along_them(kind: Any) -> None:
    # Rises to the east by a fifth.
    ground = plane(40.0, rise=0.2)
    place = flock(locomotions=[(kind, {})], surfaces=ground)
    guide = bulging(place.run(FRAMES), (0.0, 1.5, 0.0 if kind is Crawling else 3.0))
    path = positions(led(place, guide))[:, HERO]
    assert np.abs(path - guide)[FIRST : LAST + 1, :2].max() < (0.01 if kind is Crawling else 1e-9)
    assert path[:, 2] == pytest.approx(0.2 * path[:, 0], abs=0.03)


def test_the_wheels_roll_the_way_the_car_is_led() -> None:
    place = flock(locomotions=[(Wheeled, {})], behaviors=[])
    angle = np.arange(FRAMES) / 24.0 * 0.4
    guide = np.stack((3.0 + 10.0 - 10.0 * np.cos(angle), 1.0 + 10.0 * np.sin(angle), np.full(FRAMES, 2.0)), axis=1)
    states = led(place, guide, first=0, last=FRAMES - 1)
    rear = positions(states)[:, HERO] - headings(states)[:, HERO] * 1.35
    step, side = np.diff(rear, axis=0), np.cross(headings(states)[:, HERO], ups(states)[:, HERO])[:-1]
    late = slice(40, None)
    assert np.abs(np.einsum("fa,fa->f", step, side))[late].max() < 0.1 * np.linalg.norm(step, axis=1)[late].min()
    spin = np.diff([s.outputs["steering_wheel_spin"][HERO] for s in states])
    assert spin[late] == pytest.approx(0.4 * 10.0 / 24.0 / 0.33, rel=0.05)
    wheel = np.array([s.outputs["steering_wheel_angle"][HERO] for s in states])
    assert wheel[late] == pytest.approx(-np.arctan(2.7 / 10.0), rel=0.1)


def test_the_brake_of_a_car_is_pressed_while_it_is_led_slower() -> None:
    place = flock(locomotions=[(Wheeled, {})], behaviors=[])
    covered = np.cumsum(2.0 + np.abs(np.arange(FRAMES) - FRAMES // 2) / 24.0) / 24.0
    guide = np.array([3.0, 1.0, 2.0]) + covered[:, None] * np.array([0.0, 1.0, 0.0])
    states = led(place, guide, first=0, last=FRAMES - 1)
    brake = np.array([s.outputs["steering_brake"][HERO] for s in states])
    assert (brake[25 : FRAMES // 2 - 1] > 0.2).all() and (brake[FRAMES // 2 + 2 :] == 0.0).all()


def test_a_walker_that_is_led_over_an_edge_keeps_its_height_and_comes_back() -> None:
    place = flock(locomotions=[(OnFoot, {})], surfaces=plane(5.0), behaviors=[], speed=1.0)
    path = np.tile([3.0, 1.0, 0.0], (FRAMES, 1))
    path[:, 0] += 4.0 * np.sin(np.pi * np.arange(FRAMES) / FRAMES)
    states = led(place, path, first=0, last=FRAMES - 1)
    assert np.abs(positions(states)[40:, HERO] - path[40:]).max() < 1e-9
    off = [s.outputs["off_ground"][HERO] for s in states[1:]]
    assert off[40] == 1.0 and off[-1] == 0.0


def test_nothing_else_changes_without_a_hand() -> None:
    place = flock()
    plain, none = place.run(FRAMES), led(place, np.zeros((FRAMES, 3)), first=FRAMES)
    assert positions(plain).tobytes() == positions(none).tobytes()
    assert headings(plain).tobytes() == headings(none).tobytes()


def test_what_is_led_does_not_give_way_in_a_contact() -> None:
    place = flock(vehicle={"max_force": STRONGEST, "max_speed": 6.0, "radius": 1.0, "keep_apart": True}, behaviors=[])
    place.speed = 0.0
    through = np.linspace([3.0, 1.0, 2.0], [-3.0, -0.5, 2.0], FRAMES)
    states = led(place, through, first=0, last=FRAMES - 1)
    assert np.abs(positions(states)[:, HERO] - through)[20:].max() < 1e-9
    gaps = np.linalg.norm(positions(states)[:, HERO] - positions(states)[:, 0], axis=1)
    assert gaps.min() > 1.6
