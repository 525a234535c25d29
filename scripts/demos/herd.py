"""Forty sheep graze on a pasture with hills until a dog runs at them, and run from it over the slopes.

The sheep and their pasture are the ready Herd of the Add menu; the dog, which is steered too, and the country round it
are added here. After the bake it is saved and opened again with the extension disabled, so what is measured and filmed
plays without it.
"""

from __future__ import annotations

import math
import time

import bpy
import countryside
import dog
import extension
import film
import numpy as np
import stage

from scripts.baked_scene import crowds, matrices
from scripts.motion_metrics import nearest_distances
from scripts.motion_report import report
from scripts.standing import standing

FRAMES = 288
FPS = 24
SHEEP = 40
HEIGHT = 6.0  # m, of the middle of the pasture above the fields
SECOND_SHOT, THIRD_SHOT = 97, 205  # first frames
RUN, FORCE = 3.6, 3.0  # m/s and m/s2, of a sheep that flees
FEARS = 8.0  # m, at which a sheep runs from the dog
TURN = math.radians(150.0)  # a second, at most
DOG_SPEED = 4.6  # m/s
TREES, CLEAR = 50, 24.0  # number, and metres from the middle of the pasture
OFF_GROUND = 0.002  # m, that a foot may be off the ground on a key


def build(scene: bpy.types.Scene, seed: int) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Add the herd from the menu, the dog and the country round them; the crowd of sheep, and the dog."""
    scene.frame_start, scene.frame_end = 1, FRAMES
    film.look(scene, stage.SUN, fps=FPS)
    stage.build(seed=5)
    bpy.ops.steering.add_herd(count=SHEEP, seed=seed, location=(0.0, 0.0, HEIGHT))
    crowd = bpy.context.object
    pasture = bpy.data.objects["Sheep Pasture"]
    bpy.context.view_layer.update()
    countryside.embed(pasture)
    countryside.plant(pasture, lambda x, y: math.hypot(x, y) - CLEAR, TREES, seed=2)
    pasture.display.show_shadows = False
    place = _on(pasture, -19.0, -13.0)
    return crowd, dog.dog("Dog", place, math.atan2(19.0, -13.0) - math.pi)


def _on(pasture: bpy.types.Object, x: float, y: float) -> tuple[float, float, float]:
    _, place, _, _ = pasture.ray_cast((x, y, 100.0), (0.0, 0.0, -1.0))
    return x, y, place.z + pasture.location.z


def steer(crowd: bpy.types.Object, hound: bpy.types.Object) -> None:
    """Let the dog chase the sheep, and the sheep run from it, as a user would in the sidebar."""
    bpy.ops.steering.crowd_add()
    pack = bpy.context.object
    pack.name = "Dogs"
    extension.tag([hound], "VEHICLE")
    hound.steering.crowd = pack
    settings = pack.steering
    settings.locomotion = "ON_FOOT"
    settings.on_foot.align_to_ground, settings.on_foot.turn_radius = 0.7, 0.5
    settings.vehicle.radius, settings.vehicle.max_speed, settings.vehicle.max_force = 0.2, DOG_SPEED, 6.0
    settings.pursuit.use, settings.pursuit.quarry, settings.pursuit.pause_time = True, crowd, 2.5
    settings.portrayal.use, settings.portrayal.stride = True, dog.STRIDE
    hound.steering.start_speed = 0.6
    settings.portrayal.stride_height = hound.steering.height

    settings = crowd.steering
    vehicle = settings.vehicle
    vehicle.cruise_speed *= vehicle.max_speed / RUN
    vehicle.max_speed, vehicle.max_force, vehicle.keep_apart = RUN, FORCE, True
    settings.on_foot.max_turn_rate = TURN
    settings.evasion.use, settings.evasion.pursuer, settings.evasion.distance = True, hound, FEARS
    settings.evasion.priority = 1


def shoot(scene: bpy.types.Scene, sheep: np.ndarray, hound: np.ndarray) -> None:
    """Film with three cameras: over the pasture, with the dog, and over the herd that it has left.

    Args:
        sheep: (frames, sheep, 3) places.
        hound: (frames, 3) places.
    """
    frames = len(sheep)
    part = np.linspace(0.0, 1.0, frames)[:, None]
    middle = stage.smooth(np.median(sheep, axis=1), 20)

    over = stage.camera("Over the Pasture", 46.0)
    eye = np.array((14.0, -25.0, HEIGHT + 12.0)) - np.array((5.0, 0.0, 1.0)) * part
    stage.shoot(over, scene.frame_start, eye, middle + np.array((-1.0, -1.0, 0.5)))

    beside = stage.camera("With the Dog", 34.0)
    track = stage.smooth(hound, 6)
    way = np.gradient(stage.smooth(hound, 24), axis=0) * (1.0, 1.0, 0.0)
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    eye = stage.smooth(track - 6.5 * way + (0.0, 0.0, 3.2), 10)
    stage.shoot(beside, scene.frame_start, eye, stage.smooth(track + 3.0 * way, 6) + np.array((0.0, 0.0, 0.3)))

    above = stage.camera("Over the Herd", 38.0)
    eye = middle + np.array((-15.0, -13.0, 9.5)) + np.array((4.0, -2.0, 0.0)) * part
    stage.shoot(above, scene.frame_start, eye, middle + np.array((0.0, 0.0, 0.4)))

    for camera, frame in ((over, 1), (beside, SECOND_SHOT), (above, THIRD_SHOT)):
        camera.data.clip_start = 0.3
        stage.cut(camera, frame)


def main(options: extension.Options) -> None:
    """Make the scene, bake it, and save the file, a contact sheet and a film."""
    began = time.perf_counter()
    scene, out = bpy.context.scene, options.out
    print("Adding the herd, a dog and the country round them", flush=True)
    crowd, hound = build(scene, options.seed)
    steer(crowd, hound)
    flock = [ob for ob in scene.objects if ob.is_property_set("steering") and ob.steering.crowd == crowd]
    vehicles = [hound, *flock]
    baking = extension.bake(f"{len(vehicles)} vehicles over {FRAMES} frames")
    names = [ob.name for ob in vehicles]
    baked = matrices(scene, vehicles)
    shoot(scene, baked[:, 1:, :3, 3], baked[:, 0, :3, 3])
    film.open_with_camera(stage.SUN)
    extension.tidy(scene, crowd)

    extension.save_and_open_without(out / "herd.blend")
    scene = bpy.context.scene
    played = matrices(scene, [bpy.data.objects[name] for name in names])
    if options.pictures:
        film.pictures(scene, out, "herd")

    report(scene, dict(zip(names, np.swapaxes(played, 0, 1))))
    stand = next(standing(scene, herd) for herd in crowds(scene) if len(herd.vehicles) == SHEEP)
    off = float(np.nanmax(np.abs(stand.height[::4])))
    print(f"\n{out}: {', '.join(path.name for path in sorted(out.glob('herd.*')))}")
    print(
        f"{len(names)} agents, {FRAMES} frames, baked in {baking:.1f} s, all in {time.perf_counter() - began:.0f} s; "
        f"a foot is at most {off * 1000.0:.2f} mm off the ground on keys, two animals are at least "
        f"{nearest_distances(played[..., :3, 3]).min():.2f} m from each other",
        flush=True,
    )
    if not np.allclose(baked, played, atol=1e-5):
        raise SystemExit("The saved file plays differently from the bake.")
    if off > OFF_GROUND or np.isnan(stand.height).any():
        raise SystemExit("A sheep is off the ground.")


if __name__ == "__main__":
    extension.run(main)
