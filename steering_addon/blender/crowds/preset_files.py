"""Where the files of presets are: those that ship lie beside the code, own ones in Blender's preset folders.

There they outlive the extension, and a studio's shared script folders are looked through as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import bpy

from ...settings.preset_values import PresetError
from ..refusal import Refusal


class Labelled(Protocol):
    """What every preset has."""

    @property
    def label(self) -> str: ...

    @property
    def tooltip(self) -> str: ...


Kind = TypeVar("Kind", bound=Labelled)
Read = Callable[[str], Kind]


@dataclass(frozen=True)
class Listed(Generic[Kind]):
    """A preset there is.

    Attributes:
        name: what scripts call it: the file's name without its ending.
        path: its file.
        own: whether it lies in the user's own folder, from where it may be removed.
        read: what its text is.
    """

    name: str
    path: Path
    own: bool
    read: Read[Kind]

    def label(self) -> str:
        """What to show; of a file that cannot be read its name."""
        try:
            return self.load().label
        except Refusal:
            return self.name

    def tooltip(self) -> str:
        """What it is, or why it cannot be read."""
        try:
            return self.load().tooltip
        except Refusal as why:
            return str(why).removesuffix(".")

    def load(self) -> Kind:
        """What it holds.

        Raises:
            Refusal: its file cannot be read, or says what cannot be.
        """
        try:
            state = self.path.stat()
            found = _read(self.read, self.path, state.st_mtime_ns, state.st_size)
        except (OSError, UnicodeDecodeError) as why:
            raise Refusal(f"The preset {self.name} cannot be read: {why}.") from why
        if isinstance(found, PresetError):
            raise Refusal(f"The preset {self.name} cannot be used: {found}.") from found
        return found

    def remove(self) -> None:
        """Delete its file.

        Raises:
            Refusal: it is not the user's own, or its file cannot be deleted.
        """
        if not self.own:
            raise Refusal(f"{self.name} is not yours to remove: it ships with the extension or is shared.")
        try:
            self.path.unlink()
        except OSError as why:
            raise Refusal(f"The preset {self.name} cannot be removed: {why}.") from why


@lru_cache(maxsize=256)
def _read(read: Read[Kind], path: Path, _changed: int, _size: int) -> Kind | PresetError:
    """Read once as long as the file stays the same, as menus ask at every drawing."""
    try:
        return read(path.read_text(encoding="utf-8"))
    except PresetError as why:
        return why


@dataclass(frozen=True)
class Shelf(Generic[Kind]):
    """All presets of a kind.

    Attributes:
        shipped: the folder of those that ship.
        own: where the others are in Blender's preset folders.
        read: what the text of one is.
    """

    shipped: Path
    own: str
    read: Read[Kind]

    def listed(self) -> dict[str, Listed[Kind]]:
        """All by name, in the order of their labels; one of the user's own stands in for a shipped one of its name."""
        own_folder = Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{self.own}"))
        folders = [self.shipped, *(Path(folder) for folder in reversed(bpy.utils.preset_paths(self.own)))]
        there = {
            path.stem: Listed(path.stem, path, folder == own_folder, self.read)
            for folder in folders
            for path in folder.glob("*.json")
        }
        return dict(sorted(there.items(), key=lambda item: (item[1].label().casefold(), item[0])))

    def find(self, name: str) -> Listed[Kind]:
        """The preset of a name.

        Raises:
            Refusal: there is none.
        """
        there = self.listed()
        if name not in there:
            choice = f"choose one of {', '.join(there)}" if there else "save one first"
            raise Refusal(f"There is no preset {name}: {choice}.")
        return there[name]

    def save(self, label: str, text: str) -> Listed[Kind]:
        """Write a preset into the user's own folder, named after its label; one of that name is written anew.

        Raises:
            Refusal: the label gives no name, that of a preset that ships, or the file cannot be written.
        """
        name = bpy.path.clean_name(label.strip()).strip("_")
        if not name:
            raise Refusal("A preset needs a name: give it one of letters or figures.")
        if (self.shipped / f"{name}.json").exists():
            raise Refusal(f"{name} is a preset that ships with the extension: choose another name.")
        try:
            folder = Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{self.own}", create=True))
            # Beside it first, so that no crash leaves half a preset behind.
            (folder / f"{name}.json~").write_text(text, encoding="utf-8")
            path = (folder / f"{name}.json~").replace(folder / f"{name}.json")
        except OSError as why:
            raise Refusal(f"The preset {name} cannot be written: {why}.") from why
        return Listed(name, path, own=True, read=self.read)
