"""Adds behaviors to a crowd: with values that fit its bodies, and with what they go for or react to as targets.

Those that came with a preset while the scene had no target for them wait without a word: people walk along a path if
there is one. Where there never was one, its absence is nothing to look at; a path that was deleted is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

import bpy
from bpy.types import Collection, Object, Scene

from ...behaviors import CATALOGUE
from ...settings.fitting import MODEL, BodiesToFit, fitted
from ...settings.preset import Preset
from ...settings.preset_values import Value, Values
from ...simulation.behavior import Behavior, Intent
from ...simulation.declaration import NEAREST, POINTERS, Kind, Parameter
from ...simulation.roles import OF_BODIES, Role
from ...simulation.vehicle import VehicleModel
from ..animation.animation_data import channelbag, evaluate
from ..clips.clip_speeds import let_run
from ..moving import locomotion_of
from ..objects.tagged_objects import by_role, crowd_of, in_use, members_in, tagged, vehicles_of
from ..properties import has_role, has_roles, uses
from ..property_groups import TYPES, collection_of, values_for_preset, values_of
from ..read.dependencies import animated_paths
from ..read.target_groups import Offered, awaited, is_named


def add_behaviors(
    behaviors: Sequence[type[Behavior]],
    crowd: Object,
    scene: Scene,
    *,
    fit: bool = True,
    selected: Sequence[Object] = (),
) -> list[str]:
    """Switch behaviors of a crowd or of a state on, and give values to those that are new.

    Values that were set before, or are keyframed or driven, are kept. Returns a clause for each target that was set,
    and one if the crowd may run now.

    Args:
        fit: whether new values are fitted to the crowd; otherwise they are the defaults.
        selected: what is selected with the crowd: a single object but its vehicles is what they go for, or react to;
            who goes from target to target, as on patrol, goes to all of them.
    """
    settings, animated = crowd.steering, animated_paths(crowd)
    is_state = has_role(crowd, Role.STATE)
    owner = crowd_of(crowd) if is_state else crowd
    chosen = let_run(crowd, scene, animated) if fit and not is_state and any(b.runs for b in behaviors) else []
    values = {b: fitted_values(b, owner or crowd, scene, crowd if is_state else None) if fit else {} for b in behaviors}
    members = {ob for ob in members_in(selected) if crowd_of(ob) == owner}
    selected = [ob for ob in selected if ob not in members]
    for behavior in behaviors:
        group = getattr(settings, behavior.name)
        for name, value in values[behavior].items():
            if not group.is_property_set(name) and f"steering.{behavior.name}.{name}" not in animated:
                setattr(group, name, value)
        group.use = True
        ask_for(crowd, behavior)
        chosen += _set_targets(behavior, crowd, scene, selected)
    return chosen


def fitted_values(
    behavior: type[Behavior], crowd: Object, scene: Scene, state: Object | None = None
) -> dict[str, Value]:
    """The values of a new behavior that fit a crowd, or a state of it, by name. Of keyframed settings the largest value
    counts."""
    settings = crowd.steering
    kinds = [b for b in CATALOGUE if uses(crowd, b.name)]
    present = {b: _largest_values(values_for_preset(b, getattr(settings, b.name)), crowd, b.name) for b in kinds}
    holder = state if state is not None and state.steering.vehicle.own else crowd
    pace = _largest_values({"cruise_speed": holder.steering.vehicle.cruise_speed}, holder, "vehicle")["cruise_speed"]
    bodies = bodies_of(crowd, scene)
    bodies = replace(bodies, walks=bodies.grounded and float(pace) > 0.0)
    return fitted(behavior, bodies, settings.combining, present)


def bodies_of(crowd: Object, scene: Scene, state: Object | None = None) -> BodiesToFit:
    """The usual vehicle of a crowd: its model, or that of a state of it, in the median size of its members."""
    holder = crowd if state is None else state
    model = values_of(VehicleModel, holder.steering.vehicle)
    values = {name: model[name] for name in MODEL}
    largest = {name: float(value) for name, value in _largest_values(values, holder, "vehicle").items()}
    sizes = [ob.steering.size_factor for ob in vehicles_of(crowd, scene)]
    largest["radius"] *= median(sizes) if sizes else 1.0
    return BodiesToFit(**largest, grounded=locomotion_of(crowd).grounded)


def _largest_values(values: Values, crowd: Object, group: str) -> dict[str, Value]:
    """The values of a property group, each keyframed number with the largest value that it has on a keyframe. A weight
    or a speed that starts at 0 would otherwise say nothing."""
    bag = channelbag(crowd)
    curves = {curve.data_path: curve for curve in bag.fcurves} if bag is not None else {}
    result = dict(values)
    for name, value in values.items():
        curve = curves.get(f"steering.{group}.{name}")
        if curve is not None and isinstance(value, float):
            result[name] = max([value, *evaluate(curve, [key.co.x for key in curve.keyframe_points]).tolist()])
    return result


def only_other_crowd(crowd: Object, scene: Scene) -> Object | None:
    """The one crowd besides this that has members; None for none or several."""
    members = tagged(in_use(scene), Role.VEHICLE)
    crowds = {other for ob in members if (other := crowd_of(ob)) not in (None, crowd)}
    return crowds.pop() if len(crowds) == 1 else None


def _set_targets(behavior: type[Behavior], crowd: Object, scene: Scene, selected: Sequence[Object]) -> list[str]:
    """Set the targets of a behavior: the single object that is selected besides, as the first that it can be, all that
    are for one that goes from target to target, and the only other crowd for one that reacts to others, unless the
    scene has a leader. Returns a clause for each target that was set."""
    # In a state, a target left empty is whatever called.
    reacts = behavior.intent is Intent.REACT and not has_role(crowd, Role.STATE)
    objects, other = in_use(scene), only_other_crowd(crowd, scene) if reacts else None
    group, chosen = getattr(crowd.steering, behavior.name), []
    target: Object | Collection
    for name, parameter in behavior.parameters().items():
        is_body = parameter.kind is Kind.BODY
        if not (is_body or (parameter.kind in POINTERS and parameter.default == NEAREST)) or is_named(group, name):
            continue
        if len(selected) == 1 and _can_be(selected[0], parameter, objects):
            target, why, selected = selected[0], "which is selected", ()
        elif len(selected) > 1 and parameter.in_order and all(_can_be(ob, parameter, objects) for ob in selected):
            collection = bpy.data.collections.new(f"{behavior.label} {parameter.called(name)}")
            for ob in selected:
                collection.objects.link(ob)
            scene.collection.children.link(collection)
            target, why, selected = collection, "a collection of what is selected", ()
        elif other and is_body and parameter.role and not (parameter.in_order or tagged(objects, parameter.role)):
            target, why = other, "the only other crowd"
        else:
            continue
        setattr(group, collection_of(name) if isinstance(target, Collection) else name, target)
        chosen.append(f"its {parameter.called(name)} {'are' if parameter.in_order else 'is'} {target.name}, {why}")
    return chosen


def _can_be(ob: Object, parameter: Parameter, objects: Sequence[Object]) -> bool:
    """Whether a parameter that points at something may mean one of the objects of a scene: what is tagged says what it
    is for, and of resources, which run out, those that are not tagged are none beside others that are."""
    if parameter.role is Role.RESOURCE and not has_role(ob, Role.RESOURCE) and tagged(objects, Role.RESOURCE):
        return False
    fitting: tuple[Role | None, ...] = (parameter.role,)
    if parameter.kind is Kind.BODY:
        fitting = (*OF_BODIES, Role.SURFACE) if parameter.stood_on else OF_BODIES
    untagged = not (parameter.kind is Kind.REGION or parameter.needs_role or has_roles(ob))
    return (untagged or any(has_role(ob, role) for role in fitting)) and ob.type == TYPES.get(parameter.kind, ob.type)


def behaviors_in(preset: Preset) -> list[type[Behavior]]:
    """The active behaviors of a preset."""
    return [behavior for behavior in CATALOGUE if behavior.name in preset.behaviors]


def pointers(behaviors: Iterable[type[Behavior]], kind: Kind) -> list[tuple[str, str]]:
    """The parameters that point at objects of a kind, as names of behavior and parameter."""
    return [
        (behavior.name, name)
        for behavior in behaviors
        for name, parameter in behavior.parameters().items()
        if parameter.kind is kind
    ]


def point_at(crowd: Object, preset: Preset, kind: Kind, target: Object) -> None:
    """Set the target of all behaviors of a preset that point at objects of a kind."""
    for behavior, name in pointers(behaviors_in(preset), kind):
        setattr(getattr(crowd.steering, behavior), name, target)


def note_unasked(crowd: Object, preset: Preset, scene: Scene) -> None:
    """Note the behaviors of a preset that the crowd has just taken up and that wait for a target."""
    offered = Offered.of(by_role(in_use(scene)))
    names = [b.name for b in CATALOGUE if b.name in preset.behaviors and awaited(b, crowd, offered) is not None]
    _store_unasked(crowd, names)


def ask_for(crowd: Object, behavior: type[Behavior]) -> None:
    """Let the crowd say from now on that a behavior waits for a target, as someone has added it."""
    _store_unasked(crowd, [name for name in crowd.steering.unasked.split() if name != behavior.name])


def answer(scene: Scene) -> None:
    """Let behaviors of which the scene now has a target say so when they lose it, as something may have been tagged."""
    roles = by_role(in_use(scene))
    offered = Offered.of(roles)
    for crowd in roles[Role.CROWD]:
        if crowd.steering.unasked and crowd.is_editable and crowd.library is None:
            names = crowd.steering.unasked.split()
            waiting = [b.name for b in CATALOGUE if b.name in names and awaited(b, crowd, offered) is not None]
            _store_unasked(crowd, waiting)


def _store_unasked(crowd: Object, names: list[str]) -> None:
    if crowd.steering.unasked != " ".join(names):
        crowd.steering.unasked = " ".join(names)
