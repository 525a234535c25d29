"""A scene that a seed describes: objects, animation, tags and settings, each odd in its own way.

Every object and every part has its own random numbers, so the rest stays the same where a reduction leaves one out.
"""

import contextlib
from collections.abc import Callable, Collection
from pathlib import Path
from random import Random

import bpy

from tests.blender.steered import select

from .odd_animation import animate, drive
from .odd_objects import linked_object, odd_name, odd_object, odd_points
from .odd_settings import disturb, is_group

ODDNESS = (0.0, 0.2, 0.5, 1.0)
STARTS = (1, 1, 1, 1, 0, -10, -1000, 100_000, 1_000_000)
LENGTHS = (0, 1, 5, 8, 8, 12)
ROLES = (
    *("VEHICLE", "VEHICLE", "OBSTACLE", "PATH", "LEADER", "REGION", "FLOW", "RESOURCE", "CROWD"),
    *("SURFACE", "LINK", "SIGNAL"),
)
LIKENESSES = ("UNCHANGED", "UNCHANGED", "ANYTHING", "BIRD", "FISH", "PERSON", "CAR")

POINTS = 0.25
"""Share of scenes with vehicles that are points."""
READY = 0.3
"""Share of scenes with rigged models and states."""

Attempt = Callable[..., object]


