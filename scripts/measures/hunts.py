"""A predator among its prey: how often it hunts, feeds and rests, and how it touches.

The scene is a ready herd and a vehicle that patrols, with the states Hunt, Feed and Rest; the prey has Startle and
Caught. All of it is added by operators. Moved is how far the caught move from a second after; overlap the deepest of
two bodies, and frames those on which two overlap by more than a centimetre.
"""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from steering_addon.portrayal.feet.soles import runs

IN_BLENDER = True
CASES = ("0", "1", "2")
FRAMES, PREY = 1200, 12
BANDS = {
    "meals": (3, 8),
    "first, s": (0.0, 20.0),
    "last, s": (0.0, 50.0),
    "least, s": (5.0, 30.0),
    "most, s": (5.0, 30.0),
    "hunts, s": (0.2, 8.0),
    "feeds, s": (2.0, 8.0),
    "rests, s": (1.0, 8.0),
    "caught": (2, 12),
    "moved, m": (0.0, 0.5),
    "overlap, m": (0.0, 0.15),
    "frames": (0, 60),
}
SPEED, STRENGTH = 2.6, 5.0
"""Of the predator on patrol, m/s and m/s2."""
SEES, FEARED = 30.0, 4.0
"""Metres within which it notices prey, and within which prey runs from it."""


def figures(case: str, folder: Path) -> dict[str, float]:
    import bpy

    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.steering.seed = int(case)
    crowds = built(int(case))
    bpy.ops.steering.bake()
    states = [ob for crowd in crowds for ob in crowd.children if ob.name in ("Hunt", "Feed", "Rest", "Caught")]
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"hunts_{case}.blend"), compress=True)
    return judged(scene, {ob.name: ob.steering.state.number for ob in states})


def built(seed: int) -> tuple[Any, Any]:
    """Add the prey and the predator with their states, by operators as a user does; their crowds."""
    import bpy

    from scripts.user_steps import adjust, select

    bpy.ops.steering.add_herd(count=PREY, seed=seed)
    prey = bpy.context.object
    region = prey.steering.containment.region
    x, y = (0.8 * region.empty_display_size * part(seed + 1.0) for part in (math.cos, math.sin))
    bpy.ops.steering.crowd_add()
    pack = bpy.context.object
    pack.name = "Pack"
    ground = bpy.data.objects["Sheep Pasture"]
    _, place, _, _ = ground.ray_cast((x, y, 100.0), (0.0, 0.0, -1.0))
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, y, place.z + 0.3))
    wolf = bpy.context.object
    wolf.name, wolf.scale = "Predator", (0.35, 1.2, 0.6)
    bpy.ops.steering.tag(role="VEHICLE", moves_like="UNCHANGED")
    wolf.steering.crowd = pack
    pack.steering.locomotion = "ON_FOOT"
    adjust(
        pack,
        on_foot={"turn_radius": 1.0},
        vehicle={"radius": 0.25, "length": 1.2, "max_speed": SPEED, "max_force": STRENGTH, "keep_apart": True},
        wander={"vertical": 0.0},
        containment={"region": region},
    )
    prey.steering.vehicle.keep_apart = True
    select([pack])
    bpy.ops.steering.state_add(preset="hunt")
    _trigger(next(ob for ob in pack.children if ob.name == "Hunt")).distance = SEES
    select([prey])
    bpy.ops.steering.state_add(preset="startle")
    startle = bpy.context.object
    wolf.select_set(True)
    bpy.ops.steering.trigger_add(when="NEAR")
    _trigger(startle).distance = FEARED
    select([prey])
    bpy.ops.steering.state_add(preset="caught")
    return prey, pack


def _trigger(state: Any) -> Any:
    """The settings of the trigger that calls into a state."""
    import bpy

    tagged = (ob.steering for ob in bpy.data.objects if ob.is_property_set("steering"))
    return next(each.trigger for each in tagged if "TRIGGER" in each.roles and each.trigger.to == state)


def judged(scene: Any, numbers: dict[str, int]) -> dict[str, float]:
    """The figures of a baked scene. `numbers`: of the states Hunt, Feed, Rest and Caught."""
    from scripts.measures.strays import Cast, deepest_overlaps

    cast = Cast.of(scene, "Sheep", "Pack")
    times = {name: runs(cast.state[:, -1] == number) for name, number in numbers.items() if name != "Caught"}
    meals = [begin / cast.fps for begin, _ in times["Feed"]]
    between = [later - earlier for earlier, later in pairwise(meals)]
    caught = cast.state[:, :-1] == numbers["Caught"]
    moved = [
        float(np.linalg.norm(cast.place[end - 1, row] - cast.place[min(begin + int(cast.fps), end - 1), row]))
        for row in range(caught.shape[1])
        for begin, end in runs(caught[:, row])
    ]
    overlaps = deepest_overlaps(cast)
    mean = {name: float(np.mean([b - a for a, b in each])) / cast.fps if each else 0.0 for name, each in times.items()}
    return {
        "meals": len(meals),
        "first, s": min(meals, default=np.inf),
        "last, s": max(meals, default=np.inf),
        "least, s": min(between, default=np.inf),
        "most, s": max(between, default=np.inf),
        "hunts, s": mean["Hunt"],
        "feeds, s": mean["Feed"],
        "rests, s": mean["Rest"],
        "caught": len(moved),
        "moved, m": max(moved, default=0.0),
        "overlap, m": float(overlaps.max()),
        "frames": int((overlaps > 0.01).sum()),
    }
