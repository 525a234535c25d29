"""The cost of a bake of a flock from the first click to a file that plays: CPU seconds of this process, and megabytes.

A case is the number of vehicles, which fly by the three rules of flocking for 250 frames, and on which frames they get
keys, or that they are points, which go into a crowd cache. `deaf` is the longest time in which Esc is not looked for,
`preview` a frame of a preview while the timeline plays.
"""

import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

IN_BLENDER = True
POINTS = "POINTS"
CASES = tuple(f"{count} {keys}" for count in (1000, 10000) for keys in ("EVERY_FRAME", "WHERE_NEEDED", POINTS))
FRAMES, PLAYED = 250, 20
BANDS = {
    "tag, s": (0.0, 5.0),
    "plan, s": (0.0, 2.0),
    "steps, s": (0.0, 15.0),
    "write, s": (0.0, 10.0),
    "bake, s": (0.0, 25.0),
    "deaf, s": (0.0, 0.5),
    "preview, ms": (0.0, 60.0),
    "frame_set, ms": (0.0, 400.0),
    ".blend, MB": (0.0, 1300.0),
    "peak, MB": (0.0, 3200.0),
}
ROOM = 9.0 / 20.0 ** (1.0 / 3.0)
"""Half of the room in metres that one takes, along each axis; n take the cube root of n times as much."""
RULES = {
    "separation": {"distance": 5.0, "angle": 4.7116, "weight": 12.0},
    "alignment": {"distance": 7.5, "angle": 1.5910, "weight": 8.0},
    "cohesion": {"distance": 9.0, "angle": 3.4428, "weight": 4.0, "rejoin_distance": 0.0},
}
"""The numbers of OpenSteer's Boids, for twenty neighbors."""


def figures(case: str, folder: Path) -> dict[str, float]:
    import bpy

    count, keys = case.split()
    told = {"tag, s": build(int(count), in_points=keys == POINTS)}
    scene = bpy.context.scene
    if keys != POINTS:
        scene.steering.keying = keys
        told["preview, ms"] = preview_frame(scene)
    told |= bake_figures()
    told["frame_set, ms"] = played_frame(scene)
    file = folder / f"{count}_{keys}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True, compress=False)
    told[".blend, MB"] = file.stat().st_size / 1e6
    return told | {"peak, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}


def build(count: int, *, in_points: bool) -> float:
    """A flock of so many objects or points, tagged as one does in the sidebar; the seconds that tagging takes."""
    import bpy
    import numpy as np

    from scripts.user_steps import adjust

    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, FRAMES
    mesh = bpy.data.meshes.new("Starling")
    mesh.from_pydata([(0, 0.11, 0), (-0.2, -0.08, 0), (0.2, -0.08, 0), (0, -0.11, 0.04)], [], [(0, 1, 3), (0, 3, 2)])
    chance = np.random.default_rng(1)
    ball = chance.normal(size=(count, 3))
    ball *= np.cbrt(count * chance.uniform(size=count))[:, None] / np.linalg.norm(ball, axis=1)[:, None]
    models = bpy.data.collections.new("Starlings")
    if in_points:
        models.objects.link(bpy.data.objects.new("Starling", mesh))
        points = bpy.data.meshes.new("Flock")
        points.from_pydata((ROOM * ball).tolist(), [], [])
        scene.collection.objects.link(bpy.data.objects.new("Flock", points))
    for number, place in enumerate(() if in_points else (ROOM * ball).tolist()):
        bird = bpy.data.objects.new(f"Bird {number:05}", mesh)
        bird.location = place
        scene.collection.objects.link(bird)
    bpy.ops.steering.crowd_add()
    crowd = bpy.context.object
    adjust(crowd, **RULES)
    crowd.steering.combining = "WEIGHTED_SUM"
    bpy.ops.object.select_all(action="SELECT")
    bpy.context.view_layer.update()
    role = "POINTS" if in_points else "VEHICLE"
    spent = seconds(lambda: bpy.ops.steering.tag(role=role, moves_like="UNCHANGED"))
    if in_points:
        bpy.data.objects["Flock"].steering.models = models
    adjust(crowd, vehicle={"mass": 1.0, "max_force": 27.0, "max_speed": 9.0, "cruise_speed": 0.8})
    bpy.context.view_layer.update()
    return spent


def played_frame(scene: Any) -> float:
    """The milliseconds of a frame, as the median of the first ones."""
    frames = [seconds(lambda frame=frame: scene.frame_set(frame)) for frame in range(1, PLAYED + 1)]
    return 1e3 * sorted(frames)[PLAYED // 2]


def preview_frame(scene: Any) -> float:
    """The milliseconds of a frame of a preview while the timeline plays with nothing selected."""
    import bpy

    from steering_addon.blender.preview import live

    bpy.ops.object.select_all(action="DESELECT")
    with mock.patch.object(live, "plays_in_whole_views", lambda _: True):
        bpy.ops.steering.preview()
        frame = played_frame(scene)
        bpy.ops.steering.preview()
    scene.frame_set(scene.frame_start)
    return frame


def bake_figures() -> dict[str, float]:
    """Bake the scene, and tell the seconds of each stage and of the longest stretch between two looks for Esc."""
    import bpy

    from steering_addon.blender.operators.baking import STEERING_OT_bake
    from steering_addon.blender.write.writer import SplitWriter

    spent = dict.fromkeys(("plan, s", "work", "write, s"), 0.0)
    stretches = [0.0]

    def pieces(stage: str, generator: Iterator[float]) -> Iterator[float]:
        while True:
            start = time.process_time()
            try:
                done = next(generator)
            except StopIteration as stop:
                return stop.value
            finally:
                last = time.process_time() - start
                spent[stage] += last
                stretches.append(last)
            yield done

    begin, finish = STEERING_OT_bake.begin, SplitWriter.finish

    def begun(operator: Any, context: Any) -> tuple[Iterator[float], str]:
        start = time.process_time()
        work, label = begin(operator, context)
        spent["plan, s"] = time.process_time() - start
        stretches.append(spent["plan, s"])
        return pieces("work", work), label

    with (
        mock.patch.object(STEERING_OT_bake, "begin", begun),
        mock.patch.object(SplitWriter, "finish", lambda writer, run: pieces("write, s", finish(writer, run))),
    ):
        whole = seconds(bpy.ops.steering.bake)
    steps = spent.pop("work") - spent["write, s"]
    # What Blender does around the operator is the rest of the bake: it brings the scene up to date.
    return spent | {"steps, s": steps, "bake, s": whole, "deaf, s": max(stretches)}


def seconds(work: Callable[[], object]) -> float:
    """The CPU time of some work."""
    start = time.process_time()
    work()
    return time.process_time() - start
