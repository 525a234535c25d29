"""Keys of what is kept from step to step because it takes long to make."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True)
class Key(Generic[T]):
    """A key under which something kept is found again.

    Attributes:
        digest: bytes that tell it from others; they alone are compared.
        parts: held, so that nothing else gets the ids of which there are bytes.
    """

    digest: bytes
    parts: T = field(compare=False)

    @classmethod
    def of(cls, parts: T, *told_apart_by: Any) -> "Key[T]":
        """The key of parts that arrays and numbers tell apart."""
        return cls(b"".join(np.ascontiguousarray(column).tobytes() for column in told_apart_by), parts)
