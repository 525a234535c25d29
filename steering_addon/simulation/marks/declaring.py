"""A mark: a place and a time that a vehicle, a flock or each of its members meets."""

from dataclasses import dataclass

from ..arrays.scalars import Mask, Number, Rows
from ..arrays.vectors import Vectors
from ..declaration import Choice, Declared, Unit, choice, integer, length, number, seconds, switch

VERTICES, FACES = 0, 1
SPREADS = (
    Choice("VERTICES", VERTICES, "Vertices", "A vertex of the shape for each vehicle"),
    Choice("FACES", FACES, "Faces", "Places evenly spread over the faces of the shape"),
)
"""The places of a shape that vehicles meet, with the numbers stored in files."""


@dataclass(frozen=True)
class MarkModel(Declared):
    """When vehicles meet a mark, and how.

    Every parameter is a column of one entry.
    """

    frame: Rows = integer(100, "Frame on which they meet it, where no timeline marker is named")
    lead: Number = seconds(
        3.0, "Time before that in which they come to it at the latest; they begin earlier if they have to"
    )
    radius: Number = length(0.0, "Distance from it that is near enough", label="Within")
    release: Number = seconds(0.5, "Time afterwards in which their behaviors take over again")
    aims: Mask = switch(False, "Cross it in the direction of its Y axis, at a speed", animatable=False, label="Along Y")
    speed: Number = number(5.0, "Speed at which they cross it along its Y axis", Unit.SPEED)
    exact: Mask = switch(
        False,
        "Move the path the last bit onto it, at most .1 m for each second of Lead; a preview shows it once played past",
        animatable=False,
    )
    lands: Mask = switch(
        False,
        "What flies comes down on it, or on the shape, and stands there from then on",
        animatable=False,
        label="Land",
    )
    stays: Number = seconds(
        0.0,
        "Average time that each stands there, half as long or half as long again; 0: until it takes up a state, or "
        "another mark is due",
    )
    spread: Rows = choice("FACES", "Which places of the shape they meet", SPREADS)


@dataclass(frozen=True)
class Mark:
    """A place and a time to be met.

    Attributes:
        name: among the marks; at the same time the first of two comes first.
        time: seconds, when it is met.
        body: the row of its body, which says where it is and where its Y axis points.
        rows: (m,) the vehicles that meet it, rising.
        together: whether it is the middle of these that meets it.
        points: (p, 3) the places of a shape on this frame, of which each vehicle meets one; None without a shape.
        lead, radius, release, speed, stays: as in MarkModel.
        aims: whether they cross it at `speed` along the forward axis of its body.
        exact: whether what is left to it is blended into the path that is recorded.
        ground: the row of the body on which what flies lands, -1 if it passes the mark in flight.
    """

    name: str
    time: float
    body: int
    rows: Rows
    together: bool = False
    points: Vectors | None = None
    lead: float = 3.0
    radius: float = 0.0
    release: float = 0.5
    speed: float = 5.0
    aims: bool = False
    exact: bool = False
    ground: int = -1
    stays: float = 0.0
