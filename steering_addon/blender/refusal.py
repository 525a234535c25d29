"""How the animator is told what cannot be done: one sentence that names the object and the remedy."""

from __future__ import annotations


class Refusal(ValueError):  # noqa: N818 - it is no error of the program
    """Something stands in the way of what was asked. Its text is the sentence to report; nothing was changed."""
