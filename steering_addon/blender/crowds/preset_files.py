"""The files of presets: shipped presets are in the extension, user presets in Blender's preset folders.

User presets survive an update of the extension. The shared script folders of a studio are searched too. Nothing is
written outside the user's preset folder.
"""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import bpy

from ...settings.preset import Preset, read, written
from ...settings.preset_parts import BEHAVIOR, BEHAVIORS, CROWD, STATE
from ...settings.preset_values import PresetError
from ..objects.tagged_objects import list_names
from ..refusal import Refusal

SHIPPED = Path(__file__).resolve().parents[3] / "presets"
"""The folder of the presets that ship with the extension."""
SUFFIX = ".json"
LARGEST = 2**20
"""Bytes of the largest file that is read: a preset of all behaviors has a fiftieth of that."""
REMEMBERED = 2**14
"""The number of files whose content is remembered."""
MOST_NAMES = 20
"""The number of presets that a message names at most."""
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
"""Names that Windows gives to devices, whatever suffix follows."""


@dataclass(slots=True)
class Listed:
    """A preset in a list.

    Attributes:
        name: its identifier in scripts, the name of the file without suffix; bytes that are not text are escaped.
        removable: whether it is in the folder of the user.
        behavior: the behavior that it is a preset of, "" for other kinds.
    """

    name: str
    file: str
    removable: bool
    kind: str
    behavior: str = ""

    def label(self) -> str:
        """Its label, or its name if the file cannot be read."""
        return self.words(lambda preset: preset.label, self.name)

    def tooltip(self) -> str:
        """Its tooltip, or why the file cannot be read."""
        result = self._result()
        return str(result).removesuffix(".") if isinstance(result, Refusal) else result.tooltip

    def words(self, of: Callable[[Preset], str], otherwise: str = "") -> str:
        """Words of the preset; `otherwise` if the file cannot be read."""
        result = self._result()
        return otherwise if isinstance(result, Refusal) else of(result)

    def load(self) -> Preset:
        """Read the preset. Refused if the file cannot be read, or is not a valid preset."""
        result = self._result()
        if isinstance(result, Refusal):
            raise result
        return result

    def _result(self) -> Preset | Refusal:
        try:
            state = os.stat(self.file)
        except OSError as error:
            return Refusal(f"The preset {self.name} cannot be read: {_reason(error)}.")
        if self.name not in self.file:  # It is escaped.
            return Refusal(
                f"The preset {self.name} cannot be read: the name of its file is not UTF-8. Rename the file."
            )
        if not stat.S_ISREG(state.st_mode):
            return Refusal(f"The preset {self.name} cannot be read: it is not a file. Remove it.")
        result = _content(self.file, self.kind, self.behavior, state.st_mtime_ns, state.st_size)
        return Refusal(f"The preset {self.name} cannot be {result}.") if isinstance(result, str) else result

    def remove(self) -> None:
        """Delete its file. Refused if it is not a user preset, or its file cannot be deleted."""
        if not self.removable:
            raise Refusal(f"The preset {self.name} cannot be removed: it ships with the extension or is shared.")
        try:
            os.unlink(self.file)
        except OSError as error:
            raise Refusal(f"The preset {self.name} cannot be removed: {_reason(error)}.") from error


@lru_cache(maxsize=REMEMBERED)
def _content(file: str, kind: str, behavior: str, _changed: int, size: int) -> Preset | str:
    """The preset in a file, or what cannot be done with it and why. A file is read again only after it has changed,
    because menus call this at every redraw."""
    if size > LARGEST:
        return f"read: its file is larger than {LARGEST // 2**20} MB"
    try:
        with open(file, "rb") as opened:
            preset = read(opened.read(LARGEST).decode("utf-8"), kind)
    except OSError as error:
        return f"read: {_reason(error)}"
    except UnicodeDecodeError:
        return "read: its text is not UTF-8"
    except PresetError as error:
        return f"used: {error}"
    if behavior and behavior not in preset.behaviors:
        return f"used: it is a preset of {', '.join(preset.behaviors)}"
    return preset


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


