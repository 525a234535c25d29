"""States are listed in the order in which they lead to one another."""

import bpy

from tests.blender.building import part
from tests.blender.steered import crowd, fleet, press


def test_a_state_stands_before_what_follows_it() -> None:
    herd = crowd("Herd", wander={})
    fleet(2, crowd=herd)
    press("state_add", herd, preset="startle")
    press("state_add", herd, preset="sleep")
    of = part("blender.crowds.states")
    states = of.in_order(of.states_of_crowd(herd, bpy.context))
    names = [ob.name for ob in states]
    assert names.index("Startle") < names.index("Regroup")
    assert len(names) == len(set(names)) == 3
    # A circle has no first: all are listed once.
    by_name = {ob.name: ob for ob in states}
    by_name["Regroup"].steering.state.then = by_name["Startle"]
    circle = of.in_order(of.states_of_crowd(herd, bpy.context))
    assert sorted(ob.name for ob in circle) == sorted(names)
    assert circle[0].name == "Sleep"
