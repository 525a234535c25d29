"""Crowds in USD files: Blender's own import shows what the bake does."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from steering_addon.blender.crowds.shown_models import get_column
from steering_addon.blender.write.usd_points import CrowdPoints, matrices_of, write_points
from tests.blender.building import at_frames, frames
from tests.blender.dumping import refuses
from tests.blender.seen import places
from tests.blender.steered import bake, crowd, fleet
from tests.sampling import in_every_blender

pytestmark = in_every_blender

HAS_USD = hasattr(bpy.utils, "expose_bundled_modules")


def painted_fleet() -> list:
    """Ships of two models, of which one has a material and is larger."""
    frames(1, 6)
    ships = fleet(3, crowd=crowd(wander={}))
    hull = ships[0].data.copy()
    hull.materials.append(bpy.data.materials.new("Hull"))
    hull.materials[0].diffuse_color = (0.8, 0.1, 0.1, 1.0)
    ships[0].data, ships[0].scale = hull, (2.0, 2.0, 2.0)
    bake()
    return ships


def shown(over: range) -> tuple[np.ndarray, np.ndarray, list[list[str]]]:
    """Where instances are on frames, (f, n, 3), how large, (f, n), and the names of their materials."""
    where, size, names = [], [], []
    for _ in at_frames(over):
        graph = bpy.context.evaluated_depsgraph_get()
        told = [
            (
                tuple(each.matrix_world.translation),
                each.matrix_world.median_scale,
                [m.name for m in each.object.data.materials],
            )
            for each in graph.object_instances
            if each.is_instance and each.object.type == "MESH"
        ]
        where.append([place for place, _, _ in told])
        size.append([scale for _, scale, _ in told])
        names.append([name for _, _, found in told for name in found])
    return np.array(where), np.array(size), names


@pytest.mark.skipif(not HAS_USD, reason="Blender has no USD for scripts")
@pytest.mark.parametrize("output", ["KEYFRAMES", "CACHE"])
def test_blenders_import_shows_each_member_where_it_was_baked(output: str, tmp_path: Path) -> None:
    ships = painted_fleet()
    baked = np.stack([places(ship, range(1, 7)) for ship in ships], axis=1)
    ships[0].steering.crowd.steering.output = output
    bake()
    file = str(tmp_path / "crowd.usdc")
    assert bpy.ops.steering.export_usd(filepath=file) == {"FINISHED"}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.usd_import(filepath=file)
    where, size, names = shown(range(1, 7))
    # A cache has its members in the order of their identities.
    order = [int(np.abs(baked - where[:, k : k + 1]).max(axis=(0, 2)).argmin()) for k in range(3)]
    np.testing.assert_allclose(where, baked[:, order], atol=1e-5)
    np.testing.assert_allclose(size, np.tile(np.where(np.array(order) == 0, 2.0, 1.0), (6, 1)), rtol=2e-3)
    assert names == [["Hull"]] * 6


@pytest.mark.skipif(not HAS_USD, reason="Blender has no USD for scripts")
def test_a_file_tells_on_each_frame_what_was_told(tmp_path: Path) -> None:
    """Also who is away and which model each shows, where these change and change back."""
    ships, rng = painted_fleet(), np.random.default_rng(1)
    shown = np.array(((0, 1, -1), (0, 1, -1), (-1, 1, 0), (1, 1, 0), (0, 1, -1)))
    meshes = [(ship.data, get_column(ship.data, "position")) for ship in ships[:2]]
    place, turn = rng.normal(size=(5, 3, 3)), rng.normal(size=(5, 3, 4))
    turn /= np.linalg.norm(turn, axis=-1, keepdims=True)
    told = CrowdPoints("Fleet", 11, np.array((7, 8, 9)), place, turn, np.ones((3, 3)), shown, meshes)
    file = str(tmp_path / "points.usda")
    write_points(Path(file), [told], 25.0)
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(file)
    points = UsdGeom.PointInstancer(stage.GetPrimAtPath("/Crowds/Fleet"))
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (11.0, 15.0)
    for row, now in enumerate(shown):
        frame = 11 + row
        np.testing.assert_allclose(points.GetPositionsAttr().Get(frame), place[row], atol=1e-6)
        velocity = 25.0 * (place[min(row, 3) + 1] - place[min(row, 3)])
        np.testing.assert_allclose(points.GetVelocitiesAttr().Get(frame), velocity, atol=1e-3)
        there = [(each.real, *each.imaginary) for each in points.GetOrientationsAttr().Get(frame)]
        np.testing.assert_allclose(there, turn[row], atol=1e-3)
        assert list(points.GetInvisibleIdsAttr().Get(frame)) == [7 + k for k in np.flatnonzero(now < 0)]
        assert (np.array(points.GetProtoIndicesAttr().Get(frame)) == now)[now >= 0].all()
    assert list(matrices_of(ships, bpy.context.scene, 2, 5)) == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.skipif(not HAS_USD, reason="Blender has no USD for scripts")
def test_an_export_of_several_crowds_leaves_no_meshes_behind(tmp_path: Path) -> None:
    painted_fleet()
    fleet(2, crowd=crowd("Others", wander={}))
    bake()
    before = set(bpy.data.meshes)
    assert bpy.ops.steering.export_usd(filepath=str(tmp_path / "crowds.usdc")) == {"FINISHED"}
    assert set(bpy.data.meshes) == before


@pytest.mark.skipif(HAS_USD, reason="Blender has USD for scripts")
def test_an_older_blender_says_in_a_sentence_that_it_has_no_usd(tmp_path: Path) -> None:
    painted_fleet()
    refuses("export_usd", "Blender has no USD", filepath=str(tmp_path / "crowd.usdc"))
