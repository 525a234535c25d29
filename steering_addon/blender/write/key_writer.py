"""The writer of keyframes: turns the motion of vehicles into keys on their own channels.

What comes in is kept for a few frames, then converted to channels, of which only the numbers of the keys are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...recording.last_corrections import LastCorrections
from ...simulation.arrays.vectors import anybody, magnitude
from ...simulation.snapshot import State
from ..animation.rotation_channels import WIDEST, width_of
from ..animation.staging import Staging
from ..objects.hierarchy import Family
from ..read.entry_settings import parts_of
from ..read.frame import Frame
from .channels import AT_ONCE, Channels
from .look_properties import LookProperties
from .plan_clips import PlanClips, bodies_of
from .plan_states import StateProperties
from .portrayed import KEY, Portrayed
from .resource_visibility import Eaten

if TYPE_CHECKING:
    from ..read.plan import Plan

STAGING = 0.4
"""The share of the writing that the keys of vehicles take; the clips of their armatures take the rest."""
LEAST_FRAMES = 16
"""Frames converted together at least: with fewer, each call of numpy has too little to do."""


def frames_at_once(vehicles: int, frames: int) -> int:
    """The number of frames that are converted together."""
    return min(max(AT_ONCE // max(vehicles, 1), LEAST_FRAMES), frames)


class KeyWriter:
    """Writes the vehicles of a plan, which are objects, into keyframes."""

    def __init__(self, plan: Plan, *, replace_own_keys: bool = False) -> None:
        """`replace_own_keys`: whether animation of the vehicles' own is set aside.

        Raises:
            Refusal: clips of a crowd cannot be played.
        """
        n, f = len(plan), len(plan.frames)
        self._plan, self._source = plan, plan.vehicles.source
        self._replace = replace_own_keys
        frames = frames_at_once(n, f)
        self._channels = Channels(self._source, self._source.rotation, frames)
        self._poses = _Poses(frames, n, len(self._source.parented))
        self._location = np.empty((n, 3, f), KEY)
        self._rotation = np.empty((n, WIDEST, f), KEY)
        self._away = np.zeros((f, n), dtype=np.bool_)
        self._seen = np.zeros(n, dtype=np.bool_)
        self._portrayed = [Portrayed(plan, crowd) for crowd in plan.crowds if crowd.portrayal is not None]
        self._clips = PlanClips(plan, replace=replace_own_keys)
        self._looks = LookProperties(plan)
        self._before: State | None = None
        self._eaten = Eaten(plan)
        self._corrections = LastCorrections()
        self._states = StateProperties(plan, f)
        self._uncorrected: list[str] = []
        self._taken = 0
        self._staging: Staging | None = None

    def frame(self, state: State, frame: Frame) -> None:
        """Take in the vehicles on a frame."""
        row, self._taken = self._taken, self._taken + 1
        self._away[row] = state.away
        entered = ~self._away[row] & ~self._seen
        self._seen |= entered
        start_speed = (
            np.where(state.inputs.present, magnitude(state.motion.velocity), 0.0) if anybody(entered) else None
        )
        for portrayed in self._portrayed:
            portrayed.frame(row, state.motion.position, frame.heights, entered, start_speed, state.outputs)
        if self._clips.are_played or self._looks.are_keyed:
            bodies = bodies_of(state, self._before, frame.heights, entered)
            self._looks.frame(row, bodies, frame.heights, frame.snapshot.lift)
            if self._clips.are_played:
                self._clips.frame(row, bodies, frame.snapshot.surfaces)
        self._before = state
        self._eaten.look(row, state)
        self._corrections.look(row, state, frame.snapshot)
        self._states.frame(row, state)
        self._poses.take(state, frame)
        if self._poses.full or self._taken == len(self._plan.frames):
            self._convert()

    def finish(self, run: str) -> Iterator[float]:
        """Stage the keys of each vehicle, then give all of them to the scene."""
        plan, source = self._plan, self._source
        self._correct()
        self._staging = staging = Staging(run, plan.frames)
        properties = self._properties()
        in_states = self._states.columns()
        share = STAGING if self._clips.are_played else 1.0
        for done, row in enumerate(self._channels.order, 1):
            staging.add(
                source.objects[row],
                self._location[row].T,
                self._rotation[row, : width_of(source.objects[row].rotation_mode)].T,
                replace=self._replace,
                properties=properties.get(row),
                seldom=in_states.get(row),
                only_baked=bool(source.only_baked[row]),
                hidden=self._away[:, row] if source.hides[row] else None,
                posed=self._clips.posed.get(source.objects[row], ()),
            )
            yield share * done / len(plan)
        for done in self._clips.prepare() if self._clips.are_played else ():
            yield STAGING + (1.0 - STAGING) * done
        away = self._away & source.hides
        self._eaten.hide(staging, away, self._replace)
        self._hide_parts(staging, away)
        staging.commit(plan.scene.frame_current_final)
        self._clips.write()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the animator should know of what was written."""
        return (*self._clips.warnings, *self._uncorrected)

    def discard(self) -> None:
        """Forget all of it; the file is as it was."""
        if self._staging is not None:
            self._staging.discard()
        if self._clips.are_played:
            self._clips.discard()

    def _convert(self) -> None:
        """Convert the poses taken in since the last time."""
        parts, positions, bases = self._poses.taken()
        frames = slice(self._taken - len(positions), self._taken)
        for rows, location, rotation in self._channels.extend(parts, positions, bases):
            self._location[rows, :, frames] = np.moveaxis(location, 0, -1)
            self._rotation[rows, : rotation.shape[-1], frames] = np.moveaxis(rotation, 0, -1)

    def _correct(self) -> None:
        """Blend what is left to exact marks into the paths, of vehicles without a parent."""
        for row in self._corrections.vehicles():
            if row in self._source.parented:
                name = self._source.objects[row].name
                self._uncorrected.append(f"{name} has a parent: its path is not moved onto its exact mark.")
            else:
                self._location[row] += self._corrections.moved(row, np.arange(len(self._plan.frames))).T
        for name, (left, most) in self._corrections.too_far.items():
            self._uncorrected.append(
                f"The mark {name} was missed by {left:.2g} m, of which Exact corrects {most:.2g} m in the time it has: "
                "set a longer Lead, a later frame or a nearer place."
            )

    def _properties(self) -> dict[int, dict[str, np.ndarray]]:
        """The custom properties to key, (f,) by name, by the row of the vehicle."""
        looks = self._looks.columns()
        return {
            row: columns | looks.get(row, {}) for portrayed in self._portrayed for row, columns in portrayed.columns()
        }

    def _hide_parts(self, staging: Staging, away: np.ndarray) -> None:
        """Hide the visible parts of vehicles while these are hidden, (f, n); resources are hidden on their own."""
        family = Family()
        for row, ob in enumerate(self._source.objects):
            for part in parts_of(ob, family):
                if part not in self._eaten.objects:
                    staging.hide(part, away[:, row], self._replace)


class _Poses:
    """The poses of n vehicles on the frames that are still to be converted, p of them with a parent.

    Arrays are laid out number by number, as they come from the simulation and go into curves.
    """

    def __init__(self, frames: int, n: int, p: int) -> None:
        self._positions = np.empty((3, frames, n))
        self._bases = np.empty((3, 3, frames, n))
        self._parts = np.empty((frames, p, 4, 4))
        self._count = 0

    @property
    def full(self) -> bool:
        return self._count == len(self._parts)

    def take(self, state: State, frame: Frame) -> None:
        """Take in a frame."""
        pose = state.pose
        self._positions[:, self._count] = state.motion.position.T
        for k, axis in enumerate((pose.side, pose.forward, pose.up)):
            self._bases[:, k, self._count] = axis.T
        self._parts[self._count] = frame.parent_parts
        self._count += 1

    def taken(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The parents' parts (f, p, 4, 4), positions (f, n, 3) and bases (f, n, 3, 3) taken in since the last call."""
        count, self._count = self._count, 0
        positions = np.moveaxis(self._positions[:, :count], 0, -1)
        return self._parts[:count], positions, np.moveaxis(self._bases[:, :, :count], (0, 1), (-2, -1))
