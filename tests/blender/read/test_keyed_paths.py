"""Which properties of an object are keyed, where many objects share the same actions."""

import bpy

from tests.blender.building import link, part


def keyed(name: str, path: str, shared: bpy.types.Action) -> bpy.types.Object:
    """An object with a key of its own on a property and an NLA strip of an action that others play as well."""
    ob = link(bpy.data.objects.new(name, None))
    ob.keyframe_insert(path, frame=1)
    ob.animation_data.nla_tracks.new().strips.new("Walk", 1, shared)
    return ob


def test_a_shared_action_is_read_once_and_counts_for_everyone(monkeypatch):
    dependencies = part("blender.read.dependencies")
    walker = link(bpy.data.objects.new("Walker", None))
    walker.keyframe_insert("rotation_euler", frame=1)
    shared = walker.animation_data.action
    first, second = keyed("First", "location", shared), keyed("Second", "scale", shared)
    read, channelbags = [], dependencies.channelbags
    monkeypatch.setattr(dependencies, "channelbags", lambda action: read.append(action) or channelbags(action))

    known = {}
    assert dependencies.animated_paths(first, known) == {"location", "rotation_euler"}
    assert dependencies.animated_paths(second, known) == {"scale", "rotation_euler"}
    assert dependencies.animated_paths(first, known) == {"location", "rotation_euler"}
    assert read.count(shared) == 1
    assert len(read) == 3
