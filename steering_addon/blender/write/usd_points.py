"""Baked crowds as points of a USD file, each of which shows one of a few meshes: UsdGeom.PointInstancer.

Those of a crowd cache are as it has them, those of keyed objects come of playing the scene. The file is written by the
USD that Blender brings along, from 4.4 on.
"""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Material, Mesh, Object, Scene, ViewLayer

from ..animation.frame_rate import frame_kept
from ..animation.rotation_channels import channels_from_matrices
from ..crowds.cache_models import Cycles, Variant, looks_of, making
from ..crowds.cached_motion import CachedMotion
from ..crowds.model_aside import scale_in_world
from ..crowds.shown_models import get_column
from ..objects.characters import is_character
from ..objects.doubles import column_from
from ..objects.hierarchy import Family
from ..pieces import in_one_go
from ..refusal import Refusal


@dataclass(frozen=True)
class CrowdPoints:
    """The n members of a crowd on f frames.

    Attributes:
        identity: (n,) numbers that tell them apart.
        rotation: (f, n, 4) quaternions (w, x, y, z).
        scale: (n, 3).
        shown: (f, n) the number of the mesh that shows each; -1 for none.
        meshes: these, in the space of a member: the mesh that has the faces of each, and its points (v, 3).
    """

    name: str
    first: int
    identity: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray
    shown: np.ndarray
    meshes: Sequence[tuple[Mesh, np.ndarray]]


def check_has_usd() -> None:
    """Refuse a Blender without USD for scripts."""
    if not hasattr(bpy.utils, "expose_bundled_modules"):
        raise Refusal("This Blender has no USD for scripts. Use Blender 4.5 or newer.")


def write_points(path: Path, crowds: Sequence[CrowdPoints], rate: float) -> None:
    """Write crowds into a file; `rate`: frames a second."""
    bpy.utils.expose_bundled_modules()
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.CreateInMemory()
    stage.SetStartTimeCode(min(crowd.first for crowd in crowds))
    stage.SetEndTimeCode(max(crowd.first + len(crowd.position) - 1 for crowd in crowds))
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    root = UsdGeom.Xform.Define(stage, "/Crowds")
    stage.SetDefaultPrim(root.GetPrim())
    materials = _Materials(stage)
    for crowd in crowds:
        _write(stage, crowd, _free(stage, "/Crowds", crowd.name), rate, materials)
    stage.GetRootLayer().Export(str(path))


def _write(stage: Any, crowd: CrowdPoints, at: str, rate: float, materials: "_Materials") -> None:
    from pxr import UsdGeom, Vt

    points = UsdGeom.PointInstancer.Define(stage, at)
    prototypes = points.CreatePrototypesRel()
    for mesh, corners in crowd.meshes:
        path = _free(stage, f"{at}/Prototypes", mesh.name)
        _write_mesh(stage, mesh, corners, path, materials)
        prototypes.AddTarget(path)
    points.CreateIdsAttr(Vt.Int64Array.FromNumpy(crowd.identity.astype(np.int64)))
    points.CreateScalesAttr(Vt.Vec3fArray.FromNumpy(crowd.scale.astype(np.float32)))
    positions, velocities = points.CreatePositionsAttr(), points.CreateVelocitiesAttr()
    turns, shown, unseen = (
        points.CreateOrientationsAttr(),
        points.CreateProtoIndicesAttr(),
        points.CreateInvisibleIdsAttr(),
    )
    velocity = _velocity(crowd.position, rate)
    # The imaginary part comes first.
    rotation = crowd.rotation[..., [1, 2, 3, 0]].astype(np.float16)
    index, away = np.maximum(crowd.shown, 0).astype(np.int32), crowd.shown < 0
    for row, frame in enumerate(range(crowd.first, crowd.first + len(crowd.position))):
        positions.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(crowd.position[row], np.float32)), frame)
        velocities.Set(Vt.Vec3fArray.FromNumpy(velocity[row]), frame)
        turns.Set(Vt.QuathArray.FromNumpy(rotation[row]), frame)
        if not row or (index[row] != index[row - 1]).any():
            shown.Set(Vt.IntArray.FromNumpy(index[row]), frame)
        if not row or (away[row] != away[row - 1]).any():
            unseen.Set(Vt.Int64Array.FromNumpy(crowd.identity[away[row]].astype(np.int64)), frame)


