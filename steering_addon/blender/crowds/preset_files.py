"""The files of presets: shipped presets are in the extension, user presets in Blender's preset folders.

User presets survive an update of the extension. The shared script folders of a studio are searched too.
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
    """The texts that every preset has."""

    @property
    def label(self) -> str: ...

    @property
    def tooltip(self) -> str: ...


Kind = TypeVar("Kind", bound=Labelled)
Read = Callable[[str], Kind]


@dataclass(frozen=True)
class Listed(Generic[Kind]):
    """A preset in a list.

    Attributes:
        name: its identifier in scripts, the name of the file without suffix.
        path: its file.
        removable: whether it is in the folder of the user.
        read: parses its text.
    """

    name: str
    path: Path
    removable: bool
    read: Read[Kind]

    def label(self) -> str:
        """Its label, or its name if the file cannot be read."""
        try:
            return self.load().label
        except Refusal:
            return self.name

    def tooltip(self) -> str:
        """Its tooltip, or why the file cannot be read."""
        try:
            return self.load().tooltip
        except Refusal as refusal:
            return str(refusal).removesuffix(".")

    def load(self) -> Kind:
        """Read the preset.

        Raises:
            Refusal: the file cannot be read, or is not a valid preset.
        """
        try:
            state = self.path.stat()
            result = _read(self.read, self.path, state.st_mtime_ns, state.st_size)
        except (OSError, UnicodeDecodeError) as error:
            raise Refusal(f"The preset {self.name} cannot be read: {error}.") from error
        if isinstance(result, PresetError):
            raise Refusal(f"The preset {self.name} cannot be used: {result}.") from result
        return result

    def remove(self) -> None:
        """Delete its file.

        Raises:
            Refusal: it is not a user preset, or its file cannot be deleted.
        """
        if not self.removable:
            raise Refusal(f"The preset {self.name} cannot be removed: it ships with the extension or is shared.")
        try:
            self.path.unlink()
        except OSError as error:
            raise Refusal(f"The preset {self.name} cannot be removed: {error}.") from error


@lru_cache(maxsize=256)
def _read(read: Read[Kind], path: Path, _changed: int, _size: int) -> Kind | PresetError:
    """Read a file again only after it has changed, because menus call this at every redraw."""
    try:
        return read(path.read_text(encoding="utf-8"))
    except PresetError as error:
        return error


@dataclass(frozen=True)
class Shelf(Generic[Kind]):
    """All presets of a kind.

    Attributes:
        shipped: the folder of the shipped presets.
        user_folder: the folder of the other presets in Blender's preset folders.
        read: parses the text of a preset.
    """

    shipped: Path
    user_folder: str
    read: Read[Kind]

    def listed(self) -> dict[str, Listed[Kind]]:
        """All presets by name, sorted by label; a user preset replaces a shipped preset of the same name."""
        return dict(sorted(self._files().items(), key=lambda item: (item[1].label().casefold(), item[0])))

    def _files(self) -> dict[str, Listed[Kind]]:
        """All presets by name, in any order; their files are not read."""
        removable = Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{self.user_folder}"))
        folders = [self.shipped, *(Path(folder) for folder in reversed(bpy.utils.preset_paths(self.user_folder)))]
        return {
            path.stem: Listed(path.stem, path, folder == removable, self.read)
            for folder in folders
            for path in folder.glob("*.json")
        }

    def find(self, name: str) -> Listed[Kind]:
        """The preset of a name.

        Raises:
            Refusal: it does not exist.
        """
        presets = self._files()
        if name not in presets:
            remedy = f"Choose one of {', '.join(self.listed())}" if presets else "Save a preset first"
            raise Refusal(f"There is no preset {name}. {remedy}.")
        return presets[name]

    def save(self, label: str, text: str) -> Listed[Kind]:
        """Write a preset into the folder of the user, replacing a preset of the same name.

        Args:
            label: gives the name of the file.

        Raises:
            Refusal: the label gives no name or that of a shipped preset, or the file cannot be written.
        """
        name = bpy.path.clean_name(label.strip()).strip("_")
        if not name:
            raise Refusal("The preset has no name. Enter a name with letters or digits.")
        if (self.shipped / f"{name}.json").exists():
            raise Refusal(f"A preset named {name} ships with the extension. Choose another name.")
        try:
            folder = Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/{self.user_folder}", create=True))
            # Written to another file first: a crash must not leave half a preset.
            (folder / f"{name}.json~").write_text(text, encoding="utf-8")
            path = (folder / f"{name}.json~").replace(folder / f"{name}.json")
        except OSError as error:
            raise Refusal(f"The preset {name} cannot be written: {error}.") from error
        return Listed(name, path, removable=True, read=self.read)
