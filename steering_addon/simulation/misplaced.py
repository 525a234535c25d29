"""The faults of the place where a body starts that stands on surfaces."""

from enum import Enum


class Misplaced(Enum):
    """A fault; each value is a name in the program only."""

    OFF_GROUND = "off_ground"
    TOO_STEEP = "too_steep"
    BOXED_IN = "boxed_in"
    AT_BORDER = "at_border"
    WHEELS_HANG = "wheels_hang"
    UPSIDE_DOWN = "upside_down"
