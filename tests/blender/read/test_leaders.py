"""Leaders of vehicles: a keyframed object, a bone, another vehicle."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import armature, empty, frames, meshed
from tests.blender.dumping import refuses
from tests.blender.seen import places, read_at
from tests.blender.steered import bake, crowd, leader, vehicle

FOLLOWING = {"behind": 2.0, "spread": 0.0, "separation": 0.0}


def rigged(name: str = "Rig", bone: str = "Root", **placed):
    """An armature of one bone, which lies along +X, two metres from the object's origin."""
    ob = armature(name, **{bone: ((0.0, 2.0, 0.0), (1.0, 2.0, 0.0))})
    for path, value in placed.items():
        setattr(ob, path, value)
    return ob


def follow(target, bone: str = "", **settings):
    """A ship behind the origin that follows a target."""
    herd = crowd(leader_following={**FOLLOWING, "leader": target, **settings})
    herd.steering.leader_following.leader_bone = bone
    return vehicle(crowd=herd, location=(0.0, -6.0, 0.0), start_speed=0.0)


def test_a_bone_is_at_its_head_and_turns_as_from_its_rest_pose() -> None:
    frames(1, 3)
    rig = rigged(location=(10.0, 0.0, 1.0), rotation_euler=(0.0, 0.0, math.pi / 2.0))
    follow(rig, "Root")
    result = read_at(1)[0].tracked
    assert np.allclose(result.position, [[8.0, 0.0, 1.0]], atol=1e-6)
    assert np.allclose(result.forward, [[1.0, 0.0, 0.0]], atol=1e-6), "as the armature faces, along its -Y"
    pose = rig.pose.bones["Root"]
    pose.rotation_mode = "XYZ"
    pose.rotation_euler = (0.0, 0.0, math.pi / 2.0)
    turned = read_at(2)[0].tracked
    assert np.allclose(turned.position, result.position, atol=1e-6)
    assert abs(float(turned.forward[0] @ result.forward[0])) < 1e-6


@pytest.mark.parametrize("tagged", [False, True])
def test_a_mesh_that_is_followed_faces_where_its_model_does(tagged) -> None:
    frames(1, 3)
    bpy.ops.mesh.primitive_monkey_add(rotation=(0.0, 0.0, math.pi / 2.0))
    suzanne = bpy.context.object
    if tagged:
        assert bpy.ops.steering.tag(role="LEADER") == {"FINISHED"}
    follow(suzanne)
    assert np.allclose(read_at(1)[0].tracked.forward, [[1.0, 0.0, 0.0]], atol=1e-6)


def test_without_a_bone_the_armature_leads_and_other_objects_have_none_to_choose() -> None:
    """A name left over from an armature that was pointed at before does no harm."""
    frames(1, 3)
    for led, bone in ((rigged(location=(3.0, 0.0, 0.0)), ""), (leader(location=(3.0, 0.0, 0.0)), "Root")):
        follow(led, bone)
        assert np.allclose(read_at(1)[0].tracked.position, [[3.0, 0.0, 0.0]])


@pytest.mark.parametrize("locked", [False, True])
def test_a_vehicle_that_is_tagged_as_leader_leads_whatever_moves_it(locked) -> None:
    """Without a leader that is chosen, the nearest leader is followed."""
    frames(1, 24)
    beside = leader(vehicle(crowd=crowd("Beside"), location=(20.0, -6.0, 0.0), start_speed=0.0))
    beside.steering.locked = locked
    ship = follow(None)
    bake()
    assert places(ship, [24])[0][0] > 0.5


def test_a_bone_and_its_armature_can_both_be_targets() -> None:
    frames(1, 3)
    rig = leader(rigged())
    herd = crowd(seek={"target": rig}, shadow={"quarry": rig}, evasion={})
    herd.steering.seek.target_bone = "Root"
    vehicle(crowd=herd)
    assert np.allclose(sorted(read_at(1)[0].tracked.position.tolist()), [[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])


def test_a_missing_bone_is_refused_by_name() -> None:
    frames(1, 3)
    rig = rigged()
    ship = follow(rig, "Tail")
    refuses("bake", "Rig, the Leader of Follow Leader in Crowd, has no bone Tail")
    assert ship.animation_data is None


def test_a_refused_tag_leaves_all_selected_objects_as_they_were() -> None:
    good, bad = empty("A Good One"), empty("Bad")
    bad.delta_location.x = math.nan
    refuses("tag", "Bad has a transform that is not a number", good, bad, role="LEADER")
    assert not good.is_property_set("steering") and not bad.is_property_set("steering")


def test_followers_take_the_vertices_of_a_formation_that_shape_keys_change() -> None:
    """Where the object stands makes no difference, how large it is does."""
    frames(1, 120)
    corners = [(3.0, -1.0, 0.0), (-3.0, -1.0, 0.0)]
    formation = meshed("Places", corners, location=(40.0, 0.0, 0.0), scale=(2.0, 2.0, 2.0))
    formation.shape_key_add(name="Basis")
    other = formation.shape_key_add(name="Behind")
    for point, place in zip(other.data, ((0.0, -2.0, 0.0), (0.0, -4.0, 0.0))):
        point.co = place
    insert(formation.data.shape_keys, 'key_blocks["Behind"].value', {60: 0.0, 72: 1.0})
    ahead = leader(rotation=(0.0, 0.0, math.pi / 2.0))
    herd = crowd(leader_following={"leader": ahead, "formation": formation, "approach_time": 0.5, "response_time": 0.3})
    ships = [vehicle(crowd=herd, location=place) for place in ((0.0, -5.0, 0.0), (0.0, 5.0, 0.0))]
    bake()
    beside, behind = (np.array([places(ship, [frame])[0] for ship in ships]) for frame in (59, 120))
    forward = np.array(read_at(1)[0].tracked.forward[0][:2])
    right = np.array([forward[1], -forward[0]])

    def at(*local: tuple[float, float]) -> np.ndarray:
        return np.array([np.append(right * x + forward * y, 0.0) for x, y in local])

    def apart(points: np.ndarray, wanted: np.ndarray) -> float:
        """How far they are from the wanted places, of which each has another one."""
        return min(np.abs(points - wanted).max(), np.abs(points - wanted[::-1]).max())

    assert apart(beside, at((6.0, -2.0), (-6.0, -2.0))) < 0.3
    assert apart(behind, at((0.0, -4.0), (0.0, -8.0))) < 0.3
