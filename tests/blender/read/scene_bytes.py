"""Fixed scenes whose bytes must be the same in each Blender: what is read of them, and the keys of a bake.

Their vehicles have no behaviors, so that the hashes only change with the reading and writing of scenes.
"""

import hashlib
import os
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import bpy
import numpy as np

from tests.blender.animated import curves
from tests.blender.building import armature, empty, frames, part, path_curve, put, sphere, wedge
from tests.blender.steered import bake, crowd, leader, obstacle, press, road, tag, vehicle
from tests.simulation.same_bytes import parsed

STORED = Path(__file__).with_name("scene_bytes.sha256")
WRITE = "WRITE_SCENE_BYTES"
"""The environment variable that has the hashes stored, after a change that is meant to alter them."""
MODES = ("XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE")
LAST = 24


class Places:
    """Random places and turns, the same each time."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def vector(self, most: float = 8.0) -> list[float]:
        return [self._chance.uniform(-most, most) for _ in range(3)]

    def key(self, ob, *frames: int):
        """Key an object to move and turn smoothly from place to place, as an animator does."""
        for frame in frames:
            put(ob, self.vector(), self.vector(2.0), tuple(ob.scale))
            for path in ("location", "rotation_euler"):
                ob.keyframe_insert(path, frame=frame)
        return ob


def keyed_leader(places: Places) -> None:
    leader(places.key(empty("Leader"), -9, 5, 13, 40))
    leader(places.key(wedge("Other Leader", scale=(1.0, 2.0, 0.5)), 1, 11))
    vehicle(wedge("Ship", places.vector()), identity=7)


def keyed_parent(places: Places) -> None:
    parent = places.key(empty("Parent", scale=(1.3, 0.8, 1.1)), 1, 9, 24)
    for number, mode in enumerate(MODES):
        ship = wedge(f"Ship {number}", places.vector(), rotation=places.vector(2.0))
        ship.rotation_mode, ship.parent = mode, parent
        vehicle(ship, identity=11 + number)


def parent_of_parent(places: Places) -> None:
    above = places.key(empty("Above", scale=(1.0, 3.0, 0.5)), 1, 20)
    between = places.key(empty("Between"), -5, 30)
    between.parent = above
    lead = places.key(empty("Leader"), 1, 12, 24)
    lead.parent = between
    leader(lead)
    ship = wedge("Ship", places.vector())
    ship.parent = between
    vehicle(ship, identity=3)


def own_keys_before(places: Places) -> None:
    ship = wedge("Ship")
    for frame in (-12, -5, 30):
        ship.location = places.vector()
        ship.keyframe_insert("location", frame=frame)
    vehicle(ship, identity=5)


def paths(places: Places) -> None:
    for kind in ("NURBS", "BEZIER", "POLY"):
        line = path_curve(f"{kind} Road", [places.vector() for _ in range(6)], kind=kind, rotation=places.vector(2.0))
        road(places.key(line, 1, 24) if kind == "NURBS" else line)
    ring = path_curve("Ring", [places.vector() for _ in range(5)], kind="NURBS", cyclic=True)
    ring.data.bevel_depth = 0.2
    road(ring)
    vehicle(wedge("Ship", places.vector()), identity=9)


def surroundings(places: Places) -> None:
    for shape in ("ROUND", "BOX", "MESH"):
        ball = sphere(shape, radius=2.0, scale=(1.0, 1.5, 0.7))
        obstacle(places.key(ball, 1, 15)).steering.obstacle_shape = shape
    room = tag(places.key(empty("Room", scale=(9.0, 7.0, 5.0)), 1, 30), role="REGION")
    room.steering.region_shape = "BOX"
    ship = vehicle(wedge("Ship", places.vector(), rotation=places.vector(2.0)), identity=2)
    horn = sphere("Horn", (0.0, 2.0, 0.0), radius=0.3)
    horn.parent = ship
    press("tag", horn, role="OBSTACLE", of_part=True)


def bones(places: Places) -> None:
    rig = places.key(armature("Rig", Hand=((0.5, 0.2, 0.1), (0.9, 1.4, 0.3))), 1, 17)
    hand = rig.pose.bones["Hand"]
    for frame in (1, 10, 24):
        hand.rotation_mode, hand.rotation_euler = "XYZ", places.vector(1.0)
        hand.keyframe_insert("rotation_euler", frame=frame)
    group = crowd("Crowd", seek={"target": rig, "target_bone": "Hand", "weight": 0.0})
    ship = wedge("Ship", places.vector())
    ship.parent, ship.parent_type, ship.parent_bone = rig, "BONE", "Hand"
    vehicle(ship, crowd=group, identity=4)


SCENES: tuple[Callable[[Places], None], ...] = (
    keyed_leader,
    keyed_parent,
    parent_of_parent,
    own_keys_before,
    paths,
    surroundings,
    bones,
)


def hashes() -> dict[str, str]:
    """Two hashes for each scene, of what is read and of what is written; the file is emptied for each."""
    known = {}
    for number, build in enumerate(SCENES):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        frames(1, LAST)
        build(Places(number))
        known[f"{build.__name__}.read"] = _hash(_read())
        bake()
        known[f"{build.__name__}.written"] = _hash(_written())
    return known


def stored() -> dict[str, str]:
    """The hashes on file; they are written first if the environment asks for that."""
    if WRITE in os.environ:
        STORED.write_text("".join(f"{name} {value}\n" for name, value in hashes().items()), encoding="ascii")
    return parsed(STORED.read_text(encoding="ascii"))


def _read() -> Iterator[np.ndarray]:
    """The places, turns and sizes of everything that a run of the scene sees, and where its vehicles start."""
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    reader = part("blender.read.reading").Reader(plan)
    with closing(part("blender.read.sweep").sweep(plan, reader)) as read:
        for frame in read:
            seen = frame.snapshot
            yield from (seen.tracked.position, seen.tracked.forward, seen.tracked.radius)
            yield from (seen.obstacles.start, seen.obstacles.end, seen.obstacles.half, seen.obstacles.axes)
            yield from (seen.regions.centre, seen.regions.half, seen.regions.axes)
            yield from (line.points for path in seen.paths for line in path)
            yield from (frame.parent_parts, frame.heights)
            if frame.number == 1:
                motion = reader.start(frame).motion
                yield from (motion.position, motion.velocity, motion.forward, motion.up)


def _written() -> Iterator[np.ndarray]:
    """The baked keys of all vehicles."""
    keyframes = part("blender.animation.keyframes")
    for ob in sorted(bpy.data.objects, key=lambda each: each.name):
        if ob.name.startswith("Ship"):
            for curve in sorted(curves(ob), key=lambda each: (each.data_path, each.array_index)):
                yield keyframes.read_column(curve, "co")


def _hash(arrays: Iterable[np.ndarray]) -> str:
    known = hashlib.sha256()
    for array in arrays:
        # Zero and negative zero are one number.
        known.update(np.ascontiguousarray(array + 0.0).tobytes())
        known.update(str((array.dtype, array.shape)).encode())
    return known.hexdigest()
