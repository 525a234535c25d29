"""The shipped presets are read without warnings and give lively motion."""

import json
import re
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from scripts.motion_bands import ALIVE, BETWEEN, BIRDS, FISH, measured, rows
from scripts.motion_metrics import lost, nearest_distances, polarization, reversals, rolls, turns
from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.seek import Seek
from steering_addon.settings.preset import scaled
from steering_addon.settings.preset_values import held
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.presence.attendance import Attendance, enter_frames
from steering_addon.simulation.vehicle import VehicleModel
from tests.presets.preset_crowds import FPS, SHIPPED, columns, crowd, recorded, shipped
from tests.sampling import sampled, thorough
from tests.scene import headings, leaders, positions, speeds, ups

FLOCKING = {
    "starling": (BIRDS, 35.0),
    "pigeon": (BIRDS, 55.0),
    "flock": (BIRDS, 57.0),
    "fish": (FISH, 5.0),
    "school": (FISH, 10.7),
}
"""The presets that flock, with the kind of flock and the radius in metres of a large enough region."""
HERDS = ("herd", "sheep")
INDIVIDUALS = {
    "ant": 0.08,
    "anything": 12.0,
    "bee": 1.5,
    "car": 160.0,
    "child": 10.0,
    "paper_aeroplane": 25.0,
    "pedestrian": 12.0,
    "shark": 20.0,
}
"""The presets that do not flock, with the radius in metres of a region for twelve vehicles."""
SECONDS, SECONDS_IN_WIDE_CURVES = 7, {"shark": 10}
"""How long they are watched."""
STREAMS = ("passers_by",)
"""The presets whose vehicles enter, follow a path and leave."""


def test_every_shipped_preset_is_tested() -> None:
    assert set(SHIPPED) == {*FLOCKING, *HERDS, *INDIVIDUALS, *STREAMS}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_preset_is_read_without_a_warning(name: str) -> None:
    preset = shipped(name)
    assert preset.unknown == ()
    assert not preset.description.endswith(".")
    assert re.fullmatch(r"[a-z_]+", name)


@pytest.mark.parametrize("name", [*FLOCKING, *HERDS])
def test_a_flocking_preset_has_the_nine_numbers_of_the_paper(name: str) -> None:
    """Flocking is a distance, an angle and a weight for each of three (paper, Flocking)."""
    behaviors = shipped(name).behaviors
    for behavior in ("separation", "alignment", "cohesion"):
        assert set(behaviors[behavior]) >= {"distance", "angle", "weight"}


@pytest.mark.parametrize("name", SHIPPED)
def test_the_values_of_a_shipped_file_are_read_unchanged(name: str) -> None:
    """No value is clamped or ignored."""
    content = json.loads(SHIPPED[name].read_text(encoding="utf-8"))
    preset = shipped(name)
    assert content["vehicle"] == preset.vehicle
    assert content["behaviors"] == preset.behaviors
    assert content.get("portrayal") == preset.portrayal
    assert content.get("attendance") == preset.attendance
    assert set(content["vehicle"]) <= set(held(VehicleModel))
    assert set(content["behaviors"]) <= {behavior.name for behavior in CATALOGUE}


@sampled(one_of=3)
@pytest.mark.parametrize("name", FLOCKING)
def test_a_flock_of_sixty_looks_alive(name: str) -> None:
    """All metrics are in their bands; two may be between bands, which were measured on flocks of two hundred."""
    kind, within = FLOCKING[name]
    values = measured(recorded(kind, shipped(name), 60, 1, within, 120))
    verdicts = {row.title: row.verdict(values[row.title]) for row in rows(kind)}
    assert {verdicts.pop("polarization"), verdicts.pop("aspect")} <= {ALIVE, BETWEEN}
    assert set(verdicts.values()) == {ALIVE}, values


@sampled
@pytest.mark.parametrize("name", [*FLOCKING, *HERDS])
def test_who_go_to_one_place_do_not_pass_through_each_other(name: str) -> None:
    """As at the end of a path."""
    preset = shipped(name)
    scene = crowd(preset, 12, 1, 100.0 * preset.body_length)
    scene.behaviors.append((Seek, {"weight": 10.0 * max(b.get("weight", 1.0) for b in preset.behaviors.values())}))
    scene = replace(scene, tracked=leaders([0.0, 15.0 * preset.body_length, 0.0]))
    states = scene.run(240)
    # They start at random places, some of them in each other.
    nearest = min(nearest_distances(state.motion.position[None]).min() for state in states[round(FPS) :])
    assert nearest > 0.7 * preset.body_length


