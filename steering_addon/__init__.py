"""Steering Behaviors: behavioral animation for Blender after Craig Reynolds (GDC 1999).

The folders are the layers of the paper's Figure 1, with Blender around them: `behaviors` says what agents want
(steering), `locomotion` how a body turns that into motion, `portrayal` how it looks while it moves. All live in the
loop of `simulation`; `settings` is what crowds are made of, `recording` what a run leaves behind. Only `blender` knows
Blender. Nothing here imports bpy before Blender asks for it, so that the simulation runs, is tested and is measured
without Blender.
"""


def register() -> None:
    from . import blender

    blender.register()


def unregister() -> None:
    from . import blender

    blender.unregister()
