"""Functions that Blender calls when something happens, or a moment later."""

from collections.abc import Callable, Mapping

import bpy

Handlers = Mapping[str, Callable[..., None]]
"""Functions by the name of the list in `bpy.app.handlers` that calls them."""


def begin(handlers: Handlers) -> None:
    """Let functions be called from now on, in other files too."""
    for moment, handler in handlers.items():
        getattr(bpy.app.handlers, moment).append(bpy.app.handlers.persistent(handler))


def end(handlers: Handlers, *delayed: Callable[[], float | None]) -> None:
    """Let functions be called no longer, nor those that are to be called a moment later."""
    for moment, handler in handlers.items():
        if handler in (called := getattr(bpy.app.handlers, moment)):
            called.remove(handler)
    for function in delayed:
        if bpy.app.timers.is_registered(function):
            bpy.app.timers.unregister(function)


def later(function: Callable[[], float | None], pause: float = 0.0) -> None:
    """Let a function be called some seconds from now, if it is not to be called anyway; not in background mode."""
    if not bpy.app.background and not bpy.app.timers.is_registered(function):
        bpy.app.timers.register(function, first_interval=pause)
