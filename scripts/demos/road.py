"""Twelve cars drive both ways along a road over hills, brake for two people who cross it, and set off again.

The scene is the ready Traffic of the Add menu; the country round it is added here.
"""

import bpy
import countryside
import extension
import numpy as np
import stage

from scripts.baked_scene import crowds, keyed, stored
from scripts.motion_metrics import least_room
from steering_addon.simulation.vehicle import VehicleModel

FRAMES = 288
CARS = 12
HEIGHT = 5.0  # m, of the lowest part of the road above the fields
LEAST_ROOM = 0.3  # m, between cars, and from cars to people
SECOND_SHOT, THIRD_SHOT = 113, 209  # first frames
TREES = 130
CLEAR, CLEAR_VIEW = 12.0, 27.0  # m, from the middle of the road and from the crossing, without trees
RED = 6  # one car in this number is red, on which brake lights hardly show


def build(scene: bpy.types.Scene, seed: int) -> bpy.types.Object:
    """Add Traffic from the menu and the country round it; the cars' crowd."""
    trees = stage.bring("Road", FRAMES)
    bpy.ops.steering.add_traffic(count=CARS, seed=seed, location=(0.0, 0.0, HEIGHT))
    crowd = bpy.context.object
    land, road = (next(ob for ob in bpy.data.objects if ob.name == f"Cars {name}") for name in ("Land", "Road"))
    countryside.embed(land)
    line = _middle(road)
    crossing = bpy.data.objects["Crossing Stripes"].matrix_world.translation

    def room(x: float, y: float) -> float:
        road_free = float(np.hypot(line[:, 0] - x, line[:, 1] - y).min()) - CLEAR
        return min(road_free, float(np.hypot(crossing.x - x, crossing.y - y)) - CLEAR_VIEW)

    countryside.plant(land, trees, room, TREES, seed=3)
    road.display.show_shadows = False
    return crowd


def _middle(road: bpy.types.Object) -> np.ndarray:
    """The middle of the road, (k, 3): its mesh has four points across."""
    points = np.array([road.matrix_world @ v.co for v in road.data.vertices]).reshape(-1, 4, 3)
    return points.mean(axis=1)


def shoot(scene: bpy.types.Scene, cars: np.ndarray, crossing: np.ndarray, line: np.ndarray) -> None:
    """Film with three cameras: over the crossing, behind those who wait there, and behind a car in the bends. `cars`:
    (frames, cars, 4, 4) poses; `crossing`: (3,) its middle, metres; `line`: (k, 3) the middle of the road."""
    frames = len(cars)
    part = np.linspace(0.0, 1.0, frames)[:, None]
    row = int(np.linalg.norm(line - crossing, axis=1).argmin())
    ahead = line[(row + 6) % len(line)] - line[row - 6]
    ahead = ahead * (1.0, 1.0, 0.0) / np.linalg.norm(ahead[:2])
    right = np.array((ahead[1], -ahead[0], 0.0))
    if right @ (crossing * (1.0, 1.0, 0.0)) < 0.0:
        right = -right  # from outside the road's oval one looks over all of it

    eye = crossing + right * 17.0 - ahead * (16.0 - 10.0 * part) + (0.0, 0.0, 9.0)
    look = np.broadcast_to(crossing + right * -1.0 + (0.0, 0.0, 0.3), (frames, 3))
    stage.shoot("Over the Crossing", 34.0, 1, eye, look)

    hero = _first_in_line(cars, crossing, ahead)
    way = stage.unit(cars[SECOND_SHOT, hero, :3, 1] * (1.0, 1.0, 0.0))
    outward = np.array((way[1], -way[0], 0.0))
    eye = crossing - way * 21.0 + outward * (5.2 - 1.6 * part) + (0.0, 0.0, 2.6)
    look = np.broadcast_to(crossing - way * 3.0 + outward * 1.2 + (0.0, 0.0, 0.8), (frames, 3))
    stage.shoot("Behind Those Who Wait", 38.0, SECOND_SHOT, eye, look)

    forward = cars[THIRD_SHOT:, :, :3, 1]
    hero = int(np.linalg.norm(forward[-1] - forward[0], axis=-1).argmax())  # that turns most
    track = stage.smooth(cars[:, hero, :3, 3], 4)
    way = stage.unit(np.gradient(stage.smooth(cars[:, hero, :3, 3], 14), axis=0))
    outward = np.stack((way[:, 1], -way[:, 0], 0.0 * part[:, 0]), axis=1)
    eye = stage.smooth(track - 9.5 * way + 3.4 * outward + (0.0, 0.0, 3.1), 8)
    stage.shoot("Through the Bends", 34.0, THIRD_SHOT, eye, track + 4.0 * way + (0.0, 0.0, 0.4))


