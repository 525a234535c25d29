"""The extension as its users have it: installed from the built zip, and gone when the baked file is shown."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import addon_utils
import bpy

from scripts.blender_process import leave

NAME = "bl_ext.user_default.steering_behaviors"


@dataclass(frozen=True)
class Asked:
    """What is asked of a demo: the folder for the results, the seed of all chance, whether to make pictures."""

    out: Path
    seed: int
    pictures: bool


def run(demo: Callable[[Asked], None]) -> None:
    """Run a demo as a program: install the extension, hand an empty scene and what is asked on."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--extension", type=Path, required=True, help="the zip to install")
    parser.add_argument("--out", type=Path, required=True, help="the folder for what comes out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-pictures", action="store_true")

    def main() -> int:
        options = parser.parse_args()
        options.out.mkdir(parents=True, exist_ok=True)
        print(f"Installing {options.extension.name} in Blender {bpy.app.version_string}", flush=True)
        install(options.extension)
        demo(Asked(options.out, options.seed, not options.no_pictures))
        return 0

    leave(main)


def tag(obs: list[bpy.types.Object], role: str) -> None:
    """Select just these objects and give them a role."""
    bpy.ops.object.select_all(action="DESELECT")
    for ob in obs:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = obs[0]
    bpy.ops.steering.tag(role=role, moves_like="UNCHANGED")


def bake(what: str) -> float:
    """Bake as a user does, and say what; the seconds it took."""
    print(f"Baking {what}", flush=True)
    start = time.perf_counter()
    bpy.ops.steering.bake()
    return time.perf_counter() - start


def tidy(scene: bpy.types.Scene, crowd: bpy.types.Object) -> None:
    """Leave the scene as one likes to find it: what there is in collections by what it is for, the crowd selected."""
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
    """Asked first: reading the settings of what has none would write them into the file."""
    return ob.is_property_set("steering") and bool(ob.steering.roles)


def save_and_open_without(path: Path) -> None:
    """Save the file and open it again with the extension switched off."""
    print("Opening the file without the extension", flush=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    addon_utils.disable(NAME, default_set=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))


def install(package: Path) -> None:
    """What Preferences > Get Extensions > Install from Disk does, in a new and empty file."""
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True)
    if not hasattr(bpy.types.Object, "steering"):
        raise SystemExit(f"{package.name} was installed, but did not register: see the messages above.")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
