"""Vehicles of one model hold themselves differently, their legs do not, and it goes with the bake."""

import bpy
import numpy as np

from tests.blender.animated import curves_in
from tests.blender.building import add_bone, at_frames
from tests.blender.steered import bake, clear_bake, press
from tests.blender.walkers import clip, pose_of, walkers
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

BONES = {"Spine": ("Body", 1.2), "Head": ("Spine", 1.5)}


def upright(number: int = 3):
    """Walkers with a spine and a head, which a clip turns that stands."""
    people, rigs = walkers(number, stashed=False)
    for rig in rigs:
        rig.hide_set(False)
    for name, (below, height) in BONES.items():
        add_bone(rigs[0], name, (0.0, 0.0, height), (0.0, 0.0, height + 0.3), below, roll=0.0)
    turns = [(name, "rotation_quaternion", index) for name in BONES for index in range(4)]
    action = clip(rigs[0], "Nod", {turn: [(1.0, float(not turn[2])), (25.0, float(not turn[2]))] for turn in turns})
    for row in (1, 5):
        curves_in(action)[row].keyframe_points.insert(12.0, 0.1)
    for entry_action, plays in ((action, "STAND"), (bpy.data.actions["Walk"], "MOVE")):
        entry = people.steering.portrayal.clips.add()
        entry.action, entry.plays = entry_action, plays
    playing = people.steering.portrayal.playing
    playing.look_ahead, playing.plant_feet = 0.0, False
    press("clips_measure", people)
    return people, rigs


def poses(rigs) -> np.ndarray:
    """(vehicles, frames, bones, 4, 4)."""
    shown = []
    for _ in at_frames((1, 15, 30)):
        shown.append([pose_of(rig) for rig in rigs])
    return np.swapaxes(np.array(shown), 0, 1)


def angles(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """By how much rotations (..., 4, 4) differ, radians."""
    trace = np.einsum("...ij,...ij->...", first[..., :3, :3], second[..., :3, :3])
    return np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))


def test_backs_and_heads_differ_and_legs_and_bodies_do_not() -> None:
    people, rigs = upright()
    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed = poses(rigs)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bake()
    held = poses(rigs)
    np.testing.assert_allclose(previewed, held, atol=1e-5)
    people.steering.portrayal.playing.posture = 0.0
    bake()
    plain = poses(rigs)
    rows = {bone.name: row for row, bone in enumerate(rigs[0].pose.bones)}
    turned = angles(held, plain)
    for name in ("Body", "Foot.L", "Foot.R"):
        np.testing.assert_allclose(held[:, :, rows[name]], plain[:, :, rows[name]], atol=1e-6)
    assert (turned[:, :, rows["Spine"]] > 0.005).all() and turned.max() < 0.2
    assert len(np.unique(turned[:, 0, rows["Head"]].round(5))) == len(rigs)
    assert np.ptp(turned[:, :, rows["Spine"]], axis=1).max() < 1e-4, "it stays as it is"


def test_postures_are_shared_and_go_with_the_bake() -> None:
    _, rigs = upright()
    stood = [tuple(rig.pose.bones["Head"].rotation_quaternion) for rig in rigs]
    bake()
    tracks = [track.name for rig in rigs for track in rig.animation_data.nla_tracks]
    assert tracks.count("Steering: Posture") == len(rigs)
    actions = {rig.animation_data.nla_tracks["Steering: Posture"].strips[0].action for rig in rigs}
    bake()
    assert {rig.animation_data.nla_tracks["Steering: Posture"].strips[0].action for rig in rigs} == actions
    clear_bake()
    assert not [action for action in bpy.data.actions if action.name.startswith("Posture")]
    assert [tuple(rig.pose.bones["Head"].rotation_quaternion) for rig in rigs] == stood
    rigs[0].pose.bones["Spine"].constraints.new("COPY_ROTATION").target = rigs[1]
    bake()
    assert "Steering: Posture" not in rigs[0].animation_data.nla_tracks
