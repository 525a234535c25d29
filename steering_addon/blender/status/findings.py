"""Findings, to look at before a bake or after one: objects that will not move or be seen as meant.

Nothing is evaluated for it, and surfaces are read only when they have changed, so that they can be looked for after
every change.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import bpy
import numpy as np
from bpy.types import Collection, Object, Scene
from numpy.typing import NDArray

from ...behaviors.containment import Containment
from ...behaviors.path_following import PathFollowing
from ...locomotion import CATALOGUE as LOCOMOTIONS
from ...simulation.roles import Role
from ...simulation.terrain import Misplaced
from ..animation.animation_data import action_of
from ..animation.bake_record import BakeRecord
from ..animation.run_records import Outcomes
from ..animation.visibility import SWITCHES
from ..clips.clip_speeds import too_fast
from ..clips.crowd_clips import clip_of_link, state_of, stored_clips
from ..clips.finding_clips import own_actions
from ..clips.measuring import player_below
from ..clips.planting import unplanted_of
from ..crowds.adding_clips import why_without_walk
from ..crowds.improbable import REMEDIES, off_origin, scaled_since, why_improbable
from ..crowds.states import states_left_behind
from ..crowds.wheel_drivers import undriven
from ..moving import CLINGING, known_locomotion
from ..objects.crowd_caches import MARK
from ..objects.hierarchy import Family, instanced, instances_of_vehicles, lineage
from ..objects.tagged_objects import (
    by_role,
    crowd_of,
    crowds_of,
    full_name,
    in_use,
    names_of,
    set_aside,
    why_outside,
)
from ..properties import pointed_at
from ..read.dependencies import animates
from ..read.evaluated_points import number_of_points
from ..read.solids import is_mesh
from ..read.sources import behaviors_of, may_be_active, pointers_of
from ..read.target_groups import Offered, idle_behaviors, outside_scene
from .placing import covering, loose_links, misplaced, walled

EMPTY = 1e-6
"""A scale below this leaves nothing to be seen."""
PLURALS = {"has": "have", "is": "are", "was": "were"}
"""Of verbs that do more than lose an s."""
FAR = 3.0
"""Multiples of the size of a region from its middle from which vehicles are far outside it."""


class FindingKind(Enum):
    """The kind of a finding; the value is the icon that it is listed with."""

    NO_SIZE = "ERROR"
    OFF_ORIGIN = "OBJECT_ORIGIN"
    SCALED = "CON_SIZELIKE"
    NO_FACES = "MESH_DATA"
    NO_VERTICES = "VERTEXSEL"
    COVERS = "SELECT_DIFFERENCE"
    OFF_GROUND = "CON_FLOOR"
    TOO_STEEP = "MOD_DISPLACE"
    BOXED_IN = "FREEZE"
    AT_BORDER = "MOD_EDGESPLIT"
    WHEELS_HANG = "AUTO"
    UNDRIVEN = "DRIVER"
    UPSIDE_DOWN = "FILE_REFRESH"
    UNUSED_SURFACE = "MESH_GRID"
    WALLED = "MOD_SOLIDIFY"
    LOOSE_LINK = "LINKED"
    UNPLAYED = "NLA"
    FAR_OUTSIDE = "CUBE"
    NO_WAY = "CON_FOLLOWPATH"
    FEET_SLIDE = "ARMATURE_DATA"
    POSED_ALIKE = "SHAPEKEY_DATA"
    TOO_FAST = "MOD_TIME"
    NO_WALK = "OUTLINER_OB_ARMATURE"
    IMPROBABLE = "QUESTION"
    HIDDEN = "HIDE_ON"
    NOT_RENDERED = "RESTRICT_RENDER_ON"
    INSTANCED = "OUTLINER_OB_GROUP_INSTANCE"
    TARGET_GONE = "UNLINKED"
    NOT_COUNTED = "OUTLINER_COLLECTION"
    NOT_IN_SCENE = "APPEND_BLEND"
    CALLS_NOTHING = "LIGHT_DATA"
    NEVER_ENTERED = "GHOST_DISABLED"
    WAITING = "INFO"
    EDITED = "KEYINGSET"


MISPLACED = {
    Misplaced.OFF_GROUND: "has no surface at the feet. Move to one, or leave it to Populate",
    Misplaced.TOO_STEEP: "starts on ground steeper than Max Slope",
    Misplaced.BOXED_IN: "is boxed in by edges and ground steeper than Max Slope",
    Misplaced.AT_BORDER: "starts on the border of a surface",
    Misplaced.UPSIDE_DOWN: "starts upside down, but cannot hold on there. "
    f"Populate again, or set the Locomotion to {CLINGING}",
    Misplaced.WHEELS_HANG: "has wheels that hang in the air",
}
"""The warnings about vehicles that start where they cannot stand or move as meant."""


@dataclass(frozen=True)
class Finding:
    """Objects to look at.

    Attributes:
        text: a sentence without final stop that names them, and the remedy if it is not to edit the objects.
        objects: their full names; a click selects them.
    """

    kind: FindingKind
    text: str
    objects: tuple[str, ...]


def findings(
    scene: Scene, records: Mapping[Object, BakeRecord], outcomes: Outcomes, edited: Sequence[Object] = ()
) -> Iterator[Finding | None]:
    """The findings of a scene, in pieces; None for a piece in which nothing was found. `records`: the bake of each
    vehicle that plays one; `edited`: the vehicles whose keys the next bake would replace though they were edited by
    hand."""
    text = "has keys that were edited by hand, which a bake replaces. Lock to keep them"
    yield from _about(FindingKind.EDITED, edited, text)
    objects = in_use(scene)
    roles = by_role(objects)
    vehicles, crowds = roles[Role.VEHICLE], roles[Role.CROWD]
    crowd_of_each = crowds_of(vehicles)
    members_of = _members(vehicles, crowd_of_each)
    yield from _bodies(vehicles)
    yield None
    yield from _shapes(scene, roles, records)
    yield from _surfaces(scene, roles)
    yield from _places(scene, roles, records, members_of)
    yield from _links(scene, roles)
    yield from _parts(vehicles, crowd_of_each)
    yield None
    yield from _visibility(scene, [ob for ob in vehicles if MARK not in ob and not ob.steering.locked], records)
    for ob, problem, remedy in instances_of_vehicles(objects):
        yield Finding(FindingKind.INSTANCED, f"{problem}. {remedy}", (full_name(ob),))
    yield None
    holders = [*crowds, *filter(may_be_active, roles[Role.STATE])]
    yield from _of_minds(scene, roles, objects, outside_scene(holders, scene, set(objects)))
    gone = outside_scene(holders, scene, set(scene.objects))
    for holder in holders:
        yield from _targets_gone(holder, gone)
    for crowd in crowds:
        yield from _clips(crowd, roles[Role.STATE], members_of.get(crowd, ()))
    yield None
    yield from _outcomes(records, outcomes)
    offered = Offered.of(roles, set_aside(scene, objects))
    for holder in holders:
        for behavior, problem in idle_behaviors(holder, offered):
            text = f"{behavior.label} of {holder.name} has no effect. {problem}"
            yield Finding(FindingKind.WAITING, text, (full_name(holder),))


def _bodies(vehicles: Sequence[Object]) -> Iterator[Finding]:
    """The vehicles with a body of no size, far from its origin, or of another size than when it was tagged."""
    flat = [ob for ob in vehicles if _is_without_size(ob)]
    yield from _about(FindingKind.NO_SIZE, flat, "has a scale of 0. Use Clear > Scale, also on parents")
    for kind, misfits in off_origin([ob for ob in vehicles if not ob.steering.locked]).items():
        text = f"turns about an origin far from the model. {REMEDIES[kind]}"
        yield from _about(FindingKind.OFF_ORIGIN, misfits, text)
    seen = set(flat)
    scaled = [ob for ob in scaled_since(vehicles) if ob not in seen]
    text = "was scaled after tagging: the body counts as large as before. Untag, and tag again"
    yield from _about(FindingKind.SCALED, scaled, text)


def _shapes(
    scene: Scene, roles: Mapping[Role, Sequence[Object]], records: Mapping[Object, BakeRecord]
) -> Iterator[Finding]:
    """The obstacles and points with nothing to avoid or move, and obstacles whose shape covers more than they do."""
    obstacles = roles[Role.OBSTACLE]
    open_air = [ob for ob in obstacles if is_mesh(ob) and _has_no_faces(ob)]
    yield from _about(FindingKind.NO_FACES, open_air, "has no faces, so nothing avoids it. Choose another Shape")
    pointlike = [ob for ob in obstacles if not is_mesh(ob) and _is_without_vertices(ob)]
    yield from _about(FindingKind.NO_VERTICES, pointlike, "has no vertices, so it counts as a point")
    unbaked = [ob for ob in roles[Role.POINTS] if ob not in records]
    bare = [ob for ob in unbaked if not number_of_points(ob, scene.view_layers[0].depsgraph)]
    text = "has no vertices, so nothing of it moves. Add some, or let a modifier scatter points"
    yield from _about(FindingKind.NO_VERTICES, bare, text)
    for text, obs in covering(scene, obstacles).items():
        yield from _about(FindingKind.COVERS, obs, text)


def _places(
    scene: Scene,
    roles: Mapping[Role, list[Object]],
    records: Mapping[Object, BakeRecord],
    members_of: Mapping[Object | None, Sequence[Object]],
) -> Iterator[Finding]:
    """The vehicles that start where they cannot stand, or far from where they are to stay."""
    misplaced_vehicles = misplaced(scene, roles, records)
    for kind, text in MISPLACED.items():
        yield from _about(FindingKind[kind.name], misplaced_vehicles.get(kind, ()), text)
    yield from _far_outside(roles, members_of)


def _links(scene: Scene, roles: Mapping[Role, Sequence[Object]]) -> Iterator[Finding]:
    """The links that nobody can take, or whose clip nobody can play."""
    links = roles[Role.LINK]
    text = "has an end on no surface, so nobody takes it. Move that to where one can stand"
    yield from _about(FindingKind.LOOSE_LINK, loose_links(scene, links), text)
    played = {entry.action for crowd in roles[Role.CROWD] for entry in stored_clips(crowd)}
    unplayed = [ob for ob in links if (clip := clip_of_link(ob)) is not None and clip not in played]
    text = "has a clip that no crowd has. Use Add Clip in the crowd that goes there"
    yield from _about(FindingKind.UNPLAYED, unplayed, text)


def _parts(vehicles: Sequence[Object], crowds: Sequence[Object | None]) -> Iterator[Finding]:
    """The vehicles whose parts do not move, or move as those of others, given the crowd of each."""
    for setting, obs in undriven(vehicles, crowds).items():
        text = f"has no drivers for the parts that {setting} moves. Use Drive Wheels, or set {setting} to 0"
        yield from _about(FindingKind.UNDRIVEN, obs, text)
    yield from _posed_alike(vehicles, crowds)


def _visibility(scene: Scene, vehicles: Sequence[Object], records: Mapping[Object, BakeRecord]) -> Iterator[Finding]:
    """The vehicles that are hidden in every view, and those that renders alone leave out."""
    hidden = [ob for ob in vehicles if _is_hidden(ob, scene, records.get(ob))]
    yield from _about(FindingKind.HIDDEN, hidden, "is hidden, but baked all the same")
    # Blender searches all collections for those of one object.
    rendered = {ob for collection in _in_renders(scene.collection) for ob in collection.objects}
    seen = set(hidden)
    shown = [ob for ob in vehicles if ob not in seen]
    unrendered = [ob for ob in shown if _is_unrendered(ob, rendered, records.get(ob))]
    yield from _about(FindingKind.NOT_RENDERED, unrendered, "is visible, but hidden in renders")


def _clips(crowd: Object, states: Sequence[Object], members: Sequence[Object]) -> Iterator[Finding]:
    """The clips of a crowd that do not suit its states, feet and speeds."""
    yield from _clips_never_played(crowd, states)
    if (unplanted := unplanted_of(crowd)) is not None:
        models, why = unplanted
        whose, where = (f"{models} of {crowd.name}", " in a crowd of their own") if models else (crowd.name, "")
        text = f"Feet of {whose} cannot be held where they stand: {why}. Turn off Plant Feet{where} to accept that"
        yield Finding(FindingKind.FEET_SLIDE, text, (full_name(crowd),))
    problems = {FindingKind.NO_WALK: why_without_walk(crowd), FindingKind.IMPROBABLE: why_improbable(crowd, members)}
    for kind, problem in problems.items():
        if problem:
            yield Finding(kind, problem, (full_name(crowd),))
    for ob, text in too_fast(crowd, [state for state in states if crowd_of(state) == crowd]):
        yield Finding(FindingKind.TOO_FAST, text, (full_name(ob),))


def _outcomes(records: Mapping[Object, BakeRecord], outcomes: Outcomes) -> Iterator[Finding]:
    """The vehicles that are on no frame of their bake, and the goals to which they found no way."""
    of_each = [(ob, outcome) for ob, record in records.items() for outcome in outcomes.each(ob, record)]
    spans = [(ob, outcome.present_frames) for ob, outcome in of_each]
    never = dict.fromkeys(ob for ob, span in spans if span is not None and (span[0] > span[1]))
    yield from _about(FindingKind.NEVER_ENTERED, never, "is on no frame of the bake")
    yield from _unreached_goals([(ob, outcome.unreached) for ob, outcome in of_each])


def _about(kind: FindingKind, objects: Iterable[Object], text: str) -> Iterator[Finding]:
    """A finding about objects, if there are any: their names, and a text that begins with a verb in the singular."""
    objects = list(objects)
    if objects:
        verb, _, words = text.partition(" ")
        if len(objects) > 1:
            verb = PLURALS.get(verb) or verb.removesuffix("s")
        yield Finding(kind, f"{names_of([ob.name for ob in objects])} {verb} {words}", tuple(map(full_name, objects)))


def _unreached_goals(goals: Iterable[tuple[Object, str]]) -> Iterator[Finding]:
    """The goals, by their full names, to which vehicles found no way in the bake; "" for those that found one."""
    lost: dict[tuple[str, str], list[str]] = {}
    for ob, goal in goals:
        if goal and (crowd := crowd_of(ob)) is not None:
            lost.setdefault((crowd.name, goal), []).append(ob.name)
    for (crowd, goal), names in lost.items():
        text = f"{names_of(names)} of {crowd} {'finds' if len(names) == 1 else 'find'} no way over the ground to {goal}"
        yield Finding(FindingKind.NO_WAY, f"{text}. Show Ways in the overlay tells where it ends", (goal,))


def _surfaces(scene: Scene, roles: Mapping[Role, Sequence[Object]]) -> Iterator[Finding]:
    """The surfaces that nothing can stand on, those of a scene in which nothing does, and those that have walls."""
    surfaces = roles[Role.SURFACE]
    bare = [ob for ob in surfaces if _has_no_faces(ob)]
    yield from _about(FindingKind.NO_FACES, bare, "has no faces, so nothing stands on it")
    members = [*roles[Role.VEHICLE], *roles[Role.POINTS]]
    if surfaces and members and not any(map(_stands, members, crowds_of(members))):
        ways = " or ".join(kind.label for kind in LOCOMOTIONS if kind.stands)
        text = f"is used by no crowd. Set the Locomotion of one to {ways}, or remove the Surface tag"
        yield from _about(FindingKind.UNUSED_SURFACE, surfaces, text)
    elif any(map(_stops_at_walls, members, crowds_of(members))):
        text = "has walls, which nobody keeps out of. Tag as Obstacle as well"
        yield from _about(FindingKind.WALLED, walled(scene, surfaces), text)


def _posed_alike(vehicles: Sequence[Object], crowds: Sequence[Object | None]) -> Iterator[Finding]:
    """The vehicles that share shape keys with others, and play no clips by which each would have its own pose."""
    if not any(action_of(keys) for keys in bpy.data.shape_keys):
        return
    family, sharing = Family(), {}
    for ob, crowd in zip(vehicles, crowds):
        player = player_below(ob, family) if crowd is not None and not stored_clips(crowd) else None
        if player is not None and player.type == "MESH" and not ob.steering.locked and own_actions(player):
            sharing.setdefault(player.data, []).append(ob)
    alike = [ob for obs in sharing.values() for ob in (obs if len(obs) > 1 else ())]
    text = "has the same pose on each frame, as they share shape keys. Find Clips lets each play in its own phase"
    yield from _about(FindingKind.POSED_ALIKE, alike, text)


def _stands(vehicle: Object, crowd: Object | None) -> bool:
    """Whether a vehicle stands on surfaces; a choice that this version does not know counts as one that does."""
    if crowd is None:
        return False
    locomotion = known_locomotion(vehicle, crowd)
    return locomotion is None or locomotion[1].stands


def _stops_at_walls(vehicle: Object, crowd: Object | None) -> bool:
    """Whether a vehicle stands on surfaces and has to stop at their walls: what crawls climbs them."""
    locomotion = known_locomotion(vehicle, crowd) if crowd is not None else None
    return _stands(vehicle, crowd) and not (locomotion is not None and locomotion[1].clings)


def _is_without_size(ob: Object) -> bool:
    """Whether an object or one that it is parented to has no size, and no keys that may give it one."""
    for above in lineage(ob):
        x, y, z = above.scale
        if (abs(x) < EMPTY or abs(y) < EMPTY or abs(z) < EMPTY) and not animates(above, "scale"):
            return True
    return False


def _has_no_faces(ob: Object) -> bool:
    """Whether an object has no faces, and neither modifiers nor parts that may have some."""
    faceless = ob.type == "EMPTY" or (ob.type == "MESH" and not ob.data.polygons and not ob.modifiers)
    return faceless and not ob.children and instanced(ob) is None


def _is_without_vertices(ob: Object) -> bool:
    """Whether a mesh has no vertices, and neither modifiers nor parts that may have some."""
    return ob.type == "MESH" and not ob.data.vertices and not ob.modifiers and not ob.children


def _far_outside(
    roles: Mapping[Role, Sequence[Object]], members_of: Mapping[Object | None, Sequence[Object]]
) -> Iterator[Finding]:
    """The regions that all vehicles of a crowd are to stay inside, but are far from, as the frame shows them."""
    held = [crowd for crowd in roles[Role.CROWD] if Containment in behaviors_of(crowd)]
    every_region = [region for region in roles[Role.REGION] if held and may_be_active(region)]
    every_box = np.array([_to_box(region) for region in every_region]).reshape(-1, 4, 4)
    for crowd in held:
        settings = crowd.steering.containment
        chosen = pointed_at(settings, "region")
        regions = [chosen] if chosen is not None else every_region
        members = members_of.get(crowd, []) if regions else []
        leads_away = settings.release and PathFollowing in behaviors_of(crowd)
        boxes = every_box if chosen is None else np.array([_to_box(chosen)])
        if members and not leads_away and _are_far(members, boxes):
            names, areas = names_of([ob.name for ob in members]), names_of([ob.name for ob in regions])
            text = f"{names} of {crowd.name} {'is' if len(members) == 1 else 'are'} far outside {areas}. Move one there"
            yield Finding(FindingKind.FAR_OUTSIDE, text, tuple(full_name(ob) for ob in regions))


def _members(vehicles: Sequence[Object], crowds: Sequence[Object | None]) -> dict[Object | None, list[Object]]:
    """The vehicles of each crowd, given that of each."""
    members: dict[Object | None, list[Object]] = {}
    for ob, crowd in zip(vehicles, crowds):
        members.setdefault(crowd, []).append(ob)
    return members


def _are_far(members: Sequence[Object], boxes: NDArray[np.float64]) -> bool:
    """Whether all objects are far from all boxes, given by (boxes, 4, 4) matrices."""
    places = np.array([(*ob.matrix_world.translation, 1.0) for ob in members])
    in_boxes = np.einsum("bij,nj->bni", boxes[:, :3], places)
    return bool((np.abs(in_boxes) > FAR).any(axis=-1).all())


def _to_box(region: Object) -> NDArray[np.float64]:
    """The (4, 4) matrix from the world to a region whose corners are at 1 and -1."""
    corners = np.array([tuple(corner) for corner in region.bound_box])
    half = np.maximum(np.ptp(corners, axis=0) / 2.0, EMPTY)
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2.0
    if region.type == "EMPTY":
        half, middle = np.full(3, max(region.empty_display_size, EMPTY)), np.zeros(3)
    box: NDArray[np.float64] = np.array(region.matrix_world.inverted_safe())
    box[:3, 3] -= middle
    box[:3] /= half[:, None]
    return box


def _is_hidden(ob: Object, scene: Scene, record: BakeRecord | None) -> bool:
    """Whether an object is hidden in every view layer, and not by keys."""
    if any(ob.visible_get(view_layer=layer) for layer in scene.view_layers):
        return False
    return not _hides(record) and not animates(ob, "hide_viewport")


def _is_unrendered(ob: Object, rendered: set[Object], record: BakeRecord | None) -> bool:
    """Whether an object or each of its collections is hidden in renders, and not by keys."""
    if ob.hide_render:
        return not _hides(record) and not animates(ob, "hide_render")
    return ob not in rendered


def _hides(record: BakeRecord | None) -> bool:
    """Whether a bake hides its vehicle on some frames."""
    return record is not None and any(path in SWITCHES for path in record.channels)


def _in_renders(collection: Collection) -> Iterator[Collection]:
    """A collection and those in it, without those hidden in renders."""
    if not collection.hide_render:
        yield collection
        for child in collection.children:
            yield from _in_renders(child)


def _of_minds(
    scene: Scene, roles: Mapping[Role, list[Object]], objects: list[Object], outside: Container[str]
) -> Iterator[Finding]:
    """The states, triggers and targets that do not count, and states and triggers whose crowd or what they point at was
    deleted. A crowd that has members is restored with its states, and told of elsewhere. `outside`: the full names of
    targets that are not in use."""
    crowds, everything = set(roles[Role.CROWD]), set(scene.objects)
    if len(everything) > len(objects):
        excluded = sorted(everything - set(objects), key=full_name)
        minds = by_role(excluded)
        left_out = [ob for role in (Role.STATE, Role.TRIGGER) for ob in minds[role] if crowd_of(ob) in crowds]
        left_out += [ob for ob in excluded if full_name(ob) in outside]
        yield from _about(FindingKind.NOT_COUNTED, left_out, "is left out: excluded from the view layer")
    for crowd in roles[Role.CROWD]:
        left_behind = states_left_behind(crowd, everything)
        yield from _about(FindingKind.NOT_IN_SCENE, left_behind, f"is not in the scene of {crowd.name}")
    joined = set(crowds_of([*roles[Role.VEHICLE], *roles[Role.POINTS]]))
    for state in roles[Role.STATE]:
        owner = crowd_of(state)
        if owner is None:
            yield Finding(
                FindingKind.CALLS_NOTHING, f"{state.name} belongs to no crowd. Choose one", (full_name(state),)
            )
        elif owner not in everything and owner not in joined:
            text = f"{owner.name}, the Crowd of {state.name}, {why_outside(owner, scene)}"
            yield Finding(FindingKind.TARGET_GONE, text, (full_name(state),))
    of_triggers, of_states = {"to": "Calls Into"}, {"then": "Then", "eases": "Eases"}
    for role, group, labels in ((Role.STATE, "state", of_states), (Role.TRIGGER, "trigger", of_triggers)):
        for ob in roles[role]:
            for name, label in labels.items() if ob.steering.is_property_set(group) else ():
                other = pointed_at(getattr(ob.steering, group), name)
                if other is not None and other not in everything:
                    text = f"{other.name}, the {label} of {ob.name}, {why_outside(other, scene)}"
                    yield Finding(FindingKind.TARGET_GONE, text, (full_name(ob),))
                elif other is not None and may_be_active(ob) and not may_be_active(other):
                    text = f"{other.name}, the {label} of {ob.name}, takes no part: turn on its Takes Part"
                    yield Finding(FindingKind.CALLS_NOTHING, text, (full_name(ob),))
                elif other is None and role is Role.TRIGGER:
                    text = f"{ob.name} calls into no state. Choose one"
                    yield Finding(FindingKind.CALLS_NOTHING, text, (full_name(ob),))


def _targets_gone(holder: Object, gone: Mapping[str, str]) -> Iterator[Finding]:
    """The targets of the behaviors of a crowd or state that are not in the scene; `gone`: why, by their full names."""
    for target in pointers_of(holder):
        if problem := gone.get(full_name(target.ob)):
            yield Finding(FindingKind.TARGET_GONE, f"{target.told(holder)}, {problem}", (full_name(holder),))


def _clips_never_played(crowd: Object, states: Sequence[Object]) -> Iterator[Finding]:
    """The clips of a crowd for states that are not its own, as when these were deleted."""
    for clip in stored_clips(crowd):
        state = state_of(clip)
        if state is not None and not (state in states and crowd_of(state) == crowd):
            text = f"{clip.action.name} of {crowd.name} is never played: {state.name} is not among its states"
            yield Finding(FindingKind.TARGET_GONE, f"{text}. Choose another In State", (full_name(crowd),))
