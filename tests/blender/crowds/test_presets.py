"""Presets in Blender: a crowd takes one up as a whole or not at all, and gives one that is the same again."""

import json
import math

import bpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.blender.building import (
    assert_same,
    crowd,
    empty,
    fleet,
    frames,
    insert,
    link,
    part,
    scene_dump,
    select,
    stored,
    tag,
    use,
    vehicle,
    wedge,
)

SHIPPED = (
    *("anything", "bee", "car", "child", "flock", "herd", "paper_aeroplane", "passers_by", "pedestrian", "pigeon"),
    *("school", "shark", "sheep", "fish", "starling"),
)
"""In the order of their labels."""


def apply(preset: str, **options) -> None:
    assert bpy.ops.steering.preset_apply(preset=preset, **options) == {"FINISHED"}


def own_folder():
    return part("blender.crowds.preset_exchange").Path(
        bpy.utils.user_resource("SCRIPTS", path="presets/steering/crowd", create=True)
    )


@pytest.fixture(autouse=True)
def _no_own_presets():
    yield
    for path in own_folder().iterdir():
        path.unlink()


def write_own(name: str, **changed):
    """A file among the user's own presets."""
    plain = {
        "format": 1,
        "label": name,
        "description": "One of mine",
        "body_length": 1.0,
        "combining": "PRIORITY",
        "vehicle": {"max_speed": 3.0},
        "behaviors": {"wander": {"strength": 1.5}},
    }
    path = own_folder() / f"{name}.json"
    path.write_text(json.dumps({**plain, **changed}), encoding="utf-8")
    return path


def preset_made_of(ob):
    return part("blender.crowds.preset_exchange").preset_of(ob, "Made", "", 1.0, bpy.context.scene)


def used(ob) -> set[str]:
    """The behaviors that are on."""
    names = [b.name for b in part("behaviors").CATALOGUE]
    return {name for name in names if ob.steering.is_property_set(name) and getattr(ob.steering, name).use}


# ---- those that ship


