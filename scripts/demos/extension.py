"""Installs the extension from the built zip as a user would, and removes it before the baked file is shown."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import addon_utils
import bpy
import numpy as np

from scripts.baked_scene import matrices
from scripts.blender_process import leave

NAME = "bl_ext.user_default.steering_behaviors"


@dataclass(frozen=True)
class Options:
    """Options of a demo: the folder for the results, the random seed, and whether to render pictures."""

    out: Path
    seed: int
    pictures: bool


def run(demo: Callable[[Options], None]) -> None:
    """Run a demo as a program: parse its options, install the extension and call it in an empty scene."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--extension", type=Path, required=True, help="the zip to install")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the results")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-pictures", action="store_true")

    def main() -> int:
        options = parser.parse_args()
        options.out.mkdir(parents=True, exist_ok=True)
        print(f"Installing {options.extension.name} in Blender {bpy.app.version_string}", flush=True)
        install(options.extension)
        demo(Options(options.out, options.seed, not options.no_pictures))
        return 0

    leave(main)


def tag(obs: list[bpy.types.Object], role: str) -> None:
    """Select only these objects and tag them with a role. Those that move face +Y, as `models` says."""
    bpy.ops.object.select_all(action="DESELECT")
    for ob in obs:
        ob.select_set(True)
        if role in ("VEHICLE", "LEADER"):
            ob.steering.forward_axis = "POS_Y"
    bpy.context.view_layer.objects.active = obs[0]
    bpy.ops.steering.tag(role=role, moves_like="UNCHANGED")


def bake(description: str) -> float:
    """Bake as a user would, and print the description; the seconds it took."""
    print(f"Baking {description}", flush=True)
    start = time.perf_counter()
    bpy.ops.steering.bake()
    return time.perf_counter() - start


def tidy(scene: bpy.types.Scene, crowd: bpy.types.Object) -> None:
    """Sort the objects into collections by purpose, and select the crowd."""
    for ob in list(scene.collection.objects):
        if ob.type == "CAMERA":
            name = "Cameras"
        else:
            name = "Cast" if _takes_part(ob) or (ob.parent and _takes_part(ob.parent)) else "Scenery"
        if name not in scene.collection.children:
            scene.collection.children.link(bpy.data.collections.new(name))
        scene.collection.children[name].objects.link(ob)
        scene.collection.objects.unlink(ob)
    bpy.ops.object.select_all(action="DESELECT")
    crowd.select_set(True)
    bpy.context.view_layer.objects.active = crowd


def _takes_part(ob: bpy.types.Object) -> bool:
    # Reading settings that are not set would write them into the file.
    return ob.is_property_set("steering") and bool(ob.steering.roles)


def save_and_open_without(path: Path, names: Sequence[str], baked: np.ndarray) -> None:
    """Save the file, open it again with the extension disabled, and check on every 24th frame that it plays the same.

    Args:
        names: of objects.
        baked: (frames, objects, 4, 4) their world matrices, with the extension.
    """
    print("Opening the file without the extension", flush=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    addon_utils.disable(NAME, default_set=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    obs = [bpy.data.objects[name] for name in names]
    with set_aside(obs):
        played = matrices(bpy.context.scene, obs, step=24)
    if not np.allclose(baked[::24], played, atol=1e-5):
        raise SystemExit("The saved file plays differently from the bake.")


@contextlib.contextmanager
def set_aside(vehicles: Sequence[bpy.types.Object]) -> Iterator[None]:
    """Hide all parts of vehicles while the ways of their carriers are read: Blender poses what it shows."""
    parts = {part for ob in vehicles for part in ob.children_recursive if not part.hide_viewport}.difference(vehicles)
    for part in parts:
        part.hide_viewport = True
    try:
        yield
    finally:
        for part in parts:
            part.hide_viewport = False


def install(package: Path) -> None:
    """Install a zip as Preferences > Get Extensions > Install from Disk does, and open an empty file."""
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True)
    if not hasattr(bpy.types.Object, "steering"):
        raise SystemExit(f"{package.name} was installed but not registered; see the messages above.")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
