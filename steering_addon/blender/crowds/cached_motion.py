"""The motion that a crowd cache shows, as its player plays it: with the edits of agents and the player's inputs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from bpy.types import Collection, Mesh, Object

from ...simulation.arrays.once import once
from ..animation.rotation_channels import channels_from_matrices, matrices_from_channels
from ..objects.doubles import doubles
from ..objects.node_inputs import input_of
from ..read.evaluated_points import KINDS
from ..refusal import Refusal
from .crowd_cache import edits_of, player_of, shown_by
from .shown_models import get_column

NEARER = 0.5
"""The share of the way to the next frame from which on the pose is that of the next."""
PLACES = ("position", "rotation")
ALIKE = 0.9995
"""The cosine of half the angle between two rotations from which on the way between them counts as straight."""


@dataclass(frozen=True)
class ShownAgents:
    """k agents on f frames.

    Attributes:
        rotation: (f, k, 4) quaternions.
        pose: (f, k) the number of the mesh among those of its variant, -1 for those that are not there.
        columns: (f, k) by name, what else the cache holds: `state`, `flags`, and what drivers read of a locomotion.
    """

    position: np.ndarray
    rotation: np.ndarray
    pose: np.ndarray
    columns: Mapping[str, np.ndarray]


class CachedMotion:
    """The motion of the n agents of a crowd cache. `edits`: the object with the changes after the simulation;
    `identity`: (n,) of the agents; `first`, `last`: the frames that are held."""

    def __init__(self, cache: Collection, crowd: Object) -> None:
        """Look up the parts. Refused if one is missing."""
        shown = shown_by(cache)
        modifier = player_of(shown) if shown is not None else None
        inputs = (input_of(modifier, name) if modifier else None for name in ("Cache", "Models", "Edits"))
        frames, models, edits = inputs
        if shown is None or frames is None or models is None:
            text = f"The cache of {crowd.name} has lost its frames or its models. Bake it again."
            raise Refusal(text, about=[crowd])
        self.shown, self.models, self.edits = shown, models, edits
        self._modifier, self._mesh = modifier, frames.data
        self.identity = get_column(shown.data, "id").astype(np.int64)
        self.first = int(input_of(modifier, "First Frame"))
        self._frames = len(frames.data.vertices) // max(len(self.identity), 1)
        self.last = self.first + self._frames - 1

    @once
    def edited(self) -> dict[str, np.ndarray]:
        """The edits of the agents, (n,) by name."""
        return edits_of(self.edits.data if self.edits is not None else None, self.identity)

    @once
    def variant(self) -> np.ndarray:
        """(n,) the numbers of their models."""
        variants, chosen = get_column(self.shown.data, "variant"), self.edited["variant"]
        return np.where(chosen >= 0, chosen, variants)

    @once
    def scale(self) -> np.ndarray:
        """(n, 3)"""
        return get_column(self.shown.data, "scale")

    @property
    def poses(self) -> int:
        """The number of meshes of each model; 0 if the player shows models as they are."""
        return int(input_of(self._modifier, "Poses")) if input_of(self._modifier, "Pick Poses") else 0

    def model(self, rows: np.ndarray, pose: np.ndarray) -> np.ndarray:
        """The numbers of the models that agents (k,), by their rows, show in these poses (..., k)."""
        return self.variant[rows] * self.poses + pose if self.poses else np.broadcast_to(self.variant[rows], pose.shape)

    def meshes(self) -> list[tuple[Mesh, np.ndarray]]:
        """The meshes that have the faces of the models, by number, and their points (v, 3)."""
        meshes = [ob.data for ob in sorted(self.models.objects, key=lambda ob: ob.name)]
        poses = [int(input_of(self._modifier, "Poses")) if "faced" in mesh.attributes else 1 for mesh in meshes]
        points = [np.split(get_column(mesh, "position"), number) for mesh, number in zip(meshes, poses)]
        return [(mesh, of_pose) for mesh, of_poses in zip(meshes, points) for of_pose in of_poses]

    def start_velocity(self, rows: np.ndarray) -> np.ndarray:
        """The velocities at which agents enter, (k, 3) m/s; nan where they are not known."""
        speed, shift = self._pace(rows)
        velocity = get_column(self.shown.data, "start_velocity")[rows] * speed[:, None]
        turned = np.einsum("ab,kb->ka", doubles(self.shown.matrix_world)[:3, :3], velocity)
        return np.where((shift == 0.0)[:, None], turned, np.nan)

    def _pace(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How fast agents are played, as a factor, and by how many frames they are ahead, (k,) each."""
        speed = input_of(self._modifier, "Speed") * self.edited["speed"][rows]
        return speed, input_of(self._modifier, "Frame Offset") + self.edited["frame_offset"][rows]

    def on_frames(self, frames: np.ndarray, rows: np.ndarray) -> ShownAgents:
        """Some of the agents (k,), by their rows, as they are shown on frames (f,)."""
        speed, shift = self._pace(rows)
        last = float(self._frames - 1)
        moments = np.clip((frames[:, None] - self.first) * speed + shift, 0.0, last)
        floors = np.floor(moments)
        fraction = (moments - floors)[..., None]
        before = floors.astype(np.int64) * len(self.identity) + rows
        after = np.minimum(floors + 1.0, last).astype(np.int64) * len(self.identity) + rows
        nearest = np.where(fraction[..., 0] < NEARER, before, after)
        position, rotation = self._position[before], self._rotation[before]
        if fraction.any():
            position = (1.0 - fraction) * position + fraction * self._position[after]
            rotation = _slerp(rotation, self._rotation[after], fraction)
        columns = {name: column[nearest] for name, column in self._columns.items()}
        position, rotation = self._in_world(position + self.edited["offset"][rows], rotation)
        return ShownAgents(position, rotation, columns.pop("pose"), columns)

    @once
    def _position(self) -> np.ndarray:
        return get_column(self._mesh, "position")

    @once
    def _rotation(self) -> np.ndarray:
        return get_column(self._mesh, "rotation")

    @once
    def _columns(self) -> dict[str, np.ndarray]:
        names = (
            attribute.name
            for attribute in self._mesh.attributes
            # Blender's own begin with a dot.
            if attribute.data_type in KINDS and attribute.name not in PLACES and not attribute.name.startswith(".")
        )
        return {name: get_column(self._mesh, name) for name in names}

    def _in_world(self, position: np.ndarray, rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        matrix = doubles(self.shown.matrix_world)
        if np.array_equal(matrix, np.eye(4)):
            return position, rotation
        linear = matrix[:3, :3]
        unscaled = linear / np.linalg.norm(linear, axis=0)
        matrices = np.einsum("ab,fkbc->fkac", unscaled, matrices_from_channels(rotation, "QUATERNION"))
        position = np.einsum("ab,fkb->fka", linear, position) + matrix[:3, 3]
        return position, channels_from_matrices(matrices, "QUATERNION")


def _slerp(a: np.ndarray, b: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """The rotations (..., 4) at a fraction (..., 1) of the shortest way from one to another."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    cosine = (a * b).sum(axis=-1, keepdims=True)
    b, cosine = np.where(cosine < 0.0, -b, b), np.abs(cosine)
    angle = np.arccos(np.minimum(cosine, 1.0))
    sine = np.where(cosine < ALIKE, np.sin(angle), 1.0)
    weights = [np.where(cosine < ALIKE, np.sin(weight * angle) / sine, weight) for weight in (1.0 - fraction, fraction)]
    mixed = weights[0] * a + weights[1] * b
    return mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