def test_the_presets_that_ship_are_all_listed() -> None:
    assert (
        tuple(name for name, preset in part("blender.crowds.preset_exchange").CROWDS.listed().items() if not preset.own)
        == SHIPPED
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_preset_gives_the_crowd_its_values_and_just_its_behaviors(name) -> None:
    listed = part("blender.crowds.preset_exchange").CROWDS
    preset = listed.find(name).load()
    assert preset.unknown == ()
    ob = crowd(seek={}, flee={})
    apply(name)
    assert used(ob) == set(preset.behaviors)
    assert ob.steering.combining == preset.combining
    for key, value in preset.vehicle.items():
        assert getattr(ob.steering.vehicle, key) == pytest.approx(value), key
    for behavior, values in preset.behaviors.items():
        for key, value in values.items():
            assert getattr(getattr(ob.steering, behavior), key) == pytest.approx(value), (behavior, key)


def test_what_a_preset_does_not_name_goes_back_to_its_default() -> None:
    ob = crowd(separation={"neighbors": "EVERYONE", "priority": 7}, wander={"vertical": 0.9})
    ob.steering.vehicle.response_time = 3.0
    apply("starling")
    assert ob.steering.separation.neighbors == "OWN_CROWD"
    assert ob.steering.separation.priority == 2
    assert ob.steering.vehicle.response_time == pytest.approx(0.3)


def test_a_preset_reaches_the_crowd_of_the_active_vehicle_and_no_other() -> None:
    other = crowd("Other", wander={})
    before = stored(other.steering)
    ship = vehicle(crowd=crowd("Own"))
    select(ship)
    apply("fish")
    assert used(ship.steering.crowd) >= {"separation", "alignment", "cohesion"}
    assert stored(other.steering) == before


# ---- what is left alone


def test_what_settings_point_at_is_left_alone() -> None:
    leader, sky, other = empty("Leader"), empty("Sky"), crowd("Other")
    ob = crowd(leader_following={"leader": leader}, containment={"region": sky}, separation={"crowd": other})
    apply("starling")
    assert ob.steering.leader_following.leader == leader
    assert ob.steering.containment.region == sky
    assert ob.steering.separation.crowd == other
    assert not ob.steering.leader_following.use


def test_the_settings_of_a_behavior_that_is_switched_off_are_kept() -> None:
    ob = crowd(seek={"weight": 5.0})
    apply("starling")
    assert not ob.steering.seek.use
    assert ob.steering.seek.weight == 5.0


def test_the_radius_that_was_measured_is_kept() -> None:
    ship = vehicle(size=1.7)
    select(ship)
    before = ship.steering.crowd.steering.vehicle.radius
    apply("starling")
    assert ship.steering.crowd.steering.vehicle.radius == before == pytest.approx(1.7)


def test_whether_numbers_are_keyed_is_left_alone_and_how_they_run_is_not() -> None:
    ob = crowd()
    ob.steering.portrayal.use = True
    apply("starling")
    assert ob.steering.portrayal.use
    assert ob.steering.portrayal.phase_by == "TIME"
    ob.steering.portrayal.use = False
    apply("herd")
    assert not ob.steering.portrayal.use
    assert ob.steering.portrayal.phase_by == "DISTANCE"


def test_a_preset_that_says_nothing_of_the_portrayal_leaves_it_alone() -> None:
    write_own("Mine")
    ob = crowd()
    ob.steering.portrayal.stride = 3.0
    apply("Mine")
    assert ob.steering.portrayal.stride == 3.0


def test_entering_and_leaving_is_taken_up_and_begins_after_the_first_frame_of_the_scene() -> None:
    frames(1001, 1100)
    ob = crowd()
    apply("passers_by")
    own = ob.steering.attendance
    assert (own.use_enter_frame, own.enter_frame, own.on_arrival) == (True, 1002, "LEAVE")
    own.enter_frame = 1050
    apply("pedestrian")
    assert own.use_enter_frame, "a preset that says nothing of it leaves it alone"
    apply("passers_by")
    assert own.enter_frame == 1050


def test_entering_and_leaving_is_in_a_preset_only_of_a_crowd_that_does() -> None:
    one, other = crowd("One"), crowd("Other")
    assert other.steering.attendance.wait_for_room, "looking at it makes no difference"
    assert preset_made_of(other).attendance is preset_made_of(one).attendance is None
    other.steering.attendance.on_arrival = "LEAVE"
    other.steering.attendance.arrival_distance = 2.0
    made = preset_made_of(other)
    part("blender.crowds.preset_exchange").take_up(made, one, bpy.context.scene)
    assert (one.steering.attendance.on_arrival, one.steering.attendance.arrival_distance) == ("LEAVE", 2.0)
    assert "enter_frame" not in made.attendance


def test_behaviors_that_neither_side_has_stay_untouched() -> None:
    ob = crowd()
    apply("starling")
    assert not ob.steering.is_property_set("arrival")


def test_the_vehicles_and_the_scene_are_left_as_they_are() -> None:
    ships = fleet(3)
    select(ships[0])
    before = scene_dump()
    apply("starling")
    after = scene_dump()
    name = ships[0].steering.crowd.name
    del before["objects"][name], after["objects"][name]
    assert_same(before, after)


def test_keyed_settings_are_named(capfd) -> None:
    ob = crowd(wander={})
    insert(ob, "steering.vehicle.max_speed", {1: 3.0, 20: 5.0})
    apply("starling")
    assert "Keys or drivers of Crowd override the preset: steering.vehicle.max_speed" in capfd.readouterr().out


# ---- what is offered besides


def test_presets_may_be_fit_to_the_size_of_the_vehicles(capfd) -> None:
    ship = vehicle(size=1.1)  # 1.76 m long, eight starlings
    select(ship)
    apply("starling")
    assert "meant for bodies 0.22 m long, these are 1.76 m" in capfd.readouterr().out
    apply("starling", fit_size=True)
    ob = ship.steering.crowd
    assert ob.steering.separation.distance == pytest.approx(8.0 * 1.5, rel=1e-4)
    assert ob.steering.vehicle.max_speed == pytest.approx(8.0 * 13.0, rel=1e-4)
    assert ob.steering.vehicle.bank == pytest.approx(1.0 / 8.0, rel=1e-4)
    assert ob.steering.separation.angle == pytest.approx(math.tau)


def test_the_suggested_preroll_and_variation_are_taken_up_on_request(capfd) -> None:
    ships = fleet(5)
    select(ships[0])
    apply("starling")
    assert "a pre-roll of 48 frames is suggested" in capfd.readouterr().out
    apply("starling", vary=True, use_preroll=True)
    assert bpy.context.scene.steering.preroll == 48
    speeds = [ship.steering.speed_factor for ship in ships]
    assert len(set(speeds)) == 5
    assert max(abs(speed - 1.0) for speed in speeds) <= 0.1


def test_a_behavior_that_has_nothing_to_look_for_yet_is_named(capfd) -> None:
    ob = crowd()
    apply("starling")
    assert "Stay Inside waits for a Region" in capfd.readouterr().out
    tag(empty("Sky"), role="REGION")
    select(ob)
    apply("starling")
    assert "waits for" not in capfd.readouterr().out
    write_own("Mine", behaviors={"leader_following": {}})
    apply("Mine")
    assert "Follow Leader waits for a Leader" in capfd.readouterr().out
    ob.steering.leader_following.leader = ob
    apply("Mine")
    assert "waits for" not in capfd.readouterr().out


# ---- all or nothing


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"vehicle": {"max_speed": 9.0, "cruise_speed": 2.0}}, "vehicle.cruise_speed has to be from 0 to 1, not 2.0"),
        ({"behaviors": {"seek": {"weight": "much"}}}, 'behaviors.seek.weight has to be a number, not "much"'),
        ({"format": 99}, "its format 99 is of a later version"),
    ],
)
def test_a_preset_that_cannot_be_changes_nothing(changed, why) -> None:
    write_own("Mine", **changed)
    crowd(wander={})
    before = scene_dump()
    with pytest.raises(RuntimeError, match=f"The preset Mine cannot be used: .*{why}"):
        bpy.ops.steering.preset_apply(preset="Mine")
    assert_same(before, scene_dump())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"[1]"])
