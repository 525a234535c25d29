"""What docs/handing_over.md says: with these settings, another program or file shows what the bake shows."""

import json
import struct
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.building import at_frames, frames
from tests.blender.steered import bake
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

FRAMES = (1, 11, 20)
NEAR = 0.03
"""In meters. glTF moves what is parented to a bone by up to 1.8 cm."""

FORMATS: dict[str, tuple[Callable, Callable]] = {
    "abc": (
        lambda path: bpy.ops.wm.alembic_export(filepath=path, start=1, end=20, as_background_job=False),
        lambda path: bpy.ops.wm.alembic_import(filepath=path, as_background_job=False),
    ),
    "usdc": (
        lambda path: bpy.ops.wm.usd_export(filepath=path, export_animation=True),
        lambda path: bpy.ops.wm.usd_import(filepath=path),
    ),
    "glb": (
        lambda path: bpy.ops.export_scene.gltf(
            filepath=path, export_animation_mode="SCENE", export_anim_scene_split_object=False
        ),
        lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ),
    "fbx": (
        lambda path: bpy.ops.export_scene.fbx(
            filepath=path,
            bake_anim_use_nla_strips=False,
            bake_anim_use_all_actions=False,
            bake_anim_simplify_factor=0.0,
        ),
        lambda path: bpy.ops.import_scene.fbx(filepath=path, anim_offset=0.0),
    ),
    "blend": (
        lambda path: bpy.ops.wm.save_as_mainfile(filepath=path, copy=True),
        lambda path: link_collections(path),
    ),
}
"""How to write a file of each kind, and how to read it back."""


def link_collections(path: str) -> None:
    """Link all collections of a file that no other contains, as File > Link does."""
    with bpy.data.libraries.load(path, link=True) as (available, linked):
        linked.collections = available.collections
    children = {child for group in bpy.data.collections for child in group.children}
    for group in bpy.data.collections:
        if group not in children:
            bpy.context.scene.collection.children.link(group)


def boxes() -> dict[str, np.ndarray]:
    """The corners of the box in the world of each evaluated mesh, on each frame: (F, 2, 3)."""
    found: dict[str, list] = {}
    for _ in at_frames(FRAMES):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for ob in bpy.context.scene.objects:
            if ob.type == "MESH":
                seen = ob.evaluated_get(depsgraph)
                mesh = seen.to_mesh()
                corners = np.empty((len(mesh.vertices), 3), np.float32)
                mesh.vertices.foreach_get("co", corners.ravel())
                world = np.array(seen.matrix_world)
                corners = corners @ world[:3, :3].T + world[:3, 3]
                seen.to_mesh_clear()
                found.setdefault(ob.name, []).append((corners.min(axis=0), corners.max(axis=0)))
    return {name: np.array(boxes) for name, boxes in found.items()}


@pytest.fixture(scope="module")
def baked(empty: str, tmp_path_factory) -> tuple[str, dict[str, np.ndarray]]:
    """A file of baked people, who play clips and carry bags, and birds, whose wings drivers beat; and their boxes."""
    bpy.ops.wm.read_homefile(filepath=empty)
    for module in ("io_scene_gltf2", "io_scene_fbx"):
        bpy.ops.preferences.addon_enable(module=module)
    frames(1, 20)
    bpy.ops.steering.add_walkers(count=3, seed=1)
    bpy.ops.steering.add_flock(count=3, seed=1)
    bake()
    path = str(tmp_path_factory.mktemp("baked") / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    seen = boxes()
    assert len(seen) > 12
    assert all(np.ptp(corners, axis=0).max() > NEAR for corners in seen.values()), "Everything moves."
    return path, seen


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_crowd_comes_back_as_it_was_baked(suffix: str, baked, tmp_path: Path) -> None:
    file, seen_in_the_bake = baked
    bpy.ops.wm.open_mainfile(filepath=file)
    write, read = FORMATS[suffix]
    path = str(tmp_path / f"crowd.{suffix}")
    assert write(path) == {"FINISHED"}
    bpy.ops.wm.read_homefile(use_empty=True)
    read(path)
    read_back = np.stack(list(boxes().values()))
    for name, wanted in seen_in_the_bake.items():
        # Formats spell names in ways of their own.
        off = np.abs(read_back - wanted).max(axis=(1, 2, 3)).min()
        assert off < NEAR, f"{name} is {off:.3f} m off."
    if suffix == "glb":
        assert len(animations(path)) == 1, "Players play the first animation only."


def animations(path: str) -> list:
    """The animations of a binary glTF file."""
    content = Path(path).read_bytes()
    (length,) = struct.unpack("<I", content[12:16])
    return json.loads(content[20 : 20 + length])["animations"]
