"""Nobody leaves a region that is said to be firm, whatever else pushes."""

import numpy as np
import pytest

from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot, Planar, SimpleVehicle, Swimming
from steering_addon.simulation.geometry.regions import BOX, SPHERE, regions
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions


def chased(size: float, fps: float, locomotion, shape: int, firm: bool) -> Scene:
    """Twenty in a corner of a region, who run from something behind them that drives them out of it."""
    rng = np.random.default_rng(5)
    start = rng.uniform((1.0, 1.0, -1.0), (1.9, 1.9, 1.0), (20, 3))
    if locomotion in (OnFoot, Planar):
        start[:, 2] = 0.0
    return Scene(
        start * size,
        forward=(0.8, 0.6, 0.0),
        speed=1.0 * size,
        vehicle={"radius": 0.06 * size, "max_speed": 1.8 * size, "max_force": 3.0 * size, "keep_apart": True},
        locomotions=[(locomotion, {"turn_radius": 0.3 * size} if locomotion is OnFoot else {})],
        behaviors=[
            (Flee, {"distance": 0.0, "weight": 3.0}),
            (Containment, {"firm": firm, "weight": 1.0 * size, "region": 0}),
        ],
        tracked=leaders([-2.0 * size, -2.5 * size, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0 * size, shape),
        fps=fps,
    )


@sampled(one_of=24)
@pytest.mark.parametrize("shape", [BOX, SPHERE])
@pytest.mark.parametrize("locomotion", [SimpleVehicle, Swimming, Planar, OnFoot])
@pytest.mark.parametrize(("size", "fps"), [(0.2, 24.0), (1.0, 60.0), (20.0, 24.0)])
def test_those_driven_into_a_corner_stay_in_a_firm_region(size: float, fps: float, locomotion, shape: int) -> None:
    """They brake before its border over several frames, and would leave one that is not firm."""
    scene = chased(size, fps, locomotion, shape, firm=True)
    place = positions(scene.run(int(2.5 * fps)))
    flat = place.reshape(-1, 3)
    out = np.linalg.norm(scene.regions.way_in(flat, np.zeros(len(flat), dtype=np.int64)), axis=-1)
    assert out.max() <= 1e-9 * size
    speed = np.linalg.norm(np.diff(place, axis=0), axis=-1) * fps
    before, now, after = speed[:-2], speed[1:-1], speed[2:]
    assert not ((now < 0.5 * np.minimum(before, after)) & (np.minimum(before, after) > 0.5 * size)).any()
    loose = positions(chased(size, fps, locomotion, shape, firm=False).run(int(2.5 * fps)))[-1]
    assert scene.regions.way_in(loose, np.zeros(len(loose), dtype=np.int64)).any()


def test_a_long_body_stops_before_its_nose_is_out() -> None:
    scene = Scene(
        [(0.0, 0.5, 0.0)],
        forward=(1.0, 0.0, 0.0),
        speed=1.5,
        vehicle={"radius": 0.1, "length": 1.2, "max_speed": 2.0, "max_force": 4.0, "keep_apart": True},
        behaviors=[(Flee, {"distance": 0.0, "weight": 1.0}), (Containment, {"firm": True, "weight": 0.1, "region": 0})],
        tracked=leaders([-2.0, 0.5, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0, BOX),
    )
    nose = np.array([state.motion.position[0, 0] + 0.5 * state.motion.forward[0, 0] for state in scene.run(96)])
    assert 2.7 < nose.max() <= 3.0


def test_who_starts_beside_a_glass_does_not_leave_by_another() -> None:
    """Its middle is in and its side is out: it gets no further out there, and not out of the corner beside it."""
    scene = Scene(
        [(2.97, 1.0, 0.0), (1.0, 2.99, 0.0), (2.98, 2.98, 0.0)],
        forward=(0.6, 0.8, 0.0),
        speed=1.5,
        vehicle={"radius": 0.3, "max_speed": 2.0, "max_force": 20.0, "keep_apart": False},
        locomotions=[(SimpleVehicle, {})],
        behaviors=[(Flee, {"distance": 0.0, "weight": 9.0}), (Containment, {"firm": True, "weight": 0.1, "region": 0})],
        tracked=leaders([-2.0, -2.5, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0, BOX),
    )
    assert np.abs(positions(scene.run(96))).max() <= 3.0 + 1e-9


@pytest.mark.parametrize("release", [True, False])
def test_a_firm_region_lets_those_go_whom_it_releases(release: bool) -> None:
    scene = Scene(
        [(0.0, 2.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        vehicle={"radius": 0.1, "max_speed": 2.0, "max_force": 4.0},
        behaviors=[(Seek, {"target": 1}), (Containment, {"firm": True, "release": release, "region": 0})],
        tracked=leaders([0.0, 6.0, 0.0]),
        regions=regions([[0.0, 0.0, 0.0]], 3.0, BOX),
    )
    assert (positions(scene.run(48))[-1, 0, 1] > 3.0) == release
