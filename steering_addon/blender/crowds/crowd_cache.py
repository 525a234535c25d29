"""The datablocks of a crowd cache: all frames of a crowd in one mesh, and the object that plays it.

The point of agent a on frame f is number `f * n + a`. It has a position and the attributes `rotation` (a quaternion),
`pose` (the number of the mesh that shows it among those of its variant, -1 for none), and where they are known `phase`
(in 128 parts of a cycle) and `state`. The player has a point for each agent, with `id`, `key`, `variant` and `scale`.
A model has a mesh for each variant. If there are poses, it holds its points in each, and nodes make instances of them,
which an object gathers for the player: they are made once, not on each frame.
What the player does not read is for objects that stand for agents: `flags`, what drivers of the models read of a
locomotion, such as how far wheels are turned, by its name, and of each agent the `start_velocity` at which it enters.

Changes after the simulation are the points of another small mesh, each at the `key` of its agent: a bake never touches
it. It has `hidden`, `frame_offset`, `speed` (a factor), `variant` (-1 as it is), `offset` (metres) and `picked`, of
those that are hidden as objects stand for them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import ID, Collection, Mesh, Modifier, Object, Scene

from ...simulation.arrays.identities import rows_among
from ...simulation.roles import Role
from ..animation.visibility import parts
from ..objects.crowd_caches import MARK, RECORD, cache_id, cache_of, cached_as, caches, mark
from ..objects.hierarchy import Family
from ..objects.node_inputs import input_of
from ..objects.tagged_objects import put_to_rest, wake
from ..properties import has_role
from ..refusal import Refusal
from .asset_files import GROUPS, PLAYER, POSES, node_group, set_inputs
from .shown_models import add_column, get_column, set_column

PART = "steering_part"
"""The custom property of the datablocks of a cache that says what they are for."""
FRAMES, AGENTS, EDITS, MODELS, POSED = "FRAMES", "AGENTS", "EDITS", "MODELS", "POSED"
COLUMN_KINDS = {"int8": "INT8", "int32": "INT", "float32": "FLOAT"}
TITLES = {FRAMES: "Frames", AGENTS: "Player", EDITS: "Edits", MODELS: "Models", POSED: "Poses"}
PERCHED, FLARES, ARRIVED = 1, 2, 4
"""The flags of an agent: it stands on something on which it has come down from the air, it brakes with its wings to do
so, and it is where it was led."""
MOST = 10000
"""Versions of a library at most."""


@dataclass
class NewCache:
    """The datablocks of a cache that no scene has yet: the motion of n agents on f frames.

    Attributes:
        first, rate: the first frame, and frames a second.
        position, rotation: (f, n, 3) metres and (f, n, 4) quaternions whose signs continue, single precision.
        columns: (f, n) numbers by name: `pose`, and where they are known the others.
        identity, variant, scale, start_velocity: (n,), (n,), (n, 3) and (n, 3), which stay.
        poses, models: how many each model has, and the mesh of each, made by `hold_poses` if there are several.
        clips: the hash of the clips that are played; "" without any.
        made: what was made so far, to be removed if it is discarded.
    """

    crowd: Object
    first: int
    rate: float
    position: np.ndarray
    rotation: np.ndarray
    columns: Mapping[str, np.ndarray]
    identity: np.ndarray
    variant: np.ndarray
    scale: np.ndarray
    start_velocity: np.ndarray
    poses: int
    models: Sequence[Mesh]
    clips: str = ""
    frames: Mesh | None = None
    points: Mesh | None = None
    made: list[ID] = field(default_factory=list)

    def making(self) -> Iterator[None]:
        """Make the meshes, a column at a time."""
        position, name = self.position, self.crowd.name
        self.frames = self._mesh(f"{name} {TITLES[FRAMES]}", position.shape[0] * position.shape[1])
        yield
        set_column(self.frames, "position", position)
        yield
        add_column(self.frames, "rotation", "QUATERNION", self.rotation)
        yield
        for key, column in self.columns.items():
            add_column(self.frames, key, COLUMN_KINDS[column.dtype.name], column)
            yield
        self.frames.update()
        self.points = self._mesh(f"{name} {TITLES[AGENTS]}", position.shape[1])
        set_column(self.points, "position", position[0])
        add_column(self.points, "id", "INT", self.identity)
        add_column(self.points, "variant", "INT", self.variant)
        add_column(self.points, "key", "FLOAT_VECTOR", keys_of(self.identity))
        add_column(self.points, "scale", "FLOAT_VECTOR", self.scale)
        add_column(self.points, "start_velocity", "FLOAT_VECTOR", self.start_velocity)
        self.points.update()
        yield

    def discard(self) -> None:
        """Remove what was made."""
        bpy.data.batch_remove(self.made)
        self.made.clear()

    def hand_over(self, scene: Scene, cache: str, last: int) -> None:
        """Give the meshes to the cache of the crowd, made if it has none; `cache`: the id of this bake of it."""
        collection = cache_of(self.crowd) or self._new_collection(scene)
        collection[RECORD] = {"crowd": self.crowd, "id": cache, "range": [self.first, last], "clips": self.clips}
        shown = shown_by(collection) or self._new_player(collection)
        modifier = player_of(shown)
        if modifier.node_group.get(PLAYER) != GROUPS[PLAYER][1]:
            modifier.node_group = node_group(PLAYER)
        frames, edits = input_of(modifier, "Cache"), input_of(modifier, "Edits")
        frames = frames or _new_object(self.crowd, FRAMES, self.frames)
        edits = edits or _new_object(self.crowd, EDITS, _edits_before(collection) or no_edits(self.crowd.name))
        bpy.data.batch_remove({linked.library for linked in linked_content(collection)})
        former = {shown.data, frames.data} - {self.points, self.frames}
        shown.data, frames.data = self.points, self.frames
        if (models := self._shown_models(input_of(modifier, "Models"))) is not None:
            posed = self._gathered(input_of(modifier, "Posed Models"), models)
            set_inputs(modifier, {"Models": models, "Poses": self.poses, "Posed Models": posed})
        inputs = {"Cache": frames, "Edits": edits, "First Frame": self.first, "Frame Rate": self.rate}
        set_inputs(modifier, inputs)
        bpy.data.batch_remove([mesh for mesh in former if mesh is not None and not mesh.users])
        self.made.clear()

    def _mesh(self, name: str, points: int) -> Mesh:
        mesh = bpy.data.meshes.new(name)
        self.made.append(mesh)
        mesh.vertices.add(points)
        # Blender selects what is added, which takes a byte for each point of a file.
        mesh.attributes.remove(mesh.attributes[".select_vert"])
        return mesh

    def _new_collection(self, scene: Scene) -> Collection:
        collection = bpy.data.collections.new(f"{self.crowd.name} Cache")
        scene.collection.children.link(collection)
        return collection

    def _new_player(self, collection: Collection) -> Object:
        ob = _new_object(self.crowd, AGENTS, self.points)
        collection.objects.link(ob)
        _add_nodes(ob, PLAYER)
        return ob

    def _shown_models(self, collection: Collection | None) -> Collection | None:
        """The collection of what is shown, in place of that of an earlier bake; None if the animator chose another. It
        is in no scene: an instance of the cache would show its content where it stands."""
        if collection is not None and collection.get(PART) != MODELS:
            bpy.data.batch_remove([mesh for mesh in dict.fromkeys(self.models) if not mesh.users])
            return None
        if collection is None:
            collection = bpy.data.collections.new(f"{self.crowd.name} {TITLES[MODELS]}")
            collection[PART] = MODELS
        _remove_with_data(ob for ob in collection.objects if ob.get(PART) == MODELS)
        digits = len(str(len(self.models)))
        for number, mesh in enumerate(self.models):
            # Geometry nodes sort the children by name.
            ob = bpy.data.objects.new(f"{self.crowd.name} Model {number:0{digits}}", mesh)
            mesh.name = ob.name
            ob[PART] = MODELS
            collection.objects.link(ob)
            if self.poses > 1:
                set_inputs(_add_nodes(ob, POSES), {"Poses": self.poses})
        return collection

    def _gathered(self, former: Object | None, models: Collection) -> Object | None:
        """The object that has the poses of all models, in place of an earlier one; None if there are none."""
        if former is not None:
            _remove_with_data([former])
        if self.poses == 1:
            return None
        ob = _new_object(self.crowd, POSED, bpy.data.meshes.new(f"{self.crowd.name} {TITLES[POSED]}"))
        set_inputs(_add_nodes(ob, POSES), {"Models": models})
        return ob


def shown_by(cache: Collection) -> Object | None:
    """The object that shows a cache; None if that is in a library, or gone."""
    return next((ob for ob in cache.objects if ob.get(PART) == AGENTS), None)


def player_of(ob: Object) -> Modifier:
    """The modifier by which an object plays a cache."""
    return next(modifier for modifier in ob.modifiers if modifier.type == "NODES")


def settle(
    vehicles: Sequence[Object], parts: Iterable[Object], cache: str, frames: tuple[int, int], scene: Scene
) -> None:
    """Let vehicles rest while a cache plays them, and note on each that it does."""
    for ob in vehicles:
        mark(ob, cache, *frames)
    put_to_rest({*vehicles, *parts}, scene)


def resting_parts(ob: Object, family: Family) -> Iterator[Object]:
    """The parts that rest with a vehicle: all but those with a role of their own."""
    return (part for part in parts(ob, family) if not any(has_role(part, role) for role in Role))


def delete_caches(objects: Iterable[Object], parts_of: Any) -> None:
    """Remove the caches that hold the motion of objects as a whole, and bring back all vehicles that they hold;
    `parts_of`: gives the objects that rest with a vehicle."""
    ids = {cached.cache for ob in objects if (cached := cached_as(ob)) is not None}
    woken = [ob for ob in bpy.data.objects if (cached := cached_as(ob)) is not None and cached.cache in ids]
    # First, as view layers are made again for what is removed.
    for collection in [collection for collection in caches() if cache_id(collection) in ids]:
        remove_cache(collection)
    for ob in woken:
        del ob[MARK]
    wake({*woken, *(part for ob in woken for part in parts_of(ob))})


def remove_cache(collection: Collection) -> None:
    """Remove a cache with all that was made for it."""
    remove_content(collection)
    if not collection.objects and not collection.children:
        bpy.data.collections.remove(collection)
    for group in [group for group in bpy.data.node_groups if any(kind in group for kind in GROUPS)]:
        if group.library is None and group.users <= group.use_fake_user:
            bpy.data.node_groups.remove(group)


def remove_content(collection: Collection) -> None:
    """Remove what was made for a cache, and what it links from a library of its own."""
    if (shown := shown_by(collection)) is not None:
        modifier = player_of(shown)
        owned = [input_of(modifier, name) for name in ("Cache", "Edits", "Posed Models")]
        models = input_of(modifier, "Models")
        objects = [shown, *(ob for ob in owned if ob is not None and PART in ob)]
        if models is not None and models.get(PART) == MODELS:
            objects += [ob for ob in models.objects if ob.get(PART) == MODELS]
        _remove_with_data(objects)
        if models is not None and models.get(PART) == MODELS and not models.objects:
            bpy.data.collections.remove(models)
    bpy.data.batch_remove({linked.library for linked in linked_content(collection)})


def is_kept_here(collection: Collection | None) -> bool:
    """Whether there is a cache, and it is in this file."""
    return collection is not None and shown_by(collection) is not None


def linked_content(collection: Collection) -> list[Collection]:
    """The collections that a cache links from a library of its own."""
    return [child for child in collection.children if child.library is not None and RECORD in child]


def _remove_with_data(objects: Iterable[Object]) -> None:
    objects = list(objects)
    data = dict.fromkeys(ob.data for ob in objects)
    bpy.data.batch_remove(objects)
    bpy.data.batch_remove([block for block in data if block is not None and not block.users])


def _add_nodes(ob: Object, kind: str) -> Modifier:
    """Let a node group of a cache make what an object shows."""
    modifier = ob.modifiers.new(GROUPS[kind][0], "NODES")
    modifier.node_group = node_group(kind)
    return modifier


def _new_object(crowd: Object, kind: str, mesh: Mesh | None) -> Object:
    ob = bpy.data.objects.new(f"{crowd.name} {TITLES[kind]}", mesh)
    ob[PART] = kind
    return ob


def _edits_before(collection: Collection) -> Mesh | None:
    """A copy of the edits that a cache links from a library of its own."""
    for linked in linked_content(collection):
        if (shown := shown_by(linked)) is not None and (ob := input_of(player_of(shown), "Edits")):
            return ob.data.copy()
    return None


def save_as_library(collection: Collection, folder: Path) -> Path:
    """Write a cache into the next version of its library in a folder, and link it from there; returns the file. Refused
    if the file cannot be written."""
    name = bpy.path.clean_name(collection.name)
    path = next(p for k in range(1, MOST) if not (p := folder / f"{name}_v{k:03}.blend").exists())
    record = collection[RECORD].to_dict()
    # The crowd would come along, with everything that its behaviors look at.
    collection[RECORD] = {key: value for key, value in record.items() if key != "crowd"}
    try:
        bpy.data.libraries.write(str(path), {collection}, path_remap="RELATIVE_ALL")
    except (OSError, RuntimeError) as problem:
        raise Refusal(f"{path.name} cannot be written ({problem}). Save the file to another folder.") from problem
    finally:
        collection[RECORD] = record
    with bpy.data.libraries.load(str(path), link=True, relative=True) as (_, wanted):
        wanted.collections = [collection.name]
    remove_content(collection)
    collection.children.link(wanted.collections[0])
    return path


HALF = 1 << 16
"""A key is an identity in two parts, each of which single precision holds."""
COLUMNS: dict[str, tuple[str, Any]] = {
    "hidden": ("BOOLEAN", False),
    "frame_offset": ("FLOAT", 0.0),
    "speed": ("FLOAT", 1.0),
    "variant": ("INT", -1),
    "offset": ("FLOAT_VECTOR", (0.0, 0.0, 0.0)),
    "picked": ("BOOLEAN", False),
}
"""The attributes of the points of edits: the types of their values, and those that change nothing."""


def keys_of(identity: np.ndarray) -> np.ndarray:
    """The keys (n, 3) of agents by their identities (n,)."""
    numbers = identity.astype(np.int64)
    return np.column_stack((numbers % HALF, numbers // HALF, np.zeros(len(numbers)))).astype(np.float32)


def identities_of(keys: np.ndarray) -> np.ndarray:
    """The identities (n,) of agents by their keys (n, 3)."""
    numbers = np.rint(keys).astype(np.int64)
    return numbers[:, 0] + numbers[:, 1] * HALF


def no_edits(crowd: str) -> Mesh:
    """A mesh without edits, for a crowd of this name."""
    mesh = bpy.data.meshes.new(f"{crowd} Edits")
    for key, (kind, _) in COLUMNS.items():
        mesh.attributes.new(key, kind, "POINT")
    return mesh


def edits_of(mesh: Mesh | None, identities: np.ndarray) -> dict[str, np.ndarray]:
    """The edits of agents, a column (n,) for each attribute by name; the usual value where there is none."""
    row = _rows(mesh, identities)
    columns = {}
    for name, (_, usual) in COLUMNS.items():
        column = np.full((len(identities), *np.shape(usual)), usual)
        if mesh is not None and name in mesh.attributes:
            column[row >= 0] = get_column(mesh, name)[row[row >= 0]]
        columns[name] = column
    return columns


def picked_in(mesh: Mesh) -> np.ndarray:
    """The identities of the agents (m,) for which objects stand, or did."""
    if "picked" not in mesh.attributes or not len(mesh.vertices):
        return np.zeros(0, dtype=np.int64)
    return identities_of(get_column(mesh, "position")[get_column(mesh, "picked")])


def edit_agents(edits: Object, identities: np.ndarray, **values: Any) -> None:
    """Change agents (n,) by their identities; `values`: of attributes, for all of them. What changes nothing goes."""
    mesh = edits.data
    for name, (kind, usual) in COLUMNS.items():
        if name not in mesh.attributes:
            add_column(mesh, name, kind, np.full((len(mesh.vertices), *np.shape(usual)), usual))
    columns = edits_of(mesh, identities)
    added = identities[_rows(mesh, identities) < 0]
    count = len(mesh.vertices)
    mesh.vertices.add(len(added))
    mesh.vertices.foreach_set("co", np.concatenate((get_column(mesh, "position")[:count], keys_of(added))).ravel())
    row = _rows(mesh, identities)
    for name, column in columns.items():
        all_values = get_column(mesh, name)
        column[:] = values.get(name, column)
        all_values[row] = column
        set_column(mesh, name, all_values)
    unchanged = [(columns[name] == usual).reshape(len(row), -1).all(axis=1) for name, (_, usual) in COLUMNS.items()]
    _remove(mesh, row[np.all(unchanged, axis=0)])
    mesh.update()
    edits.update_tag()


def _rows(mesh: Mesh | None, identities: np.ndarray) -> np.ndarray:
    """The rows of agents (n,) among the points of a mesh of edits; -1 of those that have none."""
    if mesh is None or not len(mesh.vertices):
        return np.full(len(identities), -1)
    return rows_among(identities_of(get_column(mesh, "position")), identities)


def _remove(mesh: Mesh, rows: np.ndarray) -> None:
    if not len(rows):
        return
    edited = bmesh.new()
    try:
        edited.from_mesh(mesh)
        edited.verts.ensure_lookup_table()
        for vertex in [edited.verts[row] for row in rows.tolist()]:
            edited.verts.remove(vertex)
        edited.to_mesh(mesh)
    finally:
        edited.free()
