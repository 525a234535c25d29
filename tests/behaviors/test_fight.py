"""Fight (not in the paper): enemies meet one to one, stop face to face, and the others wait behind."""

from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.fight import Fight
from steering_addon.behaviors.keep_company import KeepCompany
from steering_addon.locomotion import OnFoot
from steering_addon.scene import Crowd, Scene, in_crowds, positions, speeds
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.arrays.frozen import replace
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, Candidates
from steering_addon.simulation.maneuvers.pairing import LOOKED_AT, ROUND, Between, Wants
from steering_addon.simulation.nearby.neighbors import EVERYONE
from steering_addon.simulation.partners import Partners
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import Snapshot, State
from tests.sampling import sampled
from tests.simulation.ways.grounds import PLATE, walls

RADIUS, REACH, SEES = 0.3, 0.7, 7.0
WALKER = {"radius": RADIUS, "max_speed": 3.4, "cruise_speed": 0.3, "max_force": 3.0, "keep_apart": True}


def armies(
    first: Any, second: Any, *, fights: bool = True, pivot: float = np.pi, **values: Any
) -> tuple[Scene, Snapshot]:
    """Two crowds at places (n, 2) and (m, 2) that fight each other; without `fights` the second only stands there."""
    n, m = len(first), len(second)
    place = np.concatenate((np.reshape(first, (n, 2)), np.reshape(second, (m, 2)))).astype(float)
    scene = Scene(
        np.concatenate((place, np.zeros((n + m, 1))), axis=1),
        forward=np.repeat([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], (n, m), axis=0),
        vehicle=WALKER | {"cruise_speed": np.repeat([0.3, 0.3 if fights else 0.0], (n, m))},
        locomotions=[(OnFoot, {"turn_radius": 0.5, "turn_on_the_spot": pivot})],
        fps=12.0,
        candidates=tuple(
            Candidates(rows, keys_of(0, rows), NEAREST_ONE) for rows in (np.arange(n), np.arange(n, n + m))
        ),
    )
    given = {"reach": REACH, "distance": SEES} | values
    crowds = [
        Crowd(np.arange(n), (Fight.of(n, enemy=FIRST - 1, **given),), key=1),
        Crowd(np.arange(n, n + m), (Fight.of(m, enemy=FIRST if fights else -1, **given),), key=2),
    ]
    return scene, in_crowds(scene.snapshot(), crowds)


def fought(army: tuple[Scene, Snapshot], frames: int) -> list[State]:
    """The states of a run."""
    scene, snapshot = army
    return list(simulate(scene.start(), (snapshot for _ in range(frames))))


def partners(state: State) -> Partners:
    memory = state.memories["fight"]
    assert isinstance(memory, Partners)
    return memory


