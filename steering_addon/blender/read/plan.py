"""What a bake will look at, worked out and checked before anything is touched.

Every refusal comes from here or from the first look at a value that is no number; a plan that was made is carried out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from ...behaviors import CATALOGUE
from ...portrayal.driver_properties import PROPERTIES, Portrayal
from ...simulation.behavior import Behavior
from ...simulation.candidates import FIRST, Candidates
from ...simulation.declaration import POINTERS, Kind
from ...simulation.roles import DESCRIPTIONS, Role
from ..crowds.entry_settings import Hiding, own_enter_frame, parts_of
from ..hierarchy import Family
from ..identity import told_apart
from ..properties import has_role, pointed_at, settings_of
from ..property_groups import bone_of, values_of
from ..refusal import Refusal
from ..tagged_objects import by_role, crowds_of, full_name, in_use
from ..write.custom_properties import path_of
from ..write.ownership import Played, check_free, contested
from ..write.resource_visibility import check_hiding, feeds
from ..write.visibility import SWITCHES
from .dependencies import animates, plays_physics, reads_scene, reads_vehicle_above, reasons
from .local_space import model_axes
from .rotation_channels import data_path
from .start_pose import earlier_velocity, start_of
from .target_groups import Several, several_of

if TYPE_CHECKING:
    from bpy.types import Object, Scene

TARGETS = (Role.LEADER, Role.RESOURCE, Role.VEHICLE)
"""Roles of what may be steered by without being pointed at."""
AXIS_NAMES = {"POS_X": "X", "POS_Y": "Y", "POS_Z": "Z", "NEG_X": "-X", "NEG_Y": "-Y", "NEG_Z": "-Z"}


@dataclass(frozen=True)
class VehicleSource:
    """A vehicle and what of it does not change during the run.

    Attributes:
        ob: the object.
        crowd: the one it belongs to.
        identity: who it is; written to it when the bake is.
        axes: (3, 3) its model's side, forward and up axis in its own space.
        location, rotation: the channels it starts from.
        velocity: (3,) the velocity its own earlier keys give, in its parent's space; None for its start speed.
        animated: whether settings of its own are keyed or driven.
        only_baked: whether it plays nothing but an earlier bake.
        enters: the frame on which it enters, nan where that is for its crowd to say.
        hides: whether a bake may hide it and its parts.
    """

    ob: Object
    crowd: Object
    identity: int
    axes: np.ndarray
    location: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray | None
    animated: bool
    only_baked: bool
    enters: float = np.nan
    hides: bool = False


@dataclass(frozen=True)
class CrowdSource:
    """A crowd and what of it does not change during the run.

    Attributes:
        ob: the object.
        identity: what the chance of the whole crowd hangs on; copies of a crowd have their own.
        rows: (m,) its vehicles.
        behaviors: those it may use.
        pointed: the rows of what these point at, by behavior and parameter.
        portrayal: m rows; None where nothing is keyed but the motion.
    """

    ob: Object
    identity: int
    rows: np.ndarray
    behaviors: tuple[type[Behavior], ...]
    pointed: dict[tuple[str, str], int]
    portrayal: Portrayal | None


@dataclass(frozen=True)
class BodySource:
    """Something to look at, and the row of the vehicle that carries it, -1 for none; a bone of an armature, by name."""

    ob: Object
    carrier: int
    bone: str = ""

    @property
    def name(self) -> str:
        """What tells it apart from all others."""
        return _name_of(self.ob, self.bone)


@dataclass(frozen=True)
class _Pointed:
    """An object that a behavior of a crowd points at."""

    behavior: type[Behavior]
    parameter: str
    kind: Kind
    ob: Object
    bone: str = ""

    @property
    def name(self) -> str:
        return _name_of(self.ob, self.bone)


def _name_of(ob: Object, bone: str) -> str:
    return f"{full_name(ob)} > {bone}" if bone else full_name(ob)


@dataclass(frozen=True)
class Plan:
    """All that a run reads, in a fixed order.

    Attributes:
        scene: where it happens.
        frames: (f,) whole frames, rising.
        frame_time: seconds a frame.
        vehicles: who moves, by identity.
        crowds: who shares settings.
        bodies: what else may be a target; target rows count on from the vehicles.
        obstacles: what is in the way.
        paths: the tagged curves.
        regions: the spheres, boxes and meshes to keep to.
        flows: the curves and meshes that draw currents.
        candidates: bodies of which each vehicle takes one, where a behavior names several.
        in_users_scene: whether only the scene itself gives the right values (drivers that read it, physics).
        warnings: what the animator should know although the bake goes ahead.
    """

    scene: Scene
    frames: np.ndarray
    frame_time: float
    substeps: int
    preroll: int
    seed: int
    vehicles: tuple[VehicleSource, ...]
    crowds: tuple[CrowdSource, ...]
    bodies: tuple[BodySource, ...]
    obstacles: tuple[BodySource, ...]
    paths: tuple[Object, ...]
    regions: tuple[Object, ...]
    flows: tuple[Object, ...]
    candidates: tuple[Candidates, ...]
    in_users_scene: bool
    warnings: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.vehicles)

    def alike(self) -> dict[tuple[str, bytes], list[int]]:
        """The rows of the vehicles that are alike in rotation mode and axes and can be worked out together."""
        rows: dict[tuple[str, bytes], list[int]] = {}
        for row, vehicle in enumerate(self.vehicles):
            rows.setdefault((vehicle.ob.rotation_mode, vehicle.axes.tobytes()), []).append(row)
        return rows


def frame_range(scene: Scene) -> tuple[int, int]:
    """The first and last frame of the run: the scene's, unless it has a range of its own."""
    stored = settings_of(scene)
    if stored is not None and stored.use_frame_range:
        return stored.frame_start, stored.frame_end
    return scene.frame_start, scene.frame_end


