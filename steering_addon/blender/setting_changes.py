"""Changes of the settings that a run is made from: the properties announce them, and a preview listens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_listeners: list[Callable[[], None]] = []


def listen(listener: Callable[[], None]) -> None:
    """Call a function on each change from now on."""
    _listeners.append(listener)


def stop_listening(listener: Callable[[], None]) -> None:
    """Call a function no longer."""
    _listeners.remove(listener)


def is_listening(listener: Callable[[], None]) -> bool:
    """Whether a function is called on changes."""
    return listener in _listeners


def notify_listeners(_self: Any, _context: Any) -> None:
    """Tell all listeners; the `update` function of the properties that a run is made from.

    Without such a function Blender evaluates the object again only when the property is set by hand; with one, drivers
    and a preview notice scripts too.
    """
    for listener in _listeners:
        listener()
