"""The stored properties match their declarations, can be overridden, and are animatable where declared so."""

import bpy
import pytest

from scripts.behavior_names import TAKEN_BY_BLENDER
from tests.blender.building import part
from tests.sampling import in_every_blender

pytestmark = in_every_blender

REACH = 1e6
EXTRA = {
    "populate": {"sources", "place", "laid_out"},
    "portrayal": {"clips", "head_bone", "look_at", "playing", "unplanted", "unplanted_models"},
    "vehicle": {"own"},
}
"""The properties of a group besides its declared parameters. A behavior's group also has its switches: `use`, and `own`
for states."""


def properties_of(group) -> dict:
    return {name: p for name, p in group.bl_rna.properties.items() if name not in ("rna_type", "name")}


def object_group():
    return bpy.types.Object.bl_rna.properties["steering"].fixed_type


def all_properties() -> dict:
    """Every property of the extension, including pointers, by its path."""
    properties = {}
    pending = [(kind, getattr(bpy.types, kind).bl_rna.properties["steering"]) for kind in ("Object", "Scene")]
    while pending:
        path, declared = pending.pop()
        properties[path, declared.identifier] = declared
        if (
            declared.type == "POINTER"
            and declared.fixed_type.base
            and declared.fixed_type.base.identifier == "PropertyGroup"
        ):
            group = declared.fixed_type
            for name, inner in group.properties.items():
                if name not in ("rna_type", "name"):
                    pending.append((f"{path}.{declared.identifier}", inner))
    return properties


def declarations() -> list:
    catalogue = part("behaviors").CATALOGUE
    return [
        ("vehicle", part("simulation.vehicle").VehicleModel),
        ("portrayal", part("portrayal.driver_properties").Portrayal),
        ("attendance", part("simulation.presence.attendance").Attendance),
        ("populate", part("settings.population").Population),
        *((moves.name, moves) for moves in part("locomotion").CATALOGUE),
        *((b.name, b) for b in catalogue),
    ]


def parameters() -> list:
    return [
        (group, name, parameter)
        for group, declared in declarations()
        for name, parameter in declared.parameters().items()
    ]


def property_in(group: str, name: str):
    return object_group().properties[group].fixed_type.properties[name]


def test_names_that_blender_takes_are_known(addon) -> None:
    """A parameter or behavior of such a name would hide what Blender has on every group."""
    group = bpy.context.scene.steering
    names = {*dir(group), *(name for kind in type(group).__mro__ for name in dir(kind)), *group.bl_rna.functions.keys()}
    own_names = {*group.bl_rna.properties.keys(), *(name for name in names if name.startswith("_"))}
    assert names - own_names - TAKEN_BY_BLENDER == set()


def test_all_properties_are_collected(addon) -> None:
    assert len(all_properties()) > 80
    assert len(parameters()) > 30


def test_every_property_and_pointer_can_be_overridden_on_a_linked_object(addon) -> None:
    assert [path for path, declared in all_properties().items() if not declared.is_overridable] == []


def test_each_group_has_a_property_for_each_declared_parameter_and_no_others(addon) -> None:
    behaviors = {behavior.name for behavior in part("behaviors").CATALOGUE}
    locomotions = part("locomotion").LOCOMOTIONS
    for group, declared in declarations():
        names = set(object_group().properties[group].fixed_type.properties.keys()) - {"rna_type", "name"}
        extra = EXTRA.get(group, {"use", "own"} if group in behaviors else {"own"} if group in locomotions else set())
        kinds = part("simulation.declaration").Kind
        bodies = {name: parameter for name, parameter in declared.parameters().items() if parameter.kind is kinds.BODY}
        of_bodies = {f"{name}_{suffix}" for name in bodies for suffix in ("bone", "collection")}
        of_bodies |= {f"{name}_choice" for name, parameter in bodies.items() if not parameter.in_order}
        assert names == set(declared.parameters()) | extra | of_bodies, group


def test_defaults_limits_and_descriptions_are_the_declared_ones(addon) -> None:
    kinds = part("simulation.declaration").Kind
    for group, name, parameter in parameters():
        declared = property_in(group, name)
        assert declared.description.startswith(parameter.description), (group, name)
        if parameter.kind is kinds.NUMBER:
            assert declared.default == pytest.approx(parameter.default), (group, name)
            assert declared.hard_min == pytest.approx(max(parameter.least, -REACH)), (group, name)
            assert declared.hard_max == pytest.approx(min(parameter.most, REACH)), (group, name)
        elif parameter.kind is kinds.INTEGER:
            limits = (declared.default, declared.hard_min, declared.hard_max)
            assert limits == (parameter.default, parameter.least, parameter.most), (group, name)
        elif parameter.kind is kinds.SWITCH:
            assert declared.default == parameter.default, (group, name)
        elif parameter.kind is kinds.CHOICE:
            items = {item.identifier: item.value for item in declared.enum_items}
            assert items == {choice.name: choice.number for choice in parameter.choices}, (group, name)
            assert items[declared.default] == parameter.default, (group, name)
        else:
            assert declared.type == "POINTER", (group, name)


