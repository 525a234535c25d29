"""Parts of a model that are tagged one by one are named: each would go its own way."""

import bpy
import pytest

from tests.blender.building import sphere, wedge
from tests.blender.steered import press

ASKED = "If they are parts of one model, parent them to one and tag only that"


def car() -> list:
    """A body and two wheels that reach into it, not parented to each other."""
    body = sphere("Body", radius=1.0, scale=(1.0, 2.0, 0.5))
    wheels = [sphere(f"Wheel {row}", (side, 1.0, -0.4), radius=0.4) for row, side in enumerate((-0.9, 0.9))]
    wheels[1].data = wheels[0].data
    return [body, *wheels]


def told(capfd, *objects) -> str:
    press("tag", *objects, role="VEHICLE", moves_like="CAR")
    return capfd.readouterr().out


def test_parts_that_reach_into_each_other_are_named_when_they_are_tagged(capfd) -> None:
    out = told(capfd, *car())
    assert f"Body and 2 more reach into each other, and each goes its own way. {ASKED}" in out


def test_parts_of_one_object_are_not(capfd) -> None:
    body, *wheels = car()
    for wheel in wheels:
        wheel.parent = body
    assert ASKED not in told(capfd, body, *wheels)


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)])
def test_copies_in_one_place_are_not(place, capfd) -> None:
    """They have been duplicated, and are about to be moved."""
    ship = wedge()
    copy = ship.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.location = place
    assert ASKED not in told(capfd, ship, copy)


def test_models_beside_each_other_are_not(capfd) -> None:
    body, *_ = car()
    assert ASKED not in told(capfd, body, wedge("Bus", (3.0, 0.0, 0.0)))
