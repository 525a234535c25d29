"""Two cows have strayed from their herd; three riders wait at their posts, and one of them fetches each stray.

This is the paper's first example: the trail boss sees strays and sends a cowboy after each, who gets behind it and
drives it home. The herd, the strays and the riders are the ready Cowboys and Strays of the Add menu, with rigged cows
and horses in place of its models; the country round them is added here. `scripts/measure strays --cases
build/demo/cowboys.blend` measures more of the saved file.
"""

import math

import bpy
import countryside
import extension
import film
import numpy as np
import rigged
import stage
from mathutils import Matrix

from scripts.baked_scene import crowds, states_of
from scripts.measures.strays import judged

FRAMES = 480
COWS, STRAYS, RIDERS = 26, 2, 3
HEIGHT = 6.0  # m, of the middle of the pasture above the fields
SECOND_SHOT = 76  # first frame
BEFORE_HOME = 100  # frames that the third shot begins before the last stray is home
TREES, CLEAR = 50, 8.0  # number, and metres from the way of each animal and of the cameras
COW, HORSE = 2.2, 2.42  # m, the lengths of a cow, and of a horse that the saddles fit
BACK = "Torso2"  # the bone of a horse that carries its rider
SEAT = (0.0, -0.06, 1.56)  # where a rider sits, metres about the horse that faces -Y
COATS = ({}, {"Main": "#6b2f18"}, {"Main": "#33261f", "Main_Light": "#5a4636"}, {"Main": "#c4b49a"})
BEYOND, OVERLAP = 3.0, 0.1  # m, that a stray may be outside the herd at the end, and that two bodies may overlap


def build(scene: bpy.types.Scene, seed: int) -> tuple[bpy.types.Object, list[bpy.types.Mesh]]:
    """Add the herd, the strays and the riders, with rigged animals, and the country round them; the crowd of cows, and
    kinds of trees."""
    brought = stage.bring("Cowboys", FRAMES)
    saddles, trees = brought[:RIDERS], brought[RIDERS:]
    bpy.ops.steering.add_cowboys_and_strays(count=COWS, seed=seed, location=(0.0, 0.0, HEIGHT))
    crowd = bpy.context.object
    rigged.take_places(crowd, rigged.bring("Cow", COW, COATS), seed)
    people = [bpy.data.objects[f"Rider {number + 1} Person"].data for number in range(RIDERS)]
    horses = rigged.take_places(bpy.data.objects["Riders"], rigged.bring("Horse", HORSE), seed, vary=False)
    for horse, person, saddle in zip(horses, people, saddles, strict=True):
        _mount(horse, person, saddle)
    countryside.embed(bpy.data.objects["Cow Pasture"])
    return crowd, trees


def _mount(horse: bpy.types.Object, person: bpy.types.Mesh, saddle: bpy.types.Mesh) -> None:
    """Put a saddle and a person on the back of a rigged horse. `person`: who faces +Y, sitting on the origin."""
    rig = rigged.rig_of(horse)
    for name, mesh, place in (
        ("Saddle", saddle, Matrix.Identity(4)),
        ("Cowboy", person, Matrix.Translation(SEAT) @ Matrix.Rotation(math.pi, 4, "Z")),
    ):
        ob = bpy.data.objects.new(f"{horse.name} {name}", mesh)
        horse.users_collection[0].objects.link(ob)
        ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", BACK
        bone = rig.data.bones[BACK]
        # Bones carry objects at their tails.
        tail = rig.matrix_basis @ bone.matrix_local @ Matrix.Translation((0.0, bone.length, 0.0))
        size = Matrix.Scale(1.0 / horse.scale.z, 4)
        ob.matrix_parent_inverse = tail.inverted() @ size
        ob.matrix_basis = place


