"""A preview shows what drivers read of vehicles: wings that beat, heads that turn, the state a vehicle is in."""

import bpy
import numpy as np
import pytest

from tests.blender.building import at_frames
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.minds.test_state_properties import herd
from tests.blender.steered import bake
from tests.blender.write.test_looks import looking
from tests.blender.write.test_portrayal import bird, hang_wing
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

SHOWN = (1, 2, 9, 20, 14)


def hung(ob, name: str, by: str):
    """A child that turns about Y by a property that the vehicle has."""
    ob[by] = 0.25
    ob.id_properties_ui(by).update(min=-50.0, max=50.0, description="Mine")
    return hang_wing(ob, name, by)


def shown(part_of_it, frames=SHOWN) -> np.ndarray:
    turns = []
    for _ in at_frames(frames):
        turns.append(part_of_it.evaluated_get(bpy.context.evaluated_depsgraph_get()).rotation_euler[1])
    return np.array(turns)


def previewed(part_of_it, frames=SHOWN) -> np.ndarray:
    assert bpy.ops.steering.preview() == {"FINISHED"}
    turns = shown(part_of_it, frames)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bpy.context.view_layer.update()
    return turns


@pytest.mark.parametrize("by", ["steering_phase", "steering_distance", "steering_effort"])
def test_a_preview_shows_the_wings_of_the_bake_and_leaves_no_trace(by: str) -> None:
    ob = bird(phase_by="TIME")
    wing = hung(ob, "Wing", by)
    bpy.context.scene.frame_set(1)
    before, still = scene_dump(), shown(wing)
    assert np.ptp(still) == 0.0
    seen = previewed(wing)
    np.testing.assert_array_equal(shown(wing), still)
    bpy.context.scene.frame_set(1)
    assert_same(before, scene_dump())
    assert (ob[by], ob.id_properties_ui(by).as_dict()["description"]) == (0.25, "Mine")
    bake(ob)
    np.testing.assert_allclose(seen, shown(wing), atol=1e-5)
    assert np.ptp(seen) > 0.05 or by == "steering_effort"


def test_a_property_that_no_driver_reads_is_left_alone_and_none_is_made() -> None:
    ob = bird()
    wing = hang_wing(ob, "Wing", "steering_phase")
    ob["steering_speed"] = 3.0
    before = shown(wing)
    np.testing.assert_array_equal(previewed(wing), before)
    assert "steering_phase" not in ob and ob["steering_speed"] == 3.0


def test_a_preview_turns_heads_that_properties_drive() -> None:
    birds, [ob], seen = looking()
    birds.steering.portrayal.look_at = seen
    head = hung(ob, "Head", "steering_look_left")
    turned = previewed(head)
    bake(ob)
    np.testing.assert_allclose(turned, shown(head), atol=0.02)
    assert (turned < -0.2).all()


@pytest.mark.parametrize("by", ["state_Startle", "steering_state"])
def test_a_preview_tells_drivers_the_state(by: str) -> None:
    called, _ = herd()
    called[by] = 0 if by == "steering_state" else 0.0
    # Else Blender gives up on the driver, whose property is not in the evaluated copy yet.
    called.update_tag()
    tail = hang_wing(called, "Tail", by)
    seen = previewed(tail)
    bake(called)
    np.testing.assert_allclose(seen, shown(tail), atol=1e-6)
    assert np.ptp(seen) > 0.3 and type(called[by]) is (int if by == "steering_state" else float)
