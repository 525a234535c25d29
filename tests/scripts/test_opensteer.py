"""The scenes modelled on OpenSteer's demos pass their checks; shortened here, in full by scripts/opensteer."""

import pytest

from scripts.opensteer_scene import Check
from scripts.opensteer_scenes import SCENES
from tests.sampling import sampled

SHARES = {"one_turning": 1.0, "low_speed_turn": 1.0, "capture_the_flag": 0.2, "boids": 0.5, "map_drive": 0.8}
"""The share of each scene that is run; the longest, pursuit and pedestrians, are left to the command."""


@sampled(one_of=9)
@pytest.mark.parametrize("name", SHARES)
def test_a_scene_passes_its_checks(name: str) -> None:
    missed = [str(check) for check in SCENES[name].checks(1, SHARES[name]) if not check.holds]
    assert missed == []


def test_a_check_prints_its_value_and_verdict() -> None:
    assert str(Check("speed", 3.0, least=2.0)) == "ok  speed: 3 (at least 2)"
    assert str(Check("speed", 3.0, most=2.0)) == "NOT speed: 3 (at most 2)"
    assert not Check("speed", float("nan"), most=2.0).holds
