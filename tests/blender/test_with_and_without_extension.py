"""Disabling the extension leaves nothing behind, and a baked file plays without the extension."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import drive, insert, keys
from tests.blender.building import empty, frames, in_another_blender, wedge
from tests.blender.dumping import scene_dump
from tests.blender.seen import baked_frames, world_matrices
from tests.blender.steered import bake, crowd, leader, obstacle, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender


def registered() -> set[str]:
    """The names of everything that the extension has registered."""
    names = {name for name in dir(bpy.types) if name.startswith("STEERING_")}
    names |= {f"ops.{name}" for name in dir(bpy.ops.steering)}
    groups = ("object", "scene", "start", "vehicle", "seek")
    names |= {name for name in groups if bpy.types.PropertyGroup.bl_rna_get_subclass_py(f"STEERING_PG_{name}")}
    for kind in (bpy.types.Object, bpy.types.Scene):
        if "steering" in kind.bl_rna.properties:
            names.add(f"{kind.__name__}.steering")
    for menu in ("VIEW3D_PT_overlay", "VIEW3D_MT_object"):
        drawn = getattr(bpy.types, menu).draw._draw_funcs
        names |= {f"{menu}.{each.__name__}" for each in drawn if "steering_addon" in each.__module__}
    return names


def handlers() -> dict[str, list]:
    """The functions that are called at each event; others may come between those that are registered again."""
    return {
        name: sorted(functions, key=id)
        for name in dir(bpy.app.handlers)
        if isinstance(functions := getattr(bpy.app.handlers, name), list)
    }


def test_unregistering_removes_everything_and_registering_restores_it(addon) -> None:
    names = registered()
    assert {"Object.steering", "Scene.steering", "ops.bake", "STEERING_PT_bake", "seek"} <= names
    assert {"VIEW3D_PT_overlay.show_switch", "VIEW3D_MT_object.show_menu"} <= names
    handlers_before = handlers()
    for _ in range(2):
        addon.unregister()
        try:
            assert registered() == set()
        finally:
            addon.register()
        assert registered() == names
    assert handlers() == handlers_before


def test_settings_survive_unregistering_and_registering_again(addon) -> None:
    ob = vehicle(crowd=crowd(seek={"weight": 3.0}), identity=7)
    before = scene_dump()["objects"]
    addon.unregister()
    addon.register()
    ob = bpy.data.objects["Ship"]
    assert ob.steering.identity == 7
    assert ob.steering.crowd.steering.seek.weight == 3.0
    assert scene_dump()["objects"] == before


PLAYING = """
    import os, sys
    import bpy
    import numpy as np
    bpy.ops.wm.open_mainfile(filepath={path!r})
    assert not hasattr(bpy.types.Object, "steering")
    assert not [name for name in dir(bpy.types) if name.startswith("STEERING_")]
    scene = bpy.context.scene
    played = []
    for frame in {frames!r}:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        played.append([np.array(bpy.data.objects[name].evaluated_get(depsgraph).matrix_world) for name in {names!r}])
    np.save({result!r}, np.array(played))
    scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath={resaved!r})
    sys.stdout.flush()
    os._exit(0)
"""


@pytest.fixture
def baked_scene():
    """The names of two baked vehicles, one with keys of its own besides the bake and a wing that its phase drives, the
    other with a moving parent, and of the wing."""
    frames(1, 20)
    flock = crowd(wander={}, seek={}, obstacle_avoidance={})
    flock.steering.portrayal.use = True
    leader(location=(5.0, 20.0, 3.0))
    obstacle(location=(1.0, 6.0, 0.0))
    mast = empty("Mast")
    insert(mast, "location", {1: (0.0, 0.0, 0.0), 20: (3.0, 0.0, 1.0)})
    free, carried = vehicle(name="Free", crowd=flock), vehicle(name="Carried", location=(4.0, 0.0, 0.0), crowd=flock)
    carried.parent = mast
    carried.rotation_mode = "QUATERNION"
    wing = wedge("Wing")
    wing.parent = free
    drive(wing, "rotation_euler", "0.5 * p", index=1, p=(free, '["steering_phase"]'))
    bake()
    insert(free, "scale", {1: (1.0, 1.0, 1.0), 20: (2.0, 1.0, 1.0)})
    bpy.context.scene.frame_set(1)
    return [free.name, carried.name, wing.name]


def test_a_baked_file_plays_the_same_without_the_extension_and_survives_saving_there(baked_scene, tmp_path) -> None:
    names = baked_scene
    played = np.stack([world_matrices(bpy.data.objects[name], baked_frames()) for name in names], axis=1)
    baked_keys = {name: keys(bpy.data.objects[name]) for name in names}
    path, result, resaved = (str(tmp_path / name) for name in ("baked.blend", "played.npy", "resaved.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    (tmp_path / "user").mkdir()
    in_another_blender(
        PLAYING,
        tmp_path / "user",
        path=path,
        frames=list(baked_frames()),
        names=names,
        result=result,
        resaved=resaved,
    )
    np.testing.assert_array_equal(np.load(result), played)

    bpy.ops.wm.open_mainfile(filepath=resaved)
    assert {name: keys(bpy.data.objects[name]) for name in names} == baked_keys
    bake()
    assert {name: keys(bpy.data.objects[name]) for name in names} == baked_keys
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    assert tuple(bpy.data.objects["Carried"].location) == (4.0, 0.0, 0.0)