def _velocity(position: np.ndarray, rate: float) -> np.ndarray:
    """Metres a second (f, n, 3) on each frame, toward the next one: what is interpolated from frame to frame."""
    velocity = np.zeros(position.shape, np.float32)
    if len(position) > 1:
        velocity[:-1] = (position[1:] - position[:-1]) * np.float32(rate)
        velocity[-1] = velocity[-2]
    return velocity


def _write_mesh(stage: Any, mesh: Mesh, points: np.ndarray, path: str, materials: "_Materials") -> None:
    from pxr import Sdf, UsdGeom, UsdShade, Vt

    made = UsdGeom.Mesh.Define(stage, path)
    made.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    made.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    made.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(column_from(mesh.polygons, "loop_total", 1, np.int32)))
    made.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(column_from(mesh.loops, "vertex_index", 1, np.int32)))
    if mesh.uv_layers.active is not None:
        kind, corners = Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying
        places = UsdGeom.PrimvarsAPI(made).CreatePrimvar("st", kind, corners)
        places.Set(Vt.Vec2fArray.FromNumpy(column_from(mesh.uv_layers.active.uv, "vector", 2, np.float32)))
    of_faces = column_from(mesh.polygons, "material_index", 1, np.int32)
    used = [row for row, material in enumerate(mesh.materials) if material is not None and (of_faces == row).any()]
    for row in used:
        part = made
        if len(used) > 1 or (of_faces != row).any():
            faces = Vt.IntArray.FromNumpy(np.flatnonzero(of_faces == row).astype(np.int32))
            name, face, kind = f"Faces{row}", UsdGeom.Tokens.face, "materialBind"
            part = UsdGeom.Subset.CreateGeomSubset(made, name, face, faces, kind)
        UsdShade.MaterialBindingAPI.Apply(part.GetPrim()).Bind(materials.of(mesh.materials[row]))


class _Materials:
    """The materials of a file, made as they are asked for: the color, metal and roughness of each surface."""

    def __init__(self, stage: Any) -> None:
        self._stage, self._made = stage, {}

    def of(self, material: Material) -> Any:
        if material not in self._made:
            self._made[material] = self._new(material)
        return self._made[material]

    def _new(self, material: Material) -> Any:
        from pxr import Gf, Sdf, UsdShade

        made = UsdShade.Material.Define(self._stage, _free(self._stage, "/Crowds/Materials", material.name))
        shader = UsdShade.Shader.Define(self._stage, made.GetPath().AppendChild("Surface"))
        shader.CreateIdAttr("UsdPreviewSurface")
        color, *numbers = _surface_of(material)
        shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*color))
        for name, number in zip(("metallic", "roughness", "opacity"), numbers):
            shader.CreateInput(name, Sdf.ValueTypeNames.Float).Set(number)
        made.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        return made


def _surface_of(material: Material) -> tuple[Sequence[float], float, float, float]:
    """The color, the metal, the roughness and the opacity of a material: of its Principled BSDF, or as solid shading
    shows it."""
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    shader = next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shader is None or shader.inputs["Base Color"].is_linked:
        return material.diffuse_color[:3], material.metallic, material.roughness, material.diffuse_color[3]
    color, *rest = (shader.inputs[name].default_value for name in ("Base Color", "Metallic", "Roughness", "Alpha"))
    return color[:3], *rest


