"""Times bakes of flocks, and Blender's own Boids; scripts/bench runs this in a Blender with factory settings.

There are two flocks, each in the volume it fills in flight: the paper's, with separation, alignment and cohesion only;
and starlings, which also wander, stay in a region and see almost twice as many neighbors. The Boids have the same
number, the same volume and similar rules.
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
"""The number of vehicles whose neighbors are counted."""


# -- bakes -------------------------------------------------------------------------------------


class Stages:
    """How long the stages of a bake took, seconds.

    Attributes:
        read: the scene.
        step: the simulation.
        watch: looking for overlaps, frame by frame.
        work: everything the operator does, including these three.
    """

    def __init__(self) -> None:
        self.read = self.step = self.watch = self.work = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Measure the bakes in this context, by wrapping the functions of the stages in the modules that call them."""
        bake, operators = (_part(name) for name in ("blender.write.bake", "blender.operators.baking"))
        with ExitStack() as stack:
            for module, name, wrapped in (
                (operators, "plan_reading", self._planning),
                (bake, "sweep", self._sweeping),
                (bake, "simulate", self._simulating),
                (bake.Mishaps, "look", self._watching),
                # Not `execute`: Blender counts its parameters to decide what to pass.
                *((operators.STEERING_OT_bake, part, self._working) for part in ("_begin", "_work", "finished")),
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
    """(n, 3) metres: random places in the ellipsoid a flock fills in flight."""
    chance = np.random.default_rng(1)
    ball = chance.normal(size=(count, 3))
    ball *= np.cbrt(chance.uniform(size=count))[:, None] / np.linalg.norm(ball, axis=1)[:, None]
    return ball * flock.extents(count)


def build(flock: Flock, count: int, frames: int) -> list[bpy.types.Object]:
    """Make a scene with a flock, tagged and set up as a user would in the sidebar; its birds."""
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
        if role == "VEHICLE":
            ob.steering.forward_axis = "POS_Y"
    bpy.ops.steering.tag(role=role, moves_like="UNCHANGED")


def time_bake(flock: Flock, count: int, frames: int) -> dict[str, float]:
    """Wall-clock seconds in total ("all") and by stage, CPU seconds ("work"), and the mean neighbors at the end.

    The stage "Blender" is what Blender does around the operator: updating the scene and pushing an undo step.
    """
    birds = build(flock, count, frames)
    # The first evaluation of a new scene does not count: the user who presses Bake is already looking at it.
    bpy.context.view_layer.update()
    stages = Stages()
    with stages.timed():
        start, work = time.perf_counter(), time.process_time()
        if bpy.ops.steering.bake() != {"FINISHED"}:
            raise SystemExit("The bake did not finish.")
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - work
    bpy.context.scene.frame_set(frames)
    result = {"all": seconds, "work": cpu_seconds, "read": stages.read, "step": stages.step, "watch": stages.watch}
    result |= {"write": stages.work - stages.read - stages.step - stages.watch, "Blender": seconds - stages.work}
    return result | {"neighbors": neighbors([bird.matrix_world.translation for bird in birds], flock.sight)}


def neighbors(places: list[Vector], sight: float) -> float:
    """Mean number of others within sight, over a sample of vehicles."""
    tree = KDTree(len(places))
    for i, place in enumerate(places):
        tree.insert(place, i)
    tree.balance()
    return float(np.mean([len(tree.find_range(place, sight)) - 1 for place in places[:: -(-len(places) // SAMPLE)]]))


# -- Boids -------------------------------------------------------------------------------------


def time_boids(flock: Flock, count: int, frames: int) -> dict[str, float]:
    """Seconds that the same number of Boids takes to play in the same volume."""
    scene = _new_scene(frames)
    bpy.ops.mesh.primitive_ico_sphere_add(radius=1.0, subdivisions=3)
    room = bpy.context.object
    room.scale = flock.extents(count)
    bpy.ops.object.transform_apply(scale=True)
    room.modifiers.new("Boids", "PARTICLE_SYSTEM")
    system = room.particle_systems[0]
    particles = system.settings
    particles.count, particles.frame_start, particles.frame_end, particles.lifetime = count, 1, 1, 2 * frames
    particles.emit_from, particles.distribution, particles.physics_type = "VOLUME", "RAND", "BOIDS"
    particles.normal_factor, particles.object_align_factor = 0.0, (0.0, flock.cruise, 0.0)
    particles.particle_size = flock.separation / 2.0  # Boids keep two sizes apart
    boids = particles.boids
    boids.use_flight, boids.use_land = True, False
    boids.air_speed_max, boids.air_acc_max = flock.top_speed, flock.strength / flock.top_speed
    boids.air_personal_space = 1.0
    rules = {rule.type for rule in boids.states[0].rules}
    if rules != {"SEPARATE", "FLOCK"}:
        raise SystemExit(f"Expected Boids with the rules SEPARATE and FLOCK, not {sorted(rules)}.")
    with bpy.context.temp_override(particle_settings=particles, object=room):
        bpy.ops.boid.rule_add(type="AVERAGE_SPEED")
    average = boids.states[0].rules[-1]
    average.speed, average.wander, average.level = flock.cruise / flock.top_speed, 0.1, 0.4
    boids.states[0].ruleset_type = "AVERAGE"  # FUZZY, the default, only separates them: they scatter
    system.point_cache.frame_end = frames

    start, work = time.perf_counter(), time.process_time()
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - work
    flown = room.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0].particles
    alive = [particle.location.copy() for particle in flown if particle.alive_state == "ALIVE"]
    if len(alive) != count or (alive[0] - Vector(places(flock, count)[0])).length == 0.0:
        raise SystemExit(f"{len(alive)} of {count} Boids fly.")
    return {"all": seconds, "work": cpu_seconds, "neighbors": neighbors(alive, flock.sight)}


# -- both --------------------------------------------------------------------------------------


def _new_scene(frames: int) -> bpy.types.Scene:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    scene.frame_start, scene.frame_end = 1, frames
    return scene


def main(request: dict[str, Any]) -> int:
    """Bake and play Boids in turn, so that other load affects both alike; the times go to a file as JSON."""
    extension.install(Path(request["package"]))
    results = []
    for name, count in itertools.product(request["flock"], request["counts"]):
        for _ in range(request["repeat"]):
            flock, frames = FLOCKS[name], request["frames"]
            ours, boids = time_bake(flock, count, frames), time_boids(flock, count, frames)
            results.append({"flock": name, "count": count, "ours": ours, "boids": boids})
    version = f"Blender {bpy.app.version_string}, numpy {np.__version__}"
    Path(request["results"]).write_text(json.dumps({"version": version, "results": results}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    leave(lambda: main(json.loads(sys.argv[1])))
