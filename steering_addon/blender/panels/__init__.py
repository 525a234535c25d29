"""The panels: in the Steering tab of the sidebar, and beside the other properties of an object.

Panels may be drawn at any time and many times a second, so they look properties up and work nothing out.
"""

from __future__ import annotations

import bpy

from . import baking, behaviors, crowds, things

CLASSES = (*things.CLASSES, *crowds.CLASSES, *behaviors.CLASSES, *baking.CLASSES)
"""In the order in which they are shown."""

register, unregister = bpy.utils.register_classes_factory(CLASSES)
