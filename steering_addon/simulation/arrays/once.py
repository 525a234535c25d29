"""What is worked out once, when somebody first asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):
    """A property that keeps its value.

    As functools.cached_property, which before Python 3.12 takes a lock each time: in Blender 4.2 and 4.5 longer than
    what is worked out here for a small crowd.
    """

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, thing: None, owner: type) -> once[T]: ...

    @overload
    def __get__(self, thing: object, owner: type) -> T: ...

    def __get__(self, thing: Any, owner: type) -> once[T] | T:
        if thing is None:
            return self
        value = thing.__dict__[self._name] = self._work_out(thing)
        return value
