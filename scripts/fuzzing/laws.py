"""What holds whatever an animator does, told from dumps of the whole file."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from steering_addon.locomotion import CATALOGUE
from steering_addon.portrayal.clips import MEASURED
from steering_addon.portrayal.driver_properties import SHARE
from tests.blender.animated import bags
from tests.blender.building import part
from tests.blender.dumping import difference, scene_dump, without_bake_ids, without_run_records

RECORD = "steering_bake"
CACHE = "steering_cache"
SHOWN = 4
"""Differences that a message lists."""
KINDS = ("actions", "cameras", "collections", "curves", "libraries", "meshes", "objects", "scenes", "shape_keys")
BESIDE = ("cameras", "collections", "curves", "libraries", "meshes", "scenes", "shape_keys")
"""Datablocks that no bake changes."""
OUTPUTS = tuple(output.name for kind in CATALOGUE for output in kind.outputs)
LOOKS = ("steering_look_left", "steering_look_up")
PROPERTIES = (
    "steering_speed",
    "steering_distance",
    "steering_phase",
    "steering_effort",
    "steering_folded",
    *LOOKS,
    *OUTPUTS,
)
"""The custom properties that a bake keys on request; those of states are named after these."""
FINDINGS = {
    "clips": (*MEASURED, "measured"),
    "portrayal": ("unplanted", "unplanted_models"),
    "state": ("number",),
    "trigger": ("number",),
}
"""What a bake finds out of clips and feet, and the numbers that it gives to copies, by the group that stores it."""
EXPECTED = ("config/*", "extensions/*", "scripts/presets/steering/*.json", ".cache/*")
"""The files that Blender and saved presets put into the folders of a user; `*` stands for folders too."""


def dump() -> dict:
    """The file as it is on the current frame."""
    scene = bpy.context.scene
    # Blender fills the view layers of other scenes only when they are evaluated. An object that is in
    # several then has the pose of theirs, so this comes first.
    for layer in (layer for other in bpy.data.scenes if other != scene for layer in other.view_layers):
        layer.update()
    # Blender stores the settings that drivers read whenever it evaluates the driver.
    drivers = [driver for ob in bpy.data.objects if ob.animation_data for driver in ob.animation_data.drivers]
    for target in (target for d in drivers for variable in d.driver.variables for target in variable.targets):
        if target.id and target.data_path.startswith("steering."):
            with suppress(ValueError):
                target.id.path_resolve(target.data_path)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return without_bake_ids(scene_dump(KINDS))


def differences(before: dict, after: dict) -> str:
    """The first differences of two dumps in one line, empty if there are none."""
    # Values that are not a number are unequal to themselves, so the slow way has the last word.
    return "; ".join(islice((line[:300] for line in difference(*_unequal(before, after))), SHOWN))


def _unequal(before: Any, after: Any, deep: int = 2) -> tuple[Any, Any]:
    """Two dumps, without kinds and datablocks that are equal."""
    if not deep or not isinstance(before, dict) or not isinstance(after, dict):
        return before, after
    names = [name for name in before | after if name not in before or name not in after or before[name] != after[name]]
    pairs = {name: _unequal(before[name], after[name], deep - 1) for name in names if name in before and name in after}
    return tuple(
        {name: pairs[name][side] if name in pairs else dump[name] for name in names if name in dump}
        for side, dump in enumerate((before, after))
    )


def restorable(dump: dict, copies: set[str], hidden: set[str]) -> dict:
    """A dump without what a bake may leave behind when it is cleared.

    These are the starts that it stores on vehicles, as each bake stores its own, and only a bake reads it; what it has
    measured of clips, which holds until their model changes; the identities and numbers that it gives to copies;
    properties that drivers read, with what these drivers set; and whether what it hid is selected, as Blender deselects
    what is hidden; and the users of linked datablocks. `copies`: the full names of objects with the identity of another
    one, before; `hidden`: the names of the objects that the bake hides on the current frame.
    """
    objects = {}
    readers, read = drivers_of_bakes()
    for name, stored in dump["objects"].items():
        of_a_bake = {"start", "identity"} if name in copies else {"start"}
        settings = stored.get("steering")
        if isinstance(settings, dict):
            stored = {
                **stored,
                "steering": _without_findings({k: v for k, v in settings.items() if k not in of_a_bake}),
            }
        if name in read:
            custom = {k: v for k, v in stored["custom"].items() if not _is_keyed(k)}
            stored = {**stored, "stored": [k for k in stored["stored"] if not _is_keyed(k)], "custom": custom}
        objects[name] = _not_driven(bpy.data.objects.get(name), stored) if name in readers else stored
    return {**without_selection_of(hidden, dump), "objects": objects, "users": _users_of_local(dump)}


def _users_of_local(dump: dict) -> dict:
    """How many use each datablock of this file: of linked ones, Blender keeps a user for each removed override."""
    return {kind: {k: v for k, v in by_name.items() if "[" not in k} for kind, by_name in dump["users"].items()}


def _without_findings(value: Any, group: str = "") -> Any:
    """The settings of a group, by name, without what a bake finds out."""
    if isinstance(value, dict):
        return {k: _without_findings(v, k) for k, v in value.items() if k not in FINDINGS.get(group, ())}
    return [_without_findings(each, group) for each in value] if isinstance(value, list) else value


def _is_keyed(name: str) -> bool:
    """Whether a bake keys the custom property of a name."""
    return name in PROPERTIES or name.startswith(SHARE)


def without_selection_of(hidden: set[str], dump: dict) -> dict:
    """A dump that does not tell whether these objects are selected or active: Blender deselects what is hidden."""
    active = None if dump["active"] in hidden else dump["active"]
    return {**dump, "selected": [name for name in dump["selected"] if name not in hidden], "active": active}


def drivers_of_bakes() -> tuple[set[str], set[str]]:
    """The full names of the objects with drivers that read baked properties, and of those that these read."""
    pairs = [
        (ob.name_full, target.id.name_full)
        for ob in bpy.data.objects
        for driver in (ob.animation_data.drivers if ob.animation_data else ())
        for variable in driver.driver.variables
        for target in variable.targets
        if target.id is not None and target.data_path.startswith('["') and _is_keyed(target.data_path[2:-2])
    ]
    return {reader for reader, _ in pairs}, {read for _, read in pairs}


def copies(dump: dict) -> set[str]:
    """The full names of the objects of a dump with the identity of another one."""
    groups = {name: stored.get("steering") for name, stored in dump["objects"].items()}
    identities = {name: group.get("identity", 0) for name, group in groups.items() if isinstance(group, dict)}
    number = Counter(identities.values())
    return {name for name, identity in identities.items() if number[identity] > 1}


def hidden() -> set[str]:
    """The names of the objects that are hidden on the current frame, or rest while a crowd cache plays."""
    return {ob.name for ob in bpy.data.objects if not ob.visible_get()}


def hidden_by_keys() -> set[str]:
    """The names of the objects that keys hide on some frame."""
    acted = [(ob, ob.animation_data.action) for ob in bpy.data.objects if ob.animation_data]
    return {
        ob.name
        for ob, action in acted
        if action and any(curve.data_path == "hide_viewport" for bag in bags(action) for curve in bag.fcurves)
    }


def undoable(dump: dict) -> dict:
    """A dump without what undo itself changes.

    On undo, Blender reads linked objects and overrides again, with all groups. It also evaluates drivers again, and
    stores what they drive, even on copies of which none was evaluated before.
    """
    objects = {name: _not_driven(bpy.data.objects.get(name), stored) for name, stored in dump["objects"].items()}
    linked = {ob.name_full for ob in bpy.data.objects if ob.library is not None or ob.override_library is not None}
    objects = {name: stored for name, stored in objects.items() if name not in linked}
    return {**dump, "users": _users_of_local(dump), "objects": objects}


def _not_driven(ob: bpy.types.Object | None, stored: dict) -> dict:
    """The dump of an object without what drivers set."""
    drivers = ob.animation_data.drivers if ob is not None and ob.animation_data else ()
    driven = {driver.data_path for driver in drivers}
    settings = {path: value for path, value in stored["settings"].items() if path not in driven}
    stored = {**stored, "settings": settings}
    if any(path.startswith("steering.") for path in driven):
        # To drive one of its settings, Blender stores the whole group.
        keys = [key for key in stored["stored"] if key != "steering"]
        stored = {**stored, "steering": None, "stored": keys}
    return stored


def outdated() -> str:
    """The frames, of the present one and another, on which a bake is said to be outdated."""
    scene, count = bpy.context.scene, part("blender.status.census").count
    before, found = scene.frame_current, []
    for frame in (before, before + 3):
        scene.frame_set(frame)
        found += [f"on frame {frame}"] if count(scene).bake.outdated else []
    scene.frame_set(before)
    return ", ".join(found)


def caches() -> list[str]:
    """The names of the crowd caches, which add collections and meshes, and take objects out of view."""
    return [each.name for each in bpy.data.collections if CACHE in each]


def touched(before: dict, after: dict, involved: set[str]) -> str:
    """The differences in what a bake has no business with: other objects, and datablocks of other types."""
    if any(CACHE in each.get("custom", ()) for dump in (before, after) for each in dump["collections"].values()):
        # They come and go as a whole, which other laws hold.
        return ""
    before, after = without_run_records(before), without_run_records(after)
    others = [name for name in before["objects"] if name not in involved]
    return differences(
        {**{kind: before[kind] for kind in BESIDE}, "objects": {name: before["objects"][name] for name in others}},
        {**{kind: after[kind] for kind in BESIDE}, "objects": {n: after["objects"].get(n) for n in others}},
    )


def involved() -> set[str]:
    """The full names of the objects that a bake may write: those with a role and all below them."""
    tagged = {ob for ob in bpy.data.objects if ob.is_property_set("steering") and ob.steering.roles}
    acted = [(ob, ob.animation_data.action) for ob in bpy.data.objects if ob.animation_data]
    baked = {ob for ob, action in acted if action and RECORD in action}
    below = {child for ob in tagged for child in ob.children_recursive}
    return {ob.name_full for ob in tagged | baked | below}


def baked_actions() -> list[bpy.types.Action]:
    return [action for action in bpy.data.actions if RECORD in action]


def no_numbers() -> str:
    """The baked curves with keys that are not finite."""
    return ", ".join(f"{action.name} {curve.data_path}" for action in baked_actions() for curve in _not_finite(action))


def _not_finite(action: bpy.types.Action) -> Iterator[bpy.types.FCurve]:
    channels, (first, last) = set(action[RECORD]["channels"]), action[RECORD]["range"]
    for bag in bags(action):
        for curve in bag.fcurves:
            places = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", places)
            frames, values = places[0::2], places[1::2]
            baked = (frames >= first) & (frames <= last)
            if curve.data_path in channels and not np.isfinite(values[baked]).all():
                yield curve


def stray_files(folders: Iterable[Path]) -> list[str]:
    """The files in these folders that neither Blender nor a saved preset puts there."""
    return [
        path.relative_to(folder).as_posix()
        for folder in folders
        for path in folder.rglob("*")
        if not path.is_dir() and not any(fnmatch(path.relative_to(folder).as_posix(), each) for each in EXPECTED)
    ]
