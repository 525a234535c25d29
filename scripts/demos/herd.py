"""Horses graze on a pasture with hills until a wolf lopes past, gallop from it over the slopes, and gather again.

The herd, its states and the wolf's path are the ready Herd and Wolf of the Add menu, with rigged horses and a
rigged wolf in place of its models; the country round them is added here.
"""

import bpy
import countryside
import extension
import numpy as np
import rigged
import stage

from scripts.baked_scene import crowds, states_of
from scripts.motion_metrics import nearest_distances
from scripts.user_steps import select

FRAMES = 480
HORSES = 36
SIZE = 1.8  # m, of what the ready scene is laid out for
HORSE, WOLF = 2.2, 1.8  # m, the lengths of both
COATS = ({}, {"Main": "#5a2f1c"}, {"Main": "#b08d62", "Hair": "#efe6d2"}, {"Main": "#3a2c26"}, {"Main": "#a7a29b"})
HEIGHT = 6.0  # m, of the middle of the pasture above the fields
SECOND_SHOT, THIRD_SHOT = 5, 100  # frames after the first horse is startled
GATHERING = 150  # frames after that from which the film shows the third shot
TREES, CLEAR = 50, 7.0  # number, and metres from the way of each animal and of the cameras
SPREADS_IN = 72  # frames, in which the alarm has gone through the herd
CLOSES = 1.2  # median distance from the middle at the end, in that before the alarm


def build(scene: bpy.types.Scene, seed: int) -> tuple[bpy.types.Object, bpy.types.Object, list[bpy.types.Mesh]]:
    """Add the herd and the wolf, with rigged animals, and the country round them; the crowd of horses, the wolf, and
    kinds of trees."""
    trees = stage.bring("Herd", FRAMES)
    bpy.ops.steering.add_herd_and_wolf(count=HORSES, size=SIZE, seed=seed, location=(0.0, 0.0, HEIGHT))
    crowd = bpy.context.object
    crowd.name = "Horses"
    rigged.take_places(crowd, rigged.bring("Horse", HORSE, COATS), seed)
    wolf = _wolf(seed)
    countryside.embed(bpy.data.objects["Sheep Pasture"])
    return crowd, wolf, trees


def _wolf(seed: int) -> bpy.types.Object:
    """Put a rigged wolf on the path of the ready one; what called the herd on that one calls it on this one."""
    [state] = [ob for ob in bpy.context.scene.objects if ob.name == "Startle"]
    [trigger] = [ob for ob in bpy.data.objects["Wolf"].children_recursive if "TRIGGER" in ob.steering.roles]
    distance = trigger.steering.trigger.distance
    crowd = bpy.data.objects["Wolves"]
    [wolf] = rigged.take_places(crowd, rigged.bring("Wolf", WOLF), seed, vary=False)
    select([wolf])
    bpy.ops.steering.trigger_add(when="NEAR", to=state.name)
    bpy.context.object.steering.trigger.distance = distance
    return wolf


def shoot(scene: bpy.types.Scene, herd: np.ndarray, wolf: np.ndarray, alarm: int) -> np.ndarray:
    """Film with three cameras: over the pasture, beside the wolf, and over the herd that it has left. Returns the ways
    of the cameras, (frames, 3, 3) metres. `herd`: (frames, horses, 3) places; `wolf`: (frames, 3) places; `alarm`: the
    frame on which the first horse is startled."""
    frames = len(herd)
    part = np.linspace(0.0, 1.0, frames)[:, None]
    middle = stage.smooth(np.median(herd, axis=1), 20)

    high = np.array((18.0, -34.0, HEIGHT + 16.0)) - np.array((6.0, 0.0, 1.0)) * part
    stage.shoot("Over the Pasture", 46.0, 1, high, middle + np.array((-1.0, -1.0, 0.5)))

    track = stage.smooth(wolf, 6)
    # From beyond the wolf, so that what runs from it is in the picture.
    way = stage.unit(stage.smooth(middle - wolf, 24) * (1.0, 1.0, 0.0))
    aside = np.stack((way[:, 1], -way[:, 0], np.zeros(frames)), axis=1)
    follows = stage.smooth(track - 6.5 * way + 1.5 * aside + (0.0, 0.0, 3.2), 10)
    both = stage.smooth(0.6 * track + 0.4 * middle, 10)
    stage.shoot("With the Wolf", 34.0, alarm + SECOND_SHOT, follows, both + np.array((0.0, 0.0, 0.3)))

    eye = middle + np.array((-25.0, -22.0, 15.0)) + np.array((5.0, -2.0, 0.0)) * part
    stage.shoot("Over the Herd", 36.0, alarm + THIRD_SHOT, eye, middle + np.array((0.0, 0.0, 0.4)))

    return np.stack((high, follows, eye), axis=1)


def spread_of(places: np.ndarray) -> np.ndarray:
    """The median distance of the horses (frames, n, 3) from their middle, frame by frame, metres."""
    offset = places - np.median(places, axis=1, keepdims=True)
    return np.asarray(np.median(np.linalg.norm(offset, axis=-1), axis=1))


def main(demo: extension.Demo) -> None:
    scene = bpy.context.scene
    crowd, wolf, trees = build(scene, demo.seed)
    [herd] = [each.vehicles for each in crowds(scene) if each.name == crowd.name]
    vehicles = [wolf, *herd]
    [baked] = demo.bake(f"{len(vehicles)} vehicles over {FRAMES} frames", vehicles)
    startled = states_of(herd, range(1, FRAMES + 1)) > 0
    # The frame on which each horse is startled, 0 for none.
    alarms = np.where(startled.any(axis=0), startled.argmax(axis=0) + 1, 0)
    alarm = int(alarms.min())
    cameras = shoot(scene, baked[:, 1:, :3, 3], baked[:, 0, :3, 3], alarm)
    ways = np.concatenate((baked[..., :3, 3], cameras), axis=1)
    room = countryside.away_from(ways, CLEAR)
    countryside.plant(bpy.data.objects["Sheep Pasture"], trees, room, TREES, seed=2)
    scene, vehicles = demo.reopen(crowd, baked, vehicles)
    off = rigged.off_ground(next(each for each in crowds(scene) if len(each.vehicles) == HORSES))
    demo.film((1, alarm + SECOND_SHOT, alarm + GATHERING))

    spread = spread_of(baked[:, 1:, :3, 3])
    before, widest = spread[alarms.min() - 2], spread.max()
    demo.tell(
        len(vehicles),
        f"a foot is at most {off * 1000.0:.2f} mm off the ground on keys, two animals are at least "
        f"{nearest_distances(baked[..., :3, 3]).min():.2f} m from each other, {(alarms > 0).sum()} of {HORSES} are "
        f"startled within {np.ptp(alarms[alarms > 0])} frames, and the herd is {before:.1f} m wide before that, "
        f"{widest:.1f} m as it runs and {spread[-1]:.1f} m at the end",
        {
            "A horse is off the ground.": not off <= rigged.OFF_GROUND,
            "The alarm does not go through the herd.": alarms.min() == 0 or np.ptp(alarms) > SPREADS_IN,
            "The herd does not gather again.": spread[-1] > CLOSES * before,
        },
    )


if __name__ == "__main__":
    extension.run(main)
