"""A hundred random crowds: each plays as simulated, and nothing outside the bake changes."""

import math
import random

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    assert_same,
    bags,
    bake,
    clear_bake,
    crowd,
    curves,
    drive,
    empty,
    flight,
    insert,
    is_baked,
    leader,
    link,
    obstacle,
    part,
    path_curve,
    put,
    road,
    scene_dump,
    select,
    sphere,
    strip_of_own_action,
    tag,
    wedge,
    without_run_records,
)
from tests.sampling import sampled

SCENES = 52
LARGEST = 300
MODES = ("XYZ", "XYZ", "QUATERNION", "AXIS_ANGLE", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
AXES = (("POS_Y", "POS_Z"), ("POS_Y", "POS_Z"), ("NEG_Y", "POS_Z"), ("POS_X", "POS_Z"), ("NEG_Z", "POS_X"))
KEPT = ("rotation_mode", "scale", "delta_location", "delta_rotation_euler", "delta_scale")
OUTSIDE = ("cameras", "collections", "curves", "materials", "meshes", "scenes", "texts", "worlds")
PORTRAYED = (
    *("steering_speed", "steering_distance", "steering_phase", "steering_effort", "steering_folded"),
    *(output.name for kind in part("locomotion").CATALOGUE for output in kind.outputs),
)


def sizes_of(seed: int) -> list[int]:
    """How many vehicles each crowd of a scene has: a few mostly, and up to three hundred now and then."""
    if seed == 40:
        return [LARGEST]
    if seed % 12 == 8:
        return [60 + seed, 5]
    chance = random.Random(seed)
    return [chance.choice((1, 1, 2, 3, 5, 8, 13)) for _ in range(1 + (seed % 4 + 1) // 2)]


def test_there_are_a_hundred_crowds_of_up_to_three_hundred() -> None:
    sizes = [size for seed in range(SCENES) for size in sizes_of(seed)]
    assert len(sizes) >= 100
    assert max(sizes) == LARGEST


class Scene:
    """A scene in which anything goes that a bake does not refuse.

    Attributes:
        moving: the vehicles a bake writes, and their models' front axes in their own space.
        shaken: those that do not play just as simulated, as the animator's own keys play on top of the bake.
        wings: what turns by the numbers a bake keys.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(f"scene {seed}")
        self.moving: dict[str, np.ndarray] = {}
        self.shaken: set[str] = set()
        self.wings: set[str] = set()
        self._set_frames()
        self.crowds = [self._crowd(f"Crowd {k}") for k, _ in enumerate(sizes_of(seed))]
        self.crowds[0].steering.preroll = self.preroll
        self.parents = [None, None, *self._parents()]
        self._surroundings()
        for ob, size in zip(self.crowds, sizes_of(seed)):
            self._vehicles(ob, size)
        for ob in self.crowds:
            self._behaviors(ob)
        select(*self.chance.sample(list(bpy.context.scene.objects), 3))
        frame = self.chance.choice((self.first, self.first + 2, -40, 90))
        bpy.context.scene.frame_set(frame, subframe=self.chance.choice((0.0, 0.0, 0.25)))

    @property
    def frames(self) -> range:
        return range(self.first, self.last + 1)

    def _is_so(self, share: float) -> bool:
        return self.chance.random() < share

    def _place(self, reach: float = 12.0) -> tuple[float, float, float]:
        return tuple(self.chance.uniform(-reach, reach) for _ in range(3))

    def _turn(self) -> tuple[float, float, float]:
        return tuple(self.chance.uniform(-math.pi, math.pi) for _ in range(3))

    def _set_frames(self) -> None:
        scene, chance = bpy.context.scene, self.chance
        self.first = chance.choice((-5, 1, 1, 30))
        self.last = self.first + chance.randint(0, 5)
        scene.frame_start, scene.frame_end = 1, 200
        stored = scene.steering
        stored.use_frame_range, stored.frame_start, stored.frame_end = True, self.first, self.last
        self.preroll = chance.choice((0, 0, 4))
        stored.substeps, stored.seed = chance.choice((1, 1, 3)), chance.randint(0, 9)
        scene.render.fps, scene.render.fps_base = chance.choice(((24, 1.0), (60, 1.0), (30, 1.001)))

    def _keyed(self, ob, path: str, values) -> None:
        """Keys of the animator's own from before the baked frames to after them."""
        insert(ob, path, dict(zip((self.first - 3, self.first + 2, self.last + 4), values)))

    def _parents(self) -> list:
        still = empty("Still", self._place(), rotation=self._turn(), scale=(2.0, 2.0, 2.0))
        skewed = empty("Skewed", self._place(), rotation=self._turn(), scale=(1.0, 3.0, 0.5))
        skewed.parent = still
        moving = empty("Moving")
        self._keyed(moving, "location", [self._place() for _ in range(3)])
        self._keyed(moving, "rotation_euler", [self._turn() for _ in range(3)])
        return [still, skewed, moving]

    def _crowd(self, name: str):
        ob = crowd(name)
        ob.steering.combining = self.chance.choice([way.name for way in part("simulation.combining").COMBININGS])
        self._set_somehow(ob.steering.vehicle, part("simulation.vehicle").VehicleModel)
        moves = self.chance.choice(part("locomotion").CATALOGUE)
        ob.steering.locomotion = moves.choice().name
        self._set_somehow(getattr(ob.steering, moves.name), moves)
        if self._is_so(0.3):
            self._keyed(ob, "steering.vehicle.max_speed", (2.0, 7.0, 4.0))
        if self._is_so(0.5):
            ob.steering.portrayal.use = True
            ob.steering.portrayal.phase_by = self.chance.choice(("DISTANCE", "TIME"))
            ob.steering.portrayal.effort = self.chance.random()
        if self._is_so(0.3):
            self._come_and_go(ob.steering.attendance)
        return ob

    def _come_and_go(self, stored) -> None:
        """Let a crowd enter later and leave again, and stand about to be seen and measured meanwhile."""
        stored.hide, stored.wait_for_room = False, self._is_so(0.5)
        stored.use_enter_frame, stored.enter_frame, stored.enter_span = True, self.first + self.chance.randint(-1, 3), 3
        stored.on_arrival, stored.arrival_distance = (
            self.chance.choice(("STAY", "LEAVE", "GO_ON")),
            5.0 * self.chance.random(),
        )

    def _set_somehow(self, group, declaration) -> None:
        """Set some of the parameters to something not far from usual."""
        kinds = part("simulation.declaration").Kind
        for name, parameter in declaration.parameters().items():
            if not self._is_so(0.3):
                continue
            if parameter.kind is kinds.NUMBER:
                value = parameter.default * self.chance.uniform(0.4, 2.5) or self.chance.random()
                setattr(group, name, min(max(value, parameter.least), parameter.most))
            elif parameter.kind is kinds.SWITCH:
                setattr(group, name, self._is_so(0.5))
            elif parameter.kind is kinds.CHOICE:
                setattr(group, name, self.chance.choice(parameter.choices).name)

    def _surroundings(self) -> None:
        chance = self.chance
        self.bodies, self.paths, self.regions = [None], [None], [None]
        for k in range(chance.randint(0, 3)):
            ball = sphere(f"Ball {k}", self._place(), radius=chance.uniform(0.5, 2.0), rotation=self._turn())
            obstacle(ball)
            ball.hide_viewport = self._is_so(0.2)
            if self._is_so(0.4):
                self._keyed(ball, "location", [self._place() for _ in range(3)])
        for k in range(chance.randint(0, 2)):
            ob = empty(f"Leader {k}", self._place())
            if self._is_so(0.6):
                self._keyed(ob, "location", [self._place() for _ in range(3)])
            self.bodies.append(leader(ob))
        for k in range(chance.randint(0, 2)):
            kind = chance.choice(("POLY", "BEZIER", "NURBS"))
            points = [self._place() for _ in range(4)]
            self.paths.append(road(path_curve(f"Road {k}", points, kind=kind, cyclic=self._is_so(0.3))))
        for k in range(chance.randint(0, 2)):
            points = [self._place() for _ in range(4)]
            current = tag(path_curve(f"Current {k}", points, kind="BEZIER", cyclic=self._is_so(0.3)), role="FLOW")
            if self._is_so(0.4):
                self._keyed(current, "location", [self._place() for _ in range(3)])
        for k in range(chance.randint(0, 1)):
            room = tag(empty(f"Room {k}", self._place(2.0), scale=(15.0, 9.0, 12.0)), role="REGION")
            room.steering.region_shape = chance.choice(("SPHERE", "BOX"))
            self.regions.append(room)
        bystander = wedge("Bystander", self._place())
        bystander["of the animator's"] = [1.0, 2.0]
        self._keyed(bystander, "location", [self._place() for _ in range(3)])

    def _behaviors(self, ob) -> None:
        kinds = part("simulation.declaration").Kind
        pointed = {
            kinds.BODY: self.bodies,
            kinds.PATH: self.paths,
            kinds.REGION: self.regions,
            kinds.CROWD: self.crowds,
        }
        for behavior in part("behaviors").CATALOGUE:
            if not self._is_so(0.25):
                continue
            group = getattr(ob.steering, behavior.name)
            group.use = self._is_so(0.9)
            self._set_somehow(group, behavior)
            for name, parameter in behavior.parameters().items():
                if parameter.kind in pointed and self._is_so(0.5):
                    setattr(group, name, self.chance.choice(pointed[parameter.kind]))
            if self._is_so(0.2):
                self._keyed(ob, f"steering.{behavior.name}.weight", (0.0, 2.0, 1.0))

    def _vehicles(self, ob, size: int) -> None:
        shared = wedge(f"{ob.name} Model").data
        bpy.data.objects.remove(bpy.data.objects[f"{ob.name} Model"])
        members = [link(bpy.data.objects.new(f"{ob.name} Ship {k}", shared)) for k in range(size)]
        for member in members:
            put(member, self._place(6.0), self._turn())
            member.rotation_mode = self.chance.choice(MODES)
            member.parent = self.chance.choice(self.parents)
            if self._is_so(0.3):
                member.scale = self.chance.choice(((2.0, 2.0, 2.0), (1.0, 3.0, 0.5), (-1.0, 1.0, 1.0)))
        bpy.context.view_layer.update()
        select(*members, ob)
        assert bpy.ops.steering.tag(role="VEHICLE", moves_like="UNCHANGED") == {"FINISHED"}
        for k, member in enumerate(members):
            self._make_particular(member, k)

    def _make_particular(self, ob, number: int) -> None:
        """Give a vehicle settings and animation of its own, on channels and frames that a bake leaves alone."""
        stored, chance = ob.steering, self.chance
        stored.forward_axis, stored.up_axis = chance.choice(AXES)
        stored.start_speed = chance.random()
        stored.size_factor, stored.speed_factor = chance.uniform(0.5, 2.0), chance.uniform(0.5, 2.0)
        if self._is_so(0.2):
            moves = chance.choice(part("locomotion").CATALOGUE)
            stored.own_locomotion = moves.choice().name
            self._set_somehow(getattr(stored, moves.name), moves)
        stored.active = self._is_so(0.95)
        axes = part("blender.read.local_space").AXIS_NAMES
        front = part("blender.read.local_space").model_axes(axes[stored.forward_axis], axes[stored.up_axis])[:, 1]
        if number and self._is_so(0.05):
            stored.locked = True
        else:
            self.moving[ob.name] = front
        for share, change in (
            (0.08, self._own_scale),
            (0.04, self._own_correction),
            (0.04, self._own_keys_later),
            (0.04, self._own_strip),
            (0.04, self._own_settings),
            (0.04, self._own_driver),
            (0.04, self._own_properties),
            (0.04, self._wing),
            (0.03, self._shared_action),
        ):
            if self._is_so(share):
                change(ob)

    def _own_scale(self, ob) -> None:
        self._keyed(ob, "scale", ((1.0, 1.0, 1.0), (2.0, 1.0, 1.0), (1.0, 1.0, 3.0)))

    def _own_correction(self, ob) -> None:
        self._keyed(ob, "delta_location", [self._place(0.5) for _ in range(3)])
        self.shaken.add(ob.name)

    def _own_keys_later(self, ob) -> None:
        insert(ob, "location", {self.last + 10: tuple(ob.location), self.last + 20: self._place()})

    def _own_strip(self, ob) -> None:
        if not curves(ob):
            self._own_scale(ob)
            strip_of_own_action(ob)

    def _own_settings(self, ob) -> None:
        self._keyed(ob, "steering.mass_factor", (0.5, 2.0, 1.0))

    def _own_driver(self, ob) -> None:
        drive(ob, "pass_index", "7 * x", x=(bpy.data.objects["Bystander"], "location[0]"))

    def _own_properties(self, ob) -> None:
        ob["steering_speed"] = 3
        ob.id_properties_ui("steering_speed").update(min=1, max=9, description="Gears")
        ob["mood"] = "wild"

    def _wing(self, ob) -> None:
        ob["steering_phase"] = 0.5
        ob.update_tag()
        wing = wedge(f"{ob.name} Wing")
        wing.parent = ob
        self.wings.add(wing.name)
        drive(wing, "rotation_euler", "sin(6.2832 * p)", index=1, p=(ob, '["steering_phase"]'))

    def _shared_action(self, ob) -> None:
        other = bpy.data.objects["Bystander"]
        if not curves(ob) and other.animation_data.action is not None:
            self._own_scale(other)
            other.keyframe_insert("color", frame=self.last + 9)
            only_color = [curve for curve in curves(other) if curve.data_path != "color"]
            for bag in bags(other.animation_data.action):
                for curve in only_color:
                    bag.fcurves.remove(curve)
            ob.animation_data_create().action = other.animation_data.action
            if hasattr(ob.animation_data, "action_slot"):
                ob.animation_data.action_slot = other.animation_data.action_slot


def outside(dump: dict, scene: Scene) -> dict:
    """The part of a dump that a bake must not change."""
    objects = {}
    for name, result in dump["objects"].items():
        if name in scene.wings:
            settings = {key: value for key, value in result["settings"].items() if key != "rotation_euler"}
            objects[name] = {**result, "settings": settings}
            continue
        if name not in scene.moving:
            objects[name] = result
            continue
        custom = {key: value for key, value in result["custom"].items() if key not in PORTRAYED}
        kept = {key: value for key, value in result.items() if key not in ("settings", "stored", "custom", "animation")}
        kept.pop("steering", None)
        objects[name] = {**kept, "custom": custom, "kept": {key: result["settings"][key] for key in KEPT}}
    counted = {name: count for name, count in dump["count"].items() if name not in ("actions", "all_ids")}
    others = {name: dump[name] for name in ("frame", "scene", "active", "selected")}
    return {"objects": objects, "count": counted, **others, **{kind: dump[kind] for kind in OUTSIDE}}


def own_keys(scene: Scene) -> dict:
    """The vehicles' own keys, with all properties except the handles, which Blender computes."""
    keyframes, result = part("blender.animation.keyframes"), {}
    for name in scene.moving:
        for curve in curves(bpy.data.objects[name]):
            stored = keyframes.read_keys(curve)
            stored = stored.take(stored.columns["type"][:, 0] != keyframes.GENERATED)
            if len(stored):
                columns = {k: v.tolist() for k, v in stored.columns.items() if not k.startswith("handle")}
                result[name, curve.data_path, curve.array_index] = columns
    return result


def baked(scene: Scene) -> dict:
    """Everything a bake wrote, except its id."""
    keyframes, result = part("blender.animation.keyframes"), {}
    for name in scene.moving:
        ob = bpy.data.objects[name]
        record = ob.animation_data.action["steering_bake"].to_dict()
        record["kept"] = getattr(record.get("kept"), "name", None)
        result[name] = {
            "action": ob.animation_data.action.name,
            "record": {key: value for key, value in record.items() if key != "id"},
            "pose": (tuple(ob.location), tuple(ob.rotation_euler), tuple(ob.rotation_quaternion)),
            "custom": {key: ob[key] for key in PORTRAYED if key in ob},
            "keys": {
                f"{curve.data_path} {curve.array_index}": {
                    column: values.tolist() for column, values in keyframes.read_keys(curve).columns.items()
                }
                for curve in curves(ob)
            },
        }
    return result


def played(scene: Scene, frames) -> dict[int, np.ndarray]:
    """The world matrices of the moving vehicles (n, 4, 4) by frame, as the scene shows them one after the other."""
    run, result = bpy.context.scene, {}
    stood = run.frame_current_final
    obs = [bpy.data.objects[name] for name in scene.moving]
    for frame in frames:
        run.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        result[frame] = np.array([ob.evaluated_get(depsgraph).matrix_world for ob in obs])
    run.frame_set(math.floor(stood), subframe=stood - math.floor(stood))
    return result


def assert_plays(scene: Scene, names: list[str], positions: np.ndarray, bases: np.ndarray) -> None:
    """Every vehicle is where the simulation has it and looks where it looks, however the frame is reached."""
    shown = played(scene, scene.frames)
    for row, (name, front) in enumerate(scene.moving.items()):
        if name in scene.shaken:
            continue
        n = names.index(name)
        for frame, place, basis in zip(scene.frames, positions[:, n], bases[:, n]):
            matrix = shown[frame][row]
            np.testing.assert_allclose(matrix[:3, 3], place, atol=2e-3, err_msg=f"{name} on frame {frame}")
            looks = matrix[:3, :3] @ front
            looks /= np.linalg.norm(looks)
            np.testing.assert_allclose(looks, basis[:, 1], atol=2e-3, err_msg=f"{name} on frame {frame}")
    there_and_back = scene.chance.sample(list(scene.frames), len(scene.frames))
    for frame, matrices in played(scene, there_and_back).items():
        np.testing.assert_array_equal(matrices, shown[frame])


def stop_half_way(scene: Scene) -> None:
    running = part("blender.write.bake").baking(part("blender.read.plan").plan_reading(bpy.context.scene))
    for _ in range(scene.chance.randint(0, len(scene.frames) + len(scene.moving) - 1)):
        next(running)
    running.close()


@sampled(one_of=9)
@pytest.mark.parametrize("seed", range(SCENES))
def test_a_random_crowd_plays_as_simulated_and_leaves_all_else_alone(seed) -> None:
    scene = Scene(seed)
    bpy.context.view_layer.update()
    before, stored = scene_dump(), own_keys(scene)
    names, positions, bases = flight()
    assert set(names) == set(scene.moving)
    stop_half_way(scene)
    assert_same(before, scene_dump())

    bake()
    assert all(is_baked(bpy.data.objects[name]) for name in names)
    assert_same(*(outside(without_run_records(dump), scene) for dump in (before, scene_dump(("objects", *OUTSIDE)))))
    assert own_keys(scene) == stored
    assert_plays(scene, names, positions, bases)

    once = baked(scene)
    bake()
    assert_same(once, baked(scene))
    assert own_keys(scene) == stored

    clear_bake()
    bpy.context.view_layer.update()
    assert_same(before, scene_dump())
