"""The scenes after OpenSteer's demos show what they are there to show: short here, whole by scripts/opensteer."""

import pytest

from scripts.opensteer_scene import Check
from scripts.opensteer_scenes import SCENES

SHARES = {"one_turning": 1.0, "low_speed_turn": 1.0, "capture_the_flag": 0.2, "boids": 0.5, "map_drive": 0.8}
"""How much of them is played; the longest, pursuit and pedestrians, are left to the command."""


@pytest.mark.parametrize("name", SHARES)
def test_a_scene_shows_what_it_demonstrates(name: str) -> None:
    missed = [str(check) for check in SCENES[name].checks(1, SHARES[name]) if not check.holds]
    assert missed == []


def test_a_check_says_what_it_measured_and_whether_that_is_enough() -> None:
    assert str(Check("speed", 3.0, least=2.0)) == "ok  speed: 3 (at least 2)"
    assert str(Check("speed", 3.0, most=2.0)) == "NOT speed: 3 (at most 2)"
    assert not Check("speed", float("nan"), most=2.0).holds