def test_a_file_that_is_no_preset_is_refused_and_still_listed(content) -> None:
    path = write_own("Mine")
    path.write_bytes(content)
    crowd()
    listed = part("blender.crowds.preset_exchange").CROWDS.listed()
    assert listed["Mine"].label() == "Mine"
    assert "cannot be" in listed["Mine"].tooltip()
    with pytest.raises(RuntimeError, match="The preset Mine cannot be"):
        bpy.ops.steering.preset_apply(preset="Mine")


def test_a_preset_there_is_not_is_refused() -> None:
    crowd()
    with pytest.raises(RuntimeError, match="There is no preset dragon: choose one of anything, bee"):
        bpy.ops.steering.preset_apply(preset="dragon")


def test_unknown_names_are_told_in_one_sentence(capfd) -> None:
    write_own("Mine", mood="merry", behaviors={"wander": {"strength": 1.5, "colour": 2.0}, "telepathy": {}})
    ob = crowd()
    apply("Mine")
    assert used(ob) == {"wander"}
    told = (
        "Skipped settings of Mine that this version does not know: mood, behaviors.wander.colour, behaviors.telepathy"
    )
    assert told in capfd.readouterr().out


def test_without_a_crowd_the_operator_is_grey_and_says_why() -> None:
    select(link(bpy.data.objects.new("Plain", None)))
    with pytest.raises(RuntimeError, match="Make a crowd or one of its vehicles the active object"):
        bpy.ops.steering.preset_apply(preset="starling")


# ---- the way round


