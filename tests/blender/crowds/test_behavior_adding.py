"""Adding behaviors: their values fit the crowd, and prey and predators work together untouched."""

import bpy
import pytest

from tests.blender.animated import drive, insert
from tests.blender.building import part, path_curve, wedge
from tests.blender.crowds.test_populate import cube
from tests.blender.steered import crowd, leader, press, select, tag, vehicle

CATALOGUE = {behavior.name: behavior for behavior in part("behaviors").CATALOGUE}


def add(crowd_object, behavior: str, **options) -> None:
    press("behavior_add", crowd_object, behavior=behavior, **options)


def fish(count: int = 3, name: str = "Fish", x: float = 0.0):
    """A crowd that moves like fish of a metre."""
    select(*[wedge(f"{name} {k}", (x + 3.0 * k, 0.0, 0.0), size=0.5) for k in range(count)])
    assert bpy.ops.steering.tag(role="VEHICLE", moves_like="FISH", new_crowd=True) == {"FINISHED"}
    return bpy.data.objects[f"{name} 0"].steering.crowd


def values(crowd_object, behavior: str) -> dict:
    return part("blender.property_groups").values_for_preset(
        CATALOGUE[behavior], getattr(crowd_object.steering, behavior)
    )


@pytest.mark.parametrize("behavior", CATALOGUE)
def test_a_behavior_is_added_with_the_values_that_fit_its_crowd(behavior: str) -> None:
    crowd_object = fish()
    bpy.ops.steering.behavior_remove(behavior=behavior)
    expected = part("blender.crowds.behavior_adding").fitted_values(
        CATALOGUE[behavior], crowd_object, bpy.context.scene
    )
    add(crowd_object, behavior)
    assert values(crowd_object, behavior) == pytest.approx(expected)
    assert getattr(crowd_object.steering, behavior).use


def test_without_fit_a_behavior_has_its_defaults_and_values_that_were_set_before_are_kept() -> None:
    crowd_object = fish()
    add(crowd_object, "evasion", fit=False)
    assert crowd_object.steering.evasion.distance == 10.0
    assert bpy.ops.steering.behavior_remove(behavior="evasion") == {"FINISHED"}
    crowd_object.steering.evasion.distance = 7.0
    add(crowd_object, "evasion")
    assert crowd_object.steering.evasion.distance == 7.0


@pytest.mark.parametrize("animate", ["keyed", "driven"])
def test_keyed_and_driven_values_are_left_to_their_keys_and_drivers(animate: str) -> None:
    crowd_object = fish()
    path = "steering.evasion.distance"
    if animate == "keyed":
        insert(crowd_object, path, {1: 6.0, 20: 8.0})
    else:
        drive(crowd_object, path, "6.0")
    crowd_object.steering.property_unset("evasion")
    add(crowd_object, "evasion")
    if animate == "keyed":
        assert not crowd_object.steering.evasion.is_property_set("distance")
    bpy.context.scene.frame_set(1)
    assert crowd_object.evaluated_get(bpy.context.evaluated_depsgraph_get()).steering.evasion.distance == 6.0


def test_of_keyed_settings_the_largest_value_counts() -> None:
    """A crowd that stands still on the first frame, and whose behaviors come in by their weights."""
    crowd_object = crowd(separation={"weight": 8.0}, cohesion={"weight": 3.0})
    vehicle(crowd=crowd_object)
    expected = part("blender.crowds.behavior_adding").fitted_values(
        CATALOGUE["alignment"], crowd_object, bpy.context.scene
    )
    insert(crowd_object, "steering.vehicle.max_speed", {1: 0.0, 40: 5.0})
    insert(crowd_object, "steering.separation.weight", {1: 0.0, 40: 8.0})
    bpy.context.scene.frame_set(1)
    add(crowd_object, "alignment")
    assert values(crowd_object, "alignment") == pytest.approx(expected)


def test_a_preset_of_a_new_behavior_keeps_its_numbers_and_the_others_are_fitted() -> None:
    crowd_object = fish()
    fitted = part("blender.crowds.behavior_adding").fitted_values(
        CATALOGUE["unaligned_collision_avoidance"], crowd_object, bpy.context.scene
    )
    press("behavior_preset_apply", crowd_object, behavior="unaligned_collision_avoidance", preset="polite")
    group = crowd_object.steering.unaligned_collision_avoidance
    assert (group.look_ahead_time, group.distance) == (4.0, 12.0)
    assert group.weight == pytest.approx(fitted["weight"]) and group.weight != 3.0


