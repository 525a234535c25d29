"""The models of ready scenes, appended from the asset file that `scripts/ready_models` makes."""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Action, Collection, Object, Scene
from mathutils import Matrix

from ...animation.animation_data import assign_action, channelbag_in, channelbags, new_action, slot_for
from ...objects.drivers import drivers_of
from ...objects.hierarchy import Family
from ..adding_clips import add_clip, measure_clips
from ..asset_files import asset_file, own_copy
from ..populating.models import MemberModel

ASSET = Path(__file__).resolve().parents[4] / "assets" / "ready_models.blend"
VARIANTS = "ABCDEF"
PLACE, DIVISOR = re.compile(r"^[\d.]+"), re.compile(r"(?<=/)[\d.]+$")
"""The length in the expression of a driver that moves a part, and in one that divides heights by it."""
FPS = 24.0
"""Frames a second of the clips in the asset file."""
ROUNDING = 1e-6
LINEAR = 1
"""The number of Blender's linear interpolation."""
SHORTEST = 4
"""Frames of a clip at least."""


@dataclass(frozen=True)
class ReadyModel:
    """A model in the asset file; numbers but for the size are in sizes.

    Attributes:
        name: its objects are called "<name> A", and the parts of these "<name> A <part>", with a letter per variant.
        size: its length, of people its height, in metres.
        variants: the number of its colors.
        stride: distance of one cycle of its legs, 0 without.
        driven: whether drivers move its parts, rather than clips.
    """

    name: str
    size: float
    radius: float
    variants: int = 1
    stride: float = 0.0
    height: float = 1.0
    driven: bool = True


BIRD = ReadyModel("Bird", 0.3, radius=0.6, variants=3)
"""The radius is that of a bird with half-closed wings."""
FISH = ReadyModel("Fish", 0.3, radius=0.5, variants=2)
SHEEP = ReadyModel("Sheep", 1.2, radius=0.34, variants=4, stride=2.0 / 3.0)
COW = ReadyModel("Cow", 2.2, radius=0.15, variants=4, stride=2.0 / 3.0)
WOLF = ReadyModel("Wolf", 1.32, radius=0.3, stride=0.9, height=0.72)
RIDER = ReadyModel("Rider", 2.42, radius=0.15, variants=3, stride=1.1, height=0.98)
CAR = ReadyModel("Car", 4.3, radius=0.21, variants=6, height=0.32)
WHEELBASE, TRACK, WHEEL = 0.62, 0.36, 0.075
"""The distances of a car's axles and of its wheels, and the radius of a wheel, in lengths."""
PERSON = ReadyModel("Walker", 1.75, radius=0.16, variants=6, driven=False)

THINGS = ("Backpack", "Box", "Suitcase")
"""Things that people carry: an object of this name in the asset file; an action of this name holds the arms."""
CLIPS = {
    "Idle": "STAND",
    "Talk": "STAND",
    "Walk": "MOVE",
    "Stroll": "MOVE",
    "Brisk Walk": "MOVE",
    "Run": "MOVE",
    "Left Turn": "MOVE",
    "Right Turn": "MOVE",
    "Look at Watch": "DO",
}
"""The clips of people, and when each is played."""
IN_COMPANY = "Talk"


@dataclass(frozen=True)
class ReadyCast:
    """Appended models, of which members are made. `scale`: metres of the scene for a metre of the asset file; `things`:
    what people carry, by its name; `clips`: the actions of people, by their name in the asset file."""

    models: list[MemberModel]
    scale: float
    things: dict[str, Object]
    clips: dict[str, Action]

    def add(self, name: str, variant: int, collection: Collection, phase: float | None = None) -> Object:
        """Add a copy of a model; its limbs keep the phase until a bake keyframes it."""
        model = self.models[variant % len(self.models)]
        root, *_ = model.copied_as([name + title for title in model.names], collection)
        if phase is not None:
            root["steering_phase"] = phase
        return root

    def carry(self, rig: Object, name: str) -> None:
        """Let a person carry something: it is parented to a bone, and an action holds the arms on top of clips."""
        thing = self.things[name].copy()
        thing.name = f"{rig.name} {name}"
        inverse = thing.matrix_parent_inverse.copy()
        thing.parent = rig
        thing.matrix_parent_inverse = inverse
        rig.users_collection[0].objects.link(thing)
        if name in self.clips:
            action = _new_clip(self.clips[name], thing.name, rig)
            assign_action(rig, action, slot_for(action, rig))

    def give_clips(self, crowd: Object, rig: Object, scene: Scene) -> None:
        """Give a crowd of people clips, measured on its vehicles, of which `rig` is one."""
        stretch = scene.render.fps / scene.render.fps_base / FPS
        for name, plays in CLIPS.items():
            action = _new_clip(self.clips[name], f"Walker {name}", rig, stretch, self.scale)
            add_clip(crowd, action, plays).with_company = name == IN_COMPANY
        measure_clips(crowd, scene, Family())


