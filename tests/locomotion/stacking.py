"""Rows of several frozen objects as those of one."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def stacked(each: Sequence[Any]) -> Any:
    """One object with the rows of all; what is no column is that of the first."""
    values = {}
    for field in fields(each[0]):
        columns = [getattr(one, field.name) for one in each]
        if isinstance(columns[0], np.ndarray):
            values[field.name] = np.concatenate(columns)
        else:
            values[field.name] = stacked(columns) if is_dataclass(columns[0]) else columns[0]
    return type(each[0])(**values)
