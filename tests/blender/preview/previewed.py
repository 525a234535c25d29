"""Vehicles to preview, and where the viewport shows them."""

import bpy
import numpy as np

from tests.blender.animated import insert
from tests.blender.building import at_frames, frames, part
from tests.blender.dumping import scene_dump
from tests.blender.steered import crowd, fleet, obstacle

FIRST, LAST = 1, 20


def toggle(**settings) -> None:
    assert bpy.ops.steering.preview(**settings) == {"FINISHED"}


def begin_again() -> None:
    """End the preview and begin another one on the first frame."""
    toggle()
    bpy.context.scene.frame_set(FIRST)
    toggle()


def is_on() -> bool:
    return part("blender.preview").is_on(bpy.context.scene)


def told() -> str:
    return part("blender.preview").report(bpy.context.scene)


def shown(obs) -> np.ndarray:
    """(n, 4, 4) where the viewport draws the objects."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return np.array([np.array(ob.evaluated_get(depsgraph).matrix_world) for ob in obs])


def played(obs, over=range(FIRST, LAST + 1)) -> np.ndarray:
    """(f, n, 4, 4) the same on these frames, one after the other; the scene stays on the last."""
    return np.array([shown(obs) for _ in at_frames(over)])


def of_the_file() -> dict:
    """All of the file but the frame it stands on."""
    result = scene_dump()
    for scene in result["scenes"].values():
        for name in ("frame_current", "frame_current_final", "frame_float", "frame_subframe"):
            scene["settings"].pop(name, None)
    return {name: value for name, value in result.items() if name != "frame"}


def ships(number: int = 3, **behaviors) -> list:
    frames(FIRST, LAST)
    obs = fleet(number, crowd=crowd("Crew", **(behaviors or {"wander": {"strength": 8.0}, "separation": {}})))
    bpy.context.view_layer.update()
    return obs


def rolling_rock():
    rock = obstacle(location=(0.0, 4.0, 0.0))
    insert(rock, "location", {FIRST: (0.0, 4.0, 0.0), LAST: (6.0, 12.0, 0.0)})
    return rock


def round_a_hidden_obstacle() -> list:
    obs = ships(3, obstacle_avoidance={})
    rolling_rock().hide_viewport = True
    return obs


def counted(monkeypatch, owner, name: str) -> list:
    """The last argument of each call of a function from now on."""
    calls, real = [], getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *given: calls.append(given[-1]) or real(*given))
    return calls
