"""Ownership of keys: a key is ours only if the record of the action and the key itself agree, else the animator's."""

import bpy
import pytest

from tests.blender.building import link, part
from tests.sampling import in_every_blender

ownership = part("blender.animation.ownership")
animation_data = part("blender.animation.animation_data")

pytestmark = in_every_blender

FIRST, LAST = 10, 20
TRANSFORMS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
SLOTTED = "slots" in bpy.types.Action.bl_rna.properties


@pytest.fixture
def ship():
    return new_object("Ship")


def records():
    """The module of bake records."""
    return part("blender.animation.bake_record")


def new_object(name: str):
    ob = link(bpy.data.objects.new(name, None))
    return ob


def insert(ob, path: str, *frames: float) -> None:
    for frame in frames:
        ob.keyframe_insert(path, frame=frame)


def set_type(ob, kind: str) -> None:
    for curve in animation_data.channelbag(ob).fcurves:
        for point in curve.keyframe_points:
            point.type = kind


def baked(ob, **changes):
    """As a bake leaves an object: keys of the type Generated, and a record."""
    insert(ob, "location", *range(FIRST, LAST + 1))
    set_type(ob, "GENERATED")
    fields = {"bake_id": "one", "first": FIRST, "last": LAST, "channels": ("location",), "made": True, **changes}
    records().write_record(ob.animation_data.action, records().BakeRecord(**fields))
    return ob


def whats(ob) -> list[str]:
    return ownership.own_animation(ob, FIRST, LAST)


def test_a_record_reads_as_it_was_written() -> None:
    action, kept = bpy.data.actions.new("Baked"), bpy.data.actions.new("Kept")
    record = records().BakeRecord(
        bake_id="some id",
        first=1.5,
        last=250.0,
        channels=("location", "rotation_quaternion"),
        made=False,
        kept=kept,
        kept_slot=12345,
        muted_drivers=(("location", 2), ("rotation_euler", 0)),
        muted_strips=("Walk", "A [strange] name"),
    )
    records().write_record(action, record)
    assert records().our_record(action) == record
    assert kept.users == 1
    records().erase_record(action)
    assert records().our_record(action) is None
    assert kept.users == 0


@pytest.mark.parametrize("stored", [None, 1, "bake", {}, {"id": "one"}, {"id": 1, "range": [1.0], "channels": ["x"]}])
def test_anything_but_a_record_is_none(stored) -> None:
    action = bpy.data.actions.new("Action")
    if stored is not None:
        action["steering_bake"] = stored
    assert records().our_record(action) is None
    assert records().our_record(None) is None


def test_a_kept_action_that_was_deleted_is_none() -> None:
    action, kept = bpy.data.actions.new("Baked"), bpy.data.actions.new("Kept")
    records().write_record(action, records().BakeRecord("one", 1.0, 2.0, ("location",), True, kept=kept))
    bpy.data.actions.remove(kept)
    assert records().our_record(action).kept is None


@pytest.mark.parametrize(
    "changes",
    [{"channels": ("rotation_euler",)}, {"first": 12.0}, {"last": 19.0}, {"first": 30.0, "last": 40.0}],
    ids=["another channel", "later", "shorter", "elsewhere"],
)
def test_generated_keys_not_in_the_record_are_the_animators(ship, changes) -> None:
    baked(ship, **changes)
    assert whats(ship)[0].startswith("keys on location")


def test_keys_of_another_type_are_the_animators_even_on_recorded_channels(ship) -> None:
    baked(ship)
    set_type(ship, "KEYFRAME")
    assert not ownership.is_baked(ship)
    assert whats(ship) == ["keys on location (frames 10 to 20)"]


def test_an_action_without_a_slot_is_not_a_bake(ship) -> None:
    baked(ship)
    if SLOTTED:
        ship.animation_data.action_slot = None
    else:
        ship.animation_data.action = None
    assert not ownership.is_baked(ship)


def test_an_action_holds_only_ours_until_anything_is_added() -> None:
    def add_a_key(ob) -> None:
        insert(ob, "scale", 12)

    def add_a_marker(ob) -> None:
        ob.animation_data.action.pose_markers.new("here")

    def add_a_property(ob) -> None:
        ob.animation_data.action["note"] = "mine"

    def add_an_empty_curve(ob) -> None:
        animation_data.channelbag(ob).fcurves.new("scale").modifiers.new("NOISE")

    for number, add in enumerate((add_a_key, add_a_marker, add_a_property, add_an_empty_curve)):
        ob = baked(new_object(f"Ship {number}"))
        action = ob.animation_data.action
        assert ownership.holds_only_ours(action, records().our_record(action))
        add(ob)
        assert not ownership.holds_only_ours(action, records().our_record(action))


