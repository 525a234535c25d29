"""Makes the asset files of the ready scenes and of crowd caches.

scripts/ready_models runs this in the oldest Blender, in an empty file, and passes the folder.
"""

import sys
from pathlib import Path

import bpy

from scripts.blender_process import leave
from scripts.modelling.animals import cow, rider, sheep, wolf
from scripts.modelling.bird import bird
from scripts.modelling.car import car
from scripts.modelling.crowd_player import crowd_nodes
from scripts.modelling.fish import fish
from scripts.modelling.person import CARRYING, THINGS, arms_action, hold, new_armature, new_clip, person, thing_mesh
from scripts.modelling.shape import Paints
from scripts.modelling.station import station
from scripts.modelling.strides import CYCLES
from steering_addon.blender.crowds.asset_files import ASSET as PLAYER
from steering_addon.blender.crowds.ready_scenes.models import ASSET as MODELS
from steering_addon.blender.crowds.ready_scenes.models import BIRD, CAR, COW, FISH, FPS, PERSON, RIDER, SHEEP

GROUNDS = {
    "Pasture": {"grass": "#7d9a4e"},
    "Path": {"paving": "#d8ccb0"},
    "Cars Road": {"road": "#5a5a5c", "line": "#d8d4c6"},
    "Cars Land": {"land": "#86a05f"},
    "Crossing": {"stripes": "#e8e6df"},
}
"""The materials of what is built for each scene, by what it belongs to."""
APART = 1.5
"""Distance between models, in lengths of the one before."""


def main() -> int:
    folder, data = Path(sys.argv[1]), bpy.data
    folder.mkdir(exist_ok=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    data.libraries.write(str(folder / PLAYER.name), crowd_nodes(), compress=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    make()
    blocks = {data.scenes[0], *data.objects, *data.actions, *data.materials}
    data.libraries.write(str(folder / MODELS.name), blocks, compress=True)
    return 0


def make() -> None:
    """Make the content of the asset file in the empty file that is open: models in a row, clips and materials."""
    for model, add in ((BIRD, bird), (FISH, fish), (SHEEP, sheep), (COW, cow), (RIDER, rider), (CAR, car)):
        for number in range(model.variants):
            add(number)
    wolf()
    _people()
    station()
    for owner, colors in GROUNDS.items():
        paints = Paints(owner, colors)
        for paint in colors:
            paints.material(paint)
    _stand_in_a_row()


def _people() -> None:
    """Make people in all outfits, what they carry, how they hold it, and their clips."""
    size = PERSON.size
    armature = new_armature("Walker", size)
    rig, *_ = [person(number, armature, size) for number in range(PERSON.variants)]
    for thing, (bone, _) in THINGS.items():
        hold(rig, thing, thing_mesh(thing, size), bone)
        if CARRYING[thing]:
            arms_action(rig, thing)
    for cycle in CYCLES:
        new_clip(rig, cycle, size, FPS)


def _stand_in_a_row() -> None:
    """Show all models side by side in the scene, for whoever opens the file."""
    right = 0.0
    for ob in bpy.data.objects:
        bpy.context.scene.collection.objects.link(ob)
    bpy.context.view_layer.update()
    for ob in sorted(bpy.data.objects, key=lambda ob: ob.name):
        if ob.parent is None:
            width = APART * max(2.0, *ob.dimensions)
            ob.location.x = right = right + width


if __name__ == "__main__":
    leave(main)
