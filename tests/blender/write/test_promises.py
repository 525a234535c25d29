"""Whatever moves vehicles and whatever is around them: baking twice is baking once, and clearing brings all back."""

import random
from collections.abc import Callable
from itertools import product

import bpy
import pytest

from tests.blender.animated import curves, drive, is_baked, strip_of_own_action
from tests.blender.building import empty, frames, part, path_curve, sphere, wedge
from tests.blender.dumping import assert_same, scene_dump, without_bake_ids
from tests.blender.steered import bake, clear_bake, crowd, leader, obstacle, vehicle
from tests.sampling import sampled

FIRST, LAST = 1, 9
LATE = 1_000_000
KEYS = ("WHERE_NEEDED", "EVERY_FRAME")
MODES = ("XYZ", "QUATERNION", "AXIS_ANGLE", "ZYX")


def key(ob, first: int, *offsets: int, path: str = "location") -> None:
    """Keys on frames counted from the first, eased as an animator's are, each at another place."""
    chance = random.Random(ob.name)
    stood = tuple(getattr(ob, path))
    for offset in offsets:
        setattr(ob, path, [value + chance.uniform(-3.0, 3.0) for value in stood])
        ob.keyframe_insert(path, frame=first + offset)
    setattr(ob, path, stood)


def keyed(*offsets: int, path: str = "location") -> Callable:
    return lambda ob, first: key(ob, first, *offsets, path=path)


def muted_keys(ob, first: int) -> None:
    key(ob, first, 2, 6)
    mute(ob)


def muted_keys_around(ob, first: int) -> None:
    key(ob, first, -20, -10, 4, 30)
    mute(ob)


def cycles(ob, first: int) -> None:
    key(ob, first, -20, -10, 4)
    for curve in curves(ob):
        curve.modifiers.new("CYCLES")


def noise(ob, first: int) -> None:
    key(ob, first, -20, -10, 30)
    for curve in curves(ob):
        curve.modifiers.new("NOISE").scale = 3.0


def straight_on(ob, first: int) -> None:
    key(ob, first, -20, -10)
    for curve in curves(ob):
        curve.extrapolation = "LINEAR"


def stale_handles(ob, first: int) -> None:
    """Automatic handles that Blender would compute otherwise."""
    key(ob, first, -20, -10, 30)
    for curve in curves(ob):
        curve.keyframe_points.foreach_set("handle_left", [value - 1.5 for k in curve.keyframe_points for value in k.co])


def aligned_handles(ob, first: int) -> None:
    """Handles that are aligned with automatic ones, which Blender would compute otherwise."""
    key(ob, first, -20, -10, 30)
    for curve in curves(ob):
        for point in curve.keyframe_points:
            point.handle_left_type = "ALIGNED"
        curve.keyframe_points.foreach_set("handle_left", [value - 1.5 for k in curve.keyframe_points for value in k.co])


def free_handles(ob, first: int) -> None:
    key(ob, first, -20, -10, 30)
    for curve in curves(ob):
        for point in curve.keyframe_points:
            point.handle_left_type = point.handle_right_type = "FREE"
            point.handle_right[1] += 2.0


def driven(ob, first: int):
    return drive(ob, "location", "3.0 + 0.1 * frame", index=2)


def a_strip(ob, first: int) -> None:
    key(ob, first, -3, 8)
    strip_of_own_action(ob)


def a_shared_action(ob, first: int) -> None:
    key(ob, first, -20, -10, 4, 30)
    other = empty(f"Other than {ob.name}")
    other.animation_data_create().action = ob.animation_data.action
    if hasattr(other.animation_data, "action_slot"):
        other.animation_data.action_slot = ob.animation_data.action_slot
    ob.animation_data.action.use_fake_user = True


def mute(ob) -> None:
    for curve in curves(ob):
        curve.mute = True


ANIMATIONS: dict[str, Callable] = {
    "nothing": lambda ob, first: None,
    "a lone key": keyed(-28),
    "keys before": keyed(-20, -10),
    "keys around": keyed(-20, -10, 30),
    "turns around": keyed(-20, -10, 30, path="rotation_euler"),
    "keys within": keyed(-20, -10, 4, 30),
    "keys at the ends": keyed(-5, 0, LAST - FIRST, 40),
    "muted keys": muted_keys,
    "muted keys around": muted_keys_around,
    "cycles": cycles,
    "noise": noise,
    "straight on": straight_on,
    "stale handles": stale_handles,
    "aligned handles": aligned_handles,
    "free handles": free_handles,
    "scale": keyed(-4, 6, 20, path="scale"),
    "a driver": driven,
    "a muted driver": lambda ob, first: setattr(driven(ob, first), "mute", True),
    "a strip": a_strip,
    "a shared action": a_shared_action,
}


def alone(ships: list) -> None:
    pass


def obstacles_themselves(ships: list) -> None:
    for ship in ships[:2]:
        obstacle(ship)
        ship.steering.obstacle_shape = "BOX"