def _first_in_line(cars: np.ndarray, crossing: np.ndarray, ahead: np.ndarray) -> int:
    """The car that waits longest near the crossing during the second shot, but no red one."""
    during = cars[SECOND_SHOT:THIRD_SHOT, :, :3, 3]
    near = (np.linalg.norm(during - crossing, axis=-1) < 14.0).sum(axis=0)
    coming = ((crossing - during[0]) * cars[SECOND_SHOT, :, :3, 1]).sum(axis=-1) > 0.0
    coming &= np.arange(cars.shape[1]) % RED > 0
    return int(np.where(coming, near, -1).argmax())


def main(demo: extension.Demo) -> None:
    scene = bpy.context.scene
    crowd = build(scene, demo.seed)
    vehicles = [ob for ob in scene.objects if stored(ob).get("crowd") is not None]
    [baked] = demo.bake(f"{len(vehicles)} vehicles over {FRAMES} frames", vehicles)
    cars = [k for k, ob in enumerate(vehicles) if ob.steering.crowd == crowd]
    stripes = bpy.data.objects["Crossing Stripes"]
    shoot(scene, baked[:, cars], np.array(stripes.matrix_world.translation), _middle(bpy.data.objects["Cars Road"]))
    scene, vehicles = demo.reopen(crowd, baked, vehicles)
    demo.film()

    between, to_people = _rooms(scene, baked[:, cars], np.delete(baked, cars, axis=1)[..., :3, 3])
    demo.tell(
        len(vehicles),
        f"least room between cars {between:.2f} m, to people {to_people:.2f} m",
        {
            "A car comes too near to another.": between < LEAST_ROOM,
            "A car comes too near to a walker.": to_people < LEAST_ROOM,
            "No car brakes.": keyed(vehicles, '["steering_brake"]', range(1, FRAMES + 1)).max() < 0.3,
        },
    )


def _rooms(scene: bpy.types.Scene, cars: np.ndarray, people: np.ndarray) -> tuple[float, float]:
    """The least room between two cars on any frame, and from one to someone on foot as seen from above, metres. `cars`:
    (frames, cars, 4, 4) poses; `people`: (frames, k, 3) places."""
    bodies = {len(crowd.vehicles): crowd.values(VehicleModel, "vehicle") for crowd in crowds(scene)}
    radius, half = bodies[CARS]["radius"], bodies[CARS]["length"] / 2.0 - bodies[CARS]["radius"]
    place, forward = cars[..., :3, 3], stage.unit(cars[..., :3, 1] * (1.0, 1.0, 0.0))
    between = least_room(place, forward, np.full(CARS, radius), np.full(CARS, half))
    offset, ahead = people[:, None] - place[:, :, None], forward[:, :, None]
    along = np.clip((offset * ahead).sum(axis=-1, keepdims=True), -half, half)
    gap = np.linalg.norm((offset - along * ahead)[..., :2], axis=-1)
    return between.min(), gap.min() - radius - bodies[people.shape[1]]["radius"]


if __name__ == "__main__":
    extension.run(main)
