"""scripts/preview_bench times each stage of a preview. The times themselves are not tested."""

import bpy
import pytest

from scripts.preview_frames import birds, bodies, times_of


@pytest.mark.parametrize("make", [birds, bodies], ids=lambda make: make.__name__)
def test_every_stage_of_a_preview_is_timed(addon, make) -> None:
    times = times_of(make, 12, 6)
    assert set(times) == {"empty", "preview", "read", "step", "show", "again", "baked"}
    assert all(0.0 < stage["best"] <= stage["median"] for stage in times.values())
    assert times["preview"]["median"] > times["show"]["best"]
    assert any(ob.animation_data and ob.animation_data.action for ob in bpy.context.scene.objects)
