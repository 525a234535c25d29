"""The stored properties match their declarations, can be overridden, and are animatable where declared so."""

import math

import bpy
import pytest

from scripts.behavior_names import TAKEN_BY_BLENDER
from tests.blender.building import empty, from_library, part
from tests.sampling import in_every_blender

pytestmark = in_every_blender


def properties_of(group) -> dict:
    return {name: p for name, p in group.bl_rna.properties.items() if name not in ("rna_type", "name")}


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


def parameters() -> list:
    """Each declared parameter, with the names of its group and itself."""
    return [
        (group, name, parameter)
        for group, declared in part("settings.stored").GROUPS.items()
        for name, parameter in declared.parameters.items()
    ]


def property_in(group: str, name: str):
    return part("blender.properties").CLASSES[group].bl_rna.properties[name]


def test_names_that_blender_takes_are_known(addon) -> None:
    """A parameter or behavior of such a name would hide what Blender has on every group."""
    group = bpy.context.scene.steering
    names = {*dir(group), *(name for kind in type(group).__mro__ for name in dir(kind)), *group.bl_rna.functions.keys()}
    own_names = {*group.bl_rna.properties.keys(), *(name for name in names if name.startswith("_"))}
    assert names - own_names - TAKEN_BY_BLENDER == set()


SHOWN_ONLY = {"cruise"}
"""Properties that store nothing: another form of a stored one."""


def test_every_property_and_pointer_can_be_overridden_on_a_linked_object(addon) -> None:
    others = [path for path, declared in all_properties().items() if not declared.is_overridable]
    assert [path for path in others if path[1] not in SHOWN_ONLY] == []


def test_each_group_has_a_property_for_each_declared_parameter_and_no_others(addon) -> None:
    body = part("simulation.declaration").Kind.BODY
    for group, cls in part("blender.properties").CLASSES.items():
        declared = {name: parameter for of, name, parameter in parameters() if of == group}
        bodies = {name: parameter for name, parameter in declared.items() if parameter.kind is body}
        of_bodies = {f"{name}_{suffix}" for name in bodies for suffix in ("bone", "collection")}
        of_bodies |= {f"{name}_choice" for name, parameter in bodies.items() if not parameter.in_order}
        assert {*cls.bl_rna.properties.keys()} - {"rna_type", "name"} - SHOWN_ONLY == {*declared, *of_bodies}, group


def test_functions_of_single_properties_are_those_of_declared_ones(addon) -> None:
    declared = {(group, name) for group, name, _ in parameters()}
    hooks = part("blender.properties.hooks").HOOKS
    assert {(group, name) for group, named in hooks.items() for name in named} <= declared


def test_defaults_limits_and_descriptions_are_the_declared_ones(addon) -> None:
    kinds = part("simulation.declaration").Kind
    for group, name, parameter in parameters():
        declared = property_in(group, name)
        assert declared.description.startswith(parameter.description), (group, name)
        if parameter.kind in (kinds.NUMBER, kinds.INTEGER):
            limits = (declared.default, declared.hard_min, declared.hard_max)
            assert limits == pytest.approx((parameter.default, *bounds(parameter))), (group, name)
            soft = parameter.soft or bounds(parameter)
            assert (declared.soft_min, declared.soft_max) == pytest.approx(soft), (group, name)
        elif parameter.kind in (kinds.SWITCH, kinds.TEXT):
            assert declared.default == parameter.default, (group, name)
        elif parameter.kind in (kinds.VECTOR, kinds.COLOR):
            assert tuple(declared.default_array) == pytest.approx(parameter.default), (group, name)
        elif parameter.kind in (kinds.CHOICE, kinds.FLAGS):
            items = {item.identifier: item.value for item in declared.enum_items}
            assert items == {choice.name: choice.number for choice in parameter.choices}, (group, name)
            is_choice = parameter.kind is kinds.CHOICE
            default = items[declared.default] if is_choice else declared.default_flag
            assert default == parameter.default, (group, name)
        else:
            assert declared.type == ("COLLECTION" if parameter.kind is kinds.LIST else "POINTER"), (group, name)


