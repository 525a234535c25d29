"""Times bakes of flocks beside Blender's own Boids; scripts/bench runs this in a Blender with nothing added.

There are two flocks, each in the room it takes in flight: that of the paper, by separation, alignment and cohesion
alone, and that of starlings, which wander and keep to a region besides and see almost twice as many. The Boids are as
many, in the same room, with rules that come near it.
"""

from __future__ import annotations

import importlib
import itertools
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from mathutils.kdtree import KDTree

from scripts.blender_process import leave
from scripts.demos import extension
from scripts.flocks import FLOCKS, Flock

FPS = 24
SAMPLE = 500
"""So many are asked how many neighbors they have."""


# -- ours --------------------------------------------------------------------------------------


class Stages:
    """How long the stages of a bake took, seconds.

    Attributes:
        read: the scene.
        step: the simulation.
        watch: who runs into whom, frame by frame.
        work: all that the operator does, these three included.
    """

    def __init__(self) -> None:
        self.read = self.step = self.watch = self.work = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Measure the bakes made meanwhile, by wrapping the stages where the bake takes them from."""
        bake, operators = (_part(name) for name in ("blender.write.bake", "blender.operators.baking"))
        with ExitStack() as stack:
            for module, name, wrapped in (
                (operators, "plan_reading", self._planning),
                (bake, "sweep", self._sweeping),
                (bake, "simulate", self._simulating),
                (bake.Mishaps, "look", self._watching),
                # Not `execute`, to which Blender gives as many arguments as it is written with.
                *((operators.STEERING_OT_bake, part, self._working) for part in ("_begin", "_work", "_finished")),
            ):
                stack.enter_context(_replaced(module, name, wrapped))
            yield

    def _planning(self, plan: Callable[..., Any]) -> Callable[..., Any]:
        return self._adding("read", plan)

    def _watching(self, look: Callable[..., Any]) -> Callable[..., Any]:
        return self._adding("watch", look)

    def _working(self, work: Callable[..., Any]) -> Callable[..., Any]:
        return self._adding("work", work)

    def _adding(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                setattr(self, stage, getattr(self, stage) + time.perf_counter() - start)

        return timed

    def _sweeping(self, sweep: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def timed(*arguments: Any) -> Iterator[Any]:
            start = time.perf_counter()
            for snapshot in sweep(*arguments):
                self.read += time.perf_counter() - start
                yield snapshot
                start = time.perf_counter()
            self.read += time.perf_counter() - start

        return timed

    def _simulating(self, simulate: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def timed(*arguments: Any) -> Iterator[Any]:
            start, read = time.perf_counter(), self.read
            for state in simulate(*arguments):
                self.step += time.perf_counter() - start - (self.read - read)
                yield state
                start, read = time.perf_counter(), self.read
            self.step += time.perf_counter() - start - (self.read - read)

        return timed


def _part(name: str) -> ModuleType:
    return importlib.import_module(f"{extension.NAME}.steering_addon.{name}")


@contextmanager
def _replaced(owner: ModuleType | type, name: str, wrapped: Callable[[Any], Any]) -> Iterator[None]:
    original = getattr(owner, name)
    setattr(owner, name, wrapped(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


def places(flock: Flock, count: int) -> np.ndarray:
    """(n, 3) metres: spread over the room a flock takes in flight."""
    chance = np.random.default_rng(1)
    ball = chance.normal(size=(count, 3))
    ball *= np.cbrt(chance.uniform(size=count))[:, None] / np.linalg.norm(ball, axis=1)[:, None]
    return ball * flock.taken(count)


def build(flock: Flock, count: int, frames: int) -> list[bpy.types.Object]:
    """A scene with a flock, tagged and set up as one does in the sidebar."""
    scene = _new_scene(frames)
    mesh = bpy.data.meshes.new("Starling")
    mesh.from_pydata([(0, 0.11, 0), (-0.2, -0.08, 0), (0.2, -0.08, 0), (0, -0.11, 0.04)], [], [(0, 1, 3), (0, 3, 2)])
    birds = []
    for i, place in enumerate(places(flock, count).tolist()):
        bird = bpy.data.objects.new(f"Bird {i:05}", mesh)
        bird.location = place
        scene.collection.objects.link(bird)
        birds.append(bird)
    bpy.ops.steering.crowd_add()
    crowd = bpy.context.object
    _tag(birds, "VEHICLE")
    if flock.room > 0.0:
        room = bpy.data.objects.new("Room", None)
        room.scale = [flock.room * math.cbrt(count)] * 3
        scene.collection.objects.link(room)
        _tag([room], "REGION")
    for i, bird in enumerate(birds):
        bird.steering.crowd, bird.steering.identity = crowd, i + 1
    vehicle = crowd.steering.vehicle
    vehicle.mass, vehicle.radius, vehicle.max_force = 1.0, 0.11, flock.strength
    vehicle.max_speed, vehicle.cruise_speed = flock.top_speed, flock.cruise / flock.top_speed
    for name, values in flock.behaviors.items():
        settings = getattr(crowd.steering, name)
        settings.use = True
        for setting, value in values.items():
            setattr(settings, setting, value)
    crowd.steering.combining = "WEIGHTED_SUM"
    scene.steering.seed = 1
    return birds


def _tag(obs: Iterable[bpy.types.Object], role: str) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for ob in obs:
        ob.select_set(True)
        bpy.context.view_layer.objects.active = ob
    bpy.ops.steering.tag(role=role, moves_like="UNCHANGED")


def time_bake(flock: Flock, count: int, frames: int) -> dict[str, float]:
    """Seconds in all and by stage, of the wall and of the processor, and how many neighbors each has at the end.

    What Blender does around the operator is a stage too: it brings the scene up to date and keeps a step to undo.
    """
    birds = build(flock, count, frames)
    # Whoever presses Bake has the scene before them; what it takes to make it is no part of the bake.
    bpy.context.view_layer.update()
    stages = Stages()
    with stages.timed():
        start, work = time.perf_counter(), time.process_time()
        if bpy.ops.steering.bake() != {"FINISHED"}:
            raise SystemExit("The bake did not finish.")
        taken, worked = time.perf_counter() - start, time.process_time() - work
    bpy.context.scene.frame_set(frames)
    result = {"all": taken, "work": worked, "read": stages.read, "step": stages.step, "watch": stages.watch}
    result |= {"write": stages.work - stages.read - stages.step - stages.watch, "Blender": taken - stages.work}
    return result | {"neighbors": neighbors([bird.matrix_world.translation for bird in birds], flock.sight)}


def neighbors(where: list[Vector], sight: float) -> float:
    """How many others one has nearer than it sees, on average."""
    tree = KDTree(len(where))
    for i, place in enumerate(where):
        tree.insert(place, i)
    tree.balance()
    return float(np.mean([len(tree.find_range(place, sight)) - 1 for place in where[:: -(-len(where) // SAMPLE)]]))


# -- Boids -------------------------------------------------------------------------------------


def time_boids(flock: Flock, count: int, frames: int) -> dict[str, float]:
    """Seconds that Blender's own Boids take for as many, in the same room, from frame to frame."""
    scene = _new_scene(frames)
    bpy.ops.mesh.primitive_ico_sphere_add(radius=1.0, subdivisions=3)
    room = bpy.context.object
    room.scale = flock.taken(count)
    bpy.ops.object.transform_apply(scale=True)
    room.modifiers.new("Boids", "PARTICLE_SYSTEM")
    system = room.particle_systems[0]
    particles = system.settings
    particles.count, particles.frame_start, particles.frame_end, particles.lifetime = count, 1, 1, 2 * frames
    particles.emit_from, particles.distribution, particles.physics_type = "VOLUME", "RAND", "BOIDS"
    particles.normal_factor, particles.object_align_factor = 0.0, (0.0, flock.cruise, 0.0)
    particles.particle_size = flock.apart / 2.0  # they keep apart by two sizes
    boids = particles.boids
    boids.use_flight, boids.use_land = True, False
    boids.air_speed_max, boids.air_acc_max = flock.top_speed, flock.strength / flock.top_speed
    boids.air_personal_space = 1.0
    rules = {rule.type for rule in boids.states[0].rules}
    if rules != {"SEPARATE", "FLOCK"}:
        raise SystemExit(f"Boids are expected to separate and to flock at first, not {sorted(rules)}.")
    with bpy.context.temp_override(particle_settings=particles, object=room):
        bpy.ops.boid.rule_add(type="AVERAGE_SPEED")
    average = boids.states[0].rules[-1]
    average.speed, average.wander, average.level = flock.cruise / flock.top_speed, 0.1, 0.4
    boids.states[0].ruleset_type = "AVERAGE"  # else they only keep apart, and scatter slowly
    system.point_cache.frame_end = frames

    start, work = time.perf_counter(), time.process_time()
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
    taken, worked = time.perf_counter() - start, time.process_time() - work
    flown = room.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0].particles
    alive = [particle.location.copy() for particle in flown if particle.alive_state == "ALIVE"]
    if len(alive) != count or (alive[0] - Vector(places(flock, count)[0])).length == 0.0:
        raise SystemExit(f"{len(alive)} of {count} Boids fly.")
    return {"all": taken, "work": worked, "neighbors": neighbors(alive, flock.sight)}


# -- both --------------------------------------------------------------------------------------


def _new_scene(frames: int) -> bpy.types.Scene:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    scene.frame_start, scene.frame_end = 1, frames
    return scene


def main(asked: dict[str, Any]) -> int:
    """Bake and fly in turn, so that both meet the same disturbances; the times go into a file as JSON."""
    extension.install(Path(asked["package"]))
    results = []
    for name, count in itertools.product(asked["flock"], asked["counts"]):
        for _ in range(asked["repeat"]):
            ours, boids = (time(FLOCKS[name], count, asked["frames"]) for time in (time_bake, time_boids))
            results.append({"flock": name, "count": count, "ours": ours, "boids": boids})
    version = f"Blender {bpy.app.version_string}, numpy {np.__version__}"
    Path(asked["results"]).write_text(json.dumps({"version": version, "results": results}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    leave(lambda: main(json.loads(sys.argv[1])))
