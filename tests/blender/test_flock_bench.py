"""scripts/bench: what it times is a bake and a flight, and the stages add up. How long they take is no test."""

import bpy
import pytest

from scripts.flock_bench import neighbors, time_bake, time_boids
from scripts.flocks import FLOCKS, Flock


@pytest.fixture(params=FLOCKS.values(), ids=FLOCKS.keys())
def flock(request: pytest.FixtureRequest) -> Flock:
    return request.param


def test_the_stages_of_a_bake_are_found_and_add_up(addon, flock: Flock) -> None:
    found = time_bake(flock, 12, 6)
    stages = [found[stage] for stage in ("read", "step", "watch", "write", "Blender")]
    assert all(stage > 0.0 for stage in stages)
    assert sum(stages) == pytest.approx(found["all"])
    birds = [ob for ob in bpy.context.scene.objects if ob.name.startswith("Bird")]
    assert len(birds) == 12
    assert all(bird.animation_data.action is not None for bird in birds)


def test_the_flock_begins_in_the_room_it_takes_in_flight(addon, flock: Flock) -> None:
    assert 10.0 < time_bake(flock, 200, 2)["neighbors"] < 25.0


def test_boids_fly_and_flock(addon, flock: Flock) -> None:
    found = time_boids(flock, 60, 24)
    assert found["all"] > 0.0
    assert found["neighbors"] > 5.0


def test_neighbors_are_those_in_sight() -> None:
    assert neighbors([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (4.0, 0.0, 0.0)], 3.0) == pytest.approx(4.0 / 3.0)
