"""Functions that are called when something happens: by Blender, or by settings that a run is made from."""

from collections.abc import Callable, Mapping
from typing import Any

import bpy

Handlers = Mapping[str, Callable[..., None]]
"""Functions by the name of the list in `bpy.app.handlers` that calls them."""
_listeners: list[Callable[[], None]] = []
_owner = 0


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


def listen(listener: Callable[[], None]) -> None:
    """Call a function on each change from now on."""
    _listeners.append(listener)


def stop_listening(listener: Callable[[], None]) -> None:
    """Call a function no longer, if it was."""
    if listener in _listeners:
        _listeners.remove(listener)


def owner() -> int:
    """The session_uid of the datablock whose setting has just changed, to be asked by a listener."""
    return _owner


def notify_listeners(group: Any, _context: Any) -> None:
    """Tell all listeners; the `update` function of the properties that a run is made from.

    Without such a function Blender evaluates the object again only when the property is set by hand; with one, drivers
    and a preview notice scripts too.
    """
    global _owner
    _owner = group.id_data.session_uid
    for listener in _listeners:
        listener()
