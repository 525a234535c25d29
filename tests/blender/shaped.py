"""Small models that shape keys animate, for tests: a bird of two wings, and a walker whose feet are shape keys."""

import bpy
import numpy as np

from .building import at_frames, empty, meshed, part

BEAT = 12.0
"""Frames of the beat of a bird."""
SPREAD = 0.5
"""Metres that the tips of its wings go up and down."""


def bird(name: str = "Bird", location=(0.0, 0.0, 0.0), *, clip: str = "KeyAction"):
    """A bird that faces -Y, with wings level at rest and an action that its shape keys play, as importers leave it."""
    points = [(0.0, -0.5, 0.0), (0.0, 0.5, 0.0), (0.6, 0.0, 0.0), (-0.6, 0.0, 0.0), (0.0, 0.0, -0.1), (0.0, 0.0, 0.1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 4, 1), (1, 5, 0)]
    keys = {
        "Up": {2: (0.0, 0.0, SPREAD), 3: (0.0, 0.0, SPREAD)},
        "Down": {2: (0.0, 0.0, -SPREAD), 3: (0.0, 0.0, -SPREAD)},
    }
    ob = shaped(name, points, faces, keys, location)
    quarter = BEAT / 4.0
    up = [(1.0, 0.0), (1.0 + quarter, 1.0), (1.0 + 2.0 * quarter, 0.0), (1.0 + BEAT, 0.0)]
    down = [(1.0, 0.0), (1.0 + 2.0 * quarter, 0.0), (1.0 + 3.0 * quarter, 1.0), (1.0 + BEAT, 0.0)]
    play(ob, key_clip(ob, clip, {"Up": up, "Down": down}))
    return ob


def winged(*, slots: bool = False):
    """A bird of two meshes below an Empty, a wing each: as one goes up, the other goes down. `slots`: whether one
    action moves both, as importers leave it from Blender 4.4 on, rather than an action each."""
    data, root = part("blender.animation.animation_data"), empty("Root", location=(0.0, 0.0, 30.0))
    wave = [(1.0, 0.0), (1.0 + BEAT / 4.0, 1.0), (1.0 + 3.0 * BEAT / 4.0, -1.0), (1.0 + BEAT, 0.0)]
    shared = None
    for name, side in (("Wing A", 1.0), ("Wing B", -1.0)):
        ob = shaped(
            name, [(0.0, -0.5, 0.0), (0.0, 0.5, 0.0), (0.6 * side, 0.0, 0.0)], [(0, 2, 1)], {"Up": {2: (0, 0, SPREAD)}}
        )
        ob.parent = root
        keys = ob.data.shape_keys
        keys.key_blocks["Up"].slider_min = -1.0
        waved = {"Up": [(frame, side * value + 0.0) for frame, value in wave]}
        if shared is None or not slots:
            shared = key_clip(ob, f"Flap {name}", waved)
            play(ob, shared)
        else:
            slot = data.new_slot(shared, keys)
            write_curves(data.channelbag_in(shared, slot, ensure=True), waved)
            data.assign_action(keys, shared, slot)
    return root


def shaped(name: str, points, faces, keys, location=(0.0, 0.0, 0.0)):
    """A mesh with shape keys, of each the moves of some points by their rows."""
    ob = meshed(name, points, faces)
    ob.location = location
    ob.shape_key_add(name="Basis", from_mix=False)
    for key, moves in keys.items():
        block = ob.shape_key_add(name=key, from_mix=False)
        for row, move in moves.items():
            block.data[row].co = np.add(points[row], move)
    bpy.context.view_layer.update()
    return ob


def key_clip(ob, name: str, keys: dict[str, list[tuple[float, float]]]):
    """An action for the shape keys of a mesh with linear keys, (frame, value), by name."""
    animation_data = part("blender.animation.animation_data")
    action, slot = animation_data.new_action(name, ob.data.shape_keys)
    write_curves(animation_data.channelbag_in(action, slot, ensure=True), keys)
    action.use_fake_user = True
    return action


def write_curves(bag, keys: dict[str, list[tuple[float, float]]]) -> None:
    """Write linear keys of the values of shape keys, (frame, value), by name."""
    for key, points in keys.items():
        curve = bag.fcurves.new(f'key_blocks["{key}"].value')
        for frame, value in points:
            curve.keyframe_points.insert(frame, value).interpolation = "LINEAR"
        curve.update()


def play(ob, action) -> None:
    """Let the shape keys of a mesh play an action."""
    data = part("blender.animation.animation_data")
    keys = ob.data.shape_keys
    data.assign_action(keys, action, data.slot_for(action, keys))


def points_on(ob, frame: float | None = None) -> np.ndarray:
    """The points of an object as Blender evaluates it, (v, 3) in its own space."""
    if frame is not None:
        bpy.context.scene.frame_set(int(frame))
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def wings(obs, on) -> np.ndarray:
    """How far the tips of the wings of birds are up on each of some frames, (f, birds)."""
    heights = []
    for _ in at_frames(on):
        heights.append([points_on(ob)[2, 2] for ob in obs])
    return np.array(heights)
