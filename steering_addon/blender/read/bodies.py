"""The bodies that behaviors react to and that the run does not move: their size, read once, and where they are."""

from collections.abc import Sequence
from copy import copy

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.arrays.vectors import across, unit
from ...simulation.geometry.capsules import half_axis
from ...simulation.roles import Role
from ...simulation.snapshot import Tracked, no_tracked
from ..objects.body_sizes import Body
from ..objects.doubles import doubles, model_axes
from ..objects.hierarchy import Family, instanced
from ..objects.tagged_objects import capsule_of, crowd_of
from ..properties import has_role, settings_of
from ..refusal import Refusal
from .checks import check_number, check_numbers
from .forward_axis import front_of
from .plan import Plan
from .role_assignment import current_front
from .sources import BodySource, frames_there, world_matrix_of


class BodyReader:
    """Reads the bodies of a plan, frame after frame."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._none = no_tracked()
        self._spans = frames_there(source.ob for source in plan.bodies)
        self._sizes: np.ndarray | None = None
        self._faces: np.ndarray | None = None
        self._middles = np.zeros((0, 3))

    @property
    def measured(self) -> bool:
        """Whether all sizes are known."""
        return self._sizes is not None or not self._plan.bodies

    def of_changed_crowds(self, plan: Plan) -> "BodyReader":
        """A reader for the same bodies with other settings of crowds, which keeps all measurements."""
        reader = copy(self)
        reader._plan = plan
        return reader

    def read(self, depsgraph: Depsgraph, frame: int) -> Tracked:
        """The bodies on the frame the depsgraph is evaluated for. Refused if the size, the transform or the amount of
        one is not a number."""
        sources = self._plan.bodies
        if not sources:
            return self._none
        if self._sizes is None:
            self._measure(depsgraph)
        rows = {crowd.ob: row for row, crowd in enumerate(self._plan.crowds)}
        crowds = [crowd_of(source.ob) if has_role(source.ob, Role.VEHICLE) else None for source in sources]
        matrices = matrices_of(sources, self._plan, depsgraph, frame)
        forward = unit(np.einsum("kab,kb->ka", matrices[:, :3, :3], self._faces[:, 0]))
        return Tracked(
            position=np.einsum("kab,kb->ka", matrices[:, :3, :3], self._middles) + matrices[:, :3, 3],
            forward=forward,
            up=unit(across(np.einsum("kab,kb->ka", matrices[:, :3, :3], self._faces[:, 1]), forward)),
            radius=self._sizes[:, 0],
            half_axis=half_axis(self._sizes[:, 0], self._sizes[:, 1]),
            roles=np.array([_roles(source.ob) for source in sources], dtype=np.int64),
            present=np.array([is_active(source.ob, depsgraph) for source in sources], dtype=np.bool_)
            & is_within(self._spans, frame),
            carrier=np.array([source.carrier for source in sources], dtype=np.int64),
            crowd=np.array([rows.get(crowd, -1) for crowd in crowds], dtype=np.int64),
            amount=self._amounts(depsgraph, frame),
        )

    def _measure(self, depsgraph: Depsgraph) -> None:
        sources, family = self._plan.bodies, Family()
        measured = [size_and_middle(source.ob, depsgraph, family) for source in sources]
        self._sizes = np.array([size for *size, _ in measured])
        self._middles = np.array([middle for *_, middle in measured])
        for source, size in zip(sources, self._sizes):
            if not np.isfinite(size).all():
                text = f"The size of {source.ob.name} is not a number. Check the Radius and Length of its crowd."
                raise Refusal(text, about=[source.ob])
        self._faces = np.array([_face(source.ob, depsgraph, family) for source in sources]).reshape(-1, 2, 3)

    def _amounts(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        """The amount of each body that is a resource, inf for the others; (k,)."""
        amounts = np.full(len(self._plan.bodies), np.inf)
        for row, source in enumerate(self._plan.bodies):
            if has_role(source.ob, Role.RESOURCE):
                amounts[row] = source.ob.evaluated_get(depsgraph).steering.amount
                check_number(amounts[row], source.ob, "steering.amount", frame)
        return amounts


def matrices_of(sources: Sequence[BodySource], plan: Plan, depsgraph: Depsgraph, frame: int) -> np.ndarray:
    """The matrices (k, 4, 4) of objects, in the world or in the axes of their carrier. Refused if one is not finite."""
    matrices = np.array([_matrix(source, plan, depsgraph) for source in sources]).reshape(-1, 4, 4)
    check_numbers(matrices, [source.ob for source in sources], frame)
    return matrices


def roles_of_vehicles(plan: Plan) -> np.ndarray:
    """(n,) bits of Role of the vehicles of a run: one that is a leader as well leads, whatever moves it."""
    source = plan.vehicles.source
    roles = np.full(len(source), int(Role.VEHICLE), dtype=np.int64)
    roles[source.object_rows] |= np.array([_roles(ob) for ob in source.objects], dtype=np.int64)
    return roles


def is_active(ob: Object, depsgraph: Depsgraph) -> bool:
    """Whether an object takes part on the frame the depsgraph is evaluated for."""
    return settings_of(ob) is None or ob.evaluated_get(depsgraph).steering.active


def is_within(spans: np.ndarray, frame: int) -> np.ndarray:
    """(k,) whether a frame lies within each of the spans of frames (k, 2)."""
    within: np.ndarray = (spans[:, 0] <= frame) & (frame <= spans[:, 1])
    return within


def _matrix(source: BodySource, plan: Plan, depsgraph: Depsgraph) -> np.ndarray:
    matrix = world_matrix_of(source, depsgraph)
    if source.carrier < 0:
        return doubles(matrix)
    position, basis = plan.vehicles.source.pose(source.carrier, depsgraph)
    offset = doubles(matrix)
    offset[:3, 3] -= position
    offset[:3] = np.einsum("ba,bc->ac", basis, offset[:3])
    return offset


def _face(ob: Object, depsgraph: Depsgraph, family: Family) -> np.ndarray:
    """The forward and up axes of a body in its own space, (2, 3), guessed if it has no tag."""
    front = current_front(ob)
    if front is None:
        front = front_of(ob, family, None if _is_point(ob) else Body.of(ob, depsgraph, family))
    if front[0][-1] == front[1][-1]:
        return np.eye(3)[1:]
    return model_axes(*front).T[1:]


def _roles(ob: Object) -> int:
    stored = settings_of(ob)
    return sum(int(Role[name]) for name in stored.roles) if stored else 0


def size_and_middle(ob: Object, depsgraph: Depsgraph, family: Family) -> tuple[float, float, np.ndarray]:
    """The radius and the length of a locked vehicle, leader or target, 0 for an Empty, which only marks a point, and
    where it is in its own space, (3,).

    A vehicle of a crowd of long bodies is as long as the crowd says; other bodies are spheres.
    """
    crowd = crowd_of(ob) if has_role(ob, Role.VEHICLE) else None
    if crowd is not None and crowd.steering.vehicle.length > 0.0:
        return *capsule_of(ob), np.zeros(3)
    if _is_point(ob):
        return 0.0, 0.0, np.zeros(3)
    body = Body.of(ob, depsgraph, family)
    middle = body.middle() if crowd is None and ob.type != "ARMATURE" else np.zeros(3)
    return Body(body.points - middle, body.matrix).radius(), 0.0, middle


def _is_point(ob: Object) -> bool:
    """Whether an object only marks a point: an Empty that shows no collection."""
    return ob.type == "EMPTY" and instanced(ob) is None