# ---- herds


@cache
def going(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, headings and speeds of thirty sheep over thirteen seconds."""
    states = crowd(shipped(name), 30, 1, 20.0).run(312, preroll=48)
    return positions(states), headings(states), speeds(states)


@pytest.fixture(params=HERDS)
def herd(request):
    return going(request.param)


def test_sheep_stay_together_without_touching(herd) -> None:
    place, _, _ = herd
    assert lost(place[::24], 9.0).mean() < 0.01
    assert np.percentile(nearest_distances(place[::24]), 1) > 0.7 * 1.2


def test_the_heading_of_a_herd_changes(herd) -> None:
    _, forward, _ = herd
    alike = polarization(forward)
    assert 0.1 < alike.mean() < 0.97
    way = forward.mean(axis=1)
    way /= np.linalg.norm(way, axis=-1, keepdims=True)
    assert (way @ way[0]).min() < 0.95, "the herd turns as a whole too"


def test_sheep_amble_and_turn_calmly(herd) -> None:
    _, forward, speed = herd
    assert reversals(forward, FPS) < 0.02
    assert np.percentile(np.linalg.norm(turns(forward, FPS), axis=-1), 50) < 35.0
    assert 0.25 < np.median(speed[speed > 0.1]) < 1.2
    assert np.percentile(speed, 99) < 2.0


def test_sheep_stay_on_the_ground_and_upright_and_near_their_pasture(herd) -> None:
    place, forward, _ = herd
    assert np.abs(place[..., 2]).max() < 1e-9
    assert np.abs(forward[..., 2]).max() < 1e-9
    assert np.linalg.norm(place, axis=-1).max() < 20.0 * 1.5


def test_sheep_graze_now_and_then_but_never_all_together() -> None:
    stands = going("sheep")[2] < 0.05
    assert 0.15 < stands.mean() < 0.75
    assert stands.mean(axis=1).max() < 0.95


# ---- individuals


@dataclass(frozen=True)
class Motion:
    """The motion of twelve vehicles over some seconds: (f, n) numbers and (f, n, 3) vectors.

    Attributes:
        speed: as a share of cruise speed.
        turn: degrees a second.
        roll: degrees.
        away: from the middle, as a share of the region's radius.
    """

    place: np.ndarray
    forward: np.ndarray
    speed: np.ndarray
    turn: np.ndarray
    roll: np.ndarray
    away: np.ndarray


@cache
def motion_of(name: str) -> Motion:
    preset, room = shipped(name), INDIVIDUALS[name]
    frames = round(SECONDS_IN_WIDE_CURVES.get(name, SECONDS) * FPS)
    states = crowd(preset, 12, 1, room).run(frames, preroll=48)
    place, forward = positions(states), headings(states)
    cruise = preset.vehicle["cruise_speed"] * preset.vehicle["max_speed"]
    turn = np.linalg.norm(turns(forward, FPS), axis=-1)
    away = np.linalg.norm(place, axis=-1) / room
    return Motion(place, forward, speeds(states) / cruise, turn, np.abs(rolls(forward, ups(states))), away)


@pytest.mark.parametrize("name", INDIVIDUALS)
def test_individuals_keep_moving_around_their_place_without_trembling(name: str) -> None:
    motion = motion_of(name)
    assert 0.7 < np.median(motion.speed) < 1.3
    assert np.percentile(motion.speed, 1) > 0.25
    assert np.median(motion.away) < 1.5
    assert reversals(motion.forward, FPS) < (0.15 if name == "bee" else 0.02)


@pytest.mark.parametrize("name", ["ant", "car", "child", "pedestrian"])
def test_walkers_and_cars_stay_on_the_ground(name: str) -> None:
    assert np.abs(motion_of(name).place[..., 2]).max() < 1e-9
    assert motion_of(name).roll.max() < 1e-6


def test_a_shark_turns_in_wide_curves_and_hardly_leans() -> None:
    assert np.percentile(motion_of("shark").turn, 95) < 25.0
    assert motion_of("shark").roll.max() < 25.0


def test_a_bee_darts() -> None:
    """It changes direction several times per second, while a bird of that speed would fly straight."""
    assert np.median(motion_of("bee").turn) > 90.0
    assert np.percentile(motion_of("bee").turn, 95) > 200.0


def test_a_paper_aeroplane_glides_and_banks() -> None:
    motion = motion_of("paper_aeroplane")
    assert np.percentile(np.abs(motion.forward[..., 2]), 95) < np.sin(np.radians(20.0))
    assert 8.0 < np.percentile(motion.roll, 95) < 45.0
    steep, level = motion.turn[motion.roll[1:] > 15.0], motion.turn[motion.roll[1:] < 5.0]
    assert np.median(steep) > 2.0 * np.median(level), "it leans into its turns"


def test_children_are_livelier_than_adults() -> None:
    assert np.median(motion_of("child").turn) > 1.5 * np.median(motion_of("pedestrian").turn)


def test_a_car_never_turns_on_the_spot() -> None:
    motion = motion_of("car")
    metres_a_second = motion.speed[1:] * 0.83 * 16.7
    assert (metres_a_second / np.maximum(np.radians(motion.turn), 1e-9)).min() > 5.0


# ---- streams


def test_passers_by_walk_like_pedestrians() -> None:
    """One set of numbers for walking: the two presets only differ in their path's end, containment and attendance."""
    passers_by, pedestrian = shipped("passers_by"), shipped("pedestrian")
    assert passers_by.vehicle == pedestrian.vehicle
    assert passers_by.portrayal == pedestrian.portrayal
    assert passers_by.variation == pedestrian.variation
    walking = {name: dict(values) for name, values in pedestrian.behaviors.items() if name != "containment"}
    walking["path_following"]["end"] = passers_by.behaviors["path_following"]["end"]
    assert passers_by.behaviors == walking


@pytest.mark.parametrize(
    ("name", "body", "circle"), [("pedestrian", 1.75, 3.0), ("herd", 2.4, 5.0), ("sheep", 2.4, 5.0)]
)
def test_people_turn_within_3_metres_at_their_pace_and_cows_and_horses_within_5(
    name: str, body: float, circle: float
) -> None:
    """In tighter turns the clips of rigged characters slide."""
    preset = scaled(shipped(name), body / shipped(name).body_length)
    assert preset.locomotion["on_foot"]["turn_radius"] == pytest.approx(circle)


@thorough
@pytest.mark.parametrize("name", STREAMS)
def test_members_of_a_stream_enter_one_by_one_follow_the_path_and_leave(name: str) -> None:
    preset = shipped(name)
    attendance = Attendance.of(8, **{**columns(Attendance, preset.attendance), "enter_frame": 1})
    road = spline(np.array([[0.0, 0.0, 0.0], [0.0, 9.0, 0.0]]), closed=False)
    scene = replace(crowd(preset, 8, 1, 50.0), position=np.zeros((8, 3)), forward=(0.0, 1.0, 0.0), paths=((road,),))
    scene.vehicle["radius"] = 0.3
    enters = enter_frames(attendance, keys_of(scene.seed, scene.identity))
    states = scene.run(480, at=lambda k, snapshot: replace(snapshot, due=k >= enters, attendance=attendance))
    present, path = ~np.array([state.away for state in states]), positions(states)
    assert not present[0].any() and not present[-1].any()
    for row in range(8):
        frames = np.flatnonzero(present[:, row])
        assert (np.diff(frames) == 1).all(), "it stays until it leaves for good"
        entered, left = frames[0], frames[-1]
        assert np.allclose(path[entered, row], 0.0) and path[left, row, 1] > 8.0
        others = present[entered] & (np.arange(8) != row)
        assert (np.linalg.norm(path[entered, others] - path[entered, row], axis=-1) >= 0.6).all(), (
            "it had room to enter"
        )
    for places, mask in zip(path, present):
        distances = np.linalg.norm(places[mask][:, None] - places[mask], axis=-1) + 9.0 * np.eye(mask.sum())
        assert (distances > 0.5).all(), "bodies of 0.6 m hardly overlap"
