"""The player of crowd caches: that the code makes the asset file, and how it is appended."""

import bpy
import numpy as np

from scripts.modelling.crowd_player import crowd_player
from tests.blender.building import part

player = part("blender.crowds.asset_files")


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
    """After a change of the player, run scripts/ready_models and commit the file."""
    made = content(crowd_player())
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert content(player.player()) == made


def test_it_is_appended_once_and_tells_nothing_of_where_it_came_from(addon) -> None:
    group = player.player()
    assert player.player() == group
    assert group.name == "Crowd Player"
    assert len(bpy.data.node_groups) == 1
    assert not bpy.data.libraries
    assert getattr(group, "library_weak_reference", None) is None