def plan_reading(scene: Scene, *, only: Iterable[Object] | None = None, replace_own_keys: bool = False) -> Plan:
    """Work out what a bake of the scene looks at and who moves.

    Args:
        only: the vehicles that move, where not all of the scene do; the others are seen as they are.
        replace_own_keys: whether keys of the vehicles' own may be set aside.

    Raises:
        Refusal: something stands in the way; the scene is untouched.
    """
    first, last = frame_range(scene)
    if last < first:
        raise Refusal(f"The frame range of {scene.name} ends before it begins: set Start to {last} or less.")
    objects = in_use(scene)
    chosen = None if only is None else {full_name(ob) for ob in only}
    roles = by_role(objects)
    moving = _moving(roles[Role.VEHICLE], chosen)
    vehicles = _vehicles(scene, moving, first, last, replace_own_keys)
    rows = {full_name(v.ob): row for row, v in enumerate(vehicles)}

    crowds = _crowd_objects(roles[Role.VEHICLE], vehicles)
    _check_in_scene(crowds, objects)
    paths = roles[Role.PATH]
    _check_curves(paths, Role.PATH)
    flows = roles[Role.FLOW]
    _check_curves([ob for ob in flows if ob.type != "MESH"], Role.FLOW)
    targets = [target for crowd in crowds for target in _pointed(crowd) if target.kind is Kind.BODY]
    _check_targets(crowds, objects, paths)
    several = [some for crowd in crowds for some in several_of(crowd, behaviors_of(crowd), objects)]
    bodies = _bodies(roles, targets, several, rows)
    obstacles = tuple(BodySource(ob, _carrier(ob, rows)) for ob in roles[Role.OBSTACLE])
    pointed_regions = [target.ob for crowd in crowds for target in _pointed(crowd) if target.kind is Kind.REGION]
    regions = _by_name([*roles[Role.REGION], *pointed_regions])
    looked_at = [*paths, *regions, *flows, *(b.ob for b in bodies), *(o.ob for o in obstacles)]
    _check_independent(looked_at, crowds, vehicles, rows, [*paths, *regions, *flows])

    if any(feeds(behaviors_of(crowd)) for crowd in crowds):
        check_hiding([body.ob for body in bodies], first, last, replace_own_keys)

    stored = settings_of(scene)
    crowd_identities = told_apart(crowds)
    pointed_rows = {
        Kind.BODY: {**rows, **{body.name: len(rows) + k for k, body in enumerate(bodies)}},
        Kind.PATH: _rows(paths),
        Kind.REGION: _rows(regions),
        Kind.CROWD: _rows(crowds),
    }
    chosen_of = {
        (some.crowd.name_full, some.behavior, some.parameter): FIRST - number for number, some in enumerate(several)
    }
    read = [*looked_at, *crowds, *(v.ob.parent for v in vehicles if v.ob.parent is not None)]
    return Plan(
        scene=scene,
        frames=np.arange(first, last + 1),
        frame_time=scene.render.fps_base / scene.render.fps,
        substeps=stored.substeps if stored else 1,
        preroll=stored.preroll if stored else 0,
        seed=stored.seed if stored else 0,
        vehicles=vehicles,
        crowds=tuple(_crowd_source(ob, crowd_identities[ob.name], vehicles, pointed_rows, chosen_of) for ob in crowds),
        bodies=bodies,
        obstacles=obstacles,
        paths=tuple(paths),
        regions=tuple(regions),
        flows=tuple(flows),
        candidates=tuple(some.candidates(pointed_rows[Kind.BODY]) for some in several),
        in_users_scene=any(
            reads_scene(ob) or plays_physics(ob) or reads_vehicle_above(ob) for ob in with_all_behind(read)
        ),
        warnings=tuple(_warnings(vehicles, crowds)),
    )


