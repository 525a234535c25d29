"""Refusals: how the animator learns what cannot be done, in a sentence or two that name the object and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any


class Refusal(ValueError):  # noqa: N818 - not an error of the program
    """The request cannot be carried out. Its text is the message to report; nothing was changed."""


def reported(execute: Callable[[Any, Any], set[str]]) -> Callable[[Any, Any], set[str]]:
    """Wrap an operator's `execute` so that a Refusal is reported as an error and cancels the operator."""

    @wraps(execute)
    def reporting(self: Any, context: Any) -> set[str]:
        try:
            return execute(self, context)
        except Refusal as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}

    return reporting
