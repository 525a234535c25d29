"""Keys in bulk: baked keys are written fast, the animator's are kept with all their properties."""

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.blender.building import part
from tests.sampling import in_every_blender

keyframes = part("blender.animation.keyframes")
animation_data = part("blender.animation.animation_data")

pytestmark = in_every_blender

FRAMES = np.arange(5.0, 15.0)


@pytest.fixture
def bag():
    return new_bag()


def new_bag(name: str = "Ship"):
    ob = bpy.data.objects.new(name, None)
    return animation_data.channelbag_in(*animation_data.new_action(name, ob), ensure=True)


def hand_made_curve(bag):
    """A curve with keys of all kinds, from long before the bake to long after it."""
    curve = bag.fcurves.new("location", index=0)
    for frame in (-20, -3, 2, 4, 7, 11, 16, 30, 44):
        curve.keyframe_points.insert(frame, frame * 0.1, options={"FAST"})
    points = curve.keyframe_points
    for point, interpolation in zip(points, ("BEZIER", "CONSTANT", "ELASTIC", "BACK", "SINE", "LINEAR", "BOUNCE")):
        point.interpolation = interpolation
    for point, kind in zip(points, ("KEYFRAME", "EXTREME", "BREAKDOWN", "JITTER", "MOVING_HOLD", "GENERATED")):
        point.type = kind
    for point, kind in zip(points, ("FREE", "ALIGNED", "VECTOR", "AUTO", "AUTO_CLAMPED", "FREE", "FREE", "ALIGNED")):
        point.handle_left_type = point.handle_right_type = kind
    points[0].handle_left, points[0].handle_right = (-25.0, 3.0), (-10.0, -4.0)
    points[2].amplitude, points[2].period, points[3].back, points[2].easing = 1.5, 6.0, 2.5, "EASE_IN_OUT"
    points[7].select_control_point = points[8].select_left_handle = False
    curve.update()
    return curve


def add_modifiers(curve) -> None:
    curve.modifiers.new("CYCLES").mode_after = "REPEAT_OFFSET"
    noise = curve.modifiers.new("NOISE")
    noise.strength, noise.use_restricted_range, noise.frame_start, noise.frame_end = 0.3, True, 2.0, 40.0
    noise.use_influence, noise.influence, noise.blend_in, noise.mute = True, 0.5, 3.0, True
    generator = curve.modifiers.new("GENERATOR")
    generator.poly_order, generator.use_additive = 3, True
    generator.coefficients = (0.1, 0.2, 0.3, 0.4)
    envelope = curve.modifiers.new("ENVELOPE")
    envelope.reference_value = 0.25
    for frame in (1.0, 20.0):
        envelope.control_points.add(frame)
    envelope.control_points.foreach_set("min", [-1.0, -20.0])
    envelope.control_points.foreach_set("max", [1.0, 20.0])
    limits = curve.modifiers.new("LIMITS")
    limits.use_max_y, limits.max_y = True, 9.0
    stepped = curve.modifiers.new("STEPPED")
    stepped.frame_step, stepped.use_frame_start, stepped.frame_start = 3.0, True, 4.0
    curve.modifiers.new("FNGENERATOR").function_type = "TAN"


def dump(curve) -> dict:
    """All of a curve that its type has properties for, but which modifier is selected."""
    return {
        "settings": rna(curve),
        "keys": [rna(point) for point in curve.keyframe_points],
        "samples": [rna(point) for point in curve.sampled_points],
        "modifiers": [
            {**rna(m), "points": [rna(p) for p in getattr(m, "control_points", ())]} for m in curve.modifiers
        ],
        "group": curve.group.name if curve.group else None,
    }


def rna(thing) -> dict:
    plain = {}
    for setting in thing.bl_rna.properties:
        value = getattr(thing, setting.identifier)
        if setting.type not in ("POINTER", "COLLECTION") and setting.identifier != "active":
            plain[setting.identifier] = tuple(value) if getattr(setting, "is_array", False) else value
    return plain


def test_baked_keys_run_straight_and_are_generated(bag) -> None:
    values = np.sin(FRAMES)
    curve = keyframes.BakedKeys(FRAMES).new_curve(bag, "location", 2, values)
    assert (curve.data_path, curve.array_index) == ("location", 2)
    assert [tuple(point.co) for point in curve.keyframe_points] == list(zip(FRAMES, values.astype(np.float32)))
    assert {(point.interpolation, point.type) for point in curve.keyframe_points} == {("LINEAR", "GENERATED")}
    assert curve.evaluate(7.25) == pytest.approx(0.75 * values[2] + 0.25 * values[3], abs=1e-6)