def scenery(scene: Scene, obstacles: Iterable[Object], regions: Iterable[Object]) -> Plan:
    """A plan of things to look at in which nobody moves."""
    return Plan(
        scene=scene,
        frames=np.array([scene.frame_current]),
        frame_time=scene.render.fps_base / scene.render.fps,
        substeps=1,
        preroll=0,
        seed=0,
        vehicles=(),
        crowds=(),
        bodies=(),
        obstacles=tuple(BodySource(ob, -1) for ob in obstacles),
        paths=(),
        regions=tuple(regions),
        flows=(),
        candidates=(),
        in_users_scene=False,
    )


def behaviors_of(crowd: Object) -> tuple[type[Behavior], ...]:
    """The behaviors a crowd uses, or may use as that is keyed; groups nobody touched are left alone."""
    stored = crowd.steering
    return tuple(
        behavior
        for behavior in CATALOGUE
        if stored.is_property_set(behavior.name)
        and (getattr(stored, behavior.name).use or animates(crowd, f"steering.{behavior.name}.use"))
    )


def _moving(vehicles: list[Object], chosen: set[str] | None) -> list[Object]:
    if not vehicles:
        raise Refusal("There is no vehicle in the scene: select the objects that shall move and tag them as vehicles.")
    moving = [ob for ob in vehicles if not ob.steering.locked and (chosen is None or full_name(ob) in chosen)]
    if not moving:
        if chosen is None:
            raise Refusal("All vehicles of the scene are locked: unlock those that shall move.")
        raise Refusal("None of the selected objects is a vehicle that may move: select vehicles that are not locked.")
    return moving


