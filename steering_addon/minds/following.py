"""Following a state: what it changes for the vehicles in it, and how they come from one state to another.

While a vehicle takes up a state, the settings of the state before are asked too, and the forces are mixed. Mixing the
settings would not do: a behavior that fades keeps its priority until its weight is 0.

States that share behaviors with each other or with their crowd are evaluated together: evaluating two groups of
vehicles takes nearly twice as long as one of both, as most of a step is independent of their number. A state that
changes only numbers, or only the body, needs no group of its own: its numbers are columns. Where a state has a behavior
more or less, that behavior alone is evaluated for a part of the group, if all it does is steer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Mask, Rows, Scalars, alike, everybody, put, same_for_all, which
from ..simulation.behavior import Adjustment, Behavior
from ..simulation.combining import MATTERS
from ..simulation.declaration import CAUSE, Declared, Kind
from ..simulation.locomotion import Fleet, Locomotion
from ..simulation.mindset import Mindset
from ..simulation.snapshot import Settings, Snapshot, State
from ..simulation.vehicle import VehicleModel
from .declaring import Mind, Mode

OF_THE_BODY = ("mass", "radius", "length")
"""Parameters of a vehicle that no state changes."""
Body = TypeVar("Body", bound=Declared)


def vehicles_in_modes(minds: Sequence[Mind], crowd: Rows, modes: Rows) -> Iterator[tuple[Mode, Mask]]:
    """Each mode of some minds with the vehicles in it, (n,), given the crowd (n,) and the mode (n,) of each vehicle."""
    for mind in minds:
        of_crowd = crowd == mind.crowd
        for number, mode in enumerate(mind.modes, 1):
            yield mode, of_crowd & (modes == number)


def settings_in_modes(
    minds: Sequence[Mind], snapshot: Snapshot, modes: Rows, caller: Rows
) -> tuple[tuple[Settings, ...], Rows]:
    """The settings, and the row (n,) that each vehicle follows, in modes (n,) about the bodies that called (n,)."""
    row = snapshot.settings_row.copy()
    settings = list(snapshot.settings)
    for mind in minds:
        of_crowd = (snapshot.crowd == mind.crowd) & snapshot.present
        in_use = np.unique(row[of_crowd & (modes == 0)]).tolist()
        for number, mode in enumerate(mind.modes, 1):
            in_it = of_crowd & (modes == number)
            if in_it.any():
                row[in_it] = mode.settings
                settings[mode.settings] = _about_cause(settings[mode.settings], caller)
                in_use.append(mode.settings)
        if len(in_use) > 1:
            together, row = join_settings(snapshot.settings, settings, row, in_use)
            settings = list(together)
    return tuple(settings), row


def _about_cause(settings: Settings, cause: Rows) -> Settings:
    """The settings with the body that called each vehicle, (n,), wherever they name whatever called."""
    if not settings.about_cause:
        return settings
    behaviors = list(settings.behaviors)
    for index, names in settings.about_cause.items():
        rows = {name: getattr(behaviors[index], name) for name in names}
        aimed = {name: np.where(bodies == CAUSE, cause, bodies) for name, bodies in rows.items()}
        behaviors[index] = behaviors[index].with_columns(aimed)
    return replace(settings, behaviors=tuple(behaviors))


def vehicles_as_in_modes(
    minds: Sequence[Mind], snapshot: Snapshot, mindset: Mindset, fraction: Scalars
) -> VehicleModel:
    """The vehicle models as the modes have them, mixed while a mode is taken up. `fraction`: (n,) how far each has
    taken up its mode."""
    model = snapshot.vehicle
    if all(mode.vehicle is None for mind in minds for mode in mind.modes):
        return model
    changing = [name for name in model.parameters() if name not in OF_THE_BODY]
    return _with_columns(model, _mix(minds, snapshot, mindset, fraction, model, changing, lambda mode: mode.vehicle))


def not_stopped_short(model: VehicleModel, turns: Rows, speed: Scalars, dt: float) -> VehicleModel:
    """The vehicle models in modes, with top speeds that fall no faster than vehicles can brake. `turns`: (n,) as of
    `Mindset`; `speed`: (n,) m/s."""
    slower = speed - model.max_force / model.mass * dt
    top = np.where(turns > 0, np.maximum(model.max_speed, slower), model.max_speed)
    return _with_columns(model, {"max_speed": top})


def fleet_in_modes(minds: Sequence[Mind], snapshot: Snapshot, mindset: Mindset, fraction: Scalars) -> Fleet:
    """The fleet with the numbers of the modes, mixed while a mode is taken up. `fraction`: (n,) how far each has taken
    up its mode."""
    fleet = snapshot.fleet
    kinds = {type(mode.locomotion) for mind in minds for mode in mind.modes if mode.locomotion is not None}
    if not kinds:
        return fleet

    def in_modes(body: Locomotion) -> Locomotion:
        if type(body) not in kinds:
            return body
        body = body.for_agents(np.arange(len(fraction)))
        names = [name for name in body.parameters() if name not in body.of_the_body]

        def of_mode(mode: Mode) -> Locomotion | None:
            return mode.locomotion if type(mode.locomotion) is type(body) else None

        return _with_columns(body, _mix(minds, snapshot, mindset, fraction, body, names, of_mode))

    return replace(fleet, locomotions=tuple(in_modes(body) for body in fleet.locomotions))


def _mix(
    minds: Sequence[Mind],
    snapshot: Snapshot,
    mindset: Mindset,
    fraction: Scalars,
    own: Declared,
    names: Sequence[str],
    of_mode: Callable[[Mode], Declared | None],
) -> dict[str, Scalars]:
    """Columns (n,) by name, mixed while a mode is taken up; what is not a number is that of the new mode. `fraction`:
    (n,) how far each has taken up its mode; `own`: the columns of vehicles in no mode, or in one without columns of its
    own; `of_mode`: the columns of a mode, None for those of the crowd."""

    def columns_in(modes: Rows) -> dict[str, Scalars]:
        columns = {name: np.array(getattr(own, name)) for name in names}
        for mode, in_it in vehicles_in_modes(minds, snapshot.crowd, modes):
            if (changed := of_mode(mode)) is not None:
                for name, column in columns.items():
                    column[in_it] = getattr(changed, name)[in_it]
        return columns

    now = columns_in(mindset.mode)
    if everybody(fraction >= 1.0):
        return now
    numbers = [name for name, column in now.items() if column.dtype == np.float64]
    before = {name: np.zeros(len(fraction)) for name in numbers}
    for modes, share, _ in mindset.modes_left(fraction):
        columns = columns_in(modes)
        for name in numbers:
            before[name] += columns[name] * share
    for name in numbers:
        mixed = before[name] + (now[name] - before[name]) * fraction
        now[name] = np.where(fraction < 1.0, mixed, now[name])
    return now


def _with_columns(body: Body, columns: dict[str, Scalars]) -> Body:
    """The body with other columns, each stored once where all its entries are equal: it is faster to compute with."""

    def stored(column: Scalars) -> Scalars:
        if len(column) and (same_for_all(column) or (column == column[0]).all()):
            return alike(column[0], len(column), column.dtype.type)
        return column

    return body.with_columns({name: stored(column) for name, column in columns.items()})


def starting_afresh(minds: Sequence[Mind], state: State, snapshot: Snapshot, before: Mindset, after: Mindset) -> State:
    """The state in which vehicles that change their mode start over with the behaviors that either has settings of its
    own for.

    They forget what these remember, and want the goals again that they have reached. What a mode only switches off
    continues later where it was.
    """
    changed = after.turns != before.turns
    if not changed.any():
        return state
    memories, arrived = dict(state.memories), dict(state.arrived)
    for mind in minds:
        rows = which((snapshot.crowd == mind.crowd) & changed)
        changes = np.stack((before.mode[rows], after.mode[rows]), axis=1)
        for left, entered in np.unique(changes, axis=0).tolist():
            those = rows[(changes == (left, entered)).all(axis=1)]
            used = _settings_in(mind, snapshot, entered, those).names
            # They remember from before whatever the mode that they leave has switched off.
            own = _replaced(mind, left) & _settings_in(mind, snapshot, left, those).names
            for name in own | _replaced(mind, entered):
                if name in arrived:
                    arrived[name] = put(arrived[name], those, False)
                # The rounds through several targets have the name of the behavior and of the parameter.
                for known in [key for key in memories if name in used and key.split(".")[0] == name]:
                    memories[known] = memories[known].put(those, type(memories[known]).blank(len(those)))
    return replace(state, memories=memories, arrived=arrived)


def _replaced(mind: Mind, mode: int) -> frozenset[str]:
    """The names of the behaviors for which a mode has settings of its own."""
    return frozenset(mind.modes[mode - 1].replaces if mode else ())


def _settings_in(mind: Mind, snapshot: Snapshot, mode: int, rows: Rows) -> Settings:
    """The settings that vehicles of rows (m,) of a crowd follow in a mode."""
    return snapshot.settings[mind.modes[mode - 1].settings if mode else snapshot.settings_row[rows[0]]]


NUMBERS = (Kind.NUMBER, Kind.INTEGER)
"""The sorts of parameters that may differ among agents that are evaluated together."""
MOST_COMPARED = 32
"""The number of other settings that settings remember having been compared with."""
MORE_THAN_FORCES = ("goal", "intention")
"""The methods by which a behavior tells the other behaviors about its agents."""
Differences: TypeAlias = Mapping[str, Sequence[str]]


def join_settings(
    declared: Sequence[Settings], settings: Sequence[Settings], row: Rows, among: Sequence[int]
) -> tuple[tuple[Settings, ...], Rows]:
    """The settings of the vehicles of a crowd, and the row that each follows, with as few rows in use as possible.

    Args:
        declared: the settings by row, the same objects in every step.
        settings: the same, about what called the vehicles.
        row: (n,) the row that each vehicle follows.
        among: the rows of the crowd and its states that are in use.
    """
    together = list(settings)
    groups: list[list[int]] = []
    for candidate in among:
        for group in groups:
            differences = [_find_differences(declared[member], declared[candidate]) for member in group]
            if all(changes is not None for changes in differences):
                leader = group[0]
                follow = row == candidate
                row = np.where(follow, leader, row)
                together[leader] = _mix_settings(together[leader], settings[candidate], _unite(differences), follow)
                group.append(candidate)
                break
        else:
            groups.append([candidate])
    return tuple(together), row


def _unite(differences: Sequence[Differences | None]) -> Differences:
    """The names of the numbers that differ in any of several comparisons."""
    names: dict[str, list[str]] = {}
    for changes in differences:
        for behavior, numbers in (changes or {}).items():
            names[behavior] = [*dict.fromkeys((*names.get(behavior, ()), *numbers))]
    return names


def _find_differences(settings: Settings, others: Settings) -> Differences | None:
    """The names of the numbers that differ, by the name of their behavior; None if they cannot be joined."""
    known = settings.compared.get(id(others))
    if known is None or known[0] is not others:
        if len(settings.compared) >= MOST_COMPARED:
            # Animated settings are others in each step.
            settings.compared.clear()
        known = settings.compared[id(others)] = others, _compare(settings, others)
    return known[1]


def _compare(settings: Settings, others: Settings) -> Differences | None:
    ours, theirs = ({b.name: b for b in side.behaviors} for side in (settings, others))
    shared = ours.keys() & theirs.keys()
    lone = [b for b in (*settings.behaviors, *others.behaviors) if b.name not in shared]
    if settings.combining != others.combining or bool(lone) > bool(shared):
        return None
    if not all(_only_steers(type(behavior)) for behavior in lone):
        return None
    if lone and "probability" in MATTERS[settings.combining]:
        # Which behavior is drawn depends on how many there are.
        return None
    differences: dict[str, list[str]] = {}
    for name in shared:
        for parameter_name, parameter in ours[name].all_columns().items():
            column, other = (getattr(side[name], parameter_name) for side in (ours, theirs))
            # One entry holds for all agents.
            if column is not other and not (column == other).all():
                if parameter.kind not in NUMBERS:
                    return None
                differences.setdefault(name, []).append(parameter_name)
    return differences


def _only_steers(kind: type[Behavior]) -> bool:
    """Whether others need not know of a behavior: it leads nowhere, avoids nothing and corrects nothing."""
    tells = any(getattr(kind, name) is not getattr(Behavior, name) for name in MORE_THAN_FORCES)
    return not (tells or kind.arrives or kind.avoids or issubclass(kind, Adjustment))


def _mix_settings(settings: Settings, others: Settings, changed: Differences, follow: Mask) -> Settings:
    """The settings, with the behaviors and the changed numbers of others for the agents that follow those, (n,)."""
    behaviors, has = list(settings.behaviors), list(settings.masks())
    theirs = {behavior.name: behavior for behavior in others.behaviors}
    for index, behavior in enumerate(behaviors):
        other = theirs.get(behavior.name)
        if other is None:
            has[index] = ~follow if (known := has[index]) is None else known & ~follow
            continue
        has[index] = None if (known := has[index]) is None else known | follow
        if names := changed.get(behavior.name):
            columns = {name: np.where(follow, getattr(other, name), getattr(behavior, name)) for name in names}
            behaviors[index] = behavior.with_columns(columns)
    # Behaviors that only the others have keep their place among theirs.
    after = 0
    for behavior in others.behaviors:
        index = next((k for k, known in enumerate(behaviors) if known.name == behavior.name), -1)
        if index < 0:
            behaviors.insert(after, behavior)
            has.insert(after, follow)
            index = after
        after = index + 1
    return Settings(tuple(behaviors), settings.combining, tuple(has))
