"""Animation as hand work leaves it: keys, muted curves, modifiers, drivers, NLA, shared actions."""

import contextlib
from random import Random

import bpy

from tests.blender.animated import SLOTTED, bags

PATHS = (
    *("location", "location", "rotation_euler", "rotation_quaternion", "scale", "hide_viewport", "hide_render"),
    *("delta_location", "delta_rotation_euler", '["number"]', "color"),
)
VECTORS = ("location", "scale", "rotation_euler", "delta_location")
MODIFIERS = ("CYCLES", "NOISE", "GENERATOR", "LIMITS")
INTERPOLATIONS = ("CONSTANT", "LINEAR", "BEZIER", "ELASTIC")
HANDLES = ("FREE", "AUTO", "AUTO_CLAMPED", "VECTOR", "ALIGNED")
KINDS = ("GENERATED", "KEYFRAME", "BREAKDOWN")
DRIVEN = (
    *(("location", 0), ("location", 2), ("scale", 1), ("delta_location", 1), ("hide_viewport", -1)),
    *(("rotation_euler", 2), ("steering.active", -1), ("steering.speed_factor", -1)),
    *(("steering.vehicle.max_speed", -1), ("steering.wander.weight", -1), ("steering.vehicle.radius", -1)),
)
EXPRESSIONS = ("frame * 0.1", "1 / 0", "missing", "float('nan')", "sin(frame)", "1e30", "-5", "var")
SHARED = ("OBJECT", "UNSPECIFIED")
"""The types of slots that an object can play."""
SOURCES = ("location.x", '["steering_phase"]', '["steering_speed"]', "missing", "steering.speed_factor")


def animate(ob: bpy.types.Object, chance: Random, oddness: float) -> None:
    """Give an object keys, and sometimes what else hand work leaves on an action."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        _insert(ob, chance.choice(PATHS), chance)
    action = ob.animation_data.action if ob.animation_data else None
    if action is None:
        return
    for bag in bags(action):
        for curve in bag.fcurves:
            _work_on(curve, chance, 0.1 * oddness)
    if chance.random() < 0.15 * oddness:
        action.use_fake_user = True
    if chance.random() < 0.1 * oddness:
        action.pose_markers.new("Marker").frame = 3
    if chance.random() < 0.1 * oddness:
        action["note"] = {"x": 1}
    if chance.random() < 0.2 * oddness:
        _share(action, ob, chance)
    if chance.random() < 0.2 * oddness:
        _push_down(ob, chance)


def _insert(ob: bpy.types.Object, path: str, chance: Random) -> None:
    scene = bpy.context.scene
    if path in {driver.data_path for driver in (ob.animation_data.drivers if ob.animation_data else ())}:
        # With keys and a driver on one channel, it is left to chance which of them Blender shows.
        return
    if path == '["number"]':
        ob["number"] = 1.0
    for _ in range(chance.randint(1, 3)):
        within = chance.randint(scene.frame_start, scene.frame_end)
        before, after = scene.frame_start - chance.randint(1, 30), scene.frame_end + chance.randint(1, 30)
        frame = chance.choice((within, before, after))
        if path in VECTORS:
            setattr(ob, path, [chance.uniform(-5.0, 5.0) for _ in range(3)])
        # A curve with some modifiers takes no keys.
        with contextlib.suppress(RuntimeError):
            ob.keyframe_insert(path, frame=frame)


def _work_on(curve: bpy.types.FCurve, chance: Random, share: float) -> None:
    """Change a curve; each kind of change is made with this probability."""
    if chance.random() < share:
        curve.lock = True
    if chance.random() < share:
        curve.mute = True
    if chance.random() < share:
        curve.modifiers.new(chance.choice(MODIFIERS))
    if chance.random() < share:
        curve.extrapolation = "LINEAR"
    for name, choices in (("type", KINDS), ("interpolation", INTERPOLATIONS), ("handle_left_type", HANDLES)):
        if chance.random() < share:
            for point in curve.keyframe_points:
                setattr(point, name, chance.choice(choices))


def _share(action: bpy.types.Action, owner: bpy.types.Object, chance: Random) -> None:
    """Let another object play the same action."""
    # Blender crashes where an armature without a pose, as in an excluded collection, gets another action, as
    # docs/blender_traps.md shows.
    poseless = [ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE" and ob.pose is None]
    others = [ob for ob in bpy.context.scene.objects if ob not in (owner, *poseless) and ob.library is None]
    if others:
        animation = chance.choice(others).animation_data_create()
        animation.action = action
        # An action of shape keys has slots that fit no object.
        slots = [slot for slot in action.slots if slot.target_id_type in SHARED] if SLOTTED else []
        if slots:
            animation.action_slot = slots[0]


def _push_down(ob: bpy.types.Object, chance: Random) -> None:
    """Put the action of an object into an NLA strip."""
    animation, scene = ob.animation_data, bpy.context.scene
    track = animation.nla_tracks.new()
    start = chance.choice((scene.frame_start - 40, scene.frame_start, scene.frame_end + 50))
    strip = track.strips.new("Strip", start, animation.action)
    track.mute, strip.mute = chance.random() < 0.3, chance.random() < 0.2
    if chance.random() < 0.5:
        animation.action = None
    if chance.random() < 0.1:
        track.is_solo = True
    if chance.random() < 0.1:
        animation.action_influence = 0.5
    if chance.random() < 0.1:
        animation.use_nla = False


def drive(ob: bpy.types.Object, chance: Random) -> None:
    """Add a driver, which may be broken, to a channel or a setting."""
    path, index = chance.choice(DRIVEN)
    if path.startswith("steering") and not ob.is_property_set("steering"):
        return
    action = ob.animation_data.action if ob.animation_data else None
    if action is not None and path in {curve.data_path for bag in bags(action) for curve in bag.fcurves}:
        return
    curve = ob.driver_add(path, index) if index >= 0 else ob.driver_add(path)
    if chance.random() < 0.5:
        variable = curve.driver.variables.new()
        variable.name = "var"
        variable.targets[0].id = chance.choice(list(bpy.context.scene.objects))
        variable.targets[0].data_path = chance.choice(SOURCES)
    curve.driver.expression = chance.choice(EXPRESSIONS)
    curve.mute = chance.random() < 0.15