def _vehicles(
    scene: Scene, moving: list[Object], first: int, last: int, replace_own_keys: bool
) -> tuple[VehicleSource, ...]:
    on_start_frame = scene.frame_current == first and scene.frame_subframe == 0.0
    crowds, all_played, all_hidden = crowds_of(moving), [], []
    family, hiding, keying = Family(), Hiding(), _Keying()
    for ob, crowd in zip(moving, crowds):
        _check_vehicle(ob, crowd)
        played, hidden = Played(ob), hiding.concerns(ob, crowd)
        check_free(ob, first, last, replace_own_keys, keying.contested(ob, crowd, hidden), played)
        for part in parts_of(ob, family) if hidden else ():
            check_free(part, first, last, replace_own_keys, SWITCHES)
        all_played.append(played)
        all_hidden.append(hidden)
    identities = told_apart(moving)
    frame_time = scene.render.fps_base / scene.render.fps
    sources = []
    for ob, crowd, played, hidden in zip(moving, crowds, all_played, all_hidden):
        location, rotation = start_of(ob, played, first, on_start_frame=on_start_frame)
        if not all(map(isfinite, (*location.tolist(), *rotation.tolist()))):
            raise Refusal(f"{ob.name} starts nowhere: give it a location and a rotation.")
        stored = ob.steering
        sources.append(
            VehicleSource(
                ob=ob,
                crowd=crowd,
                identity=identities[ob.name],
                axes=model_axes(AXIS_NAMES[stored.forward_axis], AXIS_NAMES[stored.up_axis]),
                location=location,
                rotation=rotation,
                velocity=earlier_velocity(played, first, frame_time),
                animated=animates(ob, "steering"),
                only_baked=played.only_ours,
                enters=own_enter_frame(ob),
                hides=hidden,
            )
        )
    return tuple(sorted(sources, key=lambda source: source.identity))


def _check_vehicle(ob: Object, crowd: Object | None) -> None:
    if ob.library is not None or not ob.is_editable:
        raise Refusal(f"{ob.name} is linked and cannot be animated here: make a library override of it.")
    if crowd is None:
        raise Refusal(f"{ob.name} belongs to no crowd: tag it as a vehicle again.")
    stored = ob.steering
    if stored.forward_axis[-1] == stored.up_axis[-1]:
        raise Refusal(f"The front and the top of {ob.name} are the same axis: choose another Forward or Up.")
    roles = stored.roles
    for role in (Role.PATH, Role.FLOW):
        if role.name in roles:
            raise Refusal(f"{ob.name} is both a vehicle and a {_word(role)}: take one of the tags off.")
    above = ob.parent
    while above is not None:
        if has_role(above, Role.VEHICLE):
            raise Refusal(f"{ob.name} hangs on {above.name}, a vehicle too: unparent it or take its tag off.")
        above = above.parent


def _crowd_objects(members: list[Object], vehicles: tuple[VehicleSource, ...]) -> list[Object]:
    """The crowds that vehicles belong to, those of vehicles that do not move too, and those that behaviors point at."""
    known = {v.ob for v in vehicles}
    others = crowds_of(ob for ob in members if ob not in known)
    moving = _by_name({v.crowd for v in vehicles})
    crowds = [*moving, *(crowd for crowd in others if crowd is not None)]
    pointed = [target.ob for crowd in moving for target in _pointed(crowd) if target.kind is Kind.CROWD]
    return _by_name([*crowds, *pointed])


def _by_name(objects: Iterable[Object]) -> list[Object]:
    """Each of the objects once, in the order of their names."""
    found = {full_name(ob): ob for ob in objects}
    return [found[name] for name in sorted(found)]


def _rows(objects: list[Object]) -> dict[str, int]:
    return {full_name(ob): row for row, ob in enumerate(objects)}


def _check_in_scene(crowds: list[Object], objects: list[Object]) -> None:
    there = {full_name(ob) for ob in objects}
    for crowd in crowds:
        if full_name(crowd) not in there:
            raise Refusal(f"The crowd {crowd.name} is not in the scene any more: tag its vehicles again.")
        settings = crowd.steering
        stands = settings.is_property_set("vehicle") and settings.vehicle.max_speed <= 0.0
        if stands and not animates(crowd, "steering.vehicle.max_speed"):
            raise Refusal(f"The Max Speed of {crowd.name} is 0, so nothing can move: give it a speed.")


def _check_curves(curves: list[Object], role: Role) -> None:
    what = _word(role)
    for ob in curves:
        if ob.type != "CURVE":
            other = " or mesh" if role is Role.FLOW else ""
            raise Refusal(f"{ob.name} is tagged as a {what} but is no curve{other}: take the tag off, or tag a curve.")
        if not any(len(line.points) or len(line.bezier_points) for line in ob.data.splines):
            raise Refusal(f"The {what} {ob.name} has no points: draw it, or take the tag off.")