@dataclass(frozen=True)
class Shelf:
    """All presets of crowds, of states or of one behavior. `shipped`: the folder of the shipped presets; `user_folder`:
    the folder of the other presets in Blender's preset folders; `behavior`: the name of the behavior, "" for other
    kinds."""

    kind: str
    shipped: Path
    user_folder: str
    behavior: str = ""

    def listed(self) -> dict[str, Listed]:
        """All presets by name, sorted by label; a user preset replaces a shipped preset of the same name."""
        presets = self.by_name()
        labels = {name: preset.label().casefold() for name, preset in presets.items()}
        return {name: presets[name] for _, name in sorted(zip(labels.values(), labels))}

    def by_name(self) -> dict[str, Listed]:
        """As `listed`, but in no order, without a look into the files."""
        removable = self._own_folder()
        shared = reversed(bpy.utils.preset_paths(self.user_folder))
        return {
            name: Listed(name, file, folder == removable, self.kind, self.behavior)
            for folder in (self.shipped, *map(Path, shared))
            for name, file in _files(folder)
        }

    def find(self, name: str) -> Listed:
        """The preset of a name. Refused if it does not exist."""
        presets = self.by_name()
        if name not in presets:
            remedy = f"Choose one of {list_names(sorted(presets), MOST_NAMES)}" if presets else "Save a preset first"
            raise Refusal(f"There is no preset {name}. {remedy}.")
        return presets[name]

    def save(self, preset: Preset) -> Listed:
        """Write a preset into the folder of the user, replacing one of the same label. Refused if the label gives no
        name, that of a device or that of another preset, or the file cannot be written."""
        name = file_name(preset.label)
        if not name:
            raise Refusal("The preset has no name. Enter a name with letters or digits.")
        if name.casefold() in DEVICES:
            raise Refusal(f"A preset cannot be named {name}: Windows gives that name to a device. Choose another name.")
        self._check_free(name, preset.label)
        try:
            content = written(preset).encode("utf-8")
        except UnicodeEncodeError:
            raise Refusal(
                f"The preset {name} cannot be written: a name in it is not UTF-8. Rename the crowd."
            ) from None
        folder = self._make_folder(name)
        file = folder / f"{name}{SUFFIX}"
        try:
            _write(file, content)
        except OSError as error:
            text = f"The preset {name} cannot be written to {folder}: {_reason(error)}. Make that folder writable."
            raise Refusal(text) from error
        return Listed(name, str(file), True, self.kind, self.behavior)

    def _check_free(self, name: str, label: str) -> None:
        """Refuse the name of a preset that is not the user's, and of the file of one that has another label."""
        for existing in self.by_name().values():
            if not existing.removable and existing.name == name:
                raise Refusal(f"A preset named {name} ships with the extension or is shared. Choose another name.")
            # On many systems the file of Gulls is also that of gulls.
            called = existing.words(lambda preset: preset.label)
            if existing.removable and existing.name.casefold() == name.casefold() and called != label:
                text = f"The preset {label} would replace the preset {existing.label()}, which has the same file name."
                raise Refusal(f"{text} Choose another name, or remove that preset first.")

    def _own_folder(self) -> Path | None:
        """The preset folder of the user, which need not exist; None if Blender has none."""
        folder = bpy.utils.user_resource("SCRIPTS", path=f"presets/{self.user_folder}")
        return Path(folder) if folder else None

    def _make_folder(self, name: str) -> Path:
        """The preset folder of the user, made if necessary for a preset of this name."""
        folder = self._own_folder()
        if folder is None or not folder.is_absolute():
            raise Refusal(f"The preset {name} cannot be saved: Blender has no folder for the user's presets.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            text = f"The preset {name} cannot be saved: the folder {folder} cannot be made ({_reason(error)})."
            raise Refusal(f"{text} Remove what is in its place, or make its parent writable.") from error
        return folder


def file_name(label: str) -> str:
    """The name of the file of a preset of the user's own, by its label; empty if the label gives none."""
    return bpy.path.clean_name(label.strip()).strip("_")


def _write(file: Path, content: bytes) -> None:
    """Write a file as a whole or not at all."""
    # Written to another file first: a crash must not leave half a preset. An old one may be a link to elsewhere, and
    # another Blender may save the same preset.
    draft = file.with_name(f"{file.name}{os.getpid()}~")
    draft.unlink(missing_ok=True)
    try:
        with draft.open("xb") as opened:
            opened.write(content)
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """The name and the path of each file with the suffix of presets in a folder."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(SUFFIX)]
    except OSError:
        return
    prefix = f"{folder}{os.sep}"
    for name in names:
        # Bytes of a name that are not text come as surrogates, which Blender cannot show.
        stem = name.removesuffix(SUFFIX)
        yield (stem if stem.isascii() else stem.encode("utf-8", "backslashreplace").decode("utf-8")), prefix + name


CROWDS = Shelf(CROWD, SHIPPED, "steering/crowd")
"""The presets of crowds."""
STATES = Shelf(STATE, SHIPPED / "states", "steering/states")
"""The presets of states."""
OF_BEHAVIORS = {
    name: Shelf(BEHAVIOR, SHIPPED / "behaviors" / name, f"steering/behaviors/{name}", name) for name in BEHAVIORS
}
"""The presets of each behavior, by the name of the behavior."""