@contextmanager
def appended(model: ReadyModel, size: float, count: int) -> Iterator[ReadyCast]:
    """Append a model in up to `count` of its variants, in this size, for as long as members are made of it. Data that
    no member uses leaves the file at the end."""
    titles = [f"{model.name} {letter}" for letter in VARIANTS[: min(count, model.variants)]]
    with asset_file(ASSET) as (stored, wanted):
        parts = {
            title: sorted(name for name in stored.objects if f"{name} ".startswith(f"{title} ")) for title in titles
        }
        things, actions = ([], []) if model.driven else ([*THINGS], [*stored.actions])
        names = [*(name for listed in parts.values() for name in listed), *things]
        wanted.objects, wanted.actions = [*names], [*actions]
    objects, clips, scale = dict(zip(names, wanted.objects)), dict(zip(actions, wanted.actions)), size / model.size
    data = [own_copy(block) for block in {ob.data for ob in objects.values()}]
    materials = [own_copy(material) for material in {m for block in data for m in getattr(block, "materials", ())}]
    if not math.isclose(scale, 1.0, rel_tol=ROUNDING):
        for block in data:
            block.transform(Matrix.Scale(scale, 4))
        for ob in objects.values():
            _scale(ob, scale)
    models = [
        MemberModel.made_of([objects[name] for name in listed], [name.removeprefix(title) for name in listed])
        for title, listed in parts.items()
    ]
    try:
        yield ReadyCast(models, scale, {name: objects[name] for name in things}, clips)
    finally:
        bpy.data.batch_remove([*objects.values(), *clips.values()])
        bpy.data.batch_remove([block for block in data if not block.users])
        bpy.data.batch_remove([material for material in materials if not material.users])


def append(**names: Sequence[str]) -> dict[str, list]:
    """Append datablocks of the asset file, such as `materials`, which are returned in the order of their names."""
    with asset_file(ASSET) as (_, wanted):
        for kind, listed in names.items():
            setattr(wanted, kind, [*listed])
    return {kind: [own_copy(block) for block in getattr(wanted, kind)] for kind in names}


def _scale(ob: Object, factor: float) -> None:
    """Scale where a part of a model is, and the lengths that its drivers know."""
    ob.location *= factor
    ob.matrix_parent_inverse.translation *= factor
    for curve in drivers_of(ob):
        length = PLACE if curve.data_path == "location" else DIVISOR
        driver = curve.driver
        driver.expression = length.sub(lambda match: f"{factor * float(match[0]):.6g}", driver.expression)


def _new_clip(stored: Action, name: str, rig: Object, stretch: float = 1.0, scale: float = 1.0) -> Action:
    """A copy of an action of the asset file for a person, with times and distances multiplied by these factors."""
    action, slot = new_action(name, rig)
    curves = channelbag_in(action, slot, ensure=True).fcurves
    for source in (curve for bag in channelbags(stored) for curve in bag.fcurves):
        count = len(source.keyframe_points)
        points = np.empty(2 * count)
        source.keyframe_points.foreach_get("co", points)
        if count > 1:
            length = points[-2] - 1.0
            points[::2] = 1.0 + (points[::2] - 1.0) * (max(round(length * stretch), SHORTEST) / length)
        if source.data_path.endswith("location"):
            points[1::2] *= scale
        curve = curves.new(source.data_path, index=source.array_index)
        curve.keyframe_points.add(count)
        curve.keyframe_points.foreach_set("co", points)
        curve.keyframe_points.foreach_set("interpolation", np.full(count, LINEAR, np.uint8))
        curve.update()
    return action
