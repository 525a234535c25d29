"""Resources that are eaten up: hidden with all their parts while nothing is left of them."""

import numpy as np

from ...portrayal.portrait import Portrait
from ...portrayal.sketch import Sketch
from ...simulation.roles import Role
from ..animation.staging import Staging
from ..objects.hierarchy import Family
from ..properties import has_role
from ..read.entry_settings import feeds, may_be_hidden, with_parts
from ..read.plan import Plan


class Resources:
    """The resources of a run.

    Attributes:
        bodies: (m,) their sources.
        rows: (m,) of these among the bodies of the plan.
        parts: (m,) the visible objects of each, including itself.
        fed_on: whether a behavior takes something from them.
    """

    def __init__(self, plan: Plan) -> None:
        family = Family()
        resources = [(row, body) for row, body in enumerate(plan.bodies) if has_role(body.ob, Role.RESOURCE)]
        self.fed_on = any(feeds(crowd.behaviors) for crowd in plan.crowds)
        self.rows = np.array([row for row, _ in resources], dtype=np.int64)
        self.bodies = [body for _, body in resources]
        self.parts = [list(with_parts(body.ob, family)) for body in self.bodies]

    def __len__(self) -> int:
        return len(self.bodies)

    def eaten_up(self, sketch: Sketch) -> np.ndarray:
        """Whether nothing is left of each, (m,)."""
        return sketch.eaten if self.fed_on else np.zeros(len(self), dtype=np.bool_)


class Eaten:
    """Records on which frames of a run the resources are eaten up. `objects`: the resources with their parts."""

    def __init__(self, plan: Plan) -> None:
        self._resources = Resources(plan)
        self._up = np.zeros((len(plan.frames), len(self._resources)), dtype=np.bool_)
        self.objects = frozenset(ob for parts in self._resources.parts for ob in parts)

    def frame(self, row: int, portrait: Portrait) -> None:
        """Record which resources are eaten up on a frame of the run, by its row."""
        self._up[row] = self._resources.eaten_up(portrait)

    def hide(self, staging: Staging, away: np.ndarray, replace: bool) -> None:
        """Prepare the resources to be hidden while nothing is left of them. `away`: (f, n) which vehicles are hidden,
        together with what they carry; `replace`: whether the animator's keys on the switches may be set aside."""
        for up, body, parts in zip(self._up.T, self._resources.bodies, self._resources.parts):
            hidden = up if may_be_hidden(body.ob) else np.zeros_like(up)
            if body.carrier >= 0:
                hidden = hidden | away[:, body.carrier]
            for part in parts:
                staging.hide(part, hidden, replace)
