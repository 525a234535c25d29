"""Custom properties that a bake keys on a vehicle: the bake's while it lasts, the animator's before and after.

A property of that name which the animator had is restored with value, limits and tooltip. A property made by the bake
is removed with it, unless a driver reads it: Blender gives up on a driver whose property is missing, even when it
returns, so it stays as a plain property and the model holds still.
"""

import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import bpy
from bpy.types import ID, FCurve, Object

from ...locomotion import LOCOMOTIONS
from ...portrayal.driver_properties import FOLDED, LOOKS, SHARE, STATE
from ..objects.drivers import drivers_of, read_by
from ..objects.focus import vehicle_of
from ..objects.tagged_objects import crowd_of, full_name

DESCRIPTIONS = {
    "steering_speed": "Metres a second, keyed by the bake",
    "steering_distance": "Metres travelled since the first baked frame, keyed by the bake",
    "steering_phase": "Cycles, such as wing beats or strides, keyed by the bake",
    "steering_effort": "How far wings or a tail swing, 1 for the usual and 0 in a glide, keyed by the bake",
    FOLDED: "How far wings are folded, 0 in the air and 1 where it stands, keyed by the bake",
    LOOKS[0]: "Radians that the head is turned to the left, keyed by the bake",
    LOOKS[1]: "Radians that the head is raised, keyed by the bake",
    STATE: "Number of the state that it is in, 0 for none, keyed by the bake",
    **{o.name: f"{o.description}, keyed by the bake" for kind in LOCOMOTIONS.values() for o in kind.outputs},
}
"""The tooltips of the properties a bake makes, but for those of shares in states."""
SHARE_DESCRIPTION = "How far it has taken up the state, 0 to 1, keyed by the bake"
WHOLE = {STATE}
"""The properties that hold whole numbers."""
LONGEST_PATH = 59
"""Bytes of the longest data path of a property named after an object: Blender stores names of up to 63 bytes, and the
record of a bake those of channels, which are longer."""

REFUSED_SETTING = (TypeError, ValueError, OverflowError, KeyError)
"""The errors that Blender raises for a setting of a property that it does not take."""


def path_of(name: str) -> str:
    """The data path of a custom property, as keyframes name it."""
    return f'["{bpy.utils.escape_identifier(name)}"]'


@lru_cache(maxsize=1024)
def name_in(path: str) -> str | None:
    """The custom property that a data path names, None for any other path."""
    if not (path.startswith('["') and path.endswith('"]')):
        return None
    return str(bpy.utils.unescape_identifier(path[2:-2]))


def share_in(state: str) -> str:
    """The property that holds how far a vehicle has taken up the state of a name; a long name is cut."""
    name = SHARE + state
    while len(path_of(name).encode()) > LONGEST_PATH:
        name = name[:-1]
    return name


def plain(value: Any) -> Any:
    """The value of a custom property, groups and arrays as plain Python."""
    whole = getattr(value, "to_dict", None) or getattr(value, "to_list", None)
    return whole() if whole else value


@dataclass(frozen=True)
class KeptProperty:
    """A custom property as the animator had it. `value`: plain Python, or a datablock; `display`: its limits, tooltip
    and other settings of the interface, None if such a value has none."""

    value: Any
    display: dict[str, Any] | None

    @classmethod
    def of(cls, ob: Object, name: str) -> "KeptProperty":
        try:
            display = ob.id_properties_ui(name).as_dict()
        except TypeError:
            display = None
        return cls(plain(ob[name]), display)

    @classmethod
    def read(cls, stored: Any) -> "KeptProperty":
        """From the result of `written`, as Blender stored it. Raises TypeError, ValueError or KeyError if it is not
        such a result."""
        value = stored["value"]
        display = json.loads(stored["display"])
        if not isinstance(display, dict | None):
            raise TypeError("not the settings of a property")
        if display and "items" in display:
            display["items"] = [tuple(item) for item in display["items"]]
        return cls(value, display)

    def written(self) -> dict[str, Any]:
        """In a form that Blender can store in a custom property."""
        return {"value": self.value, "display": json.dumps(self.display)}

    def put_back(self, ob: Object, name: str) -> None:
        try:
            ob[name] = self.value
        except TypeError:  # Nothing that was kept: Blender holds settings of the extension under this name.
            return
        if self.display is not None:
            # A file of another version may hold settings, or a kind of value, that this Blender does not take.
            with suppress(TypeError):
                display = ob.id_properties_ui(name)
                display.clear()
                _update(display, self.display)