def values_of(group) -> st.SearchStrategy:
    """Values for the settings in a property group, but for which of several they point at: no preset holds that."""

    def of(declared) -> st.SearchStrategy:
        if declared.type == "BOOLEAN":
            return st.booleans()
        if declared.type == "ENUM":
            return st.sampled_from([item.identifier for item in declared.enum_items])
        if declared.type == "INT":
            return st.integers(declared.hard_min, declared.hard_max)
        return st.floats(declared.hard_min, declared.hard_max, width=32)

    plain = [p for p in group.bl_rna.properties if p.type in ("BOOLEAN", "ENUM", "INT", "FLOAT")]
    chosen = [p for p in plain if p.identifier not in ("name", "use") and not p.identifier.endswith("_choice")]
    return st.fixed_dictionaries({}, optional={p.identifier: of(p) for p in chosen})


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_preset_made_of_a_crowd_gives_another_the_same_values(data) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    catalogue = part("behaviors").CATALOGUE
    groups = bpy.types.Object.bl_rna.properties["steering"].fixed_type.properties
    chosen = data.draw(st.sets(st.sampled_from([b.name for b in catalogue]), max_size=3))
    one = crowd("One")
    use(one, **{name: data.draw(values_of(groups[name].fixed_type)) for name in sorted(chosen)})
    for name, value in data.draw(values_of(groups["vehicle"].fixed_type)).items():
        setattr(one.steering.vehicle, name, value)
    one.steering.combining = data.draw(st.sampled_from([item.identifier for item in groups["combining"].enum_items]))
    for name, value in data.draw(values_of(groups["portrayal"].fixed_type)).items():
        setattr(one.steering.portrayal, name, value)
    one.steering.vehicle.radius = 0.5

    preset = part("settings.preset")
    made = preset.read(preset.written(preset_made_of(one)))
    other = crowd("Other", seek={"weight": 3.0}, wander={})
    assert part("blender.crowds.preset_exchange").take_up(made, other, bpy.context.scene) == []
    assert used(other) == used(one) == chosen
    for name in ("vehicle", "portrayal", *chosen):
        for key in set(groups[name].fixed_type.properties.keys()) - {"rna_type"}:
            assert getattr(getattr(other.steering, name), key) == getattr(getattr(one.steering, name), key), (name, key)
    assert other.steering.combining == one.steering.combining
    assert preset_made_of(other).vehicle == preset_made_of(one).vehicle
    assert preset_made_of(other).behaviors == preset_made_of(one).behaviors


# ---- presets of one's own


def test_saving_and_applying_and_removing_ones_own() -> None:
    one = crowd("One", wander={"strength": 2.5}, seek={"weight": 4.0})
    assert bpy.ops.steering.preset_save(name="My Gulls", description="Slow ones.") == {"FINISHED"}
    [own] = [preset for preset in part("blender.crowds.preset_exchange").CROWDS.listed().values() if preset.own]
    assert (own.name, own.label()) == ("My_Gulls", "My Gulls")
    assert own.tooltip().startswith("Slow ones. For bodies of 1 m")
    other = crowd("Other")
    apply("My_Gulls")
    assert used(other) == used(one)
    assert other.steering.wander.strength == 2.5
    assert bpy.ops.steering.preset_remove(preset="My_Gulls") == {"FINISHED"}
    assert list(own_folder().iterdir()) == []


def test_a_preset_of_a_crowd_knows_how_long_its_vehicles_are() -> None:
    ship = vehicle(wedge(size=0.5))
    select(ship)
    bpy.ops.steering.preset_save(name="Wedges")
    listed = part("blender.crowds.preset_exchange").CROWDS
    assert listed.find("Wedges").load().body_length == pytest.approx(0.8, rel=1e-6)


def test_a_preset_saved_again_takes_the_place_of_the_old_one() -> None:
    ob = crowd(wander={"strength": 2.0})
    bpy.ops.steering.preset_save(name="Mine")
    ob.steering.wander.strength = 3.0
    bpy.ops.steering.preset_save(name="Mine")
    listed = part("blender.crowds.preset_exchange").CROWDS
    assert listed.find("Mine").load().behaviors["wander"]["strength"] == 3.0
    assert [path.name for path in own_folder().iterdir()] == ["Mine.json"]


@pytest.mark.parametrize(("name", "why"), [("starling", "starling is a preset that ships"), ("  ", "needs a name")])
def test_a_name_that_cannot_be_is_refused(name, why) -> None:
    crowd()
    with pytest.raises(RuntimeError, match=why):
        bpy.ops.steering.preset_save(name=name)
    assert list(own_folder().iterdir()) == []


def test_a_preset_that_ships_cannot_be_removed() -> None:
    write_own("Mine")
    with pytest.raises(RuntimeError, match="starling is not yours to remove"):
        bpy.ops.steering.preset_remove(preset="starling")


def test_without_presets_of_ones_own_there_is_nothing_to_remove() -> None:
    with pytest.raises(RuntimeError, match="There are no presets of your own"):
        bpy.ops.steering.preset_remove(preset="starling")


def test_one_of_ones_own_stands_in_for_a_shipped_one_of_its_name() -> None:
    write_own("starling", label="My Starlings")
    assert part("blender.crowds.preset_exchange").CROWDS.listed()["starling"].label() == "My Starlings"