def lines(n: int, m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of two lines, five metres and more apart."""
    rng = np.random.default_rng(seed)
    return tuple(
        np.stack(((np.arange(k) % 10 - 4.5) * 1.4, side * (5.0 + np.arange(k) // 10 * 1.4)), axis=1)
        + rng.uniform(-0.2, 0.2, (k, 2))
        for k, side in ((n, -1.0), (m, 1.0))
    )  # type: ignore[return-value]


def test_two_stop_a_step_apart_or_as_far_as_their_clips_are_made_and_face_each_other() -> None:
    scene, snapshot = armies(*([(20.0 * k + x, 3.0 * x - 3.0 * (1 - x)) for k in range(3)] for x in (0.0, 1.0)))
    clips = np.array([0.0, 1.8, 0.9, 0.0, 0.0, 1.8])
    settings = (replace(s, behaviors=(replace(s.behaviors[0], apart=clips),)) for s in snapshot.settings)
    last = fought((scene, replace(snapshot, settings=tuple(settings), decides_every=3)), 42)[-1]
    offset = last.motion.position[3:] - last.motion.position[:3]
    assert np.linalg.norm(offset, axis=1) == pytest.approx([REACH + 2.0 * RADIUS, 1.8, 1.8], abs=0.15)
    assert (last.motion.velocity == 0.0).all()
    toward = offset / np.linalg.norm(offset, axis=1)[:, None]
    assert np.einsum("ni,ni->n", last.motion.forward[:3], toward) == pytest.approx(1.0, abs=0.02)
    assert np.einsum("ni,ni->n", last.motion.forward[3:], toward) == pytest.approx(-1.0, abs=0.02)
    assert partners(last).row(last.time, 1.0 / 12.0).tolist() == [3, 4, 5, 0, 1, 2]
    assert (partners(last).met[:3] == partners(last).met[3:]).all() and partners(last).met.max() < last.time


@sampled(one_of=2)
@pytest.mark.parametrize("pivot", [0.0, np.pi])
@pytest.mark.parametrize("away", [(0.0, -1.2), (0.9, -0.6)])
def test_who_has_its_enemy_behind_it_turns_to_it_animals_too(away: tuple[float, float], pivot: float) -> None:
    states = fought(armies([(0.0, 0.0)], [away], pivot=pivot), 36)
    way = positions(states)[-1, 1] - positions(states)[-1, 0]
    faces = states[-1].motion.forward @ (way / np.linalg.norm(way))
    assert faces[0] > 0.98 and faces[1] < -0.98, "else they would not strike"
    assert speeds(states)[-1].max() == 0.0


@pytest.mark.parametrize("pivot", [0.0, np.pi])
def test_who_is_far_from_the_enemy_behind_it_turns_on_the_spot_before_it_runs(pivot: float) -> None:
    states = fought(armies([(0.0, 4.0)], [(0.0, -4.0)], pivot=pivot), 12)
    assert states[-1].motion.forward[:, 1] == pytest.approx([-1.0, 1.0], abs=0.1)
    assert np.abs(positions(states)[:, :, 1]).max() < 4.2, "none goes round in a circle"


@sampled
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "m"), [(10, 10), (10, 20)])
def test_enemies_fight_one_to_one_and_nobody_piles_up(n: int, m: int, seed: int) -> None:
    states = fought(armies(*lines(n, m, seed)), 72)
    last = states[-1]
    known, rows = partners(last), np.arange(n + m)
    fighters = rows[known.has]
    assert (known.wanted[known.wanted[fighters]] == fighters).all(), "they agree"
    assert len(fighters) >= 1.6 * min(n, m)
    place = positions(states)
    offset = place[-1][known.wanted[fighters]] - place[-1][fighters]
    cosine = np.einsum("ni,ni->n", offset, last.motion.forward[fighters]) / np.linalg.norm(offset, axis=1)
    assert np.mean((cosine > np.cos(np.radians(20.0))) & (speeds(states)[-1, fighters] < 0.2)) >= 0.9
    gaps = np.linalg.norm(place[:, :, None] - place[:, None], axis=-1) + 9.0 * np.eye(n + m)
    assert gaps.min() > 2.0 * RADIUS - 0.05
    waiting = rows[~known.has]
    assert np.abs(np.diff(place[-24:, waiting], axis=0)).sum(axis=(0, 2)).max(initial=0.0) < 0.1, "the others stand"


def test_who_finds_no_enemy_free_waits_behind() -> None:
    last = fought(armies([(0.0, -3.0), (0.1, -5.0)], [(0.0, 3.0)]), 55)[-1]
    assert partners(last).has.tolist() == [True, False, True]
    y = last.motion.position[:, 1]
    assert y[1] < y[0] - 2.0 * RADIUS < y[2]
    assert (last.motion.velocity == 0.0).all()


def test_several_may_fight_one_enemy() -> None:
    last = fought(armies([(-1.0, -3.0), (1.0, -3.0), (3.0, -3.0)], [(0.0, 3.0)], most=2), 55)[-1]
    assert partners(last).has.sum() == 3
    assert np.isfinite(partners(last).met).sum() == 3


def test_one_that_does_not_fight_is_met_all_the_same() -> None:
    last = fought(armies([(0.0, -3.0), (1.0, -4.0)], [(0.0, 3.0)], fights=False), 55)[-1]
    assert partners(last).row(last.time, 1.0 / 12.0).tolist() == [2, -1, -1]


def test_companions_who_fight_do_not_wait_for_each_other() -> None:
    """One that is ahead would wait for its company, which waits behind it."""
    scene, _ = armies([(0.0, -20.0), (0.3, -20.9)], [(0.0, 20.0)], fights=False)
    wants = Fight.of(2, enemy=FIRST - 1, reach=REACH, distance=SEES), KeepCompany.of(2)
    crowds = [Crowd(np.arange(2), wants, key=1), Crowd(np.arange(2, 3), (), key=2)]
    last = fought((scene, in_crowds(scene.snapshot(), crowds)), 36)[-1]
    assert np.linalg.norm(last.motion.velocity[:2], axis=1) == pytest.approx(3.4)


def test_a_partner_that_is_gone_leaves_the_other_to_the_next() -> None:
    scene, snapshot = armies([(0.0, -2.0), (0.1, -5.0)], [(0.0, 2.0)])
    gone = replace(snapshot, present=np.array([False, True, True]))
    last = list(simulate(scene.start(), (snapshot if frame < 30 else gone for frame in range(75))))[-1]
    assert partners(last).row(last.time, 1.0 / 12.0)[1:].tolist() == [2, 1]


@sampled
@pytest.mark.parametrize("seed", range(4))
def test_each_wants_the_nearest_free_enemy_with_nobody_between_in_any_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    place, crowd, taken = rng.uniform(-6.0, 6.0, (24, 2)), rng.integers(0, 2, 24), rng.random(24) < 0.3
    crowd[:2] = 0, 1
    for order in (np.arange(24), rng.permutation(24)):
        wanted = wants(place[order], crowd[order], taken[order])
        expected = wanted_by_loop(place[order], crowd[order], taken[order])
        assert wanted[~taken[order]].tolist() == expected[~taken[order]].tolist()


def wants(place: np.ndarray, crowd: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """The row that each vehicle at places (n, 2) wants for its partner, where those that are taken have one."""
    n = len(place)
    walker = {"radius": RADIUS}
    world, agents, _ = Scene(np.concatenate((place, np.zeros((n, 1))), axis=1), vehicle=walker).seen()
    others = Partners(np.where(taken, 0, -1), taken, taken, *np.zeros((4, n)))
    world = replace(world, bodies=replace(world.bodies, crowd=crowd), partners=others)
    sees, everyone = np.full(n, SEES), np.full(n, EVERYONE)
    near = world.neighbors(agents, sees, np.full(n, 2.0 * np.pi), everyone, everyone).together()
    enemy = np.argmax(crowd[:, None] != crowd, axis=1)
    return Wants.of(world).chosen(
        Between(world, agents, near), enemy, np.ones(n, dtype=np.int64), sees, np.ones(n, bool)
    )


def wanted_by_loop(place: np.ndarray, crowd: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """The same by its definition: of the nearest free enemies the first in sight, or the nearest round others."""
    wanted = np.full(len(place), -1)
    for i, p in enumerate(place):
        gaps = np.linalg.norm(place - p, axis=1)
        seen = gaps < SEES
        free = [j for j in np.argsort(gaps) if crowd[j] != crowd[i] and not taken[j] and seen[j]][:LOOKED_AT]
        in_sight = [j for j in free if is_open(place, seen, {i, j}, p, place[j])]
        if in_sight:
            wanted[i] = in_sight[0]
        elif free:
            way = place[free[0]] - p
            left = np.array([-way[1], way[0]])
            corners = [p + 0.5 * way + share * side * left for share in ROUND for side in (-1.0, 1.0)]
            pair = {i, free[0]}
            if any(is_open(place, seen, pair, p, c) and is_open(place, seen, pair, c, place[free[0]]) for c in corners):
                wanted[i] = free[0]
    return wanted


def is_open(place: np.ndarray, seen: np.ndarray, pair: set[int], start: np.ndarray, end: np.ndarray) -> bool:
    """Whether a pair has room for a body on the way between two places."""
    length = np.linalg.norm(end - start)
    along = (place - start) @ (end - start) / length
    aside = np.linalg.norm(place - start - along[:, None] * (end - start) / length, axis=1)
    bars = seen & (along > 0.0) & (along < length) & (aside < 2.0 * RADIUS)
    return not any(bars[k] and k not in pair for k in range(len(place)))


@pytest.mark.parametrize(("end", "are_partners"), [(-2.0, True), (3.5, False), (5.0, False)])
def test_an_enemy_behind_a_wall_is_as_far_as_the_way_round_it_if_there_is_one(end: float, are_partners: bool) -> None:
    scene, snapshot = armies([(-2.0, 0.0)], [(2.0, 0.0)])
    wall = walls(((-0.1, -5.0, 0.0), (0.1, end, 3.0)))
    last = fought((scene, replace(snapshot, surfaces=PLATE, obstacles=wall)), 2)[-1]
    assert partners(last).wanted.tolist() == ([1, 0] if are_partners else [-1, -1])
