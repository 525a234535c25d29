"""Steering Behaviors: behavioral animation for Blender after Craig Reynolds (GDC 1999).

The way of the data is `blender -> behaviors -> simulation`: `simulation` knows how things move, `behaviors` what
agents want, and only `blender` knows Blender. Nothing here imports bpy before Blender asks for it, so that the
simulation runs, is tested and is measured without Blender.
"""

BASE_PACKAGE = (
    ".".join(__package__.split(".")[:3]) if __package__.startswith("bl_ext.") else __package__.partition(".")[0]
)


def register() -> None:
    from . import blender

    blender.register()


def unregister() -> None:
    from . import blender

    blender.unregister()
