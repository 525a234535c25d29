"""The manual's text for the default and limits of a parameter, from its declaration."""

from __future__ import annotations

import math

from steering_addon.simulation.declaration import POINTERS, Kind, Parameter, Unit

UNREACHED = 1e6
"""Limits from this size on, such as Blender's last frame, are not worth mentioning."""


def default(parameter: Parameter) -> str:
    """The default with its unit; for a choice, all its labels with the default in italics."""
    if parameter.kind in POINTERS:
        return "empty"
    if parameter.kind is Kind.CHOICE:
        return ", ".join(f"*{c.label}*" if c.number == parameter.default else c.label for c in parameter.choices)
    if parameter.kind is Kind.SWITCH:
        return "on" if parameter.default else "off"
    return _with_unit(parameter.default, parameter.unit)


def limits(parameter: Parameter) -> str:
    """The range of a number in the units an animator sees; empty if it has no limits."""
    if parameter.kind not in (Kind.NUMBER, Kind.INTEGER):
        return ""
    if parameter.most < UNREACHED:
        return f"{_with_unit(parameter.least, parameter.unit)} to {_with_unit(parameter.most, parameter.unit)}"
    return f"at least {_with_unit(parameter.least, parameter.unit)}" if parameter.least > 0.0 else ""


def _with_unit(value: float, unit: Unit) -> str:
    if unit in (Unit.ANGLE, Unit.TURN):
        return f"{math.degrees(value):.4g}{unit.value.replace('rad', '°')}"
    if unit in (Unit.NONE, Unit.SHARE):
        return f"{value:g}"
    if unit is Unit.FRAME:
        return f"frame {value:g}"
    return f"{value:g} {unit.value.replace('2', '²')}"