def shoot(scene: bpy.types.Scene, herd: np.ndarray, stray: np.ndarray, rider: np.ndarray, home: int) -> np.ndarray:
    """Film with three cameras: over the pasture, behind the rider, and from the herd that the last stray comes back to.
    Returns the ways of the cameras, (frames, 3, 3) metres. `herd`: (frames, cows, 3) places; `stray`, `rider`:
    (frames, 3) places of the last stray that is home, and of the rider that fetches it; `home`: the frame on which it
    is."""
    frames = len(herd)
    part = np.linspace(0.0, 1.0, frames)[:, None]
    middle = stage.smooth(np.median(herd, axis=1), 30)
    out = stage.unit(stray[0] - middle[0])
    aside = np.array((-out[1], out[0], 0.0))

    high = middle - 34.0 * out + 10.0 * aside * (1.0 - part) + np.array((0.0, 0.0, 17.0))
    stage.shoot("Over the Pasture", 30.0, 1, high, middle + 7.0 * out)

    track = stage.smooth(rider, 8)
    toward = stage.unit(stage.smooth(stray - rider, 24) * (1.0, 1.0, 0.0))
    side = np.stack((toward[:, 1], -toward[:, 0], np.zeros(frames)), axis=1)
    follows = stage.smooth(track - 9.0 * toward + 3.0 * side + np.array((0.0, 0.0, 4.2)), 16)
    both = stage.smooth(0.6 * track + 0.4 * stray, 10) + np.array((0.0, 0.0, 1.0))
    stage.shoot("With the Rider", 32.0, SECOND_SHOT, follows, both)

    eye = middle - 21.0 * out + 20.0 * aside + np.array((0.0, 0.0, 12.5)) + 3.0 * out * part
    last = min(max(home - BEFORE_HOME, SECOND_SHOT + film.FPS), FRAMES)
    stage.shoot("Coming Home", 36.0, last, eye, stage.smooth(0.5 * (middle + stray), 20))
    return np.stack((high, follows, eye), axis=1)


def story(cows: list[bpy.types.Object], riders: list[bpy.types.Object], places: np.ndarray) -> tuple[int, int, int]:
    """The last stray that is home, the rider that fetches it, and the frame on which it is home. `places`: (frames, n,
    3) of the cows and then the riders."""
    away = states_of([*cows, *riders], range(1, FRAMES + 1)) > 0
    strays = np.flatnonzero(away[2, : len(cows)])
    if len(strays) != STRAYS:
        raise SystemExit(f"{len(strays)} cows have strayed.")
    until = FRAMES - away[::-1, strays].argmax(axis=0)
    stray = int(strays[until.argmax()])
    home = int(until.max())
    gap = np.linalg.norm(places[:, len(cows) :] - places[:, [stray]], axis=-1)
    busy = away[:, len(cows) :] & away[:, [stray]]
    rider = int(np.where(busy, gap, np.inf).min(axis=0).argmin())
    return stray, rider, home


def main(demo: extension.Demo) -> None:
    scene = bpy.context.scene
    crowd, trees = build(scene, demo.seed)
    [cows] = [each.vehicles for each in crowds(scene) if each.name == crowd.name]
    [riders] = [each.vehicles for each in crowds(scene) if each.name != crowd.name]
    [baked] = demo.bake(f"{len(cows) + len(riders)} vehicles over {FRAMES} frames", [*cows, *riders])
    places = baked[..., :3, 3]
    stray, rider, home = story(cows, riders, places)
    herd = np.delete(places[:, : len(cows)], stray, axis=1)
    cameras = shoot(scene, herd, places[:, stray], places[:, len(cows) + rider], home)
    ways = np.concatenate((places, cameras), axis=1)
    room = countryside.away_from(ways, CLEAR)
    countryside.plant(bpy.data.objects["Cow Pasture"], trees, room, TREES, seed=4)
    scene, moving = demo.reopen(crowd, baked, [*cows, *riders])
    off = rigged.off_ground(next(each for each in crowds(scene) if len(each.vehicles) == COWS))
    told = judged(scene, "Cows", "Riders")
    demo.film((1, home - 2 * BEFORE_HOME, home - 2 * film.FPS))

    demo.tell(
        len(moving),
        f"a foot is at most {off * 1000.0:.2f} mm off the ground on keys, {told['went']:.0f} of {RIDERS} riders go, "
        f"the last stray is home after {told['home, s']:.0f} s, the strays are at most {told['beyond, m']:.1f} m "
        f"outside the herd at the end, and two bodies overlap by {told['overlap, m'] * 1000.0:.0f} mm at most",
        {
            "A cow is off the ground.": not off <= rigged.OFF_GROUND,
            "The strays are not brought home by one rider each.": told["went"] != STRAYS or told["beyond, m"] > BEYOND,
            "Two bodies overlap.": told["overlap, m"] > OVERLAP,
        },
    )


if __name__ == "__main__":
    extension.run(main)
