"""What a flock and a school have in common: a preset, a sphere to stay inside, a start in one heading."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mathutils import Vector

from ....settings.preset import Preset, scaled
from ..member_variation import Amounts
from ..moves_like import settle_in
from ..preset_exchange import CROWDS, take_up
from .gathering import Gathering, Wish, scattered

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object

FIRMER = {"weight": 2.0, "softness": 0.5}
"""Containment as multiples of the preset's: that is for the open sky, and would let them far out of a small region."""
Bringing = Callable[[int, random.Random, "Collection"], "Object"]
"""Puts the member of a number, at rest in the origin, into a collection."""


@dataclass(frozen=True)
class Kind:
    """A kind of flock.

    Attributes:
        title, region: what it and its region are called.
        preset: what it takes up; made to fit the size of its members.
        room: radius of the region in sizes of a member, for as many members as are usual.
        usual: how many.
        radius: of a body in its sizes.
        flatness: how much lower than wide it starts.
    """

    title: str
    region: str
    preset: str
    room: float
    usual: int
    radius: float
    flatness: float

    def reach(self, wish: Wish) -> float:
        """The radius of the region in metres."""
        crowded = max(wish.count / self.usual, 0.25) ** (1.0 / 3.0)
        return self.room * wish.size * max(crowded * wish.spacing, 1.0)


def add(context: Context, kind: Kind, wish: Wish, bringing: Bringing) -> Object:
    """A flock inside a region of its own; its crowd.

    Raises:
        Refusal: the preset it takes up cannot be read.
    """
    preset = _fitting(CROWDS.find(kind.preset).load(), wish)
    chance = random.Random(wish.seed)
    gathering = Gathering.begin(context, kind.title, wish.place)
    crowd = gathering.crowd
    crowd.empty_display_size = 2.0 * wish.size
    region = gathering.region(kind.region, kind.reach(wish))
    take_up(preset, crowd, context.scene)
    crowd.steering.vehicle.radius = kind.radius * wish.size
    crowd.steering.containment.region = region
    crowd.steering.portrayal.use = True

    apart = crowd.steering.separation.distance
    spread = 0.55 * apart * wish.count ** (1.0 / 3.0) / kind.flatness ** (1.0 / 3.0)
    spots = scattered(chance, wish.count, min(spread, 0.8 * region.empty_display_size), kind.flatness, 0.6 * apart)
    heading = chance.uniform(0.0, math.tau)
    members = []
    for number, spot in enumerate(spots, 1):
        member = bringing(number, chance, gathering.collection)
        member.location = wish.place + Vector(spot)
        member.rotation_euler.z = heading + chance.uniform(-0.15, 0.15)
        members.append(member)
    gathering.enlist(context, members, chance)
    gathering.differ(context, Amounts(**preset.variation), wish.seed)
    settle_in(context, crowd, preset.preroll)
    gathering.show(context)
    return crowd


def _fitting(preset: Preset, wish: Wish) -> Preset:
    """The preset for members of this size, who keep apart as wished and to their region more strictly."""
    fitting = scaled(preset, wish.size / preset.body_length)
    spaced = {
        name: {
            key: value * wish.spacing if key in ("distance", "rejoin_distance") else value for key, value in of.items()
        }
        for name, of in fitting.behaviors.items()
    }
    stay = spaced["containment"]
    spaced["containment"] = {**stay, **{name: stay[name] * factor for name, factor in FIRMER.items()}}
    return replace(fitting, behaviors=spaced)
