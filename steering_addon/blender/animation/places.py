"""Where an object is on each frame, whatever moves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..objects.doubles import doubles
from .frame_rate import copy_frame_rate

if TYPE_CHECKING:
    from bpy.types import Object, Scene

NAME = "Steering Places"


def places_of(ob: Object, scene: Scene, frames: np.ndarray) -> np.ndarray:
    """The positions of an object on whole frames (f,), (f, 3) metres; the file is left as it was.

    A helper that copies its transform is evaluated in a scene of its own: so the object may be hidden, and no window
    is drawn again.
    """
    aside, helper = bpy.data.scenes.new(NAME), bpy.data.objects.new(NAME, None)
    try:
        copy_frame_rate(scene, aside)
        helper.constraints.new("COPY_TRANSFORMS").target = ob
        aside.collection.objects.link(helper)
        places = np.empty((len(frames), 3))
        for row, frame in enumerate(frames.tolist()):
            aside.frame_set(int(frame))
            depsgraph = aside.view_layers[0].depsgraph
            places[row] = doubles(helper.evaluated_get(depsgraph).matrix_world)[:3, 3]
        return places
    finally:
        bpy.data.scenes.remove(aside)
        bpy.data.objects.remove(helper)
