"""Resources that run out: which of them a bake may hide, and with which parts."""

from collections.abc import Iterable, Iterator

from bpy.types import Object

from ...simulation.behavior import Behavior
from ...simulation.roles import Role
from ..animation.ownership import check_free
from ..animation.visibility import SWITCHES, parts
from ..objects.hierarchy import Family
from ..properties import has_role


def feeds(behaviors: Iterable[type[Behavior]]) -> bool:
    """Whether a behavior takes something from resources."""
    return any(p.role is Role.RESOURCE for behavior in behaviors for p in behavior.parameters().values())


def may_be_hidden(ob: Object) -> bool:
    """Whether a bake may hide a resource; a linked one cannot be hidden."""
    return has_role(ob, Role.RESOURCE) and ob.steering.hide_eaten and _is_ours_to_hide(ob)


def check_hiding(resources: Iterable[Object], first: float, last: float, replace: bool) -> None:
    """Refuse resources that cannot be hidden with their parts, because they are animated by hand."""
    family = Family()
    for ob in resources:
        for part in with_parts(ob, family) if may_be_hidden(ob) else ():
            check_free(part, first, last, replace, SWITCHES)


def with_parts(ob: Object, family: Family) -> Iterator[Object]:
    """A resource and its visible parts; a child with a role of its own is not a part."""
    if _is_ours_to_hide(ob):
        yield ob
    for part in parts(ob, family):
        if _is_ours_to_hide(part) and not (part.is_property_set("steering") and part.steering.roles):
            yield part


def _is_ours_to_hide(ob: Object) -> bool:
    return ob.library is None and ob.is_editable
