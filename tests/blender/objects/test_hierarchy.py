"""The index of parents and children."""

import bpy
import pytest

from tests.blender.building import empty, frames, part, wedge
from tests.blender.steered import bake, clear_bake, tag


def test_children_and_descendants_agree_with_blender() -> None:
    tree = {"A": None, "B": "A", "C": "A", "D": "B", "E": None, "F": "D"}
    for name in tree:
        empty(name)
    for name, parent in tree.items():
        bpy.data.objects[name].parent = bpy.data.objects.get(parent or "")
    family = part("blender.objects.hierarchy").Family()
    for ob in bpy.data.objects:
        assert family.children(ob) == list(ob.children)
        assert set(family.descendants(ob)) == set(ob.children_recursive)


def test_an_object_is_parented_to_all_its_ancestors_and_to_no_other_object() -> None:
    root, child, grandchild, stranger = (empty(name) for name in "1234")
    child.parent, grandchild.parent = root, child
    is_descendant = part("blender.objects.hierarchy").is_descendant
    assert is_descendant(grandchild, root)
    assert is_descendant(grandchild, child)
    assert not is_descendant(grandchild, stranger)
    assert not is_descendant(root, grandchild)
    assert not is_descendant(root, root)


def test_the_children_properties_of_blender_are_not_used(monkeypatch) -> None:
    """Blender searches the whole file on each access, which took minutes for ten thousand vehicles."""

    def fail(ob) -> None:
        raise AssertionError(f"the children of {ob.name}")

    frames(1, 3)
    body, locked, tower, pilot = wedge("Body"), wedge("Locked"), wedge("Tower"), empty("Pilot")
    pilot.parent = body
    monkeypatch.setattr(bpy.types.Object, "children", property(fail))
    monkeypatch.setattr(bpy.types.Object, "children_recursive", property(fail))
    with pytest.raises(AssertionError, match="the children of Body"):
        _ = body.children
    tag(tower, role="OBSTACLE")
    tag(body, locked, role="VEHICLE")
    locked.steering.locked = True
    assert bpy.ops.steering.preset_apply(preset="starling") == {"FINISHED"}
    bake()
    clear_bake()
