"""The Steering panels: what they show, and that they say what to do next."""

from __future__ import annotations

import bpy

from tests.blender.building import crowd, part


def test_behaviors_are_offered_under_the_heading_of_what_they_are_for() -> None:
    under: dict[str, list[str]] = {}
    for name, label, _description in part("blender.operators.behaviors").ITEMS:
        if not name:
            heading = under.setdefault(label, [])
        else:
            heading.append(name)
    catalogue = part("behaviors.catalogue").CATALOGUE
    assert under == {
        intent.value: [kind.name for kind in catalogue if kind.intent is intent]
        for intent in part("behaviors.declaration").Intent
    }


def test_a_script_that_names_no_behavior_gets_the_first_of_the_catalogue() -> None:
    own = crowd()
    assert bpy.ops.steering.behavior_add() == {"FINISHED"}
    first = part("behaviors.catalogue").CATALOGUE[0].name
    assert own.steering.is_property_set(first) and getattr(own.steering, first).use
    assert bpy.ops.steering.behavior_remove() == {"FINISHED"}
    assert not own.steering.is_property_set(first)
