"""The asset file of the ready scenes: that the code in scripts/modelling makes it, and how models of it are added."""

import bpy
import numpy as np
import pytest

from scripts.modelling.asset import make
from steering_addon.blender.animation.animation_data import channelbags
from tests.blender.building import part
from tests.sampling import sampled

ready = part("blender.crowds.ready_scenes.models")
MODELS = [model for model in vars(ready).values() if isinstance(model, ready.ReadyModel)]
TRAVELS = part("locomotion.driving").TRAVELS


def rounded(values) -> list[float]:
    return np.round(np.array([tuple(value) for value in values], dtype=np.float64), 6).tolist()


def content() -> dict:
    """What the file that is open holds of models, clips and materials, as plain values."""
    data = bpy.data
    return {
        "objects": {ob.name: of_object(ob) for ob in data.objects},
        "meshes": {mesh.name: of_mesh(mesh) for mesh in data.meshes},
        "materials": {m.name: (rounded([m.diffuse_color]), round(m.roughness, 6)) for m in data.materials},
        "armatures": {
            armature.name: [(bone.name, rounded(bone.matrix_local), round(bone.length, 6)) for bone in armature.bones]
            for armature in data.armatures
        },
        "actions": {
            action.name: [
                (curve.data_path, curve.array_index, rounded(key.co for key in curve.keyframe_points))
                for bag in channelbags(action)
                for curve in bag.fcurves
            ]
            for action in data.actions
        },
    }


def of_object(ob) -> tuple:
    drivers = [
        (
            (curve.data_path, curve.array_index, curve.driver.expression),
            [(v.name, v.targets[0].id.name, v.targets[0].data_path) for v in curve.driver.variables],
        )
        for curve in (ob.animation_data.drivers if ob.animation_data else ())
    ]
    return (
        ob.data.name,
        ob.parent and (ob.parent.name, ob.parent_type, ob.parent_bone),
        rounded([ob.location, *ob.matrix_parent_inverse.to_3x3()]),
        {name: ob[name] for name in sorted(ob.keys())},
        drivers,
        [(modifier.type, modifier.object.name) for modifier in ob.modifiers],
        [group.name for group in ob.vertex_groups],
    )


def of_mesh(mesh) -> tuple:
    return (
        rounded(vertex.co for vertex in mesh.vertices),
        [(tuple(face.vertices), face.material_index, face.use_smooth) for face in mesh.polygons],
        [material.name for material in mesh.materials],
        [sorted((group.group, round(group.weight, 6)) for group in vertex.groups) for vertex in mesh.vertices],
    )


def test_the_code_makes_what_the_asset_file_holds() -> None:
    """After a change of a model, run scripts/ready_models and commit the file."""
    make()
    made = content()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(ready.ASSET), link=False) as (stored, wanted):
        for kind in made:
            setattr(wanted, kind, getattr(stored, kind))
    held = content()
    for kind, blocks in made.items():
        assert held[kind].keys() == blocks.keys()
        assert [name for name in blocks if held[kind][name] != blocks[name]] == []
    assert ready.ASSET.stat().st_size < 1_000_000


@sampled
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_model_in_the_size_of_the_asset_file_is_what_it_holds(model) -> None:
    with bpy.data.libraries.load(str(ready.ASSET), link=False) as (_, wanted):
        wanted.objects = [f"{model.name} A"]
    held = wanted.objects[0]
    with ready.appended(model, model.size, 1) as cast:
        member = cast.add("Member", 0, bpy.context.scene.collection)
    if member.type == "MESH":
        assert of_mesh(member.data)[:2] == of_mesh(held.data)[:2]
    assert dict(member.items()) == dict(held.items())


@sampled
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_model_of_another_size_is_the_same_but_for_its_size(model) -> None:
    """Also while its drivers move it."""
    shapes = [shape_of(model, size, 0.37) for size in (model.size, 2.5 * model.size)]
    assert [list(shape) for shape in shapes] == [list(shapes[0])] * 2
    for name, points in shapes[0].items():
        np.testing.assert_allclose(shapes[1][name], 2.5 * points, atol=1e-4 * model.size)
    if model.stride:
        moved = shape_of(model, model.size, 0.62)
        assert max(np.abs(moved[name] - points).max() for name, points in shapes[0].items()) > 0.02 * model.size


def shape_of(model, size: float, phase: float) -> dict[str, np.ndarray]:
    """The vertices in the world of each part of a new member, (v, 3) metres."""
    collection = bpy.context.scene.collection
    with ready.appended(model, size, 1) as cast:
        root = cast.add("Member", 0, collection, phase if "steering_phase" in cast.models[0].parts[0] else None)
    for number, name in enumerate(TRAVELS):
        if name in root:
            root[name] = 0.004 * number * size
    root.update_tag()
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shape = {}
    for ob in (root, *root.children_recursive):
        evaluated = ob.evaluated_get(depsgraph)
        if ob.type == "MESH":
            title = ob.name.partition(".")[0]
            shape[title] = np.array([evaluated.matrix_world @ vertex.co for vertex in evaluated.data.vertices])
    for ob in (root, *root.children_recursive):
        bpy.data.objects.remove(ob)
    return shape


def test_variants_differ_in_color_alone_and_are_appended_as_needed() -> None:
    sheep = next(model for model in MODELS if model.name == "Sheep")
    with ready.appended(sheep, 1.0, 3) as cast:
        members = [cast.add(f"Member {number}", number, bpy.context.scene.collection) for number in range(4)]
    assert len({ob.data for ob in members}) == 3 and members[3].data == members[0].data
    assert len(bpy.data.meshes) == 12
    woolly = [next(part for part in ob.children_recursive if part.name.endswith("Body")).data for ob in members[:3]]
    assert len({tuple(mesh.materials[0].diffuse_color) for mesh in woolly}) == 3
    assert len({tuple(tuple(vertex.co) for vertex in mesh.vertices) for mesh in woolly}) == 1