def test_a_reaction_is_to_the_only_other_crowd() -> None:
    prey, predators = fish(), fish(1, "Shark", 30.0)
    add(predators, "pursuit")
    add(prey, "evasion")
    assert predators.steering.pursuit.quarry == prey
    assert prey.steering.evasion.pursuer == predators


@pytest.mark.parametrize("beside", ["a leader", "a chosen target", "two other crowds", "a crowd without vehicles"])
def test_a_reaction_is_to_no_crowd_where_that_is_a_guess_or_something_else_is_meant(beside: str) -> None:
    prey, chosen = fish(), None
    if beside == "a crowd without vehicles":
        crowd("Empty Crowd")
    else:
        fish(1, "Shark", 30.0)
    if beside == "a leader":
        leader()
    elif beside == "a chosen target":
        chosen = prey.steering.evasion.pursuer = bpy.data.objects["Shark 0"]
    elif beside == "two other crowds":
        fish(1, "Whale", 60.0)
    add(prey, "evasion")
    assert prey.steering.evasion.pursuer == chosen


def test_what_is_selected_with_the_crowd_becomes_the_target() -> None:
    """Whatever it is, if it fits and is alone; a target that was chosen before stays."""
    roof, way, other = cube("Roof"), path_curve("Way"), cube("Other")
    birds = fish(2, "Bird")
    add_beside(birds, "landing", roof, bpy.data.objects["Bird 1"])
    assert birds.steering.landing.target == roof
    add_beside(birds, "path_following", roof)
    assert birds.steering.path_following.path is None
    add_beside(birds, "path_following", way)
    assert birds.steering.path_following.path == way
    add_beside(birds, "seek", roof, other)
    add_beside(birds, "landing", other)
    assert birds.steering.seek.target is None and birds.steering.landing.target == roof
    add_beside(birds, "containment", roof)
    assert birds.steering.containment.region != roof
    darts = press("populate", wedge("Dart"), count=3, made_as="POINTS")
    add_beside(darts, "seek", roof, next(ob for ob in bpy.data.objects if "POINTS" in ob.steering.roles))
    assert darts.steering.seek.target == roof


def test_all_that_are_selected_with_the_crowd_are_the_targets_of_a_patrol() -> None:
    stops, birds = [cube(f"Stop {number}") for number in range(3)], fish(2, "Bird")
    add_beside(birds, "patrol", *stops, bpy.data.objects["Bird 1"])
    patrol = birds.steering.patrol
    assert patrol.targets is None and set(patrol.targets_collection.objects) == set(stops)
    add_beside(birds, "patrol", stops[0])
    assert patrol.targets is None


def test_what_is_tagged_for_something_else_is_no_target() -> None:
    """A ready crowd is selected with its region, and people with the ground that they were put on."""
    assert bpy.ops.steering.add_flock(count=3) == {"FINISHED"}
    flock = bpy.context.view_layer.objects.active.steering
    for behavior in ("seek", "explore"):
        assert bpy.ops.steering.behavior_add(behavior=behavior) == {"FINISHED"}
    assert flock.seek.target is None and flock.explore.region == bpy.data.objects["Flock Region"]
    birds, roof = fish(2, "Bird"), tag(cube("Roof"), role="SURFACE")
    for behavior in ("seek", "landing"):
        add_beside(birds, behavior, roof)
    assert birds.steering.seek.target is None and birds.steering.landing.target == roof
    tag(cube("Food"), role="RESOURCE")
    nest = cube("Nest")
    add_beside(birds, "forage", nest)
    assert birds.steering.forage.resource is None and birds.steering.forage.home == nest
    add_beside(birds, "drive", nest)
    assert birds.steering.drive.target != nest and birds.steering.drive.home == nest


def test_what_is_selected_with_a_state_becomes_its_target() -> None:
    birds, roof = fish(2, "Bird"), cube("Roof")
    state = press("state_add", birds, preset="sleep")
    add_beside(state, "landing", roof)
    assert state.steering.landing.target == roof and not birds.steering.is_property_set("landing")


def add_beside(crowd_object, behavior: str, *others) -> None:
    press("behavior_add", crowd_object, *others, behavior=behavior)
