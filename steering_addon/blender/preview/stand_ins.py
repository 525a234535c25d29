"""Shows vehicles without moving their objects: some have none, some rest, and some are plain.

An object of our own with one mesh stands in for points, and for objects that rest while a crowd cache plays; it is
never rendered, saved or selected. The objects that show them otherwise are shrunk to nothing where Blender has
evaluated them.

While the timeline plays, the faces of one mesh show plain vehicles, many times as fast as moved objects. A vehicle is
plain if it is a mesh, with parts at most that drivers move as far as its beat tells, and nothing else in the file
refers to it: nobody can see then that it is not where it seems to be. Once the timeline stops, the objects themselves
are shown again, and may be clicked. Blender goes through all objects of a scene to evaluate anything: faces are moved
where they have been evaluated, and drawn as instances from there, so that it has nothing to evaluate.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import methodcaller
from typing import Protocol

import bpy
import numpy as np
from bpy.types import ID, Collection, Depsgraph, Object, Scene, Screen, SpaceView3D

from ...portrayal.sketch import Sketch
from ...simulation.arrays.identities import rows_among
from ...simulation.roles import Role
from ..animation.rotation_channels import channels_from_matrices, matrices_from_channels, product, width_of
from ..crowds.crowd_cache import player_of, shown_by
from ..crowds.shown_models import UNTURNED, point_mesh, set_column, show_models
from ..objects.crowd_caches import cache_of, cached_as
from ..objects.focus import drawn_vehicles
from ..objects.hierarchy import Family
from ..objects.node_inputs import input_of
from ..properties import pointed_at
from ..read.dependencies import animated_paths
from ..read.evaluated_points import evaluated_points
from ..read.joined_vehicles import point_parts
from ..read.plan import Plan
from ..read.sources import CrowdSource
from .swings import BEAT, NEUTRAL, UNMOVED, at_rest, swing, swung

NAME = "Steering Preview"
MARK = "steering_preview"
"""The custom property of objects that only show a preview."""
Placed = tuple[np.ndarray, np.ndarray]
"""The positions (m, 3) of points, and the rotations (m, 4) of their models, as quaternions; both in the world."""


@dataclass(frozen=True)
class Stand:
    """Vehicles of a plan that stand for themselves nowhere: points of an object, or those of a crowd that are at rest.

    Attributes:
        rows: (m,) the vehicles.
        axes: (m, 3, 3) the side, forward and up axis of each model in its own space.
        scale, variant: (m, 3) and (m,) how many times as large as its model each is, and which of the models it has.
        models: these, in the order of their names; None for cones.
        size: the length of a cone, metres.
    """

    rows: np.ndarray
    axes: np.ndarray
    scale: np.ndarray
    variant: np.ndarray
    models: Collection | None
    size: float

    @property
    def looks(self) -> tuple:
        """The look of the vehicles, without their poses."""
        return self.variant.tobytes(), self.size, None if self.models is None else self.models.session_uid

    def placed(self, sketch: Sketch) -> Placed:
        """Where a sketch has them, and how their models turn."""
        bodies, rows = sketch.bodies, self.rows
        basis = np.stack((bodies.side[rows], bodies.forward[rows], bodies.up[rows]), axis=-1)
        turns = channels_from_matrices(product(basis, self.axes.swapaxes(-1, -2)), "QUATERNION")
        return bodies.position[rows].astype(np.float32), turns.astype(np.float32)

    def made(self, scene: Scene) -> list[Object]:
        """An object of our own with a point for each vehicle."""
        m = len(self.rows)
        mesh = point_mesh(NAME, np.zeros((m, 3)), np.tile(UNTURNED, (m, 1)), self.scale, self.variant)
        ob = bpy.data.objects.new(NAME, mesh)
        show_models(ob, self.models, self.size)
        add_to(scene, ob, mesh, ob.modifiers[0].node_group)
        return [ob]

    def put(self, made: Sequence[Object], placed: Placed, gone: np.ndarray) -> None:
        """Move the points, and shrink those of absent vehicles of the plan to nothing."""
        mesh = made[0].data
        set_column(mesh, "position", placed[0])
        set_column(mesh, "rotation", placed[1])
        set_column(mesh, "scale", np.where(gone[self.rows, None], 0.0, self.scale))
        mesh.update()


def stands_of(plan: Plan) -> tuple[Stand, ...]:
    """The vehicles of a plan that a preview has to show in place of an object."""
    points = [
        Stand(
            rows=rows,
            axes=source.axes,
            scale=np.tile(source.scale[:, None], 3),
            variant=source.variant,
            models=pointed_at(source.ob.steering, "models"),
            size=2.0 * source.crowd.steering.vehicle.radius,
        )
        for source, rows in point_parts(plan.vehicles.source)
    ]
    return (*points, *(stand for crowd in plan.crowds if (stand := _at_rest(plan, crowd)) is not None))


def _at_rest(plan: Plan, crowd: CrowdSource) -> Stand | None:
    """The vehicles of a crowd that are objects at rest, which look as in its player; None if there are none."""
    source, cache = plan.vehicles.source, cache_of(crowd.ob)
    rows = np.intersect1d(crowd.rows, source.object_rows) if cache is not None else np.zeros(0, dtype=np.int64)
    rows = np.array([row for row in rows.tolist() if cached_as(source.owner(row)) is not None], dtype=np.int64)
    shown = shown_by(cache) if len(rows) else None
    if shown is None:
        return None
    agents, modifier = evaluated_points(shown, None).columns, player_of(shown)
    at = rows_among(agents["id"], plan.vehicles.identity[rows])
    return Stand(
        rows=rows,
        axes=source.axes[rows],
        scale=agents["scale"][at],
        variant=(agents["variant"][at] * input_of(modifier, "Poses")).astype(np.int64),
        models=input_of(modifier, "Posed Models") or input_of(modifier, "Models"),
        size=2.0 * crowd.ob.steering.vehicle.radius,
    )


def add_to(scene: Scene, ob: Object, *used: ID) -> None:
    """Add an object of our own to a scene, with what only it uses."""
    for block in (ob, *used):
        block[MARK] = True
    ob.hide_render = ob.hide_select = True
    scene.collection.objects.link(ob)


class Shows(Protocol):
    """Vehicles of a plan that objects of our own show."""

    @property
    def looks(self) -> tuple:
        """The look of the vehicles, without their poses."""

    def made(self, scene: Scene) -> list[Object]:
        """The objects of our own."""


class StandIns:
    """The objects of our own that show vehicles; they stay while as many are shown with the same models. `made`: the
    objects, in the order of what they show."""

    def __init__(self) -> None:
        self._looks: list[tuple] = []
        self.made: list[list[Object]] = []

    def make(self, scene: Scene, shown: Sequence[Shows]) -> bool:
        """Make the objects that show vehicles; whether that takes other objects than before."""
        looks = [each.looks for each in shown]
        changed = looks != self._looks
        if changed:
            self.end(scene)
            self._looks, self.made = looks, [each.made(scene) for each in shown]
        return changed

    def end(self, scene: Scene) -> None:
        """Show them no more."""
        self._looks, self.made = [], []
        for ob in [each for each in scene.collection.objects if MARK in each]:
            used = [ob.data, *(modifier.node_group for modifier in ob.modifiers)]
            bpy.data.batch_remove([ob, *(each for each in used if each is not None and MARK in each)])


def covered(plan: Plan) -> list[Object]:
    """The objects that a preview of a plan covers: those with points, and those that play an earlier bake."""
    caches = [cache for crowd in plan.crowds if (cache := cache_of(crowd.ob)) is not None]
    points = (source.ob for source, _ in point_parts(plan.vehicles.source))
    return [*points, *dict.fromkeys(ob for cache in caches for ob in cache.objects)]


LEAST = 200
"""Plain vehicles from which on a mesh pays."""
MOST_LOOKS = 32
"""Looks at most that one mesh shows."""
MOST_SWINGS = 8
"""Ways in which parts swing, at most: each takes .1 s to measure."""
LOOK = ("color", "display_type", "show_in_front", "show_wire")
"""The properties of an object by which viewports show the same mesh differently."""


@dataclass(frozen=True)
class PlainVehicles:
    """The k plain vehicles of a plan.

    Attributes:
        objects: these.
        parts: of each, with the object itself.
        rows: (k,) among all vehicles of the plan.
        places: (k,) among the vehicles that are objects.
        modes: (k,) their rotation modes.
        size: (k,) their scale.
        beat: (k, 3) the properties BEAT as the objects have them.
        look: (k,) which of the models each looks like.
        models: the parts of the first of each look.
        faces: of each look, by phase and effort.
        looks: what each look is, and how many vehicles have it.
        vehicles: all vehicles that are objects.
        whole: which of them have all their parts in view, (k,), by the name of a view layer.
        shrunk: (k,) which of them were shrunk to nothing when they were last shown.
    """

    objects: Sequence[Object]
    parts: Sequence[Sequence[Object]]
    rows: np.ndarray
    places: np.ndarray
    modes: np.ndarray
    size: np.ndarray
    beat: np.ndarray
    look: np.ndarray
    models: Sequence[Sequence[Object]]
    faces: Sequence[np.ndarray]
    looks: tuple
    vehicles: frozenset[Object]
    whole: dict[str, np.ndarray]
    shrunk: np.ndarray

    @classmethod
    def of(cls, plan: Plan, swings: dict[tuple, np.ndarray | None]) -> "PlainVehicles | None":
        """The plain vehicles of a plan; None if a mesh does not pay. `swings`: of parts, by how they are at rest; what
        is missing is added."""
        source, family = plan.vehicles.source, Family()
        parts = [[ob, *family.descendants(ob)] for ob in source.objects]
        users = bpy.data.user_map(subset={*chain.from_iterable(parts), *bpy.data.collections})
        followed = {view.lock_object for view in viewports(plan.scene)}
        places = [k for k, ob in enumerate(source.objects) if ob not in followed and _is_plain(parts[k], users)]
        rest = {k: each for k in places if (each := at_rest(parts[k])) is not None}
        if len(rest) < LEAST or len(set(rest.values())) > MOST_SWINGS:
            return None
        for k, key in rest.items():
            if key not in swings:
                swings[key] = swing(source.objects[k], plan.scene, family) if key else UNMOVED
        places = [k for k, key in rest.items() if swings[key] is not None]
        kinds: dict[tuple, int] = {}
        look = np.array([kinds.setdefault(_look(parts[k], rest[k]), len(kinds)) for k in places], dtype=np.int64)
        if len(places) < LEAST or len(kinds) > MOST_LOOKS:
            return None
        firsts = [places[row] for row in np.unique(look, return_index=True)[1].tolist()]
        objects = [source.objects[k] for k in places]
        return cls(
            objects=objects,
            parts=[parts[k] for k in places],
            rows=source.object_rows[places],
            places=np.array(places),
            modes=np.array([ob.rotation_mode for ob in objects]),
            size=np.array([ob.scale[0] for ob in objects]),
            beat=np.array([[_number(ob.get(name)) for name in BEAT] for ob in objects], dtype=np.float64),
            look=look,
            models=[parts[k] for k in firsts],
            faces=[swings[rest[k]] for k in firsts],
            looks=(look.tobytes(), *kinds),
            vehicles=frozenset(source.objects),
            whole={},
            shrunk=np.zeros(len(objects), dtype=np.bool_),
        )

    def by_face(self, depsgraph: Depsgraph, beats: np.ndarray) -> np.ndarray:
        """Whether faces show each of them in a viewport, (k,): those in view, but for those that the overlay draws and
        those whose wings are folded."""
        layer = depsgraph.view_layer
        apart = set(drawn_vehicles(layer, (ob for ob in layer.objects if ob in self.vehicles)))
        if layer.name not in self.whole:
            seen = (all(part.visible_get(view_layer=layer) for part in parts) for parts in self.parts)
            self.whole[layer.name] = np.array(list(seen))
        in_view = np.array(list(map(methodcaller("visible_get", view_layer=layer), self.objects)))
        if apart:
            in_view &= np.array([ob not in apart for ob in self.objects])
        return in_view & self.whole[layer.name] & (beats[:, 2] == 0.0)

    def to_shrink(self, by_face: np.ndarray, depsgraph: Depsgraph) -> list[Object]:
        """The objects that faces show, by (k,), and that Blender has evaluated at another size than nothing."""
        known = self.shrunk & by_face
        if (row := known.argmax()) or known[:1].any():
            # All have been evaluated again once the timeline has stopped, or in another view layer.
            known &= not self.objects[row].evaluated_get(depsgraph).scale[0]
        self.shrunk[:] = by_face
        rows = np.flatnonzero(by_face & ~known).tolist()
        return [self.objects[row] for row in rows if self.objects[row].evaluated_get(depsgraph).scale[0]]

    def made(self, scene: Scene) -> list[Object]:
        """Objects of our own, one for each part of each look, with a face for each vehicle of that look."""
        made = []
        for model, count in zip(self.models, np.bincount(self.look).tolist()):
            for part in model:
                mesh = bpy.data.meshes.new(NAME)
                mesh.from_pydata(np.zeros((3 * count, 3)), [], np.arange(3 * count).reshape(-1, 3))
                faces, shown = bpy.data.objects.new(NAME, mesh), bpy.data.objects.new(NAME, part.data)
                faces.instance_type, faces.use_instance_faces_scale = "FACES", True
                faces.show_instancer_for_viewport = faces.show_instancer_for_render = False
                shown.parent = faces
                for name in LOOK:
                    setattr(shown, name, getattr(part, name))
                for slot, other in zip(shown.material_slots, part.material_slots):
                    slot.link, slot.material = other.link, other.material
                add_to(scene, faces, mesh)
                add_to(scene, shown)
                # It is seen on the faces only.
                for layer in scene.view_layers:
                    shown.hide_set(True, view_layer=layer)
                made.append(faces)
        return made

    def put(
        self, made: Iterable[Object], location: np.ndarray, rotation: np.ndarray, beats: np.ndarray, away: np.ndarray
    ) -> None:
        """Move the faces, or evaluated copies of them, and shrink some to nothing. `location`, `rotation`: (m, 3) and
        (m, 4) the channels of all vehicles that are objects; `beats`: (k, 3) of the plain ones; `away`: (k,) which of
        these are not shown."""
        turned, axes = rotation[self.places], np.empty((len(self.places), 3, 3))
        for mode in set(self.modes.tolist()):
            rows = self.modes == mode
            matrices = matrices_from_channels(turned[rows, : width_of(mode)], mode)
            axes[rows] = matrices * self.size[rows, None, None]
        axes[away] = 0.0
        made = iter(made)
        for look, faces in enumerate(self.faces):
            rows = np.flatnonzero(self.look == look)
            own = swung(faces, beats[rows, 0], beats[rows, 1])
            corners = np.einsum("mab,mpcb->pmca", axes[rows], own) + location[self.places[rows], None]
            for of_part, ob in zip(corners.astype(np.float32), made):
                ob.data.attributes["position"].data.foreach_set("vector", of_part.ravel())


def viewports(scene: Scene) -> list[SpaceView3D]:
    """The 3D views in all windows on a scene."""
    windows = [window for window in bpy.context.window_manager.windows if window.scene == scene]
    return [area.spaces.active for window in windows for area in window.screen.areas if area.type == "VIEW_3D"]


def _number(value: object) -> float:
    """The value of a custom property, which may be of any type; 0 for what is not a number."""
    return float(value) if isinstance(value, int | float) else 0.0


def _is_plain(parts: Sequence[Object], users: Mapping[ID, set[ID]]) -> bool:
    ob, own = parts[0], set(parts)
    return (
        all(_is_simple(part) and all(_only_shows(each, users, own) for each in users[part]) for part in parts)
        and ob.parent is None
        and not animated_paths(ob)
        and ob.steering.roles == {Role.VEHICLE.name}
        and 0.0 < ob.scale[0] == ob.scale[1] == ob.scale[2]
        and all(tuple(getattr(ob, name)) == value for name, value in NEUTRAL.items())
    )


def _is_simple(part: Object) -> bool:
    """Whether an object is a mesh that nothing changes."""
    return (
        part.type == "MESH"
        and part.data.shape_keys is None
        and part.rigid_body is None
        and part.instance_type == "NONE"
        and not (part.modifiers or part.constraints)
    )


def _only_shows(user: ID, users: Mapping[ID, set[ID]], own: Set[ID]) -> bool:
    """Whether a datablock that refers to a vehicle or a part only shows it, as a collection of a scene does, or lists
    it, or is one of its own parts."""
    if isinstance(user, Collection):
        return all(_only_shows(each, users, own) for each in users[user])
    return user in own or isinstance(user, (Scene, Screen))


def _look(parts: Sequence[Object], rest: tuple) -> tuple:
    return rest, *(_look_of(part) for part in parts)


def _look_of(part: Object) -> tuple:
    values = (getattr(part, name) for name in LOOK)
    shown = (value if isinstance(value, (str, bool)) else tuple(value) for value in values)
    materials = (slot.material and slot.material.session_uid for slot in part.material_slots)
    return part.data.session_uid, *materials, *shown
