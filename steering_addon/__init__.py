"""Steering Behaviors: behavioral animation for Blender after Craig Reynolds (GDC 1999).

The way of the data is `blender -> behaviors -> simulation`: `simulation` knows how things move, `behaviors` what
agents want, and only `blender` knows Blender. Nothing here imports bpy before Blender asks for it, so that the
simulation runs, is tested and is measured without Blender.
"""


def register() -> None:
    from . import blender

    blender.register()


def unregister() -> None:
    from . import blender

    blender.unregister()
