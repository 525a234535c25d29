"""Values that no menu of this version offers, but a script, a driver, a damaged file or one of a later version can.

Each changes the scene that `staged` makes. Raw numbers are written past the properties, as an old or foreign file
brings them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from tests.blender.building import empty, frames, path_curve, sphere, wedge
from tests.blender.steered import bake, crowd, leader, obstacle, road, select, tag, vehicle

NAN, INFINITE = float("nan"), float("inf")


@dataclass(frozen=True)
class Stage:
    """The objects of a small scene with one of everything."""

    crowd: Any
    second: Any
    vehicles: list
    loose: Any
    rock: Any
    room: Any
    road: Any
    leader: Any

    @classmethod
    def present(cls) -> Stage:
        """The objects of the scene that `staged` has made, in the file that is open."""
        by_name = bpy.data.objects
        single = ("Crowd", "Second", "Loose", "Rock", "Room", "Road", "Leader")
        vehicles = [by_name[f"Ship {k}"] for k in range(3)]
        return cls(vehicles=vehicles, **{name.lower(): by_name[name] for name in single})

    @property
    def actions(self) -> list:
        """The actions that the vehicles play."""
        return [ob.animation_data.action for ob in self.vehicles if ob.animation_data and ob.animation_data.action]


def staged(*, baked: bool = False) -> Stage:
    """Make a scene of three frames with a crowd, an untagged model and things to react to."""
    frames(1, 3)
    host = crowd(
        "Crowd",
        **{"wander": {}, "separation": {}, "containment": {}, "path_following": {}, "obstacle_avoidance": {}},
    )
    host.steering.vehicle.radius = 0.3
    crowd("Second")
    for k in range(3):
        vehicle(name=f"Ship {k}", location=(3.0 * k, 0, 0), crowd=host)
    wedge("Loose", (0, 9, 0))
    obstacle(sphere("Rock", (5, 5, 0)))
    tag(empty("Room", scale=(40, 40, 40)), role="REGION")
    road(path_curve("Road"))
    leader(empty("Leader", (0, 4, 0)))
    if baked:
        bake()
    select(*Stage.present().vehicles)
    return Stage.present()


Change = Callable[[Stage], None]


def raw(owner: Any) -> Any:
    """The properties of an object as the file stores them."""
    if hasattr(owner, "bl_system_properties_get"):
        return owner.bl_system_properties_get(do_create=True)["steering"]
    return owner["steering"]


def _write(owner: Any, path: str, value: Any) -> None:
    group = raw(owner)
    *above, name = path.split(".")
    for part in above:
        if part not in group:
            group[part] = {}
        group = group[part]
    group[name] = value


def of_crowd(path: str, value: Any) -> Change:
    return lambda stage: _write(stage.crowd, path, value)


def of_vehicles(path: str, value: Any) -> Change:
    def change(stage: Stage) -> None:
        for ob in stage.vehicles:
            _write(ob, path, value)

    return change


def of(name: str, path: str, value: Any) -> Change:
    return lambda stage: _write(getattr(stage, name), path, value)


def setting(name: str, path: str, value: Any) -> Change:
    """Set a property of one of the objects of the stage, or of all of its vehicles."""

    def change(stage: Stage) -> None:
        target = getattr(stage, name)
        *above, last = path.split(".")
        for owner in target if isinstance(target, list) else [target]:
            for part in above:
                owner = getattr(owner, part)
            setattr(owner, last, value)

    return change


def record(**changed: Any) -> Change:
    """Change the record of the bake on the action of each vehicle; a callable gets the vehicle."""

    def change(stage: Stage) -> None:
        for ob in stage.vehicles:
            for name, value in changed.items():
                ob.animation_data.action["steering_bake"][name] = value(ob) if callable(value) else value

    return change


def whole_record(value: Any) -> Change:
    def change(stage: Stage) -> None:
        for action in stage.actions:
            action["steering_bake"] = value

    return change


def corner(value: float, name: str = "vehicles") -> Change:
    """Put a vertex of a mesh nowhere."""

    def change(stage: Stage) -> None:
        target = getattr(stage, name)
        for ob in target if isinstance(target, list) else [target]:
            # Set one by one, a coordinate is clamped.
            places = np.empty(3 * len(ob.data.vertices), dtype=np.float32)
            ob.data.vertices.foreach_get("co", places)
            places[4] = value
            ob.data.vertices.foreach_set("co", places)
            ob.data.update()

    return change


def facing(forward: str, up: str) -> Change:
    def change(stage: Stage) -> None:
        for ob in stage.vehicles:
            ob.steering.forward_axis, ob.steering.up_axis = forward, up

    return change


def kept_property(value: Any, name: str = "steering_speed") -> Change:
    return record(channels=["location", f'["{name}"]'], kept_properties={name: value})


UNBAKED: dict[str, Change] = {
    **{
        f"{name} of the crowd is {value!r}": of_crowd(name, value)
        for name, value in (
            ("combining", 99),
            ("combining", -1),
            ("vehicle.max_speed", -5.0),
            ("vehicle.max_speed", NAN),
            ("vehicle.radius", 0.0),
            ("vehicle.radius", NAN),
            ("vehicle.radius", INFINITE),
            ("vehicle.length", NAN),
            ("vehicle.mass", 0.0),
            ("vehicle.mass", -1.0),
            ("vehicle.keep_apart", 7),
            ("locomotion", 99),
            ("simple_vehicle.bank", NAN),
            ("simple_vehicle.bank_time", -1.0),
            ("seek", "no group"),
            ("wander.use", 7),
            ("wander.strength", NAN),
            ("attendance.on_arrival", 99),
            ("attendance.use_enter_frame", 1),
            ("attendance.enter_frame", 2**31 - 1),
            ("portrayal.use", 1),
            ("portrayal.phase_by", 99),
            ("separation.neighbors", 77),
            ("separation.distance", INFINITE),
            ("separation.distance", NAN),
            ("separation.weight", NAN),
            ("separation.priority", 2**31 - 1),
            ("path_following.direction", 99),
            ("leader_following.leader_choice", 99),
            ("populate.count", -5),
            ("populate.arrangement", 99),
            ("populate.spacing", NAN),
            ("preroll", -5),
            ("preroll", 2**31 - 1),
            ("roles", 0xFFFFFF),
        )
    },
    **{
        f"{name} of vehicles is {value!r}": of_vehicles(name, value)
        for name, value in (
            ("roles", 0xFFFF),
            ("roles", 1 << 20 | 1),
            ("own_locomotion", 99),
            ("forward_axis", 99),
            ("up_axis", -5),
            ("identity", -5),
            ("identity", 2**31 - 1),
            ("speed_factor", NAN),
            ("size_factor", -1.0),
            ("size_factor", NAN),
            ("length_factor", NAN),
            ("mass_factor", NAN),
            ("mass_factor", 0.0),
            ("start_speed", NAN),
            ("height", NAN),
            ("seed", 2**31 - 1),
            ("start.location", [NAN] * 3),
            ("start.rotation", [INFINITE] * 4),
            ("start.rotation_mode", "SIDEWAYS"),
            ("start.rotation_mode", ""),
            ("member.number", -7),
            ("member.scale", NAN),
            ("member.room", NAN),
            ("member.placed.rotation_mode", "SIDEWAYS"),
            ("variation.speed", NAN),
            ("variation.size", 0.0),
            ("use_enter_frame", 1),
        )
    },
    "a model of the crowd is of an unknown kind": lambda stage: _source(stage, "kind", 99),
    "a model of the crowd weighs nothing": lambda stage: _source(stage, "weight", NAN),
    "obstacle_shape is 99": of("rock", "obstacle_shape", 99),
    "obstacle_side is 99": of("rock", "obstacle_side", 99),
    "pass_side is 99": of("rock", "pass_side", 99),
    "region_shape is 77": of("room", "region_shape", 77),
    "the vehicles are their own crowds": lambda stage: [setattr(ob.steering, "crowd", ob) for ob in stage.vehicles],
    "the vehicles have no crowd": setting("vehicles", "steering.crowd", None),
    "forward and up are one axis": facing("NEG_Z", "POS_Z"),
    "a corner of the vehicles is NaN": corner(NAN),
    "a corner of the vehicles is infinite": corner(INFINITE),
    "a corner of the vehicles is far": corner(3e38),
    "a corner of the model is NaN": corner(NAN, "loose"),
    "a corner of the model is infinite": corner(INFINITE, "loose"),
    "a corner of the obstacle is NaN": corner(NAN, "rock"),
    "a corner of the obstacle is infinite": corner(INFINITE, "rock"),
    "the vehicles stand nowhere": setting("vehicles", "location", (NAN, 0.0, 0.0)),
    "the model stands nowhere": setting("loose", "location", (NAN, 0.0, 0.0)),
    "the model has no end": setting("loose", "scale", (INFINITE, 1.0, 1.0)),
    "the vehicles have no size": setting("vehicles", "scale", (0.0, 0.0, 0.0)),
    "the vehicles have no end": setting("vehicles", "scale", (INFINITE, 1.0, 1.0)),
    "the obstacle stands nowhere": setting("rock", "location", (NAN, 0.0, 0.0)),
    "the obstacle has no end": setting("rock", "scale", (INFINITE,) * 3),
    "the region stands nowhere": setting("room", "location", (NAN, 0.0, 0.0)),
    "the region has no end": setting("room", "scale", (INFINITE,) * 3),
    "the road stands nowhere": setting("road", "location", (NAN, 0.0, 0.0)),
    "a point of the road is nowhere": lambda stage: setattr(stage.road.data.splines[0].points[1], "co", (NAN, 0, 0, 1)),
    "the road has no point": lambda stage: stage.road.data.splines.clear(),
    "the leader stands nowhere": setting("leader", "location", (INFINITE, 0.0, 0.0)),
    "the crowd stands nowhere": setting("crowd", "location", (NAN, 0.0, 0.0)),
    "the vehicles are far away": lambda stage: [
        setattr(ob, "location", (10.0**10 * k, 0, 0)) for k, ob in enumerate(stage.vehicles)
    ],
    "the frames end nowhere": lambda _stage: _frames(-(2**31), -(2**31) + 3),
    "the frames end at the last number": lambda _stage: _frames(2**31 - 3, 2**31 - 1),
    "a frame takes no time": lambda _stage: setattr(bpy.context.scene.render, "fps_base", 1e-5),
    "the substeps are too many": lambda _stage: _write(bpy.context.scene, "substeps", 2**31 - 1),
    "the names are formats": lambda _stage: _names("{0.__class__}%s"),
    "the names have line breaks": lambda _stage: _names("a\nb"),
    "the names are emoji": lambda _stage: _names("\N{SPOUTING WHALE}\N{RIGHT-TO-LEFT OVERRIDE}"),
}
"""What may be wrong before a bake, by a description of it."""

BAKED: dict[str, Change] = {
    "the record is text": whole_record("{0}"),
    "the record is a number": whole_record(5),
    "the record is empty": whole_record({}),
    "an object is kept": record(kept=lambda ob: ob),
    "a mesh is kept": record(kept=lambda ob: ob.data),
    "a number is kept": record(kept=5),
    "a text is kept": record(kept="x"),
    "the action itself is kept": record(kept=lambda ob: ob.animation_data.action),
    "a slot that does not exist is kept": record(kept=lambda _ob: bpy.data.actions.new("Kept"), kept_slot=12345),
    "a slot that is not a number is kept": record(kept=lambda _ob: bpy.data.actions.new("Kept"), kept_slot="x"),
    "the frames are NaN": record(range=[NAN, NAN]),
    "the frames are infinite": record(range=[-INFINITE, INFINITE]),
    "the frames are text": record(range="abc"),
    "the frames are a group": record(range={"a": 1}),
    "the frames are whole": record(range=[1, 2]),
    "the frames are one": record(range=[1.0]),
    "the channels are odd": record(channels=["name", '["x"]', "data.name", "matrix_world", "delta_location"]),
    "the channels are numbers": record(channels=[1, 2]),
    "the channels are a number": record(channels=5),
    "the channels are one text": record(channels="location"),
    "the channels are a group": record(channels={"location": 1}),
    "hidden switches are odd": record(kept_hidden={"name": True, "data": False, "location": True, "parent": True}),
    "hidden switches are a number": record(kept_hidden=5),
    "muted drivers are odd": record(muted_drivers=["location[0]", "x[", "[", "a[b]"]),
    "muted drivers are numbers": record(muted_drivers=[1, 2]),
    "muted strips are numbers": record(muted_strips=[1, 2]),
    "muted strips are a number": record(muted_strips=3),
    "kept properties are a number": record(kept_properties=5),
    "a kept property is a number": kept_property(5),
    "the display of a kept property is not JSON": kept_property({"value": 1.0, "display": "{"}),
    "the display of a kept property is a list": kept_property({"value": 1.0, "display": "[1]"}),
    "the display of a kept property is a number": kept_property({"value": 1.0, "display": 5}),
    "the display of a kept property has an unknown key": kept_property({"value": 1.0, "display": '{"odd": 1}'}),
    "the display of a kept property has a text for a number": kept_property({"value": 1.0, "display": '{"min": "a"}'}),
    "a kept property has no value": kept_property({"display": "{}"}),
    "a kept property has an odd value": kept_property({"value": {"a": 1}, "display": "{}"}),
    "a kept property has the name of a setting": kept_property({"value": 1.0, "display": "{}"}, "steering"),
    "the mishaps are odd": record(mishaps={"x": "y", "overlap": NAN}),
    "the mishaps are NaN": record(mishaps={"overlap": NAN, "obstacle": 1e30}),
    "the mishaps are out of range": record(mishaps={"overlap": 1e30, "stuck": -1e30}),
    "the mishaps are infinite": record(mishaps={"overlap": INFINITE}),
    "the mishaps are unknown": record(mishaps={"eaten": 2.0}),
    "the mishaps are a number": record(mishaps=5),
    "the stuck frames are odd": record(stuck=[NAN, 5.0]),
    "the stuck frames are text": record(stuck="ab"),
    "the frames of presence are odd": record(there=[NAN, 5.0]),
    "the frames of presence are whole": record(there=[1, 2]),
    "the id is a number": record(id=5),
    "the bake was made by a text": record(made="x"),
    "the fingerprint is a number": record(made_of=5),
    "the start has an odd rotation mode": of_vehicles("start.rotation_mode", "SIDEWAYS"),
    "the start is nowhere": of_vehicles("start.location", [NAN] * 3),
    "the start is turned nowhere": of_vehicles("start.rotation", [INFINITE] * 4),
    "the combining is unknown": of_crowd("combining", 99),
    "the front is unknown": of_vehicles("forward_axis", 99),
    "the arrival is unknown": of_crowd("attendance.on_arrival", 99),
}
"""What may be wrong about a bake, by a description of it."""


def _source(stage: Stage, name: str, value: Any) -> None:
    stage.crowd.steering.populate.sources.add().object = stage.loose
    raw(stage.crowd)["populate"]["sources"][0][name] = value


def _frames(first: int, last: int) -> None:
    settings = bpy.context.scene.steering
    settings.use_frame_range = True
    settings.frame_start, settings.frame_end = first, last
    settings.frame_start = first


def _names(name: str) -> None:
    for block in (*bpy.data.objects, *bpy.data.actions):
        block.name = name
