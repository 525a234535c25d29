"""Work in pieces: generators that yield now and then, so that a window may look for events in between."""

from collections.abc import Generator
from typing import Any, TypeVar

Result = TypeVar("Result")


def in_one_go(work: Generator[Any, None, Result]) -> Result:
    """The result of work in pieces, done without a break."""
    try:
        while True:
            next(work)
    except StopIteration as stop:
        result: Result = stop.value
        return result


def as_part(work: Generator[float, None, Result], start: float, end: float) -> Generator[float, None, Result]:
    """Work as a part of other work, of which it takes from a first to a last share."""
    while True:
        try:
            yield start + (end - start) * next(work)
        except StopIteration as stop:
            result: Result = stop.value
            return result
