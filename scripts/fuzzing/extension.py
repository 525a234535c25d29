"""The installed extension in a Blender that a script runs, and the file in which every trial starts."""

import importlib
from types import ModuleType

import addon_utils

# addon_utils can only be imported after bpy.
import bpy

from .home import MODULE


def enable() -> None:
    """Enable the extension as the preferences do; raises RuntimeError if it does not register."""
    if addon_utils.enable(MODULE, default_set=True) is None:
        raise RuntimeError(f"{MODULE} did not register")


def blank_file() -> None:
    """Open an empty file."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def is_previewing() -> bool:
    """Whether a preview of the scene is on."""
    return bool(_preview().is_on(bpy.context.scene))


def let_play(plays: bool) -> None:
    """Let the preview believe that the timeline plays, and that faces pay for few vehicles, too."""
    _preview(".live").plays_in_whole_views = lambda scene: plays
    _preview(".stand_ins").LEAST = 1


def _preview(part: str = "") -> ModuleType:
    return importlib.import_module(f"{MODULE}.steering_addon.blender.preview{part}")