@pytest.mark.skipif(not SLOTTED, reason="Slots exist from 4.4 on.")
def test_keys_of_another_slot_are_not_only_ours(ship) -> None:
    baked(ship)
    action = ship.animation_data.action
    other = new_object("Other")
    other.animation_data_create().action = action
    other.animation_data.action_slot = action.slots.new("OBJECT", "Other")
    insert(other, "scale", 12)
    assert not ownership.holds_only_ours(action, records().our_record(action))


@pytest.mark.parametrize("path", TRANSFORMS)
@pytest.mark.parametrize(("frame", "result"), [(9, False), (10, True), (14.5, True), (20, True), (21, False)])
def test_keys_block_a_bake_on_its_frames(ship, path, frame, result) -> None:
    insert(ship, path, frame)
    assert whats(ship) == ([f"keys on {path} (frame {frame:g})"] if result else [])


@pytest.mark.parametrize("path", ["scale", "delta_location", "delta_rotation_euler", "hide_viewport", '["speed"]'])
def test_other_channels_never_block_a_bake(ship, path) -> None:
    ship["speed"] = 1.0
    insert(ship, path, 15)
    driver = ship.driver_add(path, 0) if "scale" in path or "delta" in path else ship.driver_add(path)
    for curve in driver if isinstance(driver, list) else [driver]:
        curve.driver.expression = "1"
    assert whats(ship) == []


def test_drivers_block_a_bake_unless_muted(ship) -> None:
    curves = ship.driver_add("location")
    assert whats(ship) == ["a driver on location"]
    for curve in curves:
        curve.mute = True
    assert whats(ship) == []


@pytest.mark.parametrize(
    ("start", "path", "result"),
    [
        (1, "location", True),
        (20, "location", True),
        (21, "location", False),
        (-15, "location", False),
        (1, "scale", False),
    ],
)
def test_nla_strips_that_move_the_object_on_these_frames_block_a_bake(ship, start, path, result) -> None:
    put_into_strip(ship, path, start)
    assert whats(ship) == (["the NLA strip Walk"] if result else [])


def put_into_strip(ob, path: str = "location", start: int = 1):
    insert(ob, path, 1, 12)
    strip = ob.animation_data.nla_tracks.new().strips.new("Walk", start, ob.animation_data.action)
    ob.animation_data.action = None
    return strip


def test_muted_strips_and_tracks_and_a_disabled_stack_do_not_block_a_bake(ship) -> None:
    strip = put_into_strip(ship)
    strip.mute = True
    assert whats(ship) == []
    strip.mute, ship.animation_data.nla_tracks[0].mute = False, True
    assert whats(ship) == []
    ship.animation_data.nla_tracks[0].mute, ship.animation_data.use_nla = False, False
    assert whats(ship) == []


def test_everything_that_blocks_a_bake_is_named_in_one_sentence(ship) -> None:
    insert(ship, "location", 11, 12)
    ship.driver_add("rotation_euler", 2)
    expected = (
        "Ship has keys on location (frames 11 to 12) and a driver on rotation_euler of its own. "
        "Move or remove them, or turn on Replace Own Keys."
    )
    with pytest.raises(ValueError, match=r"^Ship has") as refusal:
        ownership.check_free(ship, FIRST, LAST)
    assert str(refusal.value) == expected
    ownership.check_free(ship, FIRST, LAST, replace=True)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda curve: curve.convert_to_samples(0, 8), "a sampled curve on location"),
        (lambda curve: curve.modifiers.new("NOISE"), "a curve modifier on location"),
        (lambda curve: setattr(curve, "mute", True), "a muted curve on location"),
    ],
    ids=["sampled", "modifier", "muted"],
)
def test_a_curve_that_would_spoil_a_bake_blocks_it_even_without_keys(ship, spoil, what) -> None:
    insert(ship, "location", 1, 5)
    spoil(animation_data.channelbag(ship).fcurves[0])
    assert whats(ship) == [what]
