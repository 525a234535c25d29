"""A crowd missing from the scene of its vehicles blocks no other crowd, is told by name, and comes back by a click."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import is_baked
from tests.blender.building import empty, frames, from_library, link, part
from tests.blender.drawing import shown
from tests.blender.dumping import stored
from tests.blender.steered import bake, crowd, fleet, press, select, tag, vehicle


def two_crowds() -> tuple[list, list]:
    """The vehicles of the crowds Lost and Kept."""
    frames(1, 12)
    region = tag(empty("Sky"), role="REGION")
    region.empty_display_size = 30.0
    lost = fleet(2, crowd=crowd("Lost", wander={"strength": 3.0}, containment={"region": region}))
    kept = [vehicle(name=f"Other {k}", location=(3.0 * k, 9.0, 0.0), crowd=crowd("Kept", wander={})) for k in range(1)]
    return lost, kept


def delete(ob) -> None:
    """Delete an object in the viewport."""
    select(ob)
    assert bpy.ops.object.delete() == {"FINISHED"}


def untag(ob) -> None:
    press("untag", ob, role="CROWD")


def exclude(ob) -> None:
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    away.objects.link(ob)
    bpy.context.scene.collection.objects.unlink(ob)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True


def remove(ob) -> None:
    bpy.data.objects.remove(ob)


LOSING = {"deleted": delete, "removed from the file": remove, "untagged": untag, "excluded": exclude}


def lose(how: str) -> tuple[list, list]:
    lost, kept = two_crowds()
    LOSING[how](lost[0].steering.crowd)
    bpy.context.view_layer.update()
    return lost, kept


def restore(**settings) -> None:
    assert bpy.ops.steering.crowd_restore(**settings) == {"FINISHED"}


def texts(*panels: str) -> list[str]:
    part("blender.status.census").refresh(bpy.context.scene)
    return [entry[-1] for panel in panels for entry in shown(f"STEERING_PT_{panel}")]


@pytest.mark.parametrize("how", LOSING)
def test_the_other_crowds_bake_and_the_lost_vehicles_are_told_by_name(how, capfd) -> None:
    lost, kept = lose(how)
    before = [tuple(ob.location) for ob in lost]
    bake()
    assert is_baked(kept[0])
    assert not any(is_baked(ob) for ob in lost)
    assert [tuple(ob.location) for ob in lost] == before
    told = capfd.readouterr().out
    assert "Warning" in told and "Ship 0, Ship 1" in told and "Restore Crowd" in told
    assert how == "removed from the file" or "Lost" in told


def test_lost_vehicles_are_still_seen_by_the_others() -> None:
    lost, kept = lose("deleted")
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    assert [ob.name for ob in plan.vehicles.source.objects] == [kept[0].name]
    assert {body.ob for body in plan.bodies} >= set(lost)


@pytest.mark.parametrize("how", LOSING)
def test_the_preview_shows_the_other_crowds(how) -> None:
    lost, kept = lose(how)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bpy.context.scene.frame_set(12)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown_at = [np.array(ob.evaluated_get(depsgraph).matrix_world.translation) for ob in (*kept, *lost)]
    assert np.linalg.norm(shown_at[0] - np.array(kept[0].location)) > 0.1
    assert shown_at[1] == pytest.approx(np.array(lost[0].location))


@pytest.mark.parametrize("how", LOSING)
def test_restoring_a_crowd_brings_its_settings_back_and_its_vehicles_move(how) -> None:
    """If it is gone from the file they get a new one."""
    lost, _ = lose(how)
    before = lost[0].steering.crowd
    known = before and (stored(before.steering), tuple(before.location))
    restore()
    flock = lost[0].steering.crowd
    assert flock == lost[1].steering.crowd and flock.name in bpy.context.view_layer.objects
    if known:
        assert tuple(flock.location) == known[1]
        assert how == "untagged" or stored(flock.steering) == known[0]
    bake()
    assert all(is_baked(ob) for ob in lost)


def test_a_scene_that_holds_a_member_without_its_crowd_bakes_the_others_and_links_the_crowd_by_a_click() -> None:
    lost, _ = two_crowds()
    flock = lost[0].steering.crowd
    bpy.context.window.scene = bpy.data.scenes.new("Second")
    frames(1, 12)
    link(lost[0])
    other = vehicle(name="Second's", location=(0.0, 20.0, 0.0), crowd=crowd("Second Crowd", wander={}))
    select(lost[0])
    assert "Link Crowd to This Scene" in texts("crowd")
    bake()
    assert is_baked(other) and not is_baked(lost[0])
    restore(crowd="Lost")
    assert {flock.name, "Sky"} <= {ob.name for ob in bpy.context.scene.objects}, "with what its behaviors point at"
    bake()
    assert is_baked(lost[0])
    assert flock.name in bpy.data.scenes["Scene"].objects


@pytest.mark.parametrize("how", LOSING)
def test_the_panels_say_what_is_wrong_and_offer_the_remedy(how) -> None:
    lost, kept = lose(how)
    label = {"removed from the file": "New Crowd"}.get(how, "Restore Crowd")
    for focus in (kept[0], lost[0]):
        select(focus)
        drawn = texts("crowd", "bake")
        assert drawn.count(label) == 1, drawn
        assert any(f"{lost[0].name} and {lost[1].name} " in text for text in drawn), drawn
        assert any("cannot move" in text for text in drawn), drawn
    select(kept[0])
    assert "1 vehicle, frames 1 to 12" in texts("bake"), "the lost ones are not counted"
    restore()
    assert label not in texts("crowd", "bake")


def test_losing_all_crowds_is_not_taken_for_locked_vehicles() -> None:
    kept = lose("deleted")[1]
    delete(kept[0].steering.crowd)
    select()
    drawn = texts("bake")
    assert not any("locked" in text for text in drawn)
    assert drawn.count("Restore Crowd") == 2


def test_a_behavior_that_points_at_a_lost_crowd_blocks_nothing() -> None:
    lost, kept = two_crowds()
    hunters = kept[0].steering.crowd
    hunters.steering.pursuit.use = True
    hunters.steering.pursuit.quarry = lost[0].steering.crowd
    hunters.steering.separation.use = True
    hunters.steering.separation.neighbors = "CHOSEN_CROWD"
    hunters.steering.separation.crowd = lost[0].steering.crowd
    delete(lost[0].steering.crowd)
    bake()
    assert is_baked(kept[0]) and not is_baked(lost[0])


def test_a_crowd_survives_saving_and_opening_while_it_is_deleted(tmp_path) -> None:
    lose("deleted")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    restore()
    bake()
    assert is_baked(bpy.data.objects["Ship 0"])


def test_a_linked_crowd_says_why_its_vehicles_do_not_move(tmp_path) -> None:
    crowd("Kept", seek={"use": False})
    link(kept := from_library(tmp_path, "objects", "Kept"))
    vehicle(crowd=crowd("Own")).steering.crowd = kept
    select()
    assert any("Kept: All behaviors are switched off" in text for text in texts("bake"))


def test_a_linked_crowd_comes_back_beside_an_object_of_its_name(tmp_path) -> None:
    crowd("Lost", wander={})
    linked, ship = from_library(tmp_path, "objects", "Lost"), vehicle(crowd=crowd("Kept"))
    empty("Lost")
    ship.steering.crowd = linked
    restore()
    assert linked in bpy.context.scene.objects[:]


def test_of_two_crowds_of_one_name_the_one_that_is_called_so_is_meant(tmp_path) -> None:
    crowd("Lost", wander={})
    linked = from_library(tmp_path, "objects", "Lost")
    own, ships = crowd("Lost"), fleet(2, crowd=crowd("Kept"))
    called = part("blender.objects.tagged_objects").full_name(linked)
    ships[0].steering.crowd, ships[1].steering.crowd = linked, own
    delete(own)
    for name, back in ((called, {linked}), ("Lost", {linked, own})):
        restore(crowd=name)
        assert {linked, own} & set(bpy.context.scene.objects) == back
    for name, joined in (("Lost", own), (called, linked)):
        press("crowd_assign", ships[0], crowd=name)
        assert ships[0].steering.crowd == joined