def bounds(parameter) -> tuple[float, float]:
    """The limits of the property of a number; REACH where it declares none."""
    reach = part("simulation.declaration").REACH
    least, most = parameter.least, parameter.most
    return (-reach if least == -math.inf else least, reach if most == math.inf else most)


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


@pytest.mark.parametrize("name", ["locked", "identity", "forward_axis", "seed", "start_speed", "preroll", "roles"])
def test_settings_that_hold_for_a_whole_simulation_cannot_be_keyed(name) -> None:
    ob = bpy.data.objects.new("Ship", None)
    with pytest.raises(TypeError, match="not animatable"):
        ob.keyframe_insert(f"steering.{name}")


def test_exactly_the_parameters_declared_as_animatable_can_be_keyed(addon) -> None:
    for group, name, parameter in parameters():
        if property_in(group, name).type not in ("POINTER", "COLLECTION"):
            assert property_in(group, name).is_animatable == parameter.animatable, (group, name)


def test_settings_that_change_over_time_are_declared_animatable() -> None:
    changing = {name for group, name, parameter in parameters() if group == "object" and parameter.animatable}
    of_vehicles = ("active", "speed_factor", "size_factor", "length_factor", "mass_factor", "by_hand")
    assert changing >= {*of_vehicles, "amount", "pass_side", "combining"}
    assert changing & {"locked", "identity", "seed", "preroll", "roles", "start_speed"} == set()


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


def test_what_a_scene_leaves_unset_is_as_declared(addon) -> None:
    scene, setting = bpy.context.scene, part("blender.properties").scene_setting
    names = [name for name, p in properties_of(scene.steering).items() if p.type not in ("POINTER", "COLLECTION")]
    scene.property_unset("steering")
    unset = {name: setting(scene, name) for name in names}
    assert not scene.is_property_set("steering")
    assert unset == {name: getattr(scene.steering, name) for name in names}


def test_the_names_that_are_set_are_known_at_once(addon) -> None:
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.steering.tag(role="VEHICLE")
    settings = [ob.steering for ob in bpy.context.scene.objects if ob.is_property_set("steering")]
    crowd = next(each for each in settings if "CROWD" in each.roles)
    crowd.seek.use, crowd.vehicle.max_speed = True, 3.0
    for group in (*settings, crowd.seek, crowd.vehicle, bpy.context.scene.steering):
        expected = {name for name in properties_of(group) if group.is_property_set(name)} - {"cruise"}
        assert part("blender.properties").names_set(group) == expected
    assert part("blender.properties").names_set(crowd.seek) == {"use"}


def test_a_property_that_does_not_exist_is_refused_in_every_group() -> None:
    target, groups = bpy.data.objects.new("Target", None), every_group()
    assert len(groups) > len(part("behaviors").CATALOGUE)
    for group in groups.values():
        for value in (target, 1.0, None):
            with pytest.raises(AttributeError, match="no attribute 'quarry_crowd'"):
                group.quarry_crowd = value


def test_numbers_in_the_columns_of_behaviors_show_no_unit_that_would_be_cut_off() -> None:
    """In its column "2.7 m/s²" would read "2.7 m"; the tooltip says what it is."""
    for behavior in part("behaviors").CATALOGUE:
        weight = type(getattr(bpy.data.objects.new("Crowd", None).steering, behavior.name)).bl_rna.properties["weight"]
        assert weight.unit == "NONE"
        unit = part("simulation.declaration").Unit.ACCELERATION
        assert ("per second squared" in weight.description) == (behavior.parameters()["weight"].unit is unit)


def test_of_two_objects_of_one_name_those_in_the_scene_may_be_chosen_and_selected(tmp_path) -> None:
    empty("Goal")
    linked, own = from_library(tmp_path, "objects", "Goal"), empty("Goal")
    may_be = part("blender.properties.hooks").HOOKS["populate"]["place"]["poll"]
    assert may_be(None, own) and not may_be(None, linked)
    assert part("blender.objects.focus").select_only(bpy.context, (own, linked)) == [own]
    bpy.context.scene.collection.objects.link(linked)
    assert may_be(None, own) and may_be(None, linked)
    assert part("blender.property_groups").POLLS[part("simulation.declaration").Kind.BODY] is may_be
