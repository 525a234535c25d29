"""While the timeline plays, faces show plain vehicles exactly where a preview shows the objects themselves."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import drive, insert
from tests.blender.building import at_frames, empty, frames, part, wedge
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.preview.test_preview import FIRST, LAST, played, ships, shown, toggle
from tests.blender.steered import bake, crowd, fleet, select
from tests.blender.write.test_portrayal import portray
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


@pytest.fixture
def playing(monkeypatch):
    """Whether the timeline plays, as a list with one value."""
    plays = [True]
    monkeypatch.setattr(part("blender.preview.live"), "plays_in_whole_views", lambda scene: plays[0])
    monkeypatch.setattr(part("blender.preview.stand_ins"), "LEAST", 1)
    return plays


def mixed() -> list:
    obs = ships(6)
    for ob, mode in zip(obs, ("XYZ", "QUATERNION", "AXIS_ANGLE", "ZXY")):
        ob.rotation_mode = mode
    obs[2].scale *= 2.5
    obs[3].color = obs[4].color = (1.0, 0.0, 0.0, 1.0)
    obs[5].data = obs[0].data.copy()
    obs[1][part("blender.preview.swings").BEAT[0]] = "no number"
    bpy.context.view_layer.update()
    return obs


def by_faces() -> np.ndarray:
    """(n, 4, 4) where instances are drawn that are larger than nothing, in the order of their places."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = [np.array(each.matrix_world) for each in depsgraph.object_instances if each.is_instance]
    return in_order([matrix for matrix in found if matrix[:3, :3].any()])


def in_order(matrices) -> np.ndarray:
    return np.array(sorted(matrices, key=lambda matrix: matrix[:3, 3].round(3).tolist())).reshape(-1, 4, 4)


def test_faces_show_vehicles_where_objects_are_shown(playing) -> None:
    obs = mixed()
    select()
    before = scene_dump()
    playing[0] = False
    toggle()
    expected = played(obs)
    playing[0] = True
    for frame in at_frames((FIRST, 2, 9, LAST, 4)):
        np.testing.assert_allclose(by_faces(), in_order(expected[frame - FIRST]), atol=2e-5)
        assert not shown(obs)[:, :3, :3].any()
    playing[0] = False
    part("blender.preview.live")._on_stop(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert not len(by_faces())
    np.testing.assert_allclose(shown(obs), expected[4 - FIRST], atol=1e-6)
    toggle()
    bpy.context.scene.frame_set(FIRST)
    assert_same(before, scene_dump())


def test_faces_show_parts_that_drivers_move_by_the_beat(playing) -> None:
    obs = ships(4, wander={"strength": 8.0})
    portray(obs[0].steering.crowd, phase_by="TIME", glide_share=0.5, glide_time=0.3)
    for ob in obs:
        ob["steering_phase"], ob["steering_effort"] = 0.25, 1.0
        ob.update_tag()
    wings = [wedge(f"Wing {k}", location=(0.3, 0.0, 0.0)) for k in range(4)]
    turns = ("e*sin(6.283185*p)", "e*sin(6.283185*p)", "p", "p*frame")
    for ob, wing, turn in zip(obs, wings, turns):
        wing.parent = ob
        drive(wing, "rotation_euler", turn, index=1, p=(ob, '["steering_phase"]'), e=(ob, '["steering_effort"]'))
    obs[1].scale *= 2.0
    select()
    before = scene_dump()
    playing[0] = False
    toggle()
    shown_plainly = [*obs[:2], *wings[:2]]
    expected = played(shown_plainly)
    playing[0] = True
    for frame in at_frames((FIRST, 2, 9, LAST, 4)):
        np.testing.assert_allclose(by_faces(), in_order(expected[frame - FIRST]), atol=1e-2)
        assert shown(wings[2:])[:, :3, :3].any(axis=(1, 2)).all() and not shown(shown_plainly)[:, :3, :3].any()
    toggle()
    bpy.context.scene.frame_set(FIRST)
    assert_same(before, scene_dump())


def test_vehicles_are_shown_themselves_once_they_are_selected(playing) -> None:
    obs = mixed()
    select()
    toggle()
    bpy.context.scene.frame_set(5)
    select(obs[1])
    bpy.context.scene.frame_set(6)
    assert len(by_faces()) == 5 and shown(obs[1:2])[0, :3, :3].any()
    select()
    bpy.context.scene.frame_set(7)
    assert len(by_faces()) == 6
    obs[0].hide_set(True)
    bpy.context.scene.frame_set(8)
    assert len(by_faces()) == 5


def test_plain_vehicles_at_rest_are_shown_as_in_their_cache(playing) -> None:
    frames(FIRST, LAST)
    owner = crowd("Crew", wander={"strength": 8.0})
    fleet(4, crowd=owner)
    owner.steering.output = "CACHE"
    bake()
    owner.steering.wander.strength = 0.0
    select()
    toggle()
    bpy.context.scene.frame_set(6)
    assert len(by_faces()) == 4


def parented(ob) -> None:
    empty("Flag").parent = ob


def watched(ob) -> None:
    empty("Eye").constraints.new("TRACK_TO").target = ob


def read_by_a_driver(ob) -> None:
    drive(empty("Needle"), "location", "x", index=0, x=(ob, "location.x"))


def keyed(ob) -> None:
    insert(ob, "scale", {FIRST: (1.0, 1.0, 1.0), LAST: (2.0, 2.0, 2.0)})


def in_nodes(ob) -> None:
    nodes = bpy.data.node_groups.new("Reads", "GeometryNodeTree").nodes
    nodes.new("GeometryNodeObjectInfo").inputs["Object"].default_value = ob


def instanced(ob) -> None:
    flock = bpy.data.collections.new("Shown elsewhere")
    flock.objects.link(ob)
    nodes = bpy.data.node_groups.new("Reads", "GeometryNodeTree").nodes
    nodes.new("GeometryNodeCollectionInfo").inputs["Collection"].default_value = flock


def stretched(ob) -> None:
    ob.scale.x = 2.0


@pytest.mark.parametrize(
    "spoil",
    [parented, watched, read_by_a_driver, keyed, in_nodes, instanced, stretched],
    ids=lambda spoil: spoil.__name__,
)
def test_a_vehicle_that_others_depend_on_or_that_is_not_plain_moves_itself(playing, spoil) -> None:
    obs = ships(3)
    spoil(obs[0])
    select()
    bpy.context.view_layer.update()
    toggle()
    bpy.context.scene.frame_set(6)
    assert len(by_faces()) == 2 and shown(obs[:1])[0, :3, :3].any()


def test_no_faces_are_in_a_file_and_none_are_left_by_undo(playing, tmp_path) -> None:
    obs = mixed()
    select()
    toggle()
    bpy.context.scene.frame_set(3)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    with bpy.data.libraries.load(path) as (stored, _):
        assert not [name for kind in ("objects", "meshes") for name in getattr(stored, kind) if "Preview" in name]
    bpy.context.scene.frame_set(4)
    assert len(by_faces()) == 6
    mesh = obs[0].data.name
    bpy.ops.ed.undo_push(message="while it is on")
    toggle()
    bpy.ops.ed.undo_push(message="while it is off")
    bpy.ops.ed.undo()
    assert not [ob.name for ob in bpy.data.objects if "Preview" in ob.name]
    assert mesh in bpy.data.meshes
