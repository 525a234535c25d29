"""The places of members: the faces of a mesh, the inside of a volume, a curve, or a formation around the crowd."""

import hashlib
from dataclasses import asdict, dataclass

import numpy as np
from bpy.types import Depsgraph, Object

from ...settings.placement import Spots, along, evenly_along, scattered
from ...settings.population import ARRANGEMENTS, CIRCLE, CURVE, ONE_PLACE, Population
from ...settings.spots import first_free, formed
from ..refusal import Refusal
from .place_kinds import PLACE_KINDS, Newcomers, Proposals

NUMBERS = {choice.name: choice.number for choice in ARRANGEMENTS}
LABELS = {choice.number: choice.label for choice in ARRANGEMENTS}
CHOICE = "arrangement"
"""The setting that holds the arrangement."""
PLACE = "place"
"""The setting that holds the mesh, volume or curve, for arrangements that need one."""


def shown(arrangement: str) -> list[str]:
    """The settings that apply to an arrangement, in the order of the panel; of an unknown one those of all."""
    number = NUMBERS.get(arrangement)
    declared = Population.parameters()
    names = [name for name, p in declared.items() if not p.only_with or number in p.only_with]
    if number in PLACE_KINDS:
        names.insert(names.index(CHOICE) + 1, PLACE)
    return names


@dataclass(frozen=True)
class MemberGround:
    """The places where members of a crowd may be.

    Attributes:
        members: the members to place.
        spacing: metres between neighbors in an ordered arrangement.
        proposals: the spots where nothing is in the way.
    """

    members: Newcomers
    spacing: float
    proposals: Proposals

    @classmethod
    def of(cls, members: Newcomers, place: Object | None, depsgraph: Depsgraph) -> "MemberGround":
        """The ground of new members. Refused if the place does not suit the arrangement.

        Args:
            place: the surface, volume or curve, for arrangements that need one.
        """
        population = members.population
        kind = PLACE_KINDS.get(population.arrangement)
        if kind is not None and place is None:
            label = LABELS[population.arrangement]
            raise Refusal(f"The arrangement {label} has no place. Choose a {kind.wanted}.")
        if kind is not None and not kind.fits(place):
            raise Refusal(f"{place.name} cannot be the place of the members. Choose a {kind.wanted}.")
        proposals = Proposals() if kind is None else kind.propose(place, members, depsgraph)
        spacing = max(population.distance, 2.0 * members.widest)
        in_formation = formed(population, spacing, members.frame, members.origin)
        in_order = (lambda keys: in_formation(len(keys))) if proposals.line is None else along(proposals.line)
        clear = members.keeping_clear(proposals.propose or in_order)
        return cls(members, spacing, proposals.sifted(clear))

    @property
    def population(self) -> Population:
        return self.members.population

    @property
    def in_order(self) -> bool:
        """Whether the arrangement is ordered rather than random."""
        return self.proposals.propose is None

    @property
    def fingerprint(self) -> str:
        """A hash that changes when members would get other places than before."""
        settings = asdict(self.population)
        # Objects and points stand in the same places.
        del settings["made_as"]
        if not (self.in_order and self.population.arrangement in (CIRCLE, CURVE)):
            # Adding members does not move the others.
            del settings["count"]
        numbers = [self.members.frame, self.proposals.made_of]
        if self.in_order:
            numbers += [np.array([self.spacing]), self.members.origin]
        text = repr(sorted(settings.items())).encode()
        return hashlib.sha256(b"".join([text, *(rows.astype(np.float32).tobytes() for rows in numbers)])).hexdigest()

    def spots(self, numbers: np.ndarray, radii: np.ndarray, standing: tuple[np.ndarray, np.ndarray]) -> Spots:
        """The spots of members; fewer than n, of the first members, if the room runs out. `numbers`: (n,) of the
        members, from 0, increasing; `radii`: (n,) of the bodies in metres; `standing`: positions (m, 3) and radii (m,)
        of existing bodies."""
        population, proposals = self.population, self.proposals
        if proposals.propose is not None:
            seed, apart = population.seed, population.distance
            return scattered(proposals.propose, seed, radii, apart, standing, proposals.better)
        if proposals.line is not None:
            spots = evenly_along(proposals.line, population.count, self.spacing, *proposals.sifts)
        else:
            grows = population.arrangement not in (CIRCLE, ONE_PLACE)
            in_formation = formed(population, self.spacing, self.members.frame, self.members.origin)
            spots = first_free(in_formation, int(numbers.max(initial=-1)) + 1, proposals.sifts, grows=grows)
        return spots.take(numbers[numbers < len(spots.valid)])
