"""Damping: the steering force that acts follows the one decided on (Reynolds 1999, Combining Behaviors)."""

from __future__ import annotations

import numpy as np

from .arrays.vectors import Vectors, anybody, truncate
from .vehicle import VehicleModel



