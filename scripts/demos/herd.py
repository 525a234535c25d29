"""Forty sheep graze on a pasture with hills until a wolf trots past, run from it over the slopes, and gather again.

The sheep, their states and the wolf are the ready Herd and Wolf of the Add menu; the country round them is added here.
After the bake it is saved and opened again with the extension disabled, so what is measured and filmed plays without
it.
"""

from __future__ import annotations

import time

import bpy
import countryside
import extension
import film
import numpy as np
import stage

from scripts.baked_scene import crowds, matrices, stored
from scripts.motion_metrics import nearest_distances
from scripts.motion_report import report
from scripts.standing import standing
from scripts.stray_figures import in_state

FRAMES = 480
FPS = 24
SHEEP = 40
HEIGHT = 6.0  # m, of the middle of the pasture above the fields
SECOND_SHOT, THIRD_SHOT = 5, 100  # frames after the first sheep is startled
TREES, CLEAR = 50, 7.0  # number, and metres from the way of each animal and of the cameras
OFF_GROUND = 0.002  # m, that a foot may be off the ground on a key
SPREADS_IN = 72  # frames, in which the alarm has gone through the herd
CLOSES = 1.2  # median distance from the middle at the end, in that before the alarm


def build(scene: bpy.types.Scene, seed: int) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Add the herd and the wolf from the menu and the country round them; the crowd of sheep, and the wolf."""
    scene.frame_start, scene.frame_end = 1, FRAMES
    film.look(scene, stage.SUN, fps=FPS)
    stage.build(seed=5)
    bpy.ops.steering.add_herd_and_wolf(count=SHEEP, seed=seed, location=(0.0, 0.0, HEIGHT))
    crowd = bpy.context.object
    pasture = bpy.data.objects["Sheep Pasture"]
    bpy.context.view_layer.update()
    countryside.embed(pasture)
    pasture.display.show_shadows = False
    return crowd, bpy.data.objects["Wolf"]


def shoot(scene: bpy.types.Scene, sheep: np.ndarray, wolf: np.ndarray, alarm: int) -> np.ndarray:
    """Film with three cameras: over the pasture, beside the wolf, and over the herd that it has left.

    Args:
        sheep: (frames, sheep, 3) places.
        wolf: (frames, 3) places.
        alarm: the frame on which the first sheep is startled.

    Returns:
        the ways of the cameras, (frames, 3, 3) metres.
    """
    frames = len(sheep)
    part = np.linspace(0.0, 1.0, frames)[:, None]
    middle = stage.smooth(np.median(sheep, axis=1), 20)

    over = stage.camera("Over the Pasture", 46.0)
    high = np.array((14.0, -25.0, HEIGHT + 12.0)) - np.array((5.0, 0.0, 1.0)) * part
    stage.shoot(over, scene.frame_start, high, middle + np.array((-1.0, -1.0, 0.5)))

    beside = stage.camera("With the Wolf", 34.0)
    track = stage.smooth(wolf, 6)
    # From beyond the wolf, so that what runs from it is in the picture.
    way = stage.smooth(middle - wolf, 24) * (1.0, 1.0, 0.0)
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    aside = np.stack((way[:, 1], -way[:, 0], np.zeros(frames)), axis=1)
    follows = stage.smooth(track - 6.5 * way + 1.5 * aside + (0.0, 0.0, 3.2), 10)
    both = stage.smooth(0.6 * track + 0.4 * middle, 10)
    stage.shoot(beside, scene.frame_start, follows, both + np.array((0.0, 0.0, 0.3)))

    above = stage.camera("Over the Herd", 36.0)
    eye = middle + np.array((-19.0, -17.0, 12.0)) + np.array((4.0, -2.0, 0.0)) * part
    stage.shoot(above, scene.frame_start, eye, middle + np.array((0.0, 0.0, 0.4)))

    for camera, frame in ((over, 1), (beside, alarm + SECOND_SHOT), (above, alarm + THIRD_SHOT)):
        camera.data.clip_start = 0.3
        stage.cut(camera, frame)
    return np.stack((high, follows, eye), axis=1)


def alarm_of(sheep: list[bpy.types.Object]) -> np.ndarray:
    """The frame on which each sheep is startled, (n,), by its keyed property; 0 for none."""
    startled = in_state(sheep, range(1, FRAMES + 1))
    return np.where(startled.any(axis=0), startled.argmax(axis=0) + 1, 0)


def spread_of(places: np.ndarray) -> np.ndarray:
    """The median distance of the sheep (frames, n, 3) from their middle, frame by frame, metres."""
    offset = places - np.median(places, axis=1, keepdims=True)
    return np.asarray(np.median(np.linalg.norm(offset, axis=-1), axis=1))


def main(options: extension.Options) -> None:
    """Make the scene, bake it, and save the file, a contact sheet and a film."""
    began = time.perf_counter()
    scene, out = bpy.context.scene, options.out
    print("Adding the herd, a wolf and the country round them", flush=True)
    crowd, wolf = build(scene, options.seed)
    flock = [ob for ob in scene.objects if stored(ob).get("crowd") == crowd and ob.type != "EMPTY"]
    vehicles = [wolf, *flock]
    baking = extension.bake(f"{len(vehicles)} vehicles over {FRAMES} frames")
    names = [ob.name for ob in vehicles]
    baked = matrices(scene, vehicles)
    alarms = alarm_of(flock)
    cameras = shoot(scene, baked[:, 1:, :3, 3], baked[:, 0, :3, 3], int(alarms.min()))
    ways = np.concatenate((baked[..., :3, 3], cameras), axis=1)
    countryside.plant_aside(bpy.data.objects["Sheep Pasture"], ways, CLEAR, TREES, seed=2)
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
    spread = spread_of(played[:, 1:, :3, 3])
    before, widest = spread[alarms.min() - 2], spread.max()
    print(f"\n{out}: {', '.join(path.name for path in sorted(out.glob('herd.*')))}")
    print(
        f"{len(names)} agents, {FRAMES} frames, baked in {baking:.1f} s, all in {time.perf_counter() - began:.0f} s; "
        f"a foot is at most {off * 1000.0:.2f} mm off the ground on keys, two animals are at least "
        f"{nearest_distances(played[..., :3, 3]).min():.2f} m from each other, {(alarms > 0).sum()} of {SHEEP} are "
        f"startled within {np.ptp(alarms[alarms > 0])} frames, and the herd is {before:.1f} m wide before that, "
        f"{widest:.1f} m as it runs and {spread[-1]:.1f} m at the end",
        flush=True,
    )
    if not np.allclose(baked, played, atol=1e-5):
        raise SystemExit("The saved file plays differently from the bake.")
    if off > OFF_GROUND or np.isnan(stand.height).any():
        raise SystemExit("A sheep is off the ground.")
    if alarms.min() == 0 or np.ptp(alarms) > SPREADS_IN:
        raise SystemExit("The alarm does not go through the herd.")
    if spread[-1] > CLOSES * before:
        raise SystemExit("The herd does not gather again.")


if __name__ == "__main__":
    extension.run(main)
