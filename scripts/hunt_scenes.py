"""Adds a predator to a ready herd in Blender, and measures how it hunts in the baked scene."""

import math
from itertools import pairwise

import bpy
import numpy as np

from scripts.user_steps import adjust, select

SPEED, STRENGTH = 2.6, 5.0
"""Of the predator on patrol, m/s and m/s2."""
SEES, FEARED = 30.0, 4.0
"""Metres within which it notices prey, and within which prey runs from it."""


def built(seed: int, count: int) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Add the prey and the predator with their states, by operators as a user does; their crowds."""
    bpy.ops.steering.add_herd(count=count, seed=seed)
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
    hunt = next(ob for ob in pack.children if ob.name == "Hunt")
    sees = next(ob for ob in bpy.data.objects if _calls(ob, hunt))
    sees.steering.trigger.distance = SEES
    select([prey])
    bpy.ops.steering.state_add(preset="startle")
    startle = bpy.context.object
    wolf.select_set(True)
    bpy.ops.steering.trigger_add(when="NEAR")
    near = next(ob for ob in bpy.data.objects if _calls(ob, startle))
    near.steering.trigger.distance = FEARED
    select([prey])
    bpy.ops.steering.state_add(preset="caught")
    return prey, pack


def _calls(ob: bpy.types.Object, state: bpy.types.Object) -> bool:
    return ob.is_property_set("steering") and "TRIGGER" in ob.steering.roles and ob.steering.trigger.to == state


def figures(scene: bpy.types.Scene, numbers: dict[str, int]) -> dict[str, float]:
    """The figures of a baked scene, by the names of scripts/measures/hunts.py. `numbers`: of the states Hunt, Feed,
    Rest and Caught."""
    from scripts.stray_figures import Cast, deepest_overlaps
    from steering_addon.portrayal.feet.soles import runs

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