def _free(stage: Any, below: str, name: str) -> str:
    """A path that is not taken, for something of a name that may hold what paths do not."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    word = word if word[:1].isalpha() else f"_{word}"
    path, number = f"{below}/{word}", 0
    while stage.GetPrimAtPath(path):
        number += 1
        path = f"{below}/{word}_{number}"
    return path


def cached_points(cache: Collection, crowd: Object) -> CrowdPoints:
    """The points that a crowd cache shows. Refused if a part of the cache is missing."""
    motion = CachedMotion(cache, crowd)
    frames, rows = np.arange(motion.first, motion.last + 1), np.arange(len(motion.identity))
    position, rotation = (np.empty((len(frames), len(rows), width), np.float32) for width in (3, 4))
    shown = np.empty(position.shape[:2], np.int32)
    # One after the other: new memory for all frames takes longer than what is worked out in it.
    for row in range(len(frames)):
        agents = motion.on_frames(frames[row : row + 1], rows)
        position[row], rotation[row] = agents.position[0], agents.rotation[0]
        away = (agents.pose[0] < 0) | motion.edited["hidden"]
        shown[row] = np.where(away, -1, motion.model(rows, agents.pose[0]))
    return CrowdPoints(
        name=crowd.name,
        first=motion.first,
        identity=motion.identity,
        position=position,
        rotation=rotation,
        scale=motion.scale,
        shown=shown,
        meshes=motion.meshes(),
    )


def check_rigid(crowd: Object, vehicles: Sequence[Object], family: Family) -> None:
    """Refuse vehicles that an armature poses: each point shows a mesh as it is."""
    for ob in vehicles:
        if is_character(ob, family):
            text = f"{ob.name} is posed by an armature, which keyed points do not show"
            raise Refusal(f"{text}. Set Output of {crowd.name} to Crowd Cache, and bake it.", about=[ob])


@contextmanager
def models_made(crowds: Sequence[Sequence[Object]], scene: Scene, layer: ViewLayer) -> Iterator[list[list[Mesh]]]:
    """A mesh for each look of the vehicles of each crowd, until the end."""
    family, made = Family(), []
    variants = []
    try:
        for vehicles in crowds:
            _, first = looks_of(vehicles, family)
            variants = [
                Variant(vehicles[k], vehicles[k], Cycles(), n, scale_in_world(vehicles[k])) for n, k in enumerate(first)
            ]
            in_one_go(making(variants, {}, scene, layer, family))
            made.append([each.meshes[0] for each in variants])
        yield made
    finally:
        bpy.data.batch_remove({mesh for each in variants for mesh in each.meshes} | {m for each in made for m in each})


def matrices_of(
    vehicles: Sequence[Object], scene: Scene, first: int, last: int
) -> Generator[float, None, tuple[np.ndarray, np.ndarray]]:
    """The matrices (f, n, 4, 4) of objects on frames, and who is hidden, (f, n), yielding the share that is done.

    The scene is played for it, and is then on the frame on which it was.
    """
    count = last + 1 - first
    matrices, away = np.empty((count, len(vehicles), 4, 4)), np.zeros((count, len(vehicles)), np.bool_)
    with frame_kept(scene):
        for row in range(count):
            scene.frame_set(first + row)
            for column, ob in enumerate(vehicles):
                matrices[row, column] = ob.matrix_world
                away[row, column] = ob.hide_render
            yield (row + 1) / count
    return matrices, away


def keyed_points(
    crowd: Object,
    vehicles: Sequence[Object],
    first: int,
    matrices: np.ndarray,
    away: np.ndarray,
    meshes: Sequence[Mesh],
) -> CrowdPoints:
    """The points of the vehicles of a crowd, from what `matrices_of` and `models_made` tell of them."""
    bases = matrices[..., :3, :3]
    lengths = np.sqrt((bases * bases).sum(axis=-2))
    # A matrix that mirrors is no rotation.
    lengths[..., 0] *= np.where(np.linalg.det(bases) < 0.0, -1.0, 1.0)
    number, _ = looks_of(vehicles, Family())
    return CrowdPoints(
        name=crowd.name,
        first=first,
        identity=np.array([ob.steering.identity for ob in vehicles], np.int64),
        position=matrices[..., :3, 3].astype(np.float32),
        rotation=channels_from_matrices(bases / np.where(lengths == 0.0, 1.0, lengths)[..., None, :], "QUATERNION"),
        scale=lengths[0],
        shown=np.where(away, -1, number),
        meshes=[(mesh, get_column(mesh, "position")) for mesh in meshes],
    )