@pytest.mark.parametrize("frames", [FRAMES, [-2.0, -1.0, 0.0, 1.0], [0.0, 1.0], np.arange(99990.0, 100010.0)])
def test_a_copied_curve_given_other_values_is_as_one_made_with_them(frames) -> None:
    baked, columns = keyframes.BakedKeys(np.array(frames)), np.cos(np.arange(2.0 * len(frames))).reshape(2, -1)
    made, blank = new_bag(), animation_data.new_action("Blank", bpy.data.objects.new("Ship", None))
    among = animation_data.channelbag_in(*blank, ensure=True)
    for index, values in enumerate(columns):
        baked.new_curve(made, "location", index, values)
        baked.new_curve(among, "location", index, np.zeros(len(frames)))
    baked.sample(among)
    copied = animation_data.channelbag_in(*animation_data.copy_action(*blank, whole=True))
    baked.set_values(copied, columns)
    assert [dump(curve) for curve in copied.fcurves] == [dump(curve) for curve in made.fcurves]


def test_handles_of_the_animator_stay_where_blender_would_move_them(bag) -> None:
    """Blender does so on frames whose fractions a number of 32 bits can hardly hold."""
    curve = bag.fcurves.new("location", index=1)
    for frame, value in ((999990, -2.4396998), (1000002, 1.1069449), (1000021, 1.8918954)):
        curve.keyframe_points.insert(frame, value)
    points = curve.keyframe_points
    points[1].handle_left_type = "FREE"
    points[1].handle_left = 999998.0, 0.6111804
    keys = keyframes.read_keys(curve)
    keyframes.write_keys(curve, keys)
    keyframes.compute_handles(curve, keys)
    assert tuple(points[1].handle_left) == pytest.approx((999998.0, 0.6111804), abs=1e-6)


def test_handles_aligned_with_automatic_ones_come_back_when_baked_keys_go(bag) -> None:
    """Blender turns them with what the baked keys next to them make automatic, but not back."""
    curve = bag.fcurves.new("rotation_euler", index=1)
    for frame, value in ((-22.0, -3.9), (-20.0, 3.4), (33.0, 4.8)):
        curve.keyframe_points.insert(frame, value)
    first, second, _ = curve.keyframe_points
    first.interpolation, first.handle_left_type, second.handle_left_type = "ELASTIC", "AUTO", "ALIGNED"
    for _ in range(20):
        curve.update()
    before, noted = dump(curve), keyframes.unsettled_handles(curve)
    for _ in range(2):
        keyframes.BakedKeys(FRAMES).add_to_curve(curve, np.full(len(FRAMES), 3.4))
        keys = keyframes.read_keys(curve)
        keys = keys.take(~keys.within(FRAMES[0], FRAMES[-1]))
        keyframes.write_keys(curve, keys)
        keyframes.compute_handles(curve, keys)
        keyframes.put_handles_back(curve, noted)
        assert dump(curve) == before


def test_handles_follow_baked_keys_so_that_they_can_be_eased(bag) -> None:
    curve = keyframes.BakedKeys(FRAMES).new_curve(bag, "location", 0, FRAMES * 2.0)
    for point in curve.keyframe_points:
        point.interpolation = "BEZIER"
    assert curve.evaluate(7.5) == pytest.approx(15.0, abs=0.1)


@pytest.mark.parametrize("frames", [[3.0], [1.0, 2.5, 2.75], [-10.0, 100000.0]])
def test_any_rising_frames_can_be_baked(bag, frames) -> None:
    curve = keyframes.BakedKeys(np.array(frames)).new_curve(bag, "location", 0, np.arange(len(frames)))
    assert [point.co[0] for point in curve.keyframe_points] == frames


def test_keys_outside_the_range_survive_with_all_their_properties(bag) -> None:
    curve = hand_made_curve(bag)
    apart = (-20, -3, 30, 44)  # Not next to a baked key: their automatic handles keep their neighbors.
    before = {point.co[0]: rna(point) for point in curve.keyframe_points}
    keys = keyframes.read_keys(curve)
    keyframes.write_keys(curve, keys.take(~keys.within(5, 14)))
    keyframes.BakedKeys(FRAMES).add_to_curve(curve, FRAMES * 3.0)
    after = {point.co[0]: rna(point) for point in curve.keyframe_points}
    assert sorted(after) == [-20, -3, 2, 4, *FRAMES, 16, 30, 44]
    assert {frame: after[frame] for frame in apart} == {frame: before[frame] for frame in apart}
    for frame in (2, 4, 16):
        for name in ("co", "interpolation", "type", "easing", "back", "amplitude", "period", "handle_left_type"):
            assert after[frame][name] == before[frame][name]


def test_baked_keys_are_the_same_in_a_new_curve_and_among_others() -> None:
    baked, values = keyframes.BakedKeys(FRAMES), np.sin(FRAMES)
    alone = baked.new_curve(new_bag(), "location", 0, values)
    among = new_bag().fcurves.new("location", index=0)
    baked.add_to_curve(among, values)
    assert {**dump(among), "keys": None} == {**dump(alone), "keys": None}
    straight = [{k: v for k, v in rna(point).items() if not k.startswith("handle")} for point in alone.keyframe_points]
    assert [{k: rna(point)[k] for k in straight[0]} for point in among.keyframe_points] == straight
    alone.update()
    assert dump(among) == dump(alone)