def _update(display: Any, settings: dict[str, Any]) -> None:
    """Apply the settings of a property, or those of them that this Blender takes."""
    try:
        display.update(**settings)
    except REFUSED_SETTING:
        for setting, value in settings.items():
            with suppress(*REFUSED_SETTING):
                display.update(**{setting: value})


def make(ob: Object, name: str, value: float, *, reset: bool) -> None:
    """Give an object a property for a bake, or set the one that an earlier bake has made. With `reset` it keeps no
    settings of an earlier property of that name: Blender clamps keyed values to its limits."""
    reset = reset or name not in ob
    ob[name] = round(value) if name in WHOLE else value
    if reset:
        display = ob.id_properties_ui(name)
        display.clear()
        display.update(description=DESCRIPTIONS.get(name, SHARE_DESCRIPTION if name.startswith(SHARE) else ""))


def remove(ob: Object, name: str) -> None:
    """Remove a property of an object, if it is still present."""
    if name in ob:
        del ob[name]


def reading_drivers(obs: Collection[Object], names: Iterable[str]) -> dict[Object, dict[str, list[FCurve]]]:
    """The drivers anywhere in the file that read these properties of the objects, by object and property."""
    paths = {path_of(name): name for name in names}
    drivers: dict[Object, dict[str, list[FCurve]]] = {ob: {} for ob in obs}
    if not paths or not drivers:
        return drivers
    users = {user for readers in bpy.data.user_map(subset=list(drivers)).values() for user in readers}
    for block in users | set(drivers):
        for driver in drivers_of(block, getattr(block, "node_tree", None)):
            for target in read_by([driver]):
                if target.data_path in paths and target.id in drivers:
                    drivers[target.id].setdefault(paths[target.data_path], []).append(driver)
    return drivers


def revive(drivers: Iterable[FCurve]) -> None:
    """Let Blender retry drivers that it gave up on because a property they read was missing."""
    for driver in drivers:
        if not driver.driver.is_valid:
            driver.driver.is_valid = True
            driver.id_data.update_tag()


def traits(objects: Iterable[Object], crowds: int) -> tuple[frozenset[str], frozenset[str]]:
    """The full names of the crowds with an armature or shape keys on a member, and of those that drivers read;
    `crowds`: their number."""
    posed: set[str] = set()
    driven: set[str] = set()
    for ob in objects:
        keys = getattr(ob.data, "shape_keys", None)
        can_pose = ob.type == "ARMATURE" or keys is not None
        # One member is enough, and no more is looked at once each crowd has one.
        reads = len(driven) < crowds and _read_vehicle(ob, ob.data, keys)
        if (can_pose or reads) and (name := _crowd_name(ob)):
            posed.update([name] if can_pose else ())
            driven.update([name] if reads else ())
    return frozenset(posed), frozenset(driven)


def _crowd_name(ob: Object) -> str:
    vehicle = vehicle_of(ob)
    crowd = crowd_of(vehicle) if vehicle is not None else None
    return full_name(crowd) if crowd is not None else ""


def _read_vehicle(*blocks: ID | None) -> bool:
    """Whether drivers of datablocks read custom properties of an object, such as `steering_phase`."""
    return any(name_in(target.data_path) is not None for target in read_by(drivers_of(*blocks)))
