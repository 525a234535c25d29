"""A stance is told from a swing by contact with the ground and by how the foot moves over it."""

import numpy as np
import pytest

from steering_addon.portrayal.sliding import BodyPace, feet_on, stances_of

FPS, HEIGHT, SPEED = 24, 1.75, 0.8
FRAMES, SWINGS = 121, 10
SOLE = np.array([(x, y, 0.0) for x in (-0.12, -0.04, 0.04, 0.12) for y in (-0.04, 0.04)])
TREAD, RISE = 0.3, 0.17


def walk() -> tuple[np.ndarray, np.ndarray]:
    """How far a foot is on its way along x, (f,) metres, and the share of its swing that is over, 0 in a stance."""
    frame = np.arange(FRAMES)
    share = np.clip((frame % FPS - (FPS - SWINGS)) / SWINGS, 0.0, 1.0)
    return SPEED * (frame // FPS + share * share * (3.0 - 2.0 * share)), share


def stances_on(
    along: np.ndarray, up: np.ndarray, ground: np.ndarray | float = 0.0, aside: np.ndarray | float = 0.0
) -> list:
    """The stances of a foot at these places on these heights, (f,) each, above a ground (f, points)."""
    points = SOLE + np.stack((along, aside + 0.0 * along, up), axis=1)[:, None]
    place = SPEED / FPS * np.arange(len(along))[:, None] * (1.0, 0.0, 0.0)
    facing = np.tile((1.0, 0.0), (len(along), 1))
    pace = BodyPace.of(place, facing, HEIGHT, np.full(len(along) - 1, 1.0 / FPS))
    return stances_of(points, points[..., 2] - ground, np.arange(len(SOLE)), 0.0, HEIGHT, pace)


def test_a_foot_that_slides_as_it_stands_slides_by_as_much() -> None:
    along, share = walk()
    part = np.arange(FRAMES) % FPS / (FPS - SWINGS)
    slid = np.arange(FRAMES) // FPS + np.clip(2.0 * part - 0.5, 0.0, 1.0)
    stances = stances_on(along + 0.03 * slid, 0.1 * share * (1.0 - share), aside=0.04 * slid)
    assert np.median([(each.path, each.net) for each in stances], axis=0) == pytest.approx(0.05, abs=1e-9)


def test_a_foot_that_glides_with_its_body_slides_all_the_way() -> None:
    [stance] = stances_on(0.9 * SPEED * np.arange(FRAMES) / FPS, np.zeros(FRAMES))
    assert stance.path == pytest.approx(0.9 * SPEED * (FRAMES - 1) / FPS)


@pytest.mark.parametrize("clearance", [0.0, 0.005], ids=["drags", "skims"])
def test_a_foot_that_swings_along_the_ground_does_not_stand(clearance: float) -> None:
    along, share = walk()
    stances = stances_on(along, clearance * (share > 0.0))
    assert len(stances) == FRAMES // FPS
    assert max(each.path for each in stances) < 1e-9


@pytest.mark.parametrize("ways", [[(0.0, 0.0), (1.0, 0.0)], [(0.0, 0.6), (0.2, 1.2)]], ids=["on", "aside"])
@pytest.mark.parametrize("begin", [0, FPS - SWINGS - 1], ids=["stands", "lifts"])
def test_a_foot_that_skims_the_ground_as_it_lifts_does_not_slide(ways: list, begin: int) -> None:
    """In the two frames before its swing it goes on and aside by so many times the way of its body.

    The run may begin with the second one.
    """
    along, share = walk()
    frame, stride = np.arange(FRAMES), 0.98 * SPEED / FPS
    gone = sum((np.array(way)[:, None] * ((frame + SWINGS + k) // FPS) for k, way in enumerate(ways[::-1])), 0.0)
    up = 0.1 * share * (1.0 - share)
    stances = stances_on((along + stride * gone[0])[begin:], up[begin:], aside=(stride * gone[1])[begin:])
    assert len(stances) == (FRAMES - begin) // FPS
    assert max(each.path for each in stances) < 1e-9


@pytest.mark.parametrize("lowest", [0.0, 0.006])
def test_a_foot_that_is_put_down_and_lifted_close_to_the_ground_slides_only_if_it_never_bears(lowest: float) -> None:
    """It goes at less than the speed of its body, from and to 1 cm of a height of 1.75 m above where it rests."""
    along, up = np.concatenate(([0.0, 0.04, 0.08], np.full(20, 0.1), [0.12, 0.14])), np.full(25, lowest * HEIGHT)
    up[:3] = up[-2:] = 0.009 * HEIGHT
    [stance] = stances_on(0.5 * along, up)
    assert stance.path == pytest.approx(0.0 if lowest == 0.0 else 0.07, abs=1e-9)


@pytest.mark.parametrize("way", [1.0, -1.0], ids=["up", "down"])
def test_feet_on_stairs_stand_on_treads_only(way: float) -> None:
    along, share = walk()
    tread = np.floor((along[:, None] + SOLE[:, 0]) / TREAD) * RISE * way
    up = tread.max(axis=1)
    # Between treads it goes just above them.
    up = up + 0.005 * (share > 0.0)
    stances = stances_on(along, up, tread)
    assert len(stances) == FRAMES // FPS
    assert max(each.path for each in stances) < 1e-9


def test_a_foot_that_is_held_in_the_air_or_in_the_ground_stands_there() -> None:
    along, share = walk()
    for off in (0.05, -0.05):
        stances = stances_on(along, off + 0.1 * share * (1.0 - share))
        assert [each.last - each.first for each in stances] == [FPS - SWINGS] * (FRAMES // FPS)


def test_feet_are_what_is_on_the_ground_for_long_and_whole_above_the_edge_of_a_step() -> None:
    along, share = walk()
    inside = np.concatenate(
        (
            SOLE + np.stack((along - SPEED * np.arange(FRAMES) / FPS, 0.0 * along, 0.1 * share), axis=1)[:, None],
            # What hangs behind the legs, and comes near the treads.
            np.tile(SOLE + np.array((-0.6, 0.3, 0.5)), (FRAMES, 1, 1)),
        ),
        axis=1,
    )
    level = inside[..., 2].copy()
    level[:, : len(SOLE) // 2] += RISE * (np.arange(FRAMES) % (2 * FPS) < FPS)[:, None]
    level[:, len(SOLE) :] = (np.arange(FRAMES) % 12 * 0.015 - 0.02)[:, None]
    [(rows, rests)] = feet_on(inside, level, HEIGHT)
    assert rows.tolist() == list(range(len(SOLE)))
    assert rests == pytest.approx(0.0)
