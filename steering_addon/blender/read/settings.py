"""The settings that a snapshot needs of the scene, the crowds, their states and the vehicles, in columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from bpy.types import Depsgraph

from ...minds.minding import Minds
from ...simulation.arrays.chance import shared_key
from ...simulation.arrays.scalars import same_for_all, shared
from ...simulation.locomotion import Locomotion
from ...simulation.presence.attendance import STAY, Attendance, enter_frames
from ...simulation.snapshot import Settings
from ...simulation.vehicle import VehicleModel
from ..refusal import choice_in
from .checks import checked_values
from .dependencies import animates
from .locomotions import LocomotionReader
from .minds import COMBINING_NUMBERS, MindReader
from .plan import Plan
from .sources import CrowdSource
from .vehicles import FACTORS


class SettingsReader:
    """Reads the settings of a plan, frame after frame; those that are not animated only once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._attendance: tuple[Attendance | None, np.ndarray | None] | None = None
        self._attendance_is_animated = any(animates(crowd.ob, "steering.attendance") for crowd in plan.crowds)
        self._crowds = [_CrowdReader(crowd) for crowd in plan.crowds]
        self._crowd, self._crowd_keys = _of_crowds(plan)
        kinds = plan.vehicles.source.own_locomotions
        self._minds = MindReader(plan.states, plan.triggers, len(plan.crowds), kinds)
        self._crowds_stay = all(crowd.stays for crowd in self._crowds) and self._minds.stays
        self._minds_read: tuple[Mapping[str, np.ndarray], tuple[Settings, ...], Minds] | None = None
        self._model: tuple[Mapping[str, np.ndarray], VehicleModel] | None = None
        owner = plan.vehicles.source.owner
        self._locomotions = LocomotionReader((crowd.ob for crowd in plan.crowds), self._crowd, owner, kinds)

    @property
    def stay(self) -> bool:
        """Whether the settings of all crowds and vehicles are the same on all frames."""
        return self._crowds_stay and not self._plan.vehicles.source.animated.any()

    def columns(self, depsgraph: Depsgraph | None, frame: int, settings: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """The part of a snapshot that depends on these settings; without a depsgraph only if they `stay`. `settings`:
        those of the vehicles, as `VehicleSource.settings` reads them. Refused if a value is not a number."""
        plan = self._plan
        attendance, enters = self._attending(depsgraph, frame)
        bodies, row = self._locomotions.read(depsgraph, frame)
        if self._model is None or not self._crowds_stay or self._model[0] is not settings:
            self._model = settings, self._models(depsgraph, frame, settings)
        vehicle = self._model[1]
        of_crowds = tuple(crowd.read(depsgraph, frame) for crowd in self._crowds)
        of_states, minds = self._minded(depsgraph, frame, settings, vehicle, bodies, of_crowds)
        return {
            "frame_time": plan.frame_time,
            "substeps": plan.substeps,
            "keys": plan.vehicles.keys,
            "vehicle": vehicle,
            "locomotions": bodies,
            "locomotion_row": row,
            "present": settings["active"].astype(np.bool_),
            "settings": (*of_crowds, *of_states),
            "minds": minds,
            "settings_row": self._crowd,
            "crowd": self._crowd,
            "crowd_keys": self._crowd_keys,
            "numbers": plan.vehicles.numbers,
            "candidates": plan.candidates,
            "attendance": attendance,
            "due": None if enters is None else frame >= enters,
        }

    def _minded(
        self,
        depsgraph: Depsgraph | None,
        frame: int,
        settings: Mapping[str, np.ndarray],
        vehicle: VehicleModel,
        locomotions: tuple[Locomotion, ...],
        of_crowds: tuple[Settings, ...],
    ) -> tuple[tuple[Settings, ...], Minds | None]:
        """The settings of the states and the minds of their crowds; the same objects while nothing changes."""
        if not self._plan.states:
            return (), None
        stays = self._crowds_stay and self._locomotions.stay
        if self._minds_read is None or not stays or self._minds_read[0] is not settings:
            states = self._minds.settings(depsgraph, frame, of_crowds)
            self._minds_read = settings, states, self._minds.read(depsgraph, frame, vehicle, locomotions, settings)
        return self._minds_read[1], self._minds_read[2]

    def _models(self, depsgraph: Depsgraph | None, frame: int, settings: Mapping[str, np.ndarray]) -> VehicleModel:
        columns = {name: np.zeros(len(self._plan), dtype=p.kind.dtype) for name, p in VehicleModel.parameters().items()}
        for crowd, reader in zip(self._plan.crowds, self._crowds):
            group = reader.stored(depsgraph).vehicle
            for name, value in checked_values(VehicleModel, group, crowd.ob, "vehicle", frame).items():
                columns[name][crowd.rows] = value
        for name, factor in FACTORS:
            columns[name] = columns[name] * settings[factor]
        # A column that holds one value n times is faster to compute with if it is stored once.
        return VehicleModel.of(len(self._plan), **{n: c[0] if same_for_all(c) else c for n, c in columns.items()})

    def _attending(self, depsgraph: Depsgraph | None, frame: int) -> tuple[Attendance | None, np.ndarray | None]:
        """When vehicles enter and leave, as the crowds say, and the frames (n,) on which they enter.

        None for either that makes no difference: all vehicles are present from the start, and stay.
        """
        if self._attendance is None or self._attendance_is_animated:
            attendance = self._attendances(depsgraph, frame)
            vehicles = self._plan.vehicles
            enters = np.where(np.isnan(vehicles.enters), enter_frames(attendance, vehicles.keys), vehicles.enters)
            all_present = bool((enters == -np.inf).all())
            stay = bool((attendance.on_arrival == STAY).all())
            self._attendance = None if all_present and stay else attendance, None if all_present else enters
        return self._attendance

    def _attendances(self, depsgraph: Depsgraph | None, frame: int) -> Attendance:
        """When vehicles enter and what they do on arrival, as their crowds say; n rows."""
        columns = {name: np.full(len(self._plan), p.default) for name, p in Attendance.parameters().items()}
        for crowd, reader in zip(self._plan.crowds, self._crowds):
            if crowd.ob.steering.is_property_set("attendance"):
                group = reader.stored(depsgraph).attendance
                for name, value in checked_values(Attendance, group, crowd.ob, "attendance", frame).items():
                    columns[name][crowd.rows] = value
        return Attendance.of(len(self._plan), **columns)


class _CrowdReader:
    """Reads the settings of a crowd; only once if they are not animated."""

    def __init__(self, source: CrowdSource) -> None:
        self._source = source
        self._read: Settings | None = None
        self.stays = not animates(source.ob, "steering")
        """Whether all frames have the same settings."""

    def stored(self, depsgraph: Depsgraph | None) -> Any:
        """The settings of the crowd as they are evaluated; without animation as they are stored."""
        ob = self._source.ob
        return ob.steering if self.stays or depsgraph is None else ob.evaluated_get(depsgraph).steering

    def read(self, depsgraph: Depsgraph | None, frame: int) -> Settings:
        """The behaviors of the crowd on the frame of the depsgraph, in columns of one entry for all vehicles. Refused
        if a value is not a number."""
        if self._read is None or not self.stays:
            self._read = self._evaluated(depsgraph, frame)
        return self._read

    def _evaluated(self, depsgraph: Depsgraph | None, frame: int) -> Settings:
        source = self._source
        settings = self.stored(depsgraph)
        behaviors = []
        for behavior in source.behaviors:
            group = getattr(settings, behavior.name)
            if group.use:
                values = checked_values(behavior, group, source.ob, behavior.name, frame)
                pointed = {name: row for (of, name), row in source.pointed.items() if of == behavior.name}
                behaviors.append(behavior.of(1, **{**values, **pointed}))
        return Settings(tuple(behaviors), COMBINING_NUMBERS[choice_in(settings, "combining")])


def _of_crowds(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """The row of the crowd each of n vehicles belongs to, (n,), and the random keys that the crowds share, (n,)."""
    n = len(plan)
    if len(plan.crowds) == 1:
        return shared(0, n, np.int64), shared(shared_key(plan.crowds[0].identity, plan.seed), n, np.uint64)
    row, keys = np.full(n, -1), np.zeros(n, dtype=np.uint64)
    for number, source in enumerate(plan.crowds):
        row[source.rows], keys[source.rows] = number, shared_key(source.identity, plan.seed)
    return row, keys
