"""The words and numbers in the panels: each says what it is, where it is needed."""

from types import SimpleNamespace

import blf
import bpy
import pytest

from tests.blender.building import part
from tests.blender.drawing import Layout, everything_shown, shown, texts, up_to_date
from tests.blender.steered import crowd, select, vehicle


def in_tab(name: str) -> list[tuple]:
    return up_to_date(f"STEERING_PT_{name}")


def a_vehicle() -> None:
    select(vehicle())


def region_of(width: int) -> SimpleNamespace:
    """A context with a region of this width, in pixels."""
    preferences = SimpleNamespace(system=SimpleNamespace(ui_scale=1.0))
    return SimpleNamespace(region=SimpleNamespace(width=width), preferences=preferences)


def test_no_setting_of_a_vehicle_has_the_name_of_a_behavior() -> None:
    declared = (part("simulation.vehicle").VehicleModel, *part("locomotion").CATALOGUE)
    labels = {parameter.called(name) for each in declared for name, parameter in each.parameters().items()}
    labels |= {moves.label for moves in part("locomotion").CATALOGUE}
    assert not labels & {behavior.label for behavior in part("behaviors").CATALOGUE}


def test_units_that_a_field_cannot_show_are_in_its_label() -> None:
    settings = vehicle().steering.crowd.steering
    assert settings.vehicle.bl_rna.properties["max_force"].name == "Max Force (N)"
    assert settings.planar.bl_rna.properties["max_turn_rate"].name == "Max Turn (/s)"


def test_strength_and_reaction_times_are_in_a_closed_part() -> None:
    a_vehicle()
    names = {
        "radius",
        "length",
        "mass",
        "max_force",
        "response_time",
        "damping",
        "speed_time",
        "pace_time",
        "pace_drift",
    }
    assert names.isdisjoint(entry[1] for entry in in_tab("model"))
    advanced = {entry[1] for entry in in_tab("advanced") if entry[0] == "prop"}
    assert names == advanced - {"cruise_speed", "use"}
    assert bpy.types.STEERING_PT_advanced.bl_options == {"DEFAULT_CLOSED"}
    assert bpy.types.STEERING_PT_advanced.bl_parent_id == "STEERING_PT_model"


def test_the_columns_of_numbers_have_headings_of_what_the_combining_uses() -> None:
    crowd_object = crowd(wander={}, seek={})
    combining = part("simulation.combining")
    headings = {"weight": "Weight", "priority": "Priority", "probability": "Chance"}
    for choice in combining.COMBININGS:
        crowd_object.steering.combining = choice.name
        drawn = in_tab("behaviors")
        labels = [entry[1] for entry in drawn if entry[0] == "label" and entry[1]]
        expected = [headings[name] for name in combining.MATTERS[choice.number]]
        assert [label for label in labels if label in headings.values()] == expected
        assert drawn.index(("label", expected[-1])) < drawn.index(("prop", "use"))


@pytest.mark.parametrize(("width", "expected"), [(120, 0), (280, 2), (500, 3)])
def test_a_header_shows_the_numbers_that_it_has_room_for(width: int, expected: int) -> None:
    names = ("weight", "priority", "probability")
    assert part("blender.panels.fields").columns(region_of(width), names) == names[len(names) - expected :]


def test_a_number_and_its_unit_stay_on_a_line() -> None:
    drawn: list[tuple] = []
    part("blender.panels.fields").note(Layout(drawn), region_of(280), "Turns within 12 m, top speed in 0.7 s")
    assert drawn[-1] == ("label", "0.7 s")


def test_presets_are_listed_in_groups_with_the_size_they_are_meant_for() -> None:
    a_vehicle()
    drawn = shown("STEERING_MT_presets")
    headings = [entry[1] for entry in drawn if entry[0] == "label"]
    assert headings == ["Birds", "Fish", "People", "Animals", "Vehicles", "Other"]
    labels = [entry[2] for entry in drawn if entry[0] == "operator"]
    shipped = part("blender.crowds.preset_files").CROWDS.listed()
    assert len(labels) == len(shipped)
    assert {"Starlings (22 cm)", "Cars (4.3 m)", "Bees (1.5 cm)"} <= set(labels)
    assert all(preset.load().group for preset in shipped.values())


