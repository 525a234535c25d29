"""Appending from the files in `assets/`, so that nothing in the user's file tells where the extension was.

One holds the node groups of crowd caches, which `scripts/modelling/crowd_player.py` makes. What they play needs no
extension.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
from bpy.types import ID, Modifier, NodeTree

from ..objects.node_inputs import identifier, set_input

ASSET = Path(__file__).resolve().parents[3] / "assets" / "crowd_player.blend"
PLAYER, POSES = "steering_player", "steering_poses"
"""The custom properties of the node groups that hold their version. Stored in files."""
GROUPS = {PLAYER: ("Crowd Player", 2), POSES: ("Crowd Poses", 1)}
"""Their names and versions."""
PHASES = 128
"""The parts of a cycle in which a cache holds a phase."""


@contextmanager
def asset_file(path: Path) -> Iterator[tuple]:
    """An asset file opened for appending: what it holds, and what is wanted of it."""
    before = set(bpy.data.libraries)
    with bpy.data.libraries.load(str(path), link=False) as sides:
        yield sides
    # Blender keeps an entry of a file that nothing is linked from.
    bpy.data.batch_remove(set(bpy.data.libraries) - before)


def own_copy(block: ID) -> ID:
    """A copy of an appended datablock in its place: the original may hold the path of the asset file."""
    copy, name = block.copy(), block.name
    block.user_remap(copy)
    bpy.data.batch_remove([block])
    copy.name = name
    return copy


def node_group(kind: str) -> NodeTree:
    """The player in this file, or what poses models; it is appended if there is none of this version."""
    name, version = GROUPS[kind]
    for group in bpy.data.node_groups:
        if group.library is None and group.get(kind) == version:
            return group
    with asset_file(ASSET) as (_, wanted):
        wanted.node_groups = [name]
    return own_copy(wanted.node_groups[0])


def set_inputs(modifier: Modifier, values: Mapping[str, Any]) -> None:
    """Set inputs of a node group by their labels."""
    for label, value in values.items():
        set_input(modifier, identifier(modifier, label), value)
    modifier.id_data.update_tag()
