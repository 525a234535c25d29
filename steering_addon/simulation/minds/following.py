"""Following a state: what it changes for the vehicles in it, and how they come from one state to another.

While a vehicle takes up a state, the settings of the state before are asked too, and the forces are mixed. Mixing the
settings would not do: a behavior that fades keeps its priority until its weight is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..arrays.frozen import replace
from ..arrays.vectors import Mask, Rows, Scalars, alike, everybody, same_for_all
from ..locomotion import Locomotion
from ..memory import Memory
from ..snapshot import Settings, Snapshot
from ..vehicle import VehicleModel
from .declaring import CAUSE, Mind
from .joining import joined
from .mindset import Mindset

OF_THE_BODY = ("mass", "radius", "length")
"""Parameters of a vehicle that no state changes."""


def followed(snapshot: Snapshot, modes: Rows, caller: Rows) -> tuple[tuple[Settings, ...], Rows]:
    """The settings, and the row (n,) that each vehicle follows, in modes (n,) about the bodies that called (n,)."""
    row = snapshot.settings_row.copy()
    settings = list(snapshot.settings)
    for mind in snapshot.minds:
        of_crowd = (snapshot.crowd == mind.crowd) & snapshot.present
        in_use = np.unique(row[of_crowd & (modes == 0)]).tolist()
        for number, mode in enumerate(mind.modes, 1):
            in_it = of_crowd & (modes == number)
            if in_it.any():
                row[in_it] = mode.settings
                settings[mode.settings] = _about_cause(settings[mode.settings], caller)
                in_use.append(mode.settings)
        if len(in_use) > 1:
            together, row = joined(snapshot.settings, settings, row, in_use)
            settings = list(together)
    return tuple(settings), row


def _about_cause(settings: Settings, cause: Rows) -> Settings:
    """The settings with the body that called each vehicle, (n,), wherever they name whatever called."""
    if not settings.about_cause:
        return settings
    behaviors = list(settings.behaviors)
    for place, names in settings.about_cause.items():
        rows = {name: getattr(behaviors[place], name) for name in names}
        aimed = {name: np.where(given == CAUSE, cause, given) for name, given in rows.items()}
        behaviors[place] = behaviors[place].with_columns(aimed)
    return replace(settings, behaviors=tuple(behaviors))


def bodies_in_modes(snapshot: Snapshot, mindset: Mindset, part: Scalars, speed: Scalars, dt: float) -> VehicleModel:
    """The vehicle models as the modes have them, mixed while a mode is taken up.

    No vehicle is stopped short: the top speed falls no faster than the vehicle can brake.

    Args:
        part: (n,) how far each has taken up its mode.
        speed: (n,) m/s.
    """
    model = snapshot.vehicle
    if all(mode.vehicle is None for mind in snapshot.minds for mode in mind.modes):
        return model
    changing = [name for name in model.parameters() if name not in OF_THE_BODY]
    columns = _mixed(mindset, part, lambda modes: _of_modes(snapshot, modes, changing))
    slower = speed - columns["max_force"] / model.mass * dt
    top = columns["max_speed"]
    columns["max_speed"] = np.where(mindset.turns > 0, np.maximum(top, slower), top)
    return model.with_columns({name: _stored_once(column) for name, column in columns.items()})


def locomotions_in_modes(snapshot: Snapshot, mindset: Mindset, part: Scalars) -> tuple[Locomotion, ...]:
    """The locomotions with the numbers that the modes have, mixed while a mode is taken up.

    Args:
        part: (n,) how far each has taken up its mode.
    """
    kinds = {type(mode.locomotion) for mind in snapshot.minds for mode in mind.modes if mode.locomotion is not None}
    if not kinds:
        return snapshot.locomotions
    return tuple(
        _body_in_modes(snapshot, mindset, part, number) if type(body) in kinds else body
        for number, body in enumerate(snapshot.locomotions)
    )


def _body_in_modes(snapshot: Snapshot, mindset: Mindset, part: Scalars, number: int) -> Locomotion:
    """The locomotion of a number, n rows, with the numbers that the modes have."""
    body = snapshot.locomotions[number].for_agents(np.arange(len(part)))
    names = [name for name in body.parameters() if name not in body.of_the_body]

    def of_modes(modes: Rows) -> dict[str, Scalars]:
        columns = {name: np.array(getattr(body, name)) for name in names}
        for mind in snapshot.minds:
            moves_so = (snapshot.crowd == mind.crowd) & (snapshot.locomotion_row == number)
            for at, mode in enumerate(mind.modes, 1):
                if type(mode.locomotion) is type(body):
                    in_it = moves_so & (modes == at)
                    for name, column in columns.items():
                        column[in_it] = getattr(mode.locomotion, name)[in_it]
        return columns

    columns = _mixed(mindset, part, of_modes)
    return body.with_columns({name: _stored_once(column) for name, column in columns.items()})


def _of_modes(snapshot: Snapshot, modes: Rows, names: Sequence[str]) -> dict[str, Scalars]:
    """Columns (n,) of the vehicle models, as each vehicle's mode (n,) has them."""
    columns = {name: np.array(getattr(snapshot.vehicle, name)) for name in names}
    for mind in snapshot.minds:
        of_crowd = snapshot.crowd == mind.crowd
        for number, mode in enumerate(mind.modes, 1):
            if mode.vehicle is None:
                continue
            in_it = of_crowd & (modes == number)
            for name, column in columns.items():
                column[in_it] = getattr(mode.vehicle, name)[in_it]
    return columns


