"""scripts/load_bench makes scenes with many of everything. The times themselves are not tested."""

import bpy
import pytest

from scripts.load_times import OF_A_CROWD, SCENES, times_of
from tests.blender.building import part


@pytest.mark.parametrize("scene", SCENES)
def test_every_scene_is_tagged_and_baked(addon, scene: str) -> None:
    times = times_of(scene, 3, 4)
    assert all(seconds > 0.0 for seconds in times.values())
    assert any(ob.animation_data and ob.animation_data.action for ob in bpy.context.scene.objects)


def test_all_behaviors_are_used(addon) -> None:
    SCENES["behaviors"](2)
    crowd = next(ob for ob in bpy.context.scene.objects if "CROWD" in ob.steering.roles)

    assert all(getattr(crowd.steering, behavior.name).use for behavior in part("behaviors").CATALOGUE)


def test_every_crowd_has_its_own_vehicles(addon) -> None:
    SCENES["crowds"](3)
    crowds = [ob.steering.crowd for ob in bpy.context.scene.objects if "VEHICLE" in ob.steering.roles]
    assert len(crowds) == 3 * OF_A_CROWD
    assert len(set(crowds)) == 3
