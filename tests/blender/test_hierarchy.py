"""The parent/child index agrees with Blender."""

import bpy
import pytest

from tests.blender.building import bake, clear_bake, empty, frames, part, tag, wedge


def test_children_and_descendants_are_those_that_blender_finds() -> None:
    tree = {"A": None, "B": "A", "C": "A", "D": "B", "E": None, "F": "D"}
    for name in tree:
        empty(name)
    for name, parent in tree.items():
        bpy.data.objects[name].parent = bpy.data.objects.get(parent or "")
    family = part("blender.hierarchy").Family()
    for ob in bpy.data.objects:
        assert family.children(ob) == list(ob.children)
        assert set(family.descendants(ob)) == set(ob.children_recursive)


def test_an_object_is_a_descendant_of_its_parents_only() -> None:
    single, two, three, other = (empty(name) for name in "1234")
    two.parent, three.parent = single, two
    is_descendant = part("blender.hierarchy").is_descendant
    assert is_descendant(three, single)
    assert is_descendant(three, two)
    assert not is_descendant(three, other)
    assert not is_descendant(single, three)
    assert not is_descendant(single, single)


def test_no_code_asks_blender_for_children(monkeypatch) -> None:
    """Blender looks through the whole file each time: for ten thousand vehicles that took minutes."""

    def asked(ob) -> None:
        raise AssertionError(f"the children of {ob.name}")

    frames(1, 3)
    body, seen, tower, pilot = wedge("Body"), wedge("Seen"), wedge("Tower"), empty("Pilot")
    pilot.parent = body
    monkeypatch.setattr(bpy.types.Object, "children", property(asked))
    monkeypatch.setattr(bpy.types.Object, "children_recursive", property(asked))
    with pytest.raises(AssertionError, match="the children of Body"):
        _ = body.children
    tag(tower, role="OBSTACLE")
    tag(body, seen, role="VEHICLE")
    seen.steering.locked = True
    assert bpy.ops.steering.preset_apply(preset="starling") == {"FINISHED"}
    bake()
    clear_bake()