class OddScene:
    """Builds the scene of a seed in the empty file. `attempt`: calls an operator of the extension by name, with
    settings, and checks its laws; `left_out`: the numbers of objects that are not made."""

    def __init__(self, seed: int, library: Path, attempt: Attempt, left_out: Collection[int] = ()) -> None:
        self.seed, self.library, self.attempt, self.left_out = seed, library, attempt, left_out
        chance = self.chance("size")
        self.oddness = chance.choice(ODDNESS)
        self.number = chance.randint(2, 8)

    def chance(self, part: str) -> Random:
        return Random(f"{self.seed} {part}")

    def build(self) -> None:
        self._set_range(self.chance("range"))
        objects: list[bpy.types.Object] = []
        for number in range(self.number):
            chance = self.chance(f"object {number}")
            if number in self.left_out:
                continue
            if chance.random() < 0.08 * self.oddness:
                objects.append(linked_object(self.library, chance))
            else:
                objects.append(odd_object(chance, number, objects, self.oddness))
        self._collect(objects, self.chance("collections"))
        for number, ob in enumerate(objects):
            chance = self.chance(f"animation {number}")
            if ob.library is None and chance.random() < 0.35 * self.oddness:
                animate(ob, chance, self.oddness)
        self._add_ready(self.chance("ready"))
        self._add_points(self.chance("points"))
        self.tag_objects(self.chance("tags"))
        chance = self.chance("identities")
        for ob in tagged():
            # As in files that were made otherwise: in any order, and copies have the same.
            if ob.library is None and ob.steering.identity and chance.random() < 0.7:
                ob.steering.identity = chance.choice((1, chance.randint(1, 2**31 - 1)))
        self.change_settings(self.chance("settings"))

    def _add_ready(self, chance: Random) -> None:
        """Add a few rigged walkers or a herd with states: most of what a bake writes, odd objects have none of."""
        if chance.random() < READY:
            place = [chance.uniform(-90.0, 90.0) for _ in range(3)]
            scene = chance.choice(("add_walkers", "add_walkers", "add_herd_and_wolf"))
            self.attempt(scene, count=chance.choice((1, 1, 2)), seed=chance.randint(0, 99), location=place)

    def _add_points(self, chance: Random) -> None:
        """Add an object whose points are vehicles, which may have odd attributes and show models."""
        if chance.random() > POINTS:
            return
        ob = odd_points(chance, self.oddness)
        bpy.context.scene.collection.objects.link(ob)
        select(ob)
        self.attempt("tag", role="POINTS", moves_like=chance.choice(LIKENESSES))
        if bpy.data.collections and chance.random() < 0.3 and ob.is_property_set("steering"):
            ob.steering.models = chance.choice(list(bpy.data.collections))

    def _set_range(self, chance: Random) -> None:
        scene = bpy.context.scene
        first = chance.choice(STARTS) if chance.random() < max(self.oddness, 0.2) else 1
        scene.frame_end = first
        scene.frame_start = first
        scene.frame_end = first + chance.choice(LENGTHS)
        scene.frame_set(chance.choice((first, first, first + 2, first - 3)))
        if chance.random() < 0.4 * self.oddness:
            scene.render.fps, scene.render.fps_base = chance.choice((1, 7, 24, 60)), chance.choice((1.0, 1.001, 10.0))
        if chance.random() < 0.3 * self.oddness:
            scene.unit_settings.scale_length = chance.choice((0.001, 1000.0))

    def _collect(self, objects: list, chance: Random) -> None:
        """Put objects into a collection, which may be excluded, and into a second scene."""
        if objects and chance.random() < 0.3:
            collection = bpy.data.collections.new(odd_name(chance, "Collection", self.oddness))
            bpy.context.scene.collection.children.link(collection)
            # A linked object may be among them twice.
            for ob in dict.fromkeys(chance.sample(objects, min(2, len(objects)))):
                collection.objects.link(ob)
            if chance.random() < 0.3 * self.oddness:
                bpy.context.view_layer.layer_collection.children[-1].exclude = True
        if objects and chance.random() < 0.2 * self.oddness:
            bpy.data.scenes.new("Second Scene").collection.objects.link(chance.choice(objects))

    def tag_objects(self, chance: Random) -> None:
        """Tag one vehicle at least where that is possible, and more objects with random roles."""
        self.attempt("crowd_add")
        self.select(chance, chance.randint(1, 3), of=("MESH", "EMPTY"))
        self.attempt("tag", role="VEHICLE", moves_like=chance.choice(LIKENESSES))
        for _ in range(chance.randint(0, 4)):
            role = chance.choice(ROLES)
            fitting = {"PATH": ("CURVE",), "FLOW": ("CURVE", "MESH"), "CROWD": ("EMPTY",)}
            fitting |= {"SURFACE": ("MESH",), "LINK": ("CURVE", "EMPTY"), "SIGNAL": ("EMPTY",)}
            self.select(chance, chance.choice((1, 1, 2)), of=fitting.get(role) if chance.random() < 0.8 else None)
            self.attempt("tag", role=role, moves_like=chance.choice(LIKENESSES))

    def change_settings(self, chance: Random) -> None:
        """Add behaviors to crowds, and change settings of everything that is tagged and of the scene."""
        for ob in tagged():
            if ob.library is not None:
                continue
            if "CROWD" in ob.steering.roles:
                self._change_crowd(ob, chance)
            if chance.random() < 0.4:
                disturb(ob.steering, chance, 2, self.oddness)
            if chance.random() < 0.1 * self.oddness:
                # Blender refuses a driver on what an override may not change.
                with contextlib.suppress(RuntimeError, TypeError):
                    drive(ob, chance)
        if chance.random() < 0.4:
            run = bpy.context.scene.steering
            run.substeps, run.seed = chance.choice((1, 2, 5)), chance.choice((0, -1, 2**31 - 1, -(2**31)))
        render = bpy.context.scene.render
        if render.fps < render.fps_base:
            # A pre-roll in frames of ten seconds is as long as one asks for; it does not hang.
            for ob in tagged():
                if ob.library is None and ob.steering.is_property_set("preroll"):
                    ob.steering.preroll = min(ob.steering.preroll, 10)

    def _change_crowd(self, crowd: bpy.types.Object, chance: Random) -> None:
        groups = [
            each.identifier for each in crowd.steering.bl_rna.properties if each.type == "POINTER" and is_group(each)
        ]
        behaviors = [name for name in groups if "use" in getattr(crowd.steering, name).bl_rna.properties]
        for name in chance.sample(behaviors, min(chance.choice((0, 1, 2, 4, 27)), len(behaviors))):
            # Unused groups stay unread: reading one writes it into the file.
            group = getattr(crowd.steering, name)
            group.use = True
            if chance.random() < 0.5:
                disturb(group, chance, chance.choice((1, 2, 4)), self.oddness)
        for name in ("vehicle", "attendance", "portrayal"):
            if chance.random() < 0.25:
                disturb(getattr(crowd.steering, name), chance, 2, self.oddness)

    def select(self, chance: Random, number: int = 0, of: Collection[str] | None = None) -> None:
        """Select a number of random objects, a random one of 0, by preference of these types."""
        # What stands in for vehicles in a preview cannot be selected.
        objects = [ob for ob in bpy.context.view_layer.objects if ob is not None and not ob.hide_select]
        fitting = [ob for ob in objects if of is not None and ob.type in of and not is_crowd(ob)] or objects
        select()
        if fitting:
            chosen = chance.sample(fitting, min(len(fitting), number or chance.randint(1, len(fitting))))
            select(*[ob for ob in chosen if ob.visible_get()])


def tagged() -> list[bpy.types.Object]:
    """The objects of the scene with any role."""
    objects = bpy.context.scene.objects
    return [ob for ob in objects if ob is not None and ob.is_property_set("steering") and ob.steering.roles]


def is_crowd(ob: bpy.types.Object) -> bool:
    return ob.is_property_set("steering") and "CROWD" in ob.steering.roles
