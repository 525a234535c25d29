"""A vehicle that moves in a way of its own: the settings of one vehicle, read beside those of its crowd."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import curves, insert
from tests.blender.building import frames, part, wedge
from tests.blender.panels.test_panels import in_tab
from tests.blender.read.test_surfaces import heights, hill
from tests.blender.read.test_sweep import snapshots
from tests.blender.steered import bake, crowd, press, select, tag, vehicle

OWN = "own_locomotion"


def herd(number: int = 3, **behaviors):
    """Animals on foot in a row, and their crowd."""
    group = crowd("Herd", **(behaviors or {"wander": {}}))
    group.steering.locomotion = "ON_FOOT"
    made = [
        vehicle(name=f"Sheep {k}", crowd=group, identity=k + 1, location=(4.0 * k, -6.0, 1.0), start_speed=0.8)
        for k in range(number)
    ]
    for ob in made:
        ob.steering.origin_height = 0.0
    return group, made


def test_a_vehicle_moves_as_its_crowd_does_unless_it_has_a_locomotion_of_its_own() -> None:
    frames(1, 2)
    group, made = herd(4)
    group.steering.on_foot.max_turn_rate = 1.0
    assert len(snapshots()[0].fleet.locomotions) == 1
    for ob, kind, rate in ((made[1], "SIMPLE_VEHICLE", 2.0), (made[2], "ON_FOOT", 3.0)):
        ob.steering.own_locomotion = kind
        getattr(ob.steering, kind.lower()).max_turn_rate = rate
    snapshot = snapshots()[0]
    assert [moves.name for moves in snapshot.fleet.locomotions] == ["on_foot", "simple_vehicle"]
    assert snapshot.handling.turn_rate.tolist() == [1.0, 2.0, 3.0, 1.0]
    assert snapshot.grounded.tolist() == [True, False, True, True]


def test_a_model_that_was_never_tagged_moves_as_the_crowd_and_gets_no_settings() -> None:
    group, _ = herd(1)
    model = wedge("Model")
    assert part("blender.moving").moves_by(model, group).name == "on_foot"
    assert not model.is_property_set("steering")


def test_settings_of_its_own_locomotion_may_be_keyed() -> None:
    frames(1, 5)
    _, made = herd()
    made[1].steering.own_locomotion = "PLANAR"
    insert(made[1], "steering.planar.max_turn_rate", {1: 1.0, 5: 5.0})
    rates = np.array([snapshot.handling.turn_rate for snapshot in snapshots()])
    np.testing.assert_allclose(rates[:, 1], range(1, 6), rtol=1e-5)
    np.testing.assert_allclose(rates[:, 0], rates[0, 0])


def test_a_number_that_is_none_is_refused_with_the_name_of_the_vehicle() -> None:
    _, made = herd()
    made[1].steering.own_locomotion = "PLANAR"
    made[1].steering.planar.max_turn_rate = float("nan")
    with pytest.raises(RuntimeError, match=r"steering\.planar\.max_turn_rate of Sheep 1 is not a number"):
        bake()


def test_a_wheeled_dog_among_sheep_drives_on_the_surface_and_only_it_keys_what_wheels_do() -> None:
    frames(1, 40)
    ground = tag(hill("Hill"), role="SURFACE")
    group, made = herd()
    dog = made[2].steering
    dog.own_locomotion, dog.wheeled.wheelbase, dog.wheeled.track = "WHEELED", 0.8, 0.5
    group.steering.portrayal.use = True
    bake()
    keyed = [{curve.data_path for curve in curves(ob) if curve.data_path.startswith('["')} for ob in made]
    assert keyed[0] == keyed[1] and '["steering_speed"]' in keyed[0]
    outputs = {f'["{output.name}"]' for output in part("locomotion").Wheeled.outputs}
    assert keyed[2] == keyed[0] | outputs
    assert np.abs(heights(ground, made[:2])).max() < 1e-3
    assert np.ptp(np.array([ob.matrix_world.translation for ob in made]), axis=0).max() > 3.0
    group.steering.locomotion = "SIMPLE_VEHICLE"
    assert len(part("blender.read.plan").plan_reading(bpy.context.scene).surfaces) == 1, "of the dog"


def test_the_panel_shows_its_settings_and_a_preset_leaves_them() -> None:
    _, made = herd()
    select(made[1])
    names = [entry[1] for entry in in_tab("vehicle_own") if entry[0] == "prop"]
    assert names[-1] == OWN
    made[1].steering.own_locomotion = "PLANAR"
    assert made[1].steering.is_property_set("planar"), "drawing the panel would write it"
    made[1].steering.planar.max_turn_rate = 2.5
    shown = [entry[1] for entry in in_tab("vehicle_own") if entry[0] == "prop"]
    assert shown == [*names, "max_turn_rate"]
    assert bpy.ops.steering.preset_apply(preset="car") == {"FINISHED"}
    assert made[1].steering.own_locomotion == "PLANAR"
    assert made[1].steering.planar.max_turn_rate == pytest.approx(2.5)
    made[1].steering[OWN] = 99
    assert [entry[1] for entry in in_tab("vehicle_own") if entry[0] == "prop"] == names


def test_the_operator_lets_the_selected_vehicles_move_alike_and_begins_with_the_settings_of_their_crowd() -> None:
    group, made = herd()
    group.steering.on_foot.max_slope = 0.4
    press("move_as", made[0], made[1], locomotion="ON_FOOT")
    assert [ob.steering.own_locomotion for ob in made] == ["ON_FOOT", "ON_FOOT", "AS_CROWD"]
    assert made[0].steering.on_foot.max_slope == pytest.approx(0.4)
    assert bpy.ops.steering.move_as(locomotion="AS_CROWD") == {"FINISHED"}
    assert {ob.steering.own_locomotion for ob in made} == {"AS_CROWD"}
