"""A stance is told from a swing by contact with the ground and by how the foot moves over it."""

import numpy as np
import pytest

from steering_addon.portrayal.sliding import BodyPace, feet_on, stances_of

FPS, HEIGHT, SPEED = 24, 1.75, 0.8
FRAMES, SWINGS = 121, 10
SOLE = np.array([(x, y, 0.0) for x in (-0.12, -0.04, 0.04, 0.12) for y in (-0.04, 0.04)])
SPREADS = np.array([(x > 0.0, y > 0.0 > x, 0.0) for x, y, _ in SOLE])
TREAD, RISE = 0.3, 0.17
ALIKE = np.eye(2)


def walk() -> tuple[np.ndarray, np.ndarray]:
    """How far a foot is on its way along x, (f,) metres, and the share of its swing that is over, 0 in a stance."""
    frame = np.arange(FRAMES)
    share = np.clip((frame % FPS - (FPS - SWINGS)) / SWINGS, 0.0, 1.0)
    return SPEED * (frame // FPS + share * share * (3.0 - 2.0 * share)), share


def stances_on(
    along: np.ndarray,
    up: np.ndarray,
    ground: np.ndarray | float = 0.0,
    aside: np.ndarray | float = 0.0,
    curl: np.ndarray | float = 0.0,
    speed: float = SPEED,
    axes: np.ndarray = ALIKE,
    longer: float = 1.0,
    way: int = 1,
) -> list:
    """The stances of a foot at these places on these heights, (f,) each, above a ground (f, points).

    `curl`: (f, 1, 1) by how much it spreads; `axes`: where x and y lead; `longer`: how many times as long all is;
    `way`: -1 for the film shown backwards, in which all face where they come from.
    """
    points = SOLE + SPREADS * curl + np.stack((along, aside + 0.0 * along, up), axis=1)[:, None]
    level = longer * (points[..., 2] - ground)[::way]
    points = longer * np.concatenate((points[..., :2] @ axes, points[..., 2:]), axis=2)[::way]
    place = longer * speed / FPS * (np.arange(len(along))[:, None] * np.append(axes[0], 0.0))[::way]
    facing = np.tile(way * axes[0], (len(along), 1))
    pace = BodyPace.of(place, facing, longer * HEIGHT, np.full(len(along) - 1, 1.0 / FPS))
    return stances_of(points, level, np.arange(len(SOLE)), 0.0, longer * HEIGHT, pace)


def stair_walk(way: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A foot on stairs that lead up, or down, and between whose treads it goes just above them."""
    along, share = walk()
    tread = np.floor((along[:, None] + SOLE[:, 0]) / TREAD) * RISE * way
    return along, tread.max(axis=1) + 0.005 * (share > 0.0), tread


def wandering() -> tuple[np.ndarray, ...]:
    """A foot that slides ahead and aside as it stands, spreads, and grazes the ground as it swings."""
    along, share = walk()
    frame = np.arange(FRAMES)
    slid = 0.004 * np.cumsum((np.sin(0.7 * frame) > 0.2) & (share == 0.0))
    curl = 0.01 * np.sin(0.9 * frame)[:, None, None]
    return along + slid, 0.1 * np.maximum(share * (1.0 - share) - 0.08, 0.0), np.zeros((FRAMES, 1)), 0.7 * slid, curl


@pytest.mark.parametrize("speed", [SPEED, 0.5 * SPEED])
@pytest.mark.parametrize("motion", [wandering(), stair_walk(1.0), stair_walk(-1.0)], ids=["slides", "up", "down"])
def test_a_stance_is_the_same_however_the_scene_is_turned_measured_or_played(motion: tuple, speed: float) -> None:
    """Also mirrored, and played backwards."""
    expected = [(each.first, each.last, each.path, each.net) for each in stances_on(*motion, speed=speed)]
    assert len(expected) > 2 and max(path for *_, path, _ in expected) > (0.02 if len(motion) > 3 else -1.0)
    turn = np.array(((0.8, 0.6), (-0.6, 0.8)))
    for axes, longer, way in (
        (turn, 1.0, 1),
        (np.diag((1.0, -1.0)), 1.0, 1),
        (np.eye(2), 3.0, 1),
        (np.eye(2), 1.0, -1),
    ):
        seen = stances_on(*motion, speed=speed, axes=axes, longer=longer, way=way)
        there = [(each.first, each.last, each.path / longer, each.net / longer) for each in seen]
        if way < 0:
            there = [(FRAMES - 1 - last, FRAMES - 1 - first, *lengths) for first, last, *lengths in there[::-1]]
        np.testing.assert_allclose(there, expected, atol=1e-9)


def test_below_a_body_that_stands_a_foot_on_the_ground_stands_however_it_moves() -> None:
    along, _ = walk()
    [stance] = stances_on(along, np.zeros(FRAMES), speed=0.0)
    assert (stance.first, stance.last) == (0, FRAMES - 1) and stance.path == pytest.approx(np.ptp(along))


def test_a_foot_in_the_air_that_is_slower_than_its_body_does_not_stand_unless_it_hardly_moves() -> None:
    for speed, stances in ((0.5, 0), (0.1, 1)):
        assert len(stances_on(speed * SPEED * np.arange(FRAMES) / FPS, np.full(FRAMES, 0.1))) == stances


def test_a_stance_begins_and_ends_with_contact() -> None:
    """Of a foot that is held in the air, stamps straight down and is pulled straight up."""
    up = np.repeat((0.5, 0.2, 0.0, 0.2, 0.5), (3, 1, 9, 1, 3))
    _, stance, _ = stances_on(np.zeros(len(up)), up)
    assert (stance.first, stance.last) == (4, 12)


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
    stances = stances_on(*stair_walk(way))
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
    level = inside[..., 2] + 0.3
    level[:, : len(SOLE) // 2] += RISE * (np.arange(FRAMES) % (2 * FPS) < FPS)[:, None]
    level[:, len(SOLE) :] = 0.3 + (np.arange(FRAMES) % 12 * 0.015 - 0.02)[:, None]
    [(rows, rests)] = feet_on(inside, level, HEIGHT)
    assert rows.tolist() == list(range(len(SOLE)))
    assert rests == pytest.approx(0.3), "wherever it rests"
