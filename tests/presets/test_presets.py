"""The shipped presets are read without warnings and give lively motion."""

from dataclasses import replace

import pytest

from scripts.motion_bands import ALIVE, BETWEEN, BIRDS, FISH, measured, rows
from scripts.motion_metrics import nearest_distances
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion.on_foot import OnFoot
from steering_addon.settings.preset import scaled
from tests.presets.preset_crowds import FPS, SHIPPED, crowd, recorded, shipped
from tests.sampling import sampled
from tests.scene import headings, leaders, positions, speeds

FLOCKING = {
    "starling": (BIRDS, 35.0),
    "pigeon": (BIRDS, 55.0),
    "flock": (BIRDS, 57.0),
    "fish": (FISH, 5.0),
    "tank_fish": (FISH, 5.0),
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
    "predator": 15.0,
    "shark": 20.0,
}
"""The presets that do not flock, with the radius in metres of a region for twelve vehicles."""
STREAMS = ("passers_by",)
"""The presets whose vehicles enter, follow a path and leave."""


def test_every_shipped_preset_is_tested() -> None:
    assert set(SHIPPED) == {*FLOCKING, *HERDS, *INDIVIDUALS, *STREAMS}


@pytest.mark.parametrize("name", [*FLOCKING, *HERDS])
def test_a_flocking_preset_has_the_nine_numbers_of_the_paper(name: str) -> None:
    """Flocking is a distance, an angle and a weight for each of three (paper, Flocking)."""
    behaviors = shipped(name).behaviors
    for behavior in ("separation", "alignment", "cohesion"):
        assert set(behaviors[behavior]) >= {"distance", "angle", "weight"}


@sampled(one_of=9)
@pytest.mark.parametrize("name", FLOCKING)
def test_a_flock_of_sixty_looks_alive(name: str) -> None:
    """All metrics are in their bands; two may be between bands, which were measured on flocks of two hundred."""
    kind, within = FLOCKING[name]
    values = measured(recorded(kind, shipped(name), 60, 1, within, 120))
    verdicts = {row.title: row.verdict(values[row.title]) for row in rows(kind)}
    assert {verdicts.pop("polarization"), verdicts.pop("aspect")} <= {ALIVE, BETWEEN}
    assert set(verdicts.values()) == {ALIVE}, values


@sampled(one_of=8)
@pytest.mark.parametrize("name", [*FLOCKING, *HERDS])
def test_who_go_to_one_place_do_not_pass_through_each_other(name: str) -> None:
    """As at the end of a path."""
    preset = shipped(name)
    scene = crowd(preset, 12, 1, 100.0 * preset.body_length)
    scene.behaviors.append((Seek, {"weight": 10.0 * max(b.get("weight", 1.0) for b in preset.behaviors.values())}))
    scene = replace(scene, tracked=leaders([0.0, 15.0 * preset.body_length, 0.0]))
    states = scene.run(150)
    # They start at random places, some of them in each other.
    nearest = min(nearest_distances(state.motion.position[None]).min() for state in states[round(FPS) :])
    assert nearest > 0.7 * preset.body_length


@sampled(one_of=9)
@pytest.mark.parametrize(("name", "room"), INDIVIDUALS.items())
def test_a_vehicle_that_does_not_flock_keeps_moving_and_on_the_ground_level(name: str, room: float) -> None:
    preset = shipped(name)
    states = crowd(preset, 8, 1, room).run(round(2 * FPS))
    assert (speeds(states)[-1] > 0.0).all() and speeds(states).max() <= preset.vehicle["max_speed"] * (1.0 + 1e-9)
    if preset.moves.grounded:
        assert (positions(states)[..., 2] == 0.0).all() and (headings(states)[..., 2] == 0.0).all()


@pytest.mark.parametrize("name", [name for name in SHIPPED if shipped(name).moves is OnFoot])
def test_who_goes_on_foot_is_kept_out_of_others_and_of_obstacles(name: str) -> None:
    assert shipped(name).vehicle["keep_apart"]


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