def _word(role: Role) -> str:
    """The name of a role within a sentence."""
    return DESCRIPTIONS[role][0].lower()


def _pointed(crowd: Object) -> Iterable[_Pointed]:
    """The objects that a crowd's behaviors point at, and from where."""
    for behavior in behaviors_of(crowd):
        group = getattr(crowd.steering, behavior.name)
        for name, parameter in behavior.parameters().items():
            if parameter.kind not in POINTERS or (ob := pointed_at(group, name)) is None:
                continue
            # A crowd that bodies are looked for in stands for its vehicles.
            if parameter.kind is not Kind.BODY or not has_role(ob, Role.CROWD):
                meant = parameter.kind is Kind.BODY and ob.type == "ARMATURE"
                yield _Pointed(behavior, name, parameter.kind, ob, getattr(group, bone_of(name)) if meant else "")


def _check_targets(crowds: list[Object], objects: list[Object], paths: list[Object]) -> None:
    there = {full_name(ob) for ob in objects}
    for crowd in crowds:
        for target in _pointed(crowd):
            behavior, kind, ob = target.behavior, target.kind, target.ob
            what = target.parameter.replace("_", " ").title()
            if full_name(ob) not in there:
                raise Refusal(
                    f"{ob.name}, the {what} of {behavior.label} in {crowd.name}, is not in the scene any more: "
                    f"choose another."
                )
            if target.bone and target.bone not in ob.pose.bones:
                raise Refusal(
                    f"{ob.name}, the {what} of {behavior.label} in {crowd.name}, has no bone {target.bone}: "
                    f"choose another."
                )
            if kind is Kind.CROWD and not has_role(ob, Role.CROWD):
                raise Refusal(f"{ob.name}, the {what} of {behavior.label} in {crowd.name}, is no crowd: choose one.")
            if kind is Kind.PATH and ob.type != "CURVE":
                raise Refusal(
                    f"{ob.name}, the {what} of {behavior.label} in {crowd.name}, is no curve: choose a curve."
                )
            if kind is Kind.PATH and ob not in paths:
                _check_curves([ob], Role.PATH)
                paths.append(ob)


def _bodies(
    roles: dict[Role, list[Object]], targets: list[_Pointed], several: list[Several], rows: dict[str, int]
) -> tuple[BodySource, ...]:
    """Leaders, resources, targets and the vehicles that do not move, by name."""
    wanted = {full_name(ob): (ob, "") for role in TARGETS for ob in roles[role]}
    wanted |= {full_name(ob): (ob, "") for some in several for ob in some.objects}
    wanted |= {target.name: (target.ob, target.bone) for target in targets}
    found = (wanted[name] for name in sorted(set(wanted) - set(rows)))
    return tuple(BodySource(ob, _carrier(ob, rows), bone) for ob, bone in found)


def _carrier(ob: Object, rows: dict[str, int]) -> int:
    """The row of the vehicle that an object is, or hangs on by its parents, -1 for none."""
    above: Object | None = ob
    while above is not None:
        if full_name(above) in rows:
            return rows[full_name(above)]
        above = above.parent
    return -1


def with_all_behind(objects: Iterable[Object]) -> list[Object]:
    """The objects and whatever they hang on, directly or not."""
    found: dict[str, Object] = {}
    waiting = list(objects)
    while waiting:
        ob = waiting.pop()
        if full_name(ob) not in found:
            found[full_name(ob)] = ob
            waiting.extend(behind for behind, _ in reasons(ob))
    return list(found.values())


