"""Changes of the settings that a run is made from: the properties announce them, and a preview listens."""

from collections.abc import Callable
from typing import Any

_listeners: list[Callable[[], None]] = []
_owner = 0


def listen(listener: Callable[[], None]) -> None:
    """Call a function on each change from now on."""
    _listeners.append(listener)


def stop_listening(listener: Callable[[], None]) -> None:
    """Call a function no longer."""
    _listeners.remove(listener)


def is_listening(listener: Callable[[], None]) -> bool:
    """Whether a function is called on changes."""
    return listener in _listeners


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
