"""The history of a vehicle's states, as the record of its bake holds it: what it took up, when, and why.

It is told in words: the objects that it names may be renamed or removed after the bake.
"""

import itertools
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from ...simulation.mindset import BY_CUE, BY_OTHERS, BY_URGE, OVER

CUE, INCLINED, OTHERS, ENDED, TRIGGER = "CUE", "INCLINED", "OTHERS", "ENDED", "TRIGGER"
OWN_SETTINGS = "the crowd's own settings"
CAUSES = {BY_CUE: CUE, BY_URGE: INCLINED, BY_OTHERS: OTHERS, OVER: ENDED}


class TakenUp(NamedTuple):
    """A state that a vehicle took up.

    Attributes:
        state: its name; "" for the crowd's own settings.
        cause: one of the words above.
        trigger: the name of the trigger that called, "" for none.
        caller: the name of what it is about, "" for nothing but the vehicle itself.
        example: the name of the vehicle whose example it followed, "" for none.
        weighed: the values that it weighed, each with the name of its state, "" for the crowd's own settings.
    """

    frame: float
    state: str
    cause: str
    trigger: str = ""
    caller: str = ""
    example: str = ""
    weighed: tuple[tuple[str, float], ...] = ()

    def in_words(self) -> str:
        """Since when, and why."""
        why = {
            CUE: "told by a cue",
            INCLINED: "inclined to it",
            OTHERS: f"caught from {self.example}",
            ENDED: "as the state before was over",
            TRIGGER: f"called by {self.trigger}",
        }[self.cause]
        if self.caller and self.cause in (OTHERS, TRIGGER) and self.caller not in (self.trigger, self.example):
            why += f", because of {self.caller}"
        return f"Since {self.frame:g}: {why}"

    def weighed_in_words(self) -> str:
        """The values that it weighed against one another, the highest first; "" where nothing else had any."""
        if all(name == self.state for name, _ in self.weighed):
            return ""
        ordered = sorted(self.weighed, key=lambda pair: -pair[1])
        return "It weighed " + ", ".join(f"{name or OWN_SETTINGS} {value:.2g}" for name, value in ordered)


def now(history: Iterable[TakenUp], frame: float) -> TakenUp | None:
    """The value that holds on a frame; None before the first."""
    before = itertools.takewhile(lambda change: not change.frame > frame, history)
    return next(iter([*before][-1:]), None)


def written(history: Iterable[TakenUp]) -> str:
    """In a form that Blender can store in a custom property."""
    return json.dumps([list(change) for change in history])


def read(stored: Any) -> tuple[TakenUp, ...]:
    """From the result of `written`.

    Raises:
        TypeError, ValueError: it is not such a result.
    """
    history = tuple(
        TakenUp(float(frame), *texts, tuple((name, float(value)) for name, value in weighed))
        for frame, *texts, weighed in json.loads(stored)
    )
    for change in history:
        texts = (*change[1:-1], *(name for name, _ in change.weighed))
        if not all(isinstance(text, str) for text in texts) or change.cause not in (*CAUSES.values(), TRIGGER):
            raise TypeError("not the history of states")
    return history