@pytest.mark.parametrize(
    ("system", "length", "speed", "starling"),
    [
        ("METRIC", "2.5 m", "2.5 m/s", "22 cm"),
        ("IMPERIAL", "8.2ft", "8.2 ft/s", "8.66in"),
        ("NONE", "250", "250", "0.22"),
    ],
)
def test_lengths_and_speeds_are_told_in_the_units_of_the_scene(system, length, speed, starling) -> None:
    """As its fields show them. Blender crashes where it is to spell the name of a unit without a system of units."""
    a_vehicle()
    settings, units = bpy.context.scene.unit_settings, part("blender.units")
    settings.system, settings.scale_length = system, 0.01
    assert (units.length_text(250.0), units.speed_text(250.0)) == (length, speed)
    assert f"Starlings ({starling})" in [entry[-1] for entry in shown("STEERING_MT_presets")]


def test_presets_of_the_users_own_have_a_heading_of_their_own() -> None:
    a_vehicle()
    assert bpy.ops.steering.preset_save(name="Mine") == {"FINISHED"}
    labels = [entry[-1] for entry in shown("STEERING_MT_presets")]
    assert labels[-2] == "Your Own" and labels[-1].startswith("Mine (")


def test_a_preset_that_waits_for_a_region_or_path_shows_no_sign_of_an_error() -> None:
    a_vehicle()
    assert bpy.ops.steering.preset_apply(preset="car") == {"FINISHED"}
    everything_shown()
    layout = Icons()
    bpy.types.STEERING_PT_behaviors.draw(type("Drawn", (), {"layout": layout})(), bpy.context)
    assert "It waits for a Region" in texts(layout.drawn)
    assert "ERROR" not in layout.icons


class Icons(Layout):
    """Records the icons of labels, too."""

    def __init__(self, drawn: list[tuple] | None = None, above: Layout | None = None) -> None:
        super().__init__([] if drawn is None else drawn, above)
        self.icons: list[str] = above.icons if isinstance(above, Icons) else []

    def _part(self, *_arguments, **_settings) -> Layout:
        return Icons(self.drawn, self)

    column = row = box = split = grid_flow = column_flow = _part

    def panel(self, name: str, default_closed: bool = False) -> tuple[Layout, Layout]:
        return Icons(self.drawn, self), Icons(self.drawn, self)

    def label(self, text: str = "", icon: str = "NONE", **settings) -> None:
        self.icons.append(icon)
        super().label(text, icon, **settings)


def test_the_crowd_that_new_vehicles_join_is_a_setting_of_the_scene() -> None:
    a_vehicle()
    assert ("prop", "crowd") in in_tab("run")


WIDEST, WIDEST_SWITCH = 76.0, 100.0
"""Pixels of the longest label at the default width of the sidebar and the default size, also at a resolution scale of
0.72, whose letters are wider: beside a field, and behind a checkbox."""
WIDEST_CHOICE = 104.0
"""The same of a choice in a field: of "In a Group at the Cursor", 129 pixels, it showed the first 90."""
UNSEEN = {"measured_scale", "unplanted_models", "rotation_mode"}
"""Properties that no panel shows."""


def test_labels_are_whole_at_the_default_width_of_the_sidebar() -> None:
    blf.size(0, 11)
    wide = []
    for name, group in part("blender.properties").CLASSES.items():
        for declared in group.bl_rna.properties:
            # Those of targets are shown with texts of their own, and groups with none.
            if declared.type == "POINTER" or declared.identifier.endswith(("_bone", "_choice", *UNSEEN)):
                continue
            room = WIDEST_SWITCH if declared.type == "BOOLEAN" else WIDEST
            if blf.dimensions(0, declared.name)[0] > room:
                wide.append((name, declared.identifier, declared.name))
            choices = declared.enum_items if declared.type == "ENUM" and not declared.is_enum_flag else ()
            wide += [
                (name, declared.identifier, item.name)
                for item in choices
                if blf.dimensions(0, item.name)[0] > WIDEST_CHOICE
            ]
    assert wide == []