def _check_independent(
    looked_at: list[Object],
    crowds: list[Object],
    vehicles: tuple[VehicleSource, ...],
    rows: dict[str, int],
    fixed: list[Object],
) -> None:
    """Refuse what hangs on a vehicle in another way than being carried by it: its motion is not known beforehand."""
    for ob in fixed:
        if (row := _carrier(ob, rows)) >= 0:
            what = next((_word(role) for role in (Role.PATH, Role.FLOW) if has_role(ob, role)), "region")
            raise Refusal(f"The {what} {ob.name} hangs on the vehicle {vehicles[row].ob.name}: unparent it.")
    parents = [v.ob.parent for v in vehicles if v.ob.parent is not None]
    for ob in with_all_behind([*looked_at, *crowds, *parents]):
        if full_name(ob) in rows:
            continue
        for behind, why in reasons(ob):
            carried = why == "parent" and (ob in looked_at or _carrier(ob, rows) >= 0 or ob in crowds)
            if full_name(behind) in rows and not carried:
                raise Refusal(
                    f"{ob.name} hangs on the vehicle {behind.name} by {why}, whose motion a bake has yet to find: "
                    f"remove that, or lock {behind.name}."
                )


def _crowd_source(
    ob: Object,
    identity: int,
    vehicles: tuple[VehicleSource, ...],
    pointed_rows: dict[Kind, dict[str, int]],
    chosen_of: dict[tuple[str, str, str], int],
) -> CrowdSource:
    rows = np.array([row for row, v in enumerate(vehicles) if v.crowd == ob], dtype=np.int64)
    behaviors = behaviors_of(ob)
    pointed = {
        (behavior.name, name): chosen_of.get((ob.name_full, behavior.name, name), parameter.default)
        for behavior in behaviors
        for name, parameter in behavior.parameters().items()
        if parameter.kind in POINTERS
    }
    for target in _pointed(ob):
        pointed[target.behavior.name, target.parameter] = pointed_rows[target.kind][target.name]
    portrayal = Portrayal.of(len(rows), **values_of(Portrayal, ob.steering.portrayal)) if _portrays(ob) else None
    return CrowdSource(ob, identity, rows, behaviors, pointed, portrayal)


def _portrays(crowd: Object) -> bool:
    """Whether a crowd's vehicles get keys for their wings and wheels; a group nobody touched is left alone."""
    return crowd.steering.is_property_set("portrayal") and crowd.steering.portrayal.use


def _keyed_properties(crowd: Object) -> tuple[str, ...]:
    """The custom properties that a bake keys on the vehicles of a crowd."""
    return PROPERTIES if _portrays(crowd) else ()


class _Keying:
    """What a bake keys on vehicles; those of a crowd that turn in the same way are alike, and it is asked once."""

    def __init__(self) -> None:
        self._contested: dict[tuple[Object, str, bool], tuple[str, ...]] = {}

    def contested(self, ob: Object, crowd: Object, hidden: bool) -> tuple[str, ...]:
        """The channels of a vehicle on which nothing of the animator's can stand beside the bake."""
        alike = crowd, ob.rotation_mode, hidden
        if alike not in self._contested:
            own = ("location", data_path(ob.rotation_mode), *map(path_of, _keyed_properties(crowd)))
            self._contested[alike] = contested((*own, *(SWITCHES if hidden else ())))
        return self._contested[alike]


def _warnings(vehicles: tuple[VehicleSource, ...], crowds: list[Object]) -> Iterable[str]:
    held = [v.ob.name for v in vehicles if any(constraint.enabled for constraint in v.ob.constraints)]
    if held:
        yield f"Constraints still act on top of the bake: {', '.join(held)}."
    fleeting = [v.ob.name for v in vehicles if v.ob.override_library and not _keeps(v.ob, _keyed_properties(v.crowd))]
    if fleeting:
        yield (
            f"Blender forgets {', '.join(PROPERTIES)} of library overrides with the file, unless the linked object has "
            f"custom properties of these names that are set to Library Overridable: {', '.join(fleeting)}."
        )
    for crowd in crowds:
        if not behaviors_of(crowd):
            yield f"{crowd.name} has no behavior: its vehicles go straight on."


def _keeps(override: Object, names: Iterable[str]) -> bool:
    """Whether a library override saves the values of these custom properties."""
    return all(name in override and override.is_property_overridable_library(path_of(name)) for name in names)
