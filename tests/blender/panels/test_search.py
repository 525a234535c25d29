"""Blender's search (F3) finds what people type, by the rule that it matches by.

The rule is that of `string_search.cc` in Blender 4.2 to 5.2: it splits an entry, with the menus that lead to it, at
spaces, slashes and arrows; a query matches best if each of its words begins another one of the parts. Matches of
initials and of similar words rank below that and are not counted as found.
"""

from __future__ import annotations

import re

import bpy
import pytest

from tests.blender.building import part
from tests.blender.drawing import Layout, OperatorSettings
from tests.blender.steered import crowd, select
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

Entry = tuple[str, str, str]
"""An entry of a menu: its path through the menus, and the operator with what it is for."""
ARROW = " ▸ "


class Recorder(Layout):
    """Records the entries of a menu: ("operator", name, text, the settings given to it)."""

    def _part(self, *_arguments, **_settings) -> Recorder:
        return Recorder(self.drawn)

    column = row = box = split = grid_flow = column_flow = _part

    def operator(self, name: str, text: str = "", icon: str = "NONE", **_settings) -> Settings:
        settings = Settings(name)
        self.drawn.append(("operator", name, text, settings.given))
        return settings

    def menu(self, name: str, text: str = "", icon: str = "NONE", **_settings) -> None:
        self.drawn.append(("menu", name, text))


class Settings(OperatorSettings):
    """Accepts the properties that a menu sets on an entry, and keeps them."""

    def __init__(self, operator: str) -> None:
        super().__init__(operator)
        object.__setattr__(self, "given", {})

    def __setattr__(self, name, value) -> None:
        super().__setattr__(name, value)
        self.given[name] = value


def entries(menu: str, above: str) -> list[Entry]:
    """The entries of a menu and of all its submenus."""
    drawn: list[tuple] = []
    cls = getattr(bpy.types, menu)
    cls.draw(type("Drawn", (), {"layout": Recorder(drawn)})(), bpy.context)
    listed = []
    for kind, name, *rest in drawn:
        if kind == "label":
            continue
        text, *given = rest
        if kind == "menu":
            listed += entries(name, f"{above}{ARROW}{text or getattr(bpy.types, name).bl_label}")
        else:
            module, _, operator = name.partition(".")
            label = text or getattr(getattr(bpy.ops, module), operator).get_rna_type().name
            choice = given[0].get("behavior") or given[0].get("preset") or given[0].get("role") or ""
            listed.append((f"{above}{ARROW}{label}", operator, choice))
    return listed


def searched() -> list[Entry]:
    """All entries of the extension that the search lists in Object Mode."""
    select(crowd())
    return [
        *entries("STEERING_MT_object", "Object ▸ Steering"),
        *entries("STEERING_MT_add", "Add ▸ Steering"),
    ]


def parts(text: str) -> list[str]:
    return [part for part in re.split(r"[ /▸]+", text.lower()) if part]


def matches(query: str, path: str) -> bool:
    """Whether each word of the query begins another part of the path."""
    remaining = parts(path)
    for word in parts(query):
        # The shortest match leaves the longer ones to the other words.
        fitting = sorted((part for part in remaining if part.startswith(word)), key=len)
        if not fitting:
            return False
        remaining.remove(fitting[0])
    return True


def found(query: str) -> set[tuple[str, str]]:
    return {(operator, choice) for path, operator, choice in searched() if matches(query, path)}


def test_the_rule_matches_beginnings_of_words_only() -> None:
    assert matches("seek", "Object ▸ Steering ▸ Add Behavior ▸ Go To · Seek")
    assert matches("see go", "Object ▸ Steering ▸ Add Behavior ▸ Go To · Seek")
    assert not matches("seek", "Object ▸ Steering ▸ Add Behavior ▸ Go To (seek)")
    assert not matches("eek", "Object ▸ Steering ▸ Add Behavior ▸ Go To · Seek")
    assert not matches("seek seek", "Object ▸ Steering ▸ Add Behavior ▸ Go To · Seek")


def test_a_behavior_is_found_by_its_label_its_name_and_the_term_of_the_paper() -> None:
    ours = part("simulation.behavior").OURS
    for behavior in part("behaviors").CATALOGUE:
        words = {behavior.label, behavior.name.replace("_", " ")} | ({behavior.term} - {ours})
        for query in words:
            assert ("behavior_add", behavior.name) in found(query), query


def test_a_preset_is_found_by_its_label_and_as_a_preset_of_a_crowd() -> None:
    presets = part("blender.crowds.preset_files").CROWDS.listed()
    for name, preset in presets.items():
        assert ("preset_apply", name) in found(preset.label())
        assert ("preset_apply", name) in found(f"crowd preset {preset.label()}")


def test_every_synonym_leads_to_existing_entries_and_finds_them() -> None:
    for entry, words in part("blender.panels.menus").SYNONYMS.items():
        assert all(entry in found(word) for word in words), entry
        assert len(set(words)) == len(words) > 0, entry


READY = {("add_flock", ""), ("add_school", ""), ("add_walkers", "")}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("crowd", READY | {("crowd_add", ""), ("populate", ""), ("bake", ""), ("crowd_assign", "")}),
        ("bake crowd", {("bake", "")}),
        ("boids", {("add_flock", ""), ("flocking_add", ""), ("preset_apply", "flock")}),
        ("flock", {("add_flock", ""), ("flocking_add", ""), ("preset_apply", "flock")}),
        ("swarm", {("add_flock", ""), ("preset_apply", "bee")}),
        ("traffic", {("preset_apply", "car"), ("behavior_add", "keep_distance"), ("behavior_add", "brake_for")}),
        ("populate", {("populate", "")}),
        ("preview crowd", {("preview", "")}),
        ("delete bake", {("clear_bake", "")}),
        ("tag vehicle", {("tag", "VEHICLE")}),
        ("ladder", {("tag", "LINK")}),
        ("elevator", {("tag", "LINK")}),
    ],
)
def test_search_finds_what_newcomers_type(query: str, expected: set[tuple[str, str]]) -> None:
    assert expected <= found(query)


def test_every_part_of_an_entry_begins_with_a_letter_or_a_digit() -> None:
    for path, _operator, _choice in searched():
        for word in parts(path):
            assert word == "·" or word[0].isalnum(), path
