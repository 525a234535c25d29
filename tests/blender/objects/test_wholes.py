"""A click on a part is a click on the whole: every operator on selected vehicles takes the vehicle of a part."""

from collections.abc import Callable

import bpy
import pytest

from tests.blender.animated import drive, is_baked
from tests.blender.building import empty, frames, part, wedge
from tests.blender.drawing import texts, up_to_date
from tests.blender.objects.test_characters import character
from tests.blender.steered import bake, clear_bake, crowd, press, select, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def parented(whole):
    ob = wedge("Wing")
    ob.parent = empty("Joint")
    ob.parent.parent = whole
    return ob


def tied(whole):
    ob = wedge("Saddle")
    ob.constraints.new("CHILD_OF").target = whole
    return ob


def shown_there(whole):
    ob = empty("Rider")
    ob.instance_type, ob.instance_collection = "COLLECTION", bpy.data.collections.new("Riders")
    ob.parent = whole
    return ob


PARTS: list[Callable] = [parented, tied, shown_there]


def bird(part_of: Callable):
    """A vehicle and a part of it, which alone is selected."""
    frames(1, 4)
    whole = vehicle(crowd=crowd(wander={}))
    ob = part_of(whole)
    bpy.context.view_layer.update()
    select(ob)
    return whole, ob


def has(ob, role: str) -> bool:
    return part("blender.properties").has_role(ob, part("simulation.roles").Role[role])


@pytest.mark.parametrize("part_of", PARTS)
def test_operators_take_the_vehicle_of_a_part(part_of) -> None:
    whole, ob = bird(part_of)
    front = whole.steering.forward_axis
    assert bpy.ops.steering.flip_front() == {"FINISHED"}
    assert whole.steering.forward_axis != front
    whole.location.x = 2.0
    assert bpy.ops.steering.set_start() == {"FINISHED"}
    assert whole.steering.start.location[0] == 2.0
    assert bpy.ops.steering.move_as(locomotion="WHEELED") == {"FINISHED"}
    assert whole.steering.own_locomotion == "WHEELED"
    assert bpy.ops.steering.crowd_assign(crowd="") == {"FINISHED"}
    assert whole.steering.crowd.name != "Crowd"
    bake(selected=True)
    assert is_baked(whole)
    clear_bake(selected=True)
    assert not is_baked(whole)
    assert bpy.ops.steering.untag(role="VEHICLE") == {"FINISHED"}
    assert not has(whole, "VEHICLE")
    assert not ob.is_property_set("steering")


def test_the_skin_of_an_armature_belongs_to_it_though_it_is_not_parented() -> None:
    cow = character(wrapped=False)
    cow.skin.parent = None
    vehicle(cow.rig, crowd=crowd(wander={}))
    assert part("blender.objects.focus").whole_of(cow.skin) == cow.rig


@pytest.mark.parametrize("part_of", PARTS)
def test_a_part_of_a_vehicle_is_tagged_on_purpose_only(part_of) -> None:
    whole, ob = bird(part_of)
    with pytest.raises(RuntimeError, match=rf"{ob.name} is part of {whole.name}.*Select {whole.name}"):
        bpy.ops.steering.tag(role="VEHICLE")
    assert not ob.is_property_set("steering")
    assert bpy.ops.steering.tag(role="LEADER") == {"FINISHED"}
    assert has(whole, "LEADER") and not ob.is_property_set("steering")
    press("tag", ob, role="LEADER", of_part=True)
    assert has(ob, "LEADER"), "a rider or a hat may be one"
    assert part("blender.objects.focus").whole_of(ob) == ob
    assert bpy.ops.steering.untag(role="LEADER") == {"FINISHED"}
    assert not has(ob, "LEADER") and has(whole, "LEADER")


def test_a_part_joins_the_selected_crowd_with_its_whole() -> None:
    whole, ob = bird(parented)
    other = crowd("Others")
    press("tag", ob, other, role="VEHICLE", moves_like="UNCHANGED")
    assert whole.steering.crowd == other
    assert not ob.is_property_set("steering")


def test_a_part_that_its_carrier_drives_makes_the_carrier_a_vehicle() -> None:
    sheep = wedge("Sheep")
    leg = wedge("Leg")
    leg.parent = sheep
    sheep["steering_phase"] = 0.0
    drive(leg, "rotation_euler", "phase", index=0, phase=(sheep, '["steering_phase"]'))
    press("tag", leg, role="VEHICLE")
    assert has(sheep, "VEHICLE") and not leg.is_property_set("steering")


def test_a_leader_may_carry_vehicles() -> None:
    carrier_ship, plane = wedge("Carrier"), wedge("Plane")
    plane.parent = carrier_ship
    press("tag", carrier_ship, role="LEADER")
    press("tag", plane, role="VEHICLE")
    assert has(plane, "VEHICLE") and not has(carrier_ship, "VEHICLE")


def test_a_part_calls_as_the_whole() -> None:
    whole, ob = bird(parented)
    prey = vehicle(wedge("Prey"), crowd=crowd("Prey Crowd"))
    press("state_add", prey)
    state = bpy.context.object
    press("trigger_add", ob, when="NEAR", to=state.name)
    assert bpy.context.object.steering.trigger.who == whole


def test_the_panel_names_the_whole_and_selects_it() -> None:
    whole, ob = bird(parented)
    drawn = up_to_date("STEERING_PT_object")
    assert f"Part of {whole.name}" in texts(drawn)
    assert ("operator", "steering.untag", "Vehicle") in [entry[:3] for entry in drawn]
    assert "locked" in [entry[1] for entry in up_to_date("STEERING_PT_vehicle_own")]
    assert bpy.ops.steering.whole_select() == {"FINISHED"}
    assert bpy.context.selected_objects == [whole]
    assert bpy.context.object == whole
    assert not bpy.ops.steering.whole_select.poll()
    assert ob.name not in texts(up_to_date("STEERING_PT_object"))
