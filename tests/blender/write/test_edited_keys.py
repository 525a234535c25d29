"""Keys that were edited by hand are known before a bake replaces them, and Lock keeps them."""

from collections.abc import Callable

import bpy
import pytest

from tests.blender.animated import curves, keys
from tests.blender.building import frames, part, reopen
from tests.blender.drawing import texts, up_to_date
from tests.blender.steered import bake, crowd, fleet
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def baked_fleet(kind: str = "EVERY_FRAME") -> list:
    frames(1, 20)
    ships = fleet(3, crowd=crowd(wander={}))
    bpy.context.scene.steering.keying = kind
    bake()
    return ships


def location_of(ob):
    return next(curve for curve in curves(ob) if curve.data_path == "location")


def moves_a_key_up(ob) -> None:
    location_of(ob).keyframe_points[1].co[1] += 0.25


def moves_a_key_in_time(ob) -> None:
    location_of(ob).keyframe_points[1].co[0] += 0.4


def deletes_a_key(ob) -> None:
    location_of(ob).keyframe_points.remove(location_of(ob).keyframe_points[1])


def keys_another_place(ob) -> None:
    ob.location.x += 1.0
    ob.keyframe_insert("location", frame=5)


def moves_a_handle(ob) -> None:
    location_of(ob).keyframe_points[1].handle_right[1] += 0.25


EDITS: list[Callable] = [moves_a_key_up, moves_a_key_in_time, deletes_a_key, keys_another_place]


def edited_names() -> list[str]:
    known = part("blender.animation.edited_keys")
    return sorted(ob.name for ob in bpy.data.objects if known.has_edited_keys(ob))


@pytest.mark.parametrize(
    ("edit", "kind"),
    [*((edit, "WHERE_NEEDED") for edit in (*EDITS, moves_a_handle)), *((e, "EVERY_FRAME") for e in EDITS)],
)
def test_an_edit_is_known_until_the_next_bake(edit, kind, tmp_path, capfd) -> None:
    ships = baked_fleet(kind)
    assert edited_names() == []
    edit(ships[1])
    assert edited_names() == [ships[1].name]
    reopen(tmp_path / "edited.blend")
    assert edited_names() == ["Ship 1"]
    capfd.readouterr()
    bake()
    assert "Replaced keys that were edited by hand: Ship 1" in capfd.readouterr().out
    assert edited_names() == []


def test_own_keys_on_other_channels_and_finishing_touches_are_no_edits() -> None:
    ship = baked_fleet()[0]
    ship.keyframe_insert("scale", frame=5)
    location_of(ship).modifiers.new("NOISE")
    location_of(ship).keyframe_points[3].select_control_point = True
    assert edited_names() == []


@pytest.mark.parametrize("selected", [False, True])
def test_a_bake_that_locks_edited_vehicles_keeps_their_keys(selected) -> None:
    ships = baked_fleet()
    moves_a_key_up(ships[1])
    kept, other = keys(ships[1]), keys(ships[0])
    ships[0].steering.crowd.steering.vehicle.max_speed *= 0.5
    bake(*ships, edited="LOCK", selected=selected)
    assert keys(ships[1]) == kept
    assert keys(ships[0]) != other
    assert [ob.steering.locked for ob in ships] == [False, True, False]
    assert edited_names() == [ships[1].name]
    counted = part("blender.status.census").count(bpy.context.scene)
    assert not counted.bake.outdated, "what is locked keeps an older run on purpose"


def test_the_box_of_the_bake_tells_of_edited_keys_and_locks_the_vehicles() -> None:
    ships = baked_fleet()
    assert ("operator", "steering.lock_edited") not in [each[:2] for each in up_to_date("STEERING_PT_bake")]
    moves_a_key_up(ships[1])
    assert "Ship 1 has keys that were edited by hand" in texts(up_to_date("STEERING_PT_findings"))
    assert ("operator", "steering.lock_edited") in [each[:2] for each in up_to_date("STEERING_PT_bake")]
    assert bpy.ops.steering.lock_edited() == {"FINISHED"}
    assert [ob.steering.locked for ob in ships] == [False, True, False]
    assert ("operator", "steering.lock_edited") not in [each[:2] for each in up_to_date("STEERING_PT_bake")]
