"""What may be wrong with where a body starts that stands on surfaces."""

from enum import Enum


class Misplaced(Enum):
    """What is wrong; each value is a name in the program only."""

    OFF_GROUND = "off_ground"
    TOO_STEEP = "too_steep"
    BOXED_IN = "boxed_in"
    AT_BORDER = "at_border"
    WHEELS_HANG = "wheels_hang"
    UPSIDE_DOWN = "upside_down"
