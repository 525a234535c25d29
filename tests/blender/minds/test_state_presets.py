"""Presets of states in Blender: saving one with what calls into it, adding it elsewhere, removing it."""

import json

import bpy
import pytest

from tests.blender.building import empty, part, wedge
from tests.blender.crowds.test_preset_files import user_folder
from tests.blender.drawing import shown
from tests.blender.dumping import refuses
from tests.blender.minds.test_states import herd, startle
from tests.blender.steered import crowd, press, select, vehicle

of = part("blender.crowds.states")


def write_user_preset(name: str, **changed) -> None:
    plain = {"format": 1, "label": name, "description": "One of mine", "state": {"lasts": 2.5}}
    (user_folder("states") / f"{name}.json").write_text(json.dumps({**plain, **changed}), encoding="utf-8")


def goats(size: float = 0.3):
    """Another crowd that moves differently."""
    other = crowd("Goats", wander={"strength": 0.5}, cohesion={"distance": 9.0})
    other.steering.vehicle.max_speed, other.steering.vehicle.max_force = 2.0, 4.0
    other.steering.locomotion = "PLANAR"
    vehicle(wedge("Goat", (40.0, 0.0, 0.0), size=size), crowd=other, identity=900)
    return other


def add_to(crowd_object, preset: str, *selected):
    select(crowd_object, *selected)
    bpy.context.view_layer.objects.active = crowd_object
    assert bpy.ops.steering.state_add(preset=preset) == {"FINISHED"}
    return bpy.context.object


def entries(menu: str) -> list[str]:
    return [entry[2] for entry in shown(menu) if entry[0] == "operator"]


def test_a_state_of_ones_own_is_saved_with_its_triggers_found_in_add_state_and_removed() -> None:
    grazing, _ = herd(2)
    wolf = empty("Wolf", (2.0, -3.0, 0.0))
    state = startle(grazing, wolf, lasts=7.0, spreads=4)
    trigger = bpy.context.object.steering.trigger
    trigger.distance, trigger.chance, trigger.from_state = 8.0, 0.5, state.steering.state.then
    state.name = "Panic"
    state.steering.vehicle.max_speed, state.steering.flee.weight = 6.0, 3.5
    state.steering.alignment.own, state.steering.alignment.use = True, False
    press("state_preset_save", state, name="Panic")
    assert "Panic" in entries("STEERING_MT_state_add") and entries("STEERING_MT_own_state_presets") == ["Panic"]
    other = goats()
    added = add_to(other, "Panic", wolf)
    stored = added.steering
    assert (added.name, stored.crowd, stored.state.lasts, stored.state.spreads) == ("Panic.001", other, 7.0, 4)
    assert stored.vehicle.max_speed == 8.0 and stored.planar.own and not stored.leader_following.own
    assert stored.flee.own and stored.flee.use and stored.flee.weight == 3.5
    assert stored.alignment.own and not stored.alignment.use and not stored.wander.use
    assert stored.state.own_combining and stored.combining == "ALLOCATION"
    assert stored.state.then.name == "Regroup.001" and stored.state.then.steering.crowd == other
    (call,) = of.triggers_of_state(added, bpy.context)
    assert call.steering.trigger.who == call.parent == wolf and call.steering.trigger.distance == 8.0
    assert call.steering.trigger.chance == 0.5 and call.steering.trigger.from_state == stored.state.then
    assert bpy.ops.steering.state_preset_remove(preset="Panic") == {"FINISHED"}
    assert "Panic" not in entries("STEERING_MT_state_add") and entries("STEERING_MT_own_state_presets") == []


def test_the_trigger_of_a_preset_is_left_out_where_nothing_that_may_call_is_selected() -> None:
    grazing, _ = herd(1)
    state = startle(grazing, empty("Wolf", (2.0, -3.0, 0.0)))
    press("state_preset_save", state, name="Panic")
    added = add_to(goats(), "Panic")
    assert of.triggers_of_state(added, bpy.context) == []


def test_a_state_that_is_followed_by_an_unknown_one_says_so(capfd) -> None:
    write_user_preset("Doze", then="Dream")
    add_to(goats(), "Doze")
    assert "Doze is followed by Dream, neither a preset nor a state of Goats" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"state": {"lasts": "long"}}, "state.lasts must be a number"),
        ({"then": "Broken"}, "The preset Broken cannot be used"),
    ],
)
def test_an_invalid_preset_changes_nothing(changed, why) -> None:
    write_user_preset("Doze", **changed)
    write_user_preset("Broken", faster=-1.0)
    refuses("state_add", why, goats(), preset="Doze")


def test_fetch_reaches_over_the_distance_between_the_crowds() -> None:
    """The strays may be anywhere; whatever their distance, one rider is sent to each."""
    grazing, _ = herd(4)
    stray = add_to(grazing, "")
    stray.name = "Stray"
    riders = crowd("Riders")
    vehicle(wedge("Rider", (0.0, 90.0, 0.0)), crowd=riders, identity=901)
    bpy.context.view_layer.update()
    (trigger,) = of.triggers_of_state(add_to(riders, "fetch"), bpy.context)
    assert trigger.steering.trigger.who == stray and trigger.steering.trigger.one_each
    assert 90.0 < trigger.steering.trigger.distance < 200.0


def test_strays_are_outside_the_nearest_region_where_the_herd_has_chosen_none() -> None:
    grazing, _ = herd(4)
    grazing.steering.containment.use = True
    near, far = empty("Meadow", (1.0, 0.0, 0.0)), empty("Fold", (90.0, 0.0, 0.0))
    for ob in (far, near):
        press("tag", ob, role="REGION")
    bpy.context.view_layer.update()
    (trigger,) = of.triggers_of_state(add_to(grazing, "stray"), bpy.context)
    assert trigger.steering.trigger.who == near and trigger.steering.trigger.when == "OUTSIDE"