def burdens(ships: list) -> None:
    """An obstacle and a leader on vehicles."""
    horn = sphere("Horn", (0.2, 1.0, 0.5), radius=0.4, rotation=(0.3, 0.1, 0.2))
    horn.parent = ships[0]
    obstacle(horn)
    flag = empty("Flag", (0.0, 0.0, 2.0))
    flag.parent = ships[1]
    leader(flag)


def a_skewed_parent(ships: list) -> None:
    parent = empty("Parent", (1.0, 2.0, 3.0), rotation=(0.3, 0.5, 1.0), scale=(1.0, 3.0, 0.5))
    for ship in ships:
        ship.parent = parent
    bpy.context.view_layer.update()
    obstacles_themselves(ships)
    burdens(ships)


def a_corner_of_a_mesh(ships: list) -> None:
    parent = wedge("Parent", (1.0, 2.0, 3.0), rotation=(0.3, 0.5, 1.0))
    for ship in ships:
        ship.parent, ship.parent_type, ship.parent_vertices = parent, "VERTEX", (1, 0, 0)


def a_corner_with_a_view_of_another_vehicle(ships: list) -> None:
    a_corner_of_a_mesh(ships[:1])
    ships[0].constraints.new("TRACK_TO").target = ships[1]


def a_followed_curve(ships: list) -> None:
    parent = path_curve("Rail", rotation=(0.3, 0.5, 1.0))
    parent.data.use_path = True
    for ship in ships:
        ship.parent = parent


SURROUNDINGS = (
    *(obstacles_themselves, burdens, a_skewed_parent, a_corner_of_a_mesh, a_followed_curve),
    a_corner_with_a_view_of_another_vehicle,
)


def build(animate: str, surround: Callable, first: int, mode: str) -> list:
    """Two vehicles that get in each other's way."""
    chance = random.Random(5)
    frames(first, first + LAST - FIRST)
    flock = crowd("Flock", obstacle_avoidance={}, separation={}, leader_following={}, wander={})
    flock.steering.portrayal.use = animate != "nothing"
    ships = []
    for number in range(2):
        place, turn = ([chance.uniform(-most, most) for _ in range(3)] for most in (4.0, 3.0))
        ship = wedge(f"Ship {number}", place, rotation=turn)
        ship.rotation_mode = mode
        ships.append(vehicle(ship, crowd=flock, identity=100 + number))
    surround(ships)
    for ship in ships:
        ANIMATIONS[animate](ship, first)
    return ships


def settled(ships: list) -> dict:
    """The whole file as the current frame shows it, but for the stored starts."""
    scene = bpy.context.scene
    scene.frame_set(scene.frame_current)
    dump = without_bake_ids(scene_dump())
    for ship in ships:
        dump["objects"][ship.name]["steering"].pop("start", None)
    return dump


def assert_kept(ships: list, first: int, number: int = 0) -> None:
    """The promise; of the two kinds of keys, one is baked again at once, or after the other, by the number."""
    bpy.context.scene.frame_set(first + 7)
    bpy.context.scene.steering.keying = KEYS[-1]
    before, once = settled(ships), {}
    for kind in (*KEYS, KEYS[number % 2]):
        bpy.context.scene.steering.keying = kind
        bake(replace_own_keys=True)
        assert all(map(is_baked, ships))
        assert_same(once.setdefault(kind, settled(ships)), settled(ships))
    clear_bake()
    bpy.context.scene.steering.keying = KEYS[-1]
    assert_same(before, settled(ships))


@sampled(one_of=6)
@pytest.mark.parametrize("animate", ANIMATIONS)
def test_baking_twice_is_baking_once_and_clearing_brings_all_back(animate) -> None:
    number = list(ANIMATIONS).index(animate)
    assert_kept(build(animate, alone, FIRST, MODES[number % len(MODES)]), FIRST, number)


@sampled(one_of=6)
@pytest.mark.parametrize(
    ("animate", "surround"),
    list(product(("nothing", "keys around", "scale", "a driver"), SURROUNDINGS)),
    ids=lambda value: getattr(value, "__name__", value),
)
def test_it_is_so_whatever_is_around_the_vehicles(animate, surround) -> None:
    number = SURROUNDINGS.index(surround)
    assert_kept(build(animate, surround, FIRST, MODES[number % len(MODES)]), FIRST, number)


@sampled
@pytest.mark.parametrize("animate", ["keys around", "keys at the ends", "a strip"])
def test_it_is_so_on_late_frames(animate) -> None:
    assert_kept(build(animate, alone, LATE, "XYZ"), LATE)


def test_a_plan_adds_no_datablock_even_for_a_moment_if_asked_to() -> None:
    """Else Blender would update the scene each time that the overlay is drawn, which would draw it again."""
    build("keys within", alone, FIRST, "XYZ")
    bake(replace_own_keys=True)

    def next_uid() -> int:
        action = bpy.data.actions.new("Latest")
        uid = action.session_uid
        bpy.data.actions.remove(action)
        return uid

    last = next_uid()
    part("blender.read.plan").plan_reading(bpy.context.scene, replace_own_keys=True, adds_nothing=True)
    assert next_uid() == last + 1