def _mixed(mindset: Mindset, part: Scalars, of_modes: Callable[[Rows], dict[str, Scalars]]) -> dict[str, Scalars]:
    """Columns (n,) by name, mixed while a mode is taken up; what is not a number is that of the new mode.

    Args:
        part: (n,) how far each has taken up its mode.
        of_modes: the columns in a mode (n,) for each vehicle.
    """
    now = of_modes(mindset.mode)
    if everybody(part >= 1.0):
        return now
    numbers = [name for name, column in now.items() if column.dtype == np.float64]
    before = {name: np.zeros(len(part)) for name in numbers}
    for modes, share, _ in mindset.left(part):
        columns = of_modes(modes)
        for name in numbers:
            before[name] += columns[name] * share
    changed = part < 1.0
    mixed = {name: np.where(changed, before[name] + (now[name] - before[name]) * part, now[name]) for name in numbers}
    return now | mixed


def _stored_once(column: Scalars) -> Scalars:
    """The column, stored once where all its entries are the same: it is faster to compute with."""
    if len(column) and (same_for_all(column) or (column == column[0]).all()):
        once: Scalars = alike(column[0], len(column), column.dtype.type)
        return once
    return column


def forgetting(
    memories: Mapping[str, Memory], snapshot: Snapshot, before: Mindset, after: Mindset
) -> Mapping[str, Memory]:
    """What behaviors remember, blank for vehicles that enter a mode with settings of its own for them.

    What a mode only switches off continues later where it was.
    """
    changed = after.turns != before.turns
    if not changed.any():
        return memories
    kept = dict(memories)
    used = [{behavior.name for behavior in settings.behaviors} for settings in snapshot.settings]
    for name, row, enters in _entering(snapshot.minds, snapshot.crowd, after.mode, changed):
        if name not in used[row]:
            continue
        # The rounds through several targets have the name of the behavior and of the parameter.
        for known in [key for key in kept if key.split(".")[0] == name]:
            kept[known] = kept[known].put(enters, type(kept[known]).blank(len(enters)))
    return kept


def arriving_again(
    arrived: Mapping[str, Mask], minds: Sequence[Mind], crowd: Rows, before: Mindset, after: Mindset
) -> Mapping[str, Mask]:
    """The vehicles that have reached a goal, without those that enter a mode with a goal of its own."""
    changed = after.turns != before.turns
    if not changed.any() or not arrived:
        return arrived
    kept = dict(arrived)
    for name, _, enters in _entering(minds, crowd, after.mode, changed):
        if name in kept:
            kept[name] = kept[name].copy()
            kept[name][enters] = False
    return kept


def _entering(minds: Sequence[Mind], crowd: Rows, modes: Rows, changed: Mask) -> list[tuple[str, int, Rows]]:
    """The name of each behavior that a mode has settings of its own for, the row of the settings of that mode, and the
    rows of the vehicles that enter it, (m,)."""
    entering = []
    for mind in minds:
        for number, mode in enumerate(mind.modes, 1):
            enters = np.flatnonzero(changed & (crowd == mind.crowd) & (modes == number))
            if len(enters):
                entering += [(name, mode.settings, enters) for name in mode.replaces]
    return entering
