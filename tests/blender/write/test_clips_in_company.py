"""Clips for those who stand with another, in Blender."""

from __future__ import annotations

import math

import bpy

from tests.blender.building import bake, select
from tests.blender.walkers import found_walkers, idle


def talks(rigs) -> list[bool]:
    """Whether each armature plays a clip for company: others get no strip."""
    return [any("Talk" in track.name for track in rig.animation_data.nla_tracks if not track.mute) for rig in rigs]


def test_two_who_stand_face_to_face_play_it_and_one_who_stands_alone_does_not():
    people, rigs = found_walkers(3)
    radius = people.steering.vehicle.radius
    people.steering.vehicle.cruise_speed = people.steering.seek.weight = 0.0
    for rig, (y, turn) in zip(rigs, [(0.0, 0.0), (-3.0 * radius, math.pi), (40.0 * radius, 0.0)]):
        rig.location, rig.rotation_euler = (0.0, y, 0.0), (0.0, 0.0, turn + rigs[0].rotation_euler.z)
        rig.steering.start_speed = 0.0
    select(*rigs)
    bpy.ops.steering.set_start()
    for number in range(3):
        entry = people.steering.portrayal.clips.add()
        entry.action, entry.plays, entry.with_company = idle(rigs[0], f"Talk {number}"), "STAND", True
    select(people)
    bpy.ops.steering.clips_measure()
    bake()
    baked = talks(rigs)
    assert baked[0] or baked[1]
    assert not baked[2]
    rigs[1].rotation_euler.z -= math.pi
    select(rigs[1])
    bpy.ops.steering.set_start()
    bake()
    assert talks(rigs) == [False, False, False], "one has its back to the other"
