"""Crowds of several models: each plays its own clips and is held for itself."""

import bpy
import numpy as np

from tests.blender.building import at_frames, empty, frames, part
from tests.blender.legged import legged, longest_step, uneven_walk, with_feet_apart
from tests.blender.seen import told
from tests.blender.steered import bake, clear_bake, press, vehicle
from tests.blender.walkers import idle, pose_of, stash, walk, walker


def kind(name: str, knee: float, swing: float):
    """A model that brings an idle and a walk, whose feet are bones of their own."""
    rig = legged(name, knee)
    stash(rig, idle(rig, f"{name} Idle"), uneven_walk(rig, f"{name} Walk", swing))
    with_feet_apart(rig, f"{name} Walk")
    return rig


def herd():
    """A populated crowd of two kinds whose bones have the same names, and other lengths."""
    frames(1, 24)
    models = kind("Doe", 0.5, 0.25), kind("Elk", 0.62, 0.2)
    people = press("populate", *models, count=5, moves_like="PERSON", seed=3)
    for behavior in part("behaviors").CATALOGUE:
        getattr(people.steering, behavior.name).use = behavior.name == "seek"
    people.steering.seek.target = empty("Goal", location=(0.0, -60.0, 0.0))
    members = [ob for ob in bpy.data.objects if "VEHICLE" in ob.steering.roles]
    kinds = {name: [ob for ob in members if ob.name.startswith(name)] for name in ("Doe", "Elk")}
    assert all(kinds.values())
    return people, kinds


def played(rig) -> list[str]:
    """The tracks of ours on an armature, and what the copies on them are of."""
    tracks = [track for track in rig.animation_data.nla_tracks if track.name.startswith("Steering: ")]
    return [track.name.removeprefix("Steering: ") for track in tracks]


def reasons(people) -> tuple[str, str]:
    stored = people.steering.portrayal
    return stored.unplanted_models, stored.unplanted


def test_each_kind_of_a_herd_plays_its_own_walk_and_keeps_its_feet() -> None:
    people, kinds = herd()
    frames(1, 120)
    clips = people.steering.portrayal.clips
    assert [clip.name for clip in clips] == ["Doe Idle", "Doe Walk", "Elk Walk"], "both idles are alike"
    assert reasons(people) == ("", "")
    for clip in clips:
        # Feet that step faster than the body goes slide.
        clip.ground_speed = 0.8 * clip.speed
    people.steering.portrayal.playing.plant_feet = False
    bake()
    loose = {name: longest_step(rigs[0], 80) for name, rigs in kinds.items()}
    assert min(loose.values()) > 0.005
    people.steering.portrayal.playing.plant_feet = True
    bake()
    assert reasons(people) == ("", "")
    for name, rigs in kinds.items():
        for rig in rigs:
            assert [each for each in played(rig) if each != "Posture"] == ["Doe Idle", f"{name} Walk", "Feet"]
        assert longest_step(rigs[0], 80) < 0.1 * loose[name]


def test_a_preview_of_two_kinds_shows_the_poses_of_the_bake_and_no_copy_outlives_it() -> None:
    people, kinds = herd()
    people.steering.portrayal.playing.plant_feet = False
    rigs = [rig for of_kind in kinds.values() for rig in of_kind]
    actions = len(bpy.data.actions)

    def poses() -> np.ndarray:
        seen = [[pose_of(rig) for rig in rigs] for _ in at_frames((1, 2, 9, 20))]
        return np.array(seen)

    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed = poses()
    part("blender.preview").end()
    bake(people)
    np.testing.assert_allclose(previewed, poses(), atol=1e-5)
    clear_bake()
    assert len(bpy.data.actions) == actions


def test_a_model_that_cannot_be_held_says_so_for_itself_alone() -> None:
    people, kinds = herd()
    frames(1, 12)
    loose = vehicle(walker("Ghost", location=(9.0, 0.0, 0.0)), crowd=people, identity=99, start_speed=0.5)
    stash(loose, idle(loose, "Ghost Idle"), walk(loose, "Ghost Walk"))
    press("clips_find", people)
    for stage in ("found", "baked"):
        names, why = reasons(people)
        assert names == "Ghost", stage
        assert why == "not every foot of Ghost is below a leg of two bones"
        bake()
    assert {name: "Feet" in played(rig) for name, rig in (("Ghost", loose), ("Doe", kinds["Doe"][0]))} == {
        "Ghost": False,
        "Doe": True,
    }
    assert told("FEET_SLIDE") == [
        f"Feet of Ghost of {people.name} cannot be held where they stand: {why}. "
        "Turn off Plant Feet in a crowd of their own to accept that"
    ]


def test_clips_that_cannot_be_measured_on_a_model_do_not_keep_a_crowd_from_being_made(monkeypatch) -> None:
    """They are measured once the crowd is there, and a refusal would leave half of it."""

    def refuse(models, scene, family, *, again=False) -> None:
        raise part("blender.refusal").Refusal("Walk moves nothing of Doe. Choose another.")

    monkeypatch.setattr(part("blender.crowds.adding_clips"), "store_measurements", refuse)
    people, kinds = herd()
    assert sum(map(len, kinds.values())) == 5
    assert len(people.steering.portrayal.clips) == 0