def test_baked_curves_are_smoothed_as_the_animator_s_own_once_they_are_eased(bag) -> None:
    settings = bag.fcurves.new("scale", index=0)
    settings.auto_smoothing = "NONE"
    baked = keyframes.BakedKeys(FRAMES).new_curve(bag, "location", 0, np.sin(FRAMES))
    assert settings.auto_smoothing == "NONE"
    assert baked.auto_smoothing == bag.fcurves.new("scale", index=1).auto_smoothing != "NONE"


def test_a_baked_key_replaces_a_key_on_its_frame(bag) -> None:
    curve = hand_made_curve(bag)
    keyframes.BakedKeys(FRAMES).add_to_curve(curve, FRAMES * 3.0)
    assert len({point.co[0] for point in curve.keyframe_points}) == len(curve.keyframe_points)
    assert curve.evaluate(7.0) == 21.0


def test_keys_written_as_read_are_the_same(bag) -> None:
    curve = hand_made_curve(bag)
    before = dump(curve)
    keyframes.write_keys(curve, keyframes.read_keys(curve))
    assert dump(curve) == before
    curve.update()
    assert dump(curve) == before


def test_a_copied_curve_is_the_same_to_the_last_setting(bag) -> None:
    curve = hand_made_curve(bag)
    add_modifiers(curve)
    curve.group = bag.groups.new("Mine")
    curve.extrapolation, curve.auto_smoothing, curve.mute, curve.lock = "LINEAR", "NONE", True, True
    curve.color_mode, curve.color = "CUSTOM", (0.1, 0.5, 0.9)
    copy = keyframes.copy_curve(curve, new_bag())
    assert dump(copy) == dump(curve)
    assert keyframes.same_curve(copy, curve)


def test_a_copied_sampled_curve_stays_sampled(bag) -> None:
    curve = hand_made_curve(bag)
    curve.convert_to_samples(-5, 20)
    copy = keyframes.copy_curve(curve, new_bag())
    assert len(copy.sampled_points) > 0
    assert dump(copy) == dump(curve)


def first(curve):
    return curve.keyframe_points[0]


EDITS: dict[str, Callable] = {
    "a value": lambda curve: setattr(first(curve).co, "y", 7.0),
    "a handle": lambda curve: setattr(first(curve).handle_left, "y", 7.0),
    "an interpolation": lambda curve: setattr(first(curve), "interpolation", "CONSTANT"),
    "the extrapolation": lambda curve: setattr(curve, "extrapolation", "LINEAR"),
    "a modifier": lambda curve: setattr(curve.modifiers[1], "strength", 7.0),
    "a key that is removed": lambda curve: curve.keyframe_points.remove(first(curve)),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_curve_is_not_the_same(bag, edit) -> None:
    curve = hand_made_curve(bag)
    add_modifiers(curve)
    copy = keyframes.copy_curve(curve, new_bag())
    edit(copy)
    assert not keyframes.same_curve(copy, curve)


def test_selecting_and_hiding_are_not_edits(bag) -> None:
    curve = hand_made_curve(bag)
    copy = keyframes.copy_curve(curve, new_bag())
    copy.hide = copy.select = not copy.select
    copy.keyframe_points[0].select_control_point = not copy.keyframe_points[0].select_control_point
    assert keyframes.same_curve(copy, curve)


@given(settings=st.sets(st.integers(-30, 30), max_size=12), others=st.sets(st.integers(-30, 30), max_size=12))
def test_joining_keeps_all_keys_once_and_in_order(settings, others) -> None:
    def keys_on(frames: set[int], value: float):
        columns = {
            name: np.full((len(frames), width), value, kind) for name, (width, kind) in keyframes.KEY_COLUMNS.items()
        }
        columns["co"][:, 0] = sorted(frames)
        return keyframes.Keys(columns)

    joined = keys_on(settings, 1.0).join(keys_on(others, 0.0))
    assert joined.frames.tolist() == sorted(settings | others)
    assert {frame for frame, value in joined.columns["co"] if value == 1.0} == settings


def test_evaluating_a_curve_counts_modifiers_and_extrapolation(bag) -> None:
    curve = bag.fcurves.new("location", index=0)
    curve.keyframe_points.insert(1, 0.0).interpolation = "LINEAR"
    curve.keyframe_points.insert(11, 10.0)
    curve.modifiers.new("CYCLES")
    assert np.allclose(animation_data.evaluate(curve, [1, 3.5, 13.5]), [0.0, 2.5, 2.5])
