"""The nodes of crowd caches: that the code makes the asset file, and how they are appended."""

import bpy
import numpy as np

from scripts.modelling.crowd_player import crowd_nodes
from tests.blender.building import part

files, models = part("blender.crowds.asset_files"), part("blender.crowds.cache_models")


def content(tree) -> dict:
    """A node group as plain values."""
    return {
        "inputs": [
            (each.name, each.in_out, each.socket_type, each.description)
            for each in tree.interface.items_tree
            if each.item_type == "SOCKET"
        ],
        "nodes": [(node.bl_idname, [value_of(socket) for socket in node.inputs]) for node in tree.nodes],
        "links": sorted(
            (link.from_node.name, link.from_socket.name, link.to_node.name, link.to_socket.name) for link in tree.links
        ),
    }


def value_of(socket):
    value = getattr(socket, "default_value", None)
    return np.round(tuple(value), 6).tolist() if hasattr(value, "__len__") and not isinstance(value, str) else value


def test_the_code_makes_what_the_asset_file_holds(addon) -> None:
    """After a change of the nodes, run scripts/ready_models and commit the file."""
    made = {tree.name: content(tree) for tree in crowd_nodes()}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert {tree.name: content(tree) for tree in map(files.node_group, files.GROUPS)} == made


def test_it_is_appended_once_and_tells_nothing_of_where_it_came_from(addon) -> None:
    group = files.node_group(files.PLAYER)
    assert files.node_group(files.PLAYER) == group
    assert group.name == "Crowd Player"
    assert len(bpy.data.node_groups) == 1
    assert not bpy.data.libraries
    assert getattr(group, "library_weak_reference", None) is None


def test_poses_are_in_their_order_also_where_blender_has_groups_in_another(addon) -> None:
    mesh = bpy.data.meshes.new("Posed")
    mesh.from_pydata(np.zeros((3, 3)), [], [(0, 1, 2)])
    variant = models.Variant(None, None, models.Cycles(), 0, np.ones(3), [mesh])
    variant.shapes = [np.full((3, 3), k, np.float32) for k in range(40)]
    ob = bpy.data.objects.new("Posed", variant.hold_poses(117, 40))
    bpy.context.scene.collection.objects.link(ob)
    modifier = ob.modifiers.new("Poses", "NODES")
    modifier.node_group = files.node_group(files.POSES)
    files.set_inputs(modifier, {"Poses": 40})
    shown = [i.object.data for i in bpy.context.evaluated_depsgraph_get().object_instances if i.is_instance]
    assert [[v.co.x for v in of_pose.vertices] for of_pose in shown] == [[k] * 3 for k in range(40)]
