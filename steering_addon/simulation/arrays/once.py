"""A property that is computed on first access and then kept.

The rule for the whole package: derived values of frozen objects are `once`, never functools.cached_property. One name
means one thing, and before Python 3.12 cached_property takes a lock on each first access, which in Blender 4.2 and 4.5
costs more than most of these values do for a small crowd.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

import numpy as np

T = TypeVar("T")


class once(Generic[T]):
    """A property whose value replaces it in the instance's `__dict__`; works on frozen dataclasses without slots."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "once[T]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: Any, owner: type) -> "once[T] | T":
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


@dataclass(frozen=True)
class Key(Generic[T]):
    """A key under which something kept is found again.

    Attributes:
        digest: bytes that tell it from others; they alone are compared.
        parts: of which it is made.
    """

    digest: bytes
    parts: T = field(compare=False)

    @classmethod
    def of(cls, parts: T, *told_apart_by: Any) -> "Key[T]":
        """The key of parts that arrays and numbers tell apart."""
        return cls(b"".join(np.ascontiguousarray(column).tobytes() for column in told_apart_by), parts)


def imprint_of(*columns: Any) -> int:
    """A number of 64 bits that tells arrays and numbers from others: what is made of them is found again in a later
    run."""
    digested = hashlib.blake2b(digest_size=8)
    for column in columns:
        digested.update(np.ascontiguousarray(column).data)
    return int.from_bytes(digested.digest(), "little", signed=True)