def test_the_tooltip_of_a_behavior_is_its_declared_sentence(addon) -> None:
    for behavior in part("behaviors").CATALOGUE:
        declared = property_in(behavior.name, "use")
        assert declared.name == behavior.label
        assert declared.description == behavior.tooltip()
        assert behavior.term in declared.description


def test_every_property_has_a_tooltip_without_a_final_stop(addon) -> None:
    groups = {"steering", "start", "vehicle", "stored", "location", "rotation_mode"}
    for (path, name), declared in all_properties().items():
        is_group = declared.type == "POINTER" and declared.fixed_type.base is not None
        if is_group and declared.fixed_type.base.identifier == "PropertyGroup":
            continue
        if name not in groups:
            assert declared.description, (path, name)
        assert not declared.description.endswith("."), (path, name)


NOT_ANIMATABLE = ("locked", "identity", "forward_axis", "up_axis", "seed", "start_speed", "preroll", "roles", "crowd")


@pytest.mark.parametrize("name", NOT_ANIMATABLE)
def test_settings_that_hold_for_a_whole_simulation_cannot_be_keyed(name) -> None:
    assert not object_group().properties[name].is_animatable
    ob = bpy.data.objects.new("Ship", None)
    with pytest.raises(TypeError, match="not animatable"):
        ob.keyframe_insert(f"steering.{name}")


@pytest.mark.parametrize("name", ["frame_start", "frame_end", "use_frame_range", "substeps", "seed"])
def test_scene_settings_cannot_be_keyed(name) -> None:
    assert not bpy.types.Scene.bl_rna.properties["steering"].fixed_type.properties[name].is_animatable


def test_exactly_the_parameters_declared_as_animatable_can_be_keyed(addon) -> None:
    for group, name, parameter in parameters():
        assert property_in(group, name).is_animatable == parameter.animatable, (group, name)


def test_object_settings_that_may_change_over_time_can_be_keyed(addon) -> None:
    for name in ("active", "amount", "pass_side", "combining", "speed_factor", "size_factor", "mass_factor"):
        assert object_group().properties[name].is_animatable, name


def test_choices_keep_their_stored_numbers(addon) -> None:
    stored = {
        "forward_axis": {"POS_X": 0, "POS_Y": 1, "POS_Z": 2, "NEG_X": 3, "NEG_Y": 4, "NEG_Z": 5},
        "pass_side": {c.name: c.number for c in part("simulation.geometry.obstacles").PASS_SIDES},
        "obstacle_shape": {c.name: c.number for c in part("simulation.geometry.obstacles").OBSTACLE_SHAPES},
        "obstacle_side": {c.name: c.number for c in part("simulation.geometry.obstacles").OBSTACLE_SIDES},
        "region_shape": {c.name: c.number for c in part("simulation.geometry.regions").SHAPES},
        "combining": {c.name: c.number for c in part("simulation.combining").COMBININGS},
    }
    stored["up_axis"] = stored["forward_axis"]
    for name, numbers in stored.items():
        items = object_group().properties[name].enum_items
        assert {item.identifier: item.value for item in items} == numbers, name


def test_a_new_object_and_scene_store_nothing(addon) -> None:
    ob = bpy.data.objects.new("Plain", None)
    assert not ob.is_property_set("steering")
    assert not bpy.context.scene.is_property_set("steering")
    assert part("blender.properties").settings_of(ob) is None
    assert not ob.is_property_set("steering")


def every_group() -> dict:
    """An instance of every property group of the extension, by its path."""
    ob, scene = bpy.data.objects.new("Empty", None), bpy.context.scene
    pending, groups = [("Object.steering", ob.steering), ("Scene.steering", scene.steering)], {}
    while pending:
        path, group = pending.pop()
        groups[path] = group
        for name, declared in properties_of(group).items():
            if declared.type == "COLLECTION":
                pending.append((f"{path}.{name}[0]", getattr(group, name).add()))
            elif declared.type == "POINTER" and declared.fixed_type.base.identifier == "PropertyGroup":
                pending.append((f"{path}.{name}", getattr(group, name)))
    return groups


def test_a_property_that_does_not_exist_is_refused_in_every_group() -> None:
    target, groups = bpy.data.objects.new("Target", None), every_group()
    assert len(groups) > len(part("behaviors").CATALOGUE)
    for group in groups.values():
        for value in (target, 1.0, None):
            with pytest.raises(AttributeError, match="no attribute 'quarry_crowd'"):
                group.quarry_crowd = value
