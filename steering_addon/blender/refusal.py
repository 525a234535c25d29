"""Refusals: how the animator learns what cannot be done, in a sentence or two that name the object and the remedy."""

from collections.abc import Sequence

from bpy.types import Object


class Refusal(ValueError):  # noqa: N818 - not an error of the program
    """The request cannot be carried out. Its text is the message to report; nothing was changed.

    Attributes:
        about: the objects that it names and that the animator has to change.
        remedy: the setting of the scene's simulation that it names; empty if it names none.
        level: how Blender reports it.
    """

    level = "ERROR"

    def __init__(self, text: str, *, about: Sequence[Object] = (), remedy: str = "") -> None:
        # Names in old files need not be UTF-8. Blender's reports must be.
        super().__init__(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        self.about = tuple(about)
        self.remedy = remedy


class Unneeded(Refusal):
    """There is nothing to do, although the animator expected something."""

    level = "WARNING"


class NothingFound(Unneeded):
    """There is nothing of what was searched for, as it should be."""

    level = "INFO"
