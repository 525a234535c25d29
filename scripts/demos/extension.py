"""Installs the extension from the built zip as a user would, and removes it before the baked file is shown.

The scenes are made with the extension's public operators and properties only. After the bake each is saved and opened
again with the extension disabled, so what is measured and filmed plays without it.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import addon_utils
import bpy
import film
import numpy as np
import stage

from scripts.baked_scene import matrices
from scripts.blender_process import leave
from scripts.motion_report import report
from scripts.user_steps import select

NAME = "bl_ext.user_default.steering_behaviors"


@dataclass
class Demo:
    """A demo while it runs.

    Attributes:
        out: the folder for the results, whose files have the name of the demo.
        seed: the random seed.
        pictures: whether to render pictures.
        began, baking, spent: the second in which it began, the seconds that the bake took, and those of CPU before the
            film.
    """

    name: str
    out: Path
    seed: int
    pictures: bool
    began: float = field(default_factory=time.perf_counter)
    baking: float = 0.0
    spent: float = 0.0

    def bake(self, description: str, *groups: Sequence[bpy.types.Object]) -> list[np.ndarray]:
        """Bake as a user would, and print the description. Returns the world matrices of each group on each frame,
        (frames, n, 4, 4)."""
        print(f"Baking {description}", flush=True)
        start = time.perf_counter()
        bpy.ops.steering.bake()
        self.baking = time.perf_counter() - start
        poses = matrices(bpy.context.scene, [ob for group in groups for ob in group])
        return np.split(poses, np.cumsum([len(group) for group in groups[:-1]]), axis=1)

    def reopen(self, crowd: bpy.types.Object, poses: np.ndarray, *groups: Sequence[bpy.types.Object]) -> list:
        """Save the file with tidy collections, open it again with the extension disabled, and print how it moves.
        Returns the scene, and the objects of each group, in the file that is open now. `poses`: (frames, n, 4, 4) world
        matrices of the first group, which have to play the same on each 24th frame."""
        names = [[ob.name for ob in group] for group in groups]
        film.open_with_camera(stage.SUN)
        _tidy(bpy.context.scene, crowd)
        print("Opening the file without the extension", flush=True)
        path = str(self.out / f"{self.name}.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path, compress=True)
        addon_utils.disable(NAME, default_set=True)
        bpy.ops.wm.open_mainfile(filepath=path)
        scene, again = bpy.context.scene, [[bpy.data.objects[name] for name in group] for group in names]
        if not np.allclose(poses[::24], matrices(scene, again[0], step=24), atol=1e-5):
            raise SystemExit("The saved file plays differently from the bake.")
        report(scene, dict(zip(names[0], np.swapaxes(poses, 0, 1))))
        return [scene, *again]

    def film(self, starts: Sequence[int] = ()) -> None:
        """Save a contact sheet and a film if pictures are wanted; `starts` as in `film.pictures`."""
        self.spent = time.process_time()
        if self.pictures:
            film.pictures(bpy.context.scene, self.out, self.name, starts)

    def tell(self, agents: int, measured: str, failures: Mapping[str, bool]) -> None:
        """Print what was made and measured, and end the program with the first of the sentences that holds."""
        print(f"\n{self.out}: {', '.join(path.name for path in sorted(self.out.glob(f'{self.name}.*')))}")
        print(
            f"{agents} agents, {bpy.context.scene.frame_end} frames, baked in {self.baking:.1f} s, "
            f"{self.spent:.0f} s of CPU before the film, all in {time.perf_counter() - self.began:.0f} s; {measured}",
            flush=True,
        )
        for sentence, holds in failures.items():
            if holds:
                raise SystemExit(sentence)


def run(demo: Callable[[Demo], None]) -> None:
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
        # As Preferences > Get Extensions > Install from Disk does.
        package = str(options.extension)
        bpy.ops.extensions.package_install_files(filepath=package, repo="user_default", enable_on_install=True)
        if not hasattr(bpy.types.Object, "steering"):
            raise SystemExit(f"{options.extension.name} was installed but not registered; see the messages above.")
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        demo(Demo(Path(sys.argv[0]).stem, options.out, options.seed, not options.no_pictures))
        return 0

    leave(main)


def tag(obs: Sequence[bpy.types.Object], role: str, *, new_crowd: bool = False) -> None:
    """Select only these objects and tag them with a role. Those that move face +Y, as `models` says."""
    select(obs)
    for ob in obs if role in ("VEHICLE", "LEADER") else ():
        ob.steering.forward_axis = "POS_Y"
    bpy.ops.steering.tag(role=role, moves_like="UNCHANGED", new_crowd=new_crowd)


def gather(name: str, vehicles: Sequence[bpy.types.Object], numbers: Sequence[int], identity: int) -> bpy.types.Object:
    """Tag vehicles, and let them be a new crowd of this name.

    Random numbers depend on the identities, which are to be the same in each run: those of the vehicles are `numbers`,
    and that of the crowd is for what they share.
    """
    bpy.ops.steering.crowd_add()
    crowd = bpy.context.object
    crowd.name, crowd.steering.identity = name, identity
    tag(vehicles, "VEHICLE")
    for vehicle, number in zip(vehicles, numbers):
        vehicle.steering.crowd, vehicle.steering.identity, vehicle.steering.start_speed = crowd, number, 0.7
    return crowd


def begin_before(scene: bpy.types.Scene, frames: int, seed: int) -> None:
    """Bake from some frames before the film on, in which crowds settle."""
    run = scene.steering
    run.use_frame_range, run.frame_start, run.frame_end, run.seed = True, 1 - frames, scene.frame_end, seed


def _tidy(scene: bpy.types.Scene, crowd: bpy.types.Object) -> None:
    """Sort the objects into collections by purpose, and select the crowd."""
    for ob in list(scene.collection.objects):
        if ob.type == "CAMERA":
            name = "Cameras"
        else:
            # Reading settings that are not set would write them into the file.
            roles = [each.steering.roles for each in (ob, ob.parent) if each and each.is_property_set("steering")]
            name = "Cast" if any(roles) else "Scenery"
        if name not in scene.collection.children:
            scene.collection.children.link(bpy.data.collections.new(name))
        scene.collection.children[name].objects.link(ob)
        scene.collection.objects.unlink(ob)
    select([crowd])
