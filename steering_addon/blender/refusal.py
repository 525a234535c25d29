"""How the animator is told what cannot be done: one sentence that names the object and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any


class Refusal(ValueError):  # noqa: N818 - it is no error of the program
    """Something stands in the way of what was asked. Its text is the sentence to report; nothing was changed."""


def reported(execute: Callable[[Any, Any], set[str]]) -> Callable[[Any, Any], set[str]]:
    """An operator's `execute` that tells the animator why it was refused, and is cancelled."""

    @wraps(execute)
    def reporting(self: Any, context: Any) -> set[str]:
        try:
            return execute(self, context)
        except Refusal as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}

    return reporting
