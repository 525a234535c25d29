"""scripts/bench times a bake and Blender's Boids, and its stages add up. The times themselves are not tested."""

import bpy
import pytest

from scripts.flock_bench import neighbors, time_bake, time_boids
from scripts.flocks import FLOCKS, Flock


@pytest.fixture(params=FLOCKS.values(), ids=FLOCKS.keys())
def flock(request: pytest.FixtureRequest) -> Flock:
    return request.param


def test_the_stages_of_a_bake_add_up(addon, flock: Flock) -> None:
    times = time_bake(flock, 12, 6)
    stages = [times[stage] for stage in ("read", "step", "watch", "write", "Blender")]
    assert all(stage > 0.0 for stage in stages)
    assert sum(stages) == pytest.approx(times["all"])
    birds = [ob for ob in bpy.context.scene.objects if ob.name.startswith("Bird")]
    assert len(birds) == 12
    assert all(bird.animation_data.action is not None for bird in birds)


def test_the_flock_starts_with_the_density_of_a_flock_in_flight(addon, flock: Flock) -> None:
    assert 10.0 < time_bake(flock, 200, 2)["neighbors"] < 25.0


def test_boids_fly_and_flock(addon, flock: Flock) -> None:
    times = time_boids(flock, 60, 24)
    assert times["all"] > 0.0
    assert times["neighbors"] > 5.0


def test_neighbors_are_counted_within_the_distance() -> None:
    assert neighbors([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (4.0, 0.0, 0.0)], 3.0) == pytest.approx(4.0 / 3.0)
