"""The country round a ready scene with land of its own: slopes down to the fields, and trees that stand on it."""

import math
import random
from collections.abc import Callable, Sequence

import bpy
import numpy as np
from mathutils import Matrix, Vector

SLOPE = 60.0  # m, from the edge of the land down to the fields
NEAR = 34.0  # m, from the action, within which trees cast shadows


def embed(land: bpy.types.Object) -> None:
    """Continue a square of land outward, down to the fields at height 0, in its own material.

    The land is a grid whose points come in rows. Neither casts shadows.
    """
    bpy.context.view_layer.update()
    land.display.show_shadows = False
    places = np.array([land.matrix_world @ v.co for v in land.data.vertices])
    side = math.isqrt(len(places))
    grid = places.reshape(side, side, 3)
    edge = np.concatenate((grid[:-1, 0], grid[-1, :-1], grid[:0:-1, -1], grid[0, :0:-1]))
    middle = places.mean(axis=0)
    half = np.abs(edge[:, :2] - middle[:2]).max()
    rings = []
    for share in np.linspace(0.0, 1.0, 9):
        fall = share * share * (3.0 - 2.0 * share)
        ring = edge.copy()
        ring[:, :2] = middle[:2] + (edge[:, :2] - middle[:2]) * (1.0 + share * SLOPE / half)
        ring[:, 2] = edge[:, 2] * (1.0 - fall) + 0.05 * fall
        rings.append(ring)
    count = len(edge)
    faces = [
        (k * count + i, k * count + (i + 1) % count, (k + 1) * count + (i + 1) % count, (k + 1) * count + i)
        for k in range(len(rings) - 1)
        for i in range(count)
    ]
    mesh = bpy.data.meshes.new("Slopes")
    mesh.from_pydata(np.concatenate(rings).tolist(), [], faces)
    mesh.materials.append(land.data.materials[0])
    mesh.polygons.foreach_set("use_smooth", [True] * len(faces))
    mesh.update()
    if mesh.polygons[0].normal.z < 0.0:
        mesh.flip_normals()
    slopes = bpy.data.objects.new("Slopes", mesh)
    slopes.display.show_shadows = False
    bpy.context.scene.collection.objects.link(slopes)


def plant(
    land: bpy.types.Object,
    kinds: Sequence[bpy.types.Mesh],
    room: Callable[[float, float], float],
    count: int,
    seed: int,
) -> None:
    """Place trees of some kinds on the land, where there is room for them. `room`: maps x, y to the distance from the
    action, metres; trees stand more than 0 m away."""
    chance, grove = random.Random(seed), bpy.data.collections.new("Trees")
    bpy.context.scene.collection.children.link(grove)
    middle, half = land.matrix_world.translation, 0.5 * max(land.dimensions[:2])
    planted = 0
    while planted < count:
        x, y = (chance.uniform(-0.97, 0.97) * half + middle[axis] for axis in (0, 1))
        distance = room(x, y)
        hit, place, _, _ = land.ray_cast(land.matrix_world.inverted() @ Vector((x, y, 500.0)), Vector((0.0, 0.0, -1.0)))
        if distance <= 0.0 or not hit:
            continue
        tree, spot = bpy.data.objects.new("Tree", chance.choice(kinds)), land.matrix_world @ place
        turn, scale = chance.uniform(0.0, math.tau), chance.uniform(0.6, 1.15)
        lowered = Matrix.Translation(spot - Vector((0.0, 0.0, 0.1)))
        tree.matrix_world = lowered @ Matrix.Rotation(turn, 4, "Z") @ Matrix.Scale(scale, 4)
        grove.objects.link(tree)
        tree.display.show_shadows = distance < NEAR
        planted += 1


def away_from(ways: np.ndarray, clear: float) -> Callable[[float, float], float]:
    """How far x, y is from ways (..., 3) of animals and cameras, beyond some metres."""
    places = np.unique(np.round(ways.reshape(-1, 3)[:, :2]), axis=0)
    return lambda x, y: float(np.hypot(*(places - (x, y)).T).min()) - clear
