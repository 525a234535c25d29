"""Fields of the settings that files store beside the parameters of the simulation: texts, pointers, colors, records.

As in `simulation.declaration`, each field is declared once, with a default and a sentence; nothing is animatable unless
it says so. Further keywords are the attributes of `Parameter`.
"""

from functools import partial
from typing import Any

from ..simulation.declaration import Choice, Kind, Parameter, Unit, declared, number_of

ANY_NUMBER = 3.4028234663852886e38
"""The largest number of 32 bits: the limit of numbers without one."""
ANY_WHOLE = 2**31 - 1
"""The largest whole number of 32 bits."""


def stored(kind: Kind, default: Any, description: str = "", **details: Any) -> Any:
    """A field of a kind that cannot be animated."""
    return declared(Parameter(kind, default, description, **{"animatable": False, **details}))


switch = partial(stored, Kind.SWITCH)
text = partial(stored, Kind.TEXT, "")
number = partial(stored, Kind.NUMBER, least=-ANY_NUMBER, most=ANY_NUMBER)
positive = partial(number, least=0.0)
share = partial(number, unit=Unit.SHARE, least=0.0, most=1.0)
factor = partial(number, 1.0, least=0.01, most=100.0, soft=(0.5, 2.0), animatable=True)
whole = partial(stored, Kind.INTEGER, least=-ANY_WHOLE - 1, most=ANY_WHOLE)
count = partial(whole, 0, least=0)
vector = partial(stored, Kind.VECTOR, least=-ANY_NUMBER, most=ANY_NUMBER)
color = partial(stored, Kind.COLOR, least=0.0, most=1.0)
pointer = partial(stored, Kind.OBJECT, None)
collection = partial(stored, Kind.COLLECTION, None)
action = partial(stored, Kind.ACTION, None)


def choice(default: str, description: str, choices: tuple[Choice, ...], **details: Any) -> Any:
    """A field with one of a few named values."""
    return stored(Kind.CHOICE, number_of(choices, default), description, choices=choices, **details)


def flags(default: frozenset[str], description: str, choices: tuple[Choice, ...], **details: Any) -> Any:
    """A field with any of a few named values, whose numbers are powers of two."""
    return stored(Kind.FLAGS, default, description, choices=choices, **details)


def group(name: str, **details: Any) -> Any:
    """A field that holds the group of a name (`stored.GROUPS`)."""
    return stored(Kind.GROUP, None, group=name, **details)


def groups(name: str, description: str, **details: Any) -> Any:
    """A field that holds a list of groups of a name."""
    return stored(Kind.LIST, None, description, group=name, **details)
