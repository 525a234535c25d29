"""Cars whose wheels have drivers ride on springs: tagging sees it, and the wheels stay on the ground on each key."""

import numpy as np
import pytest
from mathutils import Vector

from tests.blender.animated import drive
from tests.blender.building import at_frames, frames, meshed, part
from tests.blender.crowds.test_long_bodies import car, tagged, wheel
from tests.blender.seen import told
from tests.blender.steered import bake, clear_bake, tag

TRAVELS = part("locomotion.driving").TRAVELS
PLACES = ((-0.75, 1.3, 0.35), (0.75, 1.3, 0.35), (-0.75, -1.3, 0.35), (0.75, -1.3, 0.35))
"""Front left, front right, rear left, rear right of a car that faces +Y."""


def sprung_car(name: str, location=(0.0, 0.0, 0.0), without: int = 0):
    """A car of which drivers move the wheels, but for some at the end."""
    body = car(name, location, size=(1.8, 4.3, 1.2))
    wheels = [wheel(body, f"{name} {travel}", place, 0.35) for travel, place in zip(TRAVELS, PLACES)]
    for ob, travel in list(zip(wheels, TRAVELS))[: len(wheels) - without]:
        body[travel] = 0.0
        drive(ob, "location", "0.35 + travel", index=2, travel=(body, f'["{travel}"]'))
    return body, wheels


def stones():
    """Up to 8 cm high and 1.5 m apart; tagged."""
    line = np.arange(-10.0, 30.0, 0.5)
    points = [(x, y, 0.04 * (np.sin(4.2 * x) + np.sin(4.2 * y))) for x in line for y in line]
    n = len(line)
    corner = [row * n + k for row in range(n - 1) for k in range(n - 1)]
    ob = meshed("Stones", points, [(a, a + n, a + n + 1, a + 1) for a in corner])
    return tag(ob, role="SURFACE")


def off_ground(ground, wheels, radius: float, over: range) -> float:
    """Metres by which the lowest place of a wheel is furthest off the ground on these frames."""
    worst = 0.0
    for _ in at_frames(over):
        for ob in wheels:
            up = ob.parent.matrix_world.col[2].xyz.normalized()
            lowest = ob.matrix_world.translation - radius * up
            hits = [
                each.ray_cast(lowest - each.location + Vector((0.0, 0.0, 1.0)), (0.0, 0.0, -1.0)) for each in ground
            ]
            gaps = [abs(lowest.z - each.location.z - hit[1].z) for each, hit in zip(ground, hits) if hit[0]]
            worst = max(worst, min(gaps))
    return worst


@pytest.mark.parametrize(("without", "springs"), [((0, 0), True), ((0, 1), False), ((4, 4), False)])
def test_springs_suit_cars_of_which_drivers_move_all_wheels(without, springs: bool) -> None:
    cars = [sprung_car(f"Car {k}", (4.0 * k, 0.0, 0.0), gone)[0] for k, gone in enumerate(without)]
    assert tagged(*cars).steering.wheeled.suspension == pytest.approx(0.12 if springs else 0.0, rel=0.02)


def test_wheels_with_drivers_stay_on_stones_and_the_body_rides_smoothly() -> None:
    frames(1, 24)
    ground = stones()
    body, wheels = sprung_car("Car")
    settings = tagged(body).steering
    settings.portrayal.use = True
    body.steering.start_speed = 0.6
    body.steering.origin_height = 0.0
    bake()
    assert off_ground([ground], wheels, 0.35, range(1, 25, 3)) < 1e-3
    travels = [body[travel] for travel in TRAVELS]
    assert np.abs(travels).max() > 0.01
    clear_bake()
    settings.wheeled.suspension = 0.0
    bake()
    assert off_ground([ground], wheels, 0.35, range(1, 25, 3)) < 1e-3
    assert body[TRAVELS[0]] == pytest.approx(-body[TRAVELS[1]], abs=2e-3), "bolted, it tilts by one corner"


def test_a_car_that_joins_a_sprung_crowd_without_drivers_is_named_until_it_has_them_or_suspension_is_0() -> None:
    crowd = tagged(sprung_car("Car")[0])
    other, wheels = sprung_car("Other", (4.0, 0.0, 0.0), without=1)
    tag(other, role="VEHICLE")
    assert other.steering.crowd == crowd
    text = "Other has no drivers for the parts that Suspension moves. Use Drive Wheels, or set Suspension to 0"
    assert told("UNDRIVEN") == [text]
    suspension, crowd.steering.wheeled.suspension = crowd.steering.wheeled.suspension, 0.0
    assert told("UNDRIVEN") == []
    crowd.steering.wheeled.suspension = suspension
    assert told("UNDRIVEN") == [text]
    other[TRAVELS[-1]] = 0.0
    drive(wheels[-1], "location", "0.35 + travel", index=2, travel=(other, f'["{TRAVELS[-1]}"]'))
    assert told("UNDRIVEN") == []
