"""Heads look at what they are told to, by keys that come and go with the bake."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.animated import curves
from tests.blender.building import empty, frames, part
from tests.blender.dumping import refuses
from tests.blender.seen import world_matrices
from tests.blender.steered import bake, clear_bake, crowd, fleet
from tests.blender.write.test_portrayal import LAST, portray
from tests.sampling import sampled


def looking(number: int = 1, **settings):
    """Vehicles that go straight ahead, whose heads can be driven, and what they look at."""
    frames(1, LAST)
    birds = crowd("Flock", seek={"target": empty("Goal", (0.0, 60.0, 0.0))})
    portray(birds, look=True, **settings)
    seen = empty("Seen", (30.0, 30.0, 0.0))
    return birds, fleet(number, crowd=birds, spacing=20.0), seen


def looks_of(ob) -> np.ndarray:
    """How far the head of a vehicle is turned to the left and raised on each frame, (frames, 2)."""
    keyed = {curve.data_path: curve for curve in curves(ob)}
    paths = ('["steering_look_left"]', '["steering_look_up"]')
    return np.array([[keyed[path].evaluate(frame) for path in paths] for frame in range(1, LAST + 1)])


def test_looks_are_keyed_on_request_and_go_with_the_bake() -> None:
    birds, [ob], seen = looking()
    birds.steering.portrayal.look_at = seen
    bake()
    offsets = np.array(seen.location) - world_matrices(ob, range(1, LAST + 1))[:, :3, 3]
    wanted = [math.atan2(-x, y) for x, y, _ in offsets]
    turned = looks_of(ob)
    np.testing.assert_allclose(turned[8:12, 0], wanted[8:12], atol=0.02)
    assert np.abs(turned[:, 1]).max() < 0.05
    seen.location.z = 25.0
    bake()
    assert (looks_of(ob)[:, 1] > 0.4).all()
    clear_bake()
    assert "steering_look_left" not in ob and "steering_look_up" not in ob
    portray(birds, look=False)
    bake()
    assert '["steering_look_left"]' not in {curve.data_path for curve in curves(ob)}


@sampled
@pytest.mark.parametrize("kind", ["vehicle", "part", "camera"])
def test_heads_follow_what_the_same_bake_moves_and_baking_again_changes_nothing(kind: str) -> None:
    birds, [ob, other], seen = looking(2)
    other.location = (12.0, 15.0, 0.0)
    target = {"vehicle": other, "part": empty("Mast", (0.0, 0.0, 3.0)), "camera": seen}[kind]
    if kind == "part":
        target.parent = other
    elif kind == "camera":
        seen.constraints.new("TRACK_TO").target = other
    birds.steering.portrayal.look_at = target
    bake()
    once = looks_of(ob)
    offsets = (world_matrices(target, range(1, LAST + 1)) - world_matrices(ob, range(1, LAST + 1)))[:, :3, 3]
    wanted = [math.atan2(-x, y) for x, y, _ in offsets]
    np.testing.assert_allclose(once[8:12, 0], wanted[8:12], atol=0.02)
    bake()
    np.testing.assert_array_equal(looks_of(ob), once)


def test_what_follows_a_vehicle_through_a_constraint_cannot_be_looked_at() -> None:
    birds, [_, other], seen = looking(2)
    seen.constraints.new("COPY_LOCATION").target = other
    birds.steering.portrayal.look_at = seen
    refuses("bake", "Seen depends on the vehicle Ship 1 through the constraint Copy Location")


def test_what_heads_look_at_belongs_to_the_bake_where_it_is_keyed() -> None:
    birds, _, seen = looking()
    made = part("blender.read.fingerprint").fingerprint
    before = made(bpy.context.scene)
    birds.steering.portrayal.look_at = seen
    keyed = made(bpy.context.scene)
    assert keyed != before
    birds.steering.portrayal.playing.look_ahead = 0.1
    assert made(bpy.context.scene) != keyed
    portray(birds, look=False)
    unkeyed = made(bpy.context.scene)
    birds.steering.portrayal.playing.look_ahead = 0.2
    assert made(bpy.context.scene) == unkeyed
