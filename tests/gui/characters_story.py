"""Does with an imported character what a user does, by mouse and keyboard.

blender --python characters_story.py -- FOLDER FILE.glb
"""

import importlib
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import addon_utils
import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.window import choose_steering, click, find, picture, show_steering, tell, view  # noqa: E402
from tests.blender.building import MODULE, difference, scene_dump  # noqa: E402
from tests.gui.hands import (  # noqa: E402
    BAKE,
    COLUMN,
    DELETE,
    DRAWN,
    PREVIEW,
    click_in_view,
    make_vehicles,
    redo,
    to_frame,
    until,
)

FOLDER, FILE = (Path(argument) for argument in sys.argv[sys.argv.index("--") + 1 :])
PATIENCE = 120.0
"""Longest duration of a bake or preview, in seconds."""
LAST = 40
USUAL, MEMBERS = 50, 8
"""How many members Populate makes, and how many are asked for in its panel: few, because the test is about clicks."""
SELECT = 1251
"""Where the arrow beside the crowd's name is from the left."""
PEOPLE = {"Rogue", "Barbarian"}
"""Characters that walk on two legs; the others are animals."""
ON_THE_GROUND = 0.03
"""Largest height of the lowest foot over the ground, or depth below it, as a share of the character's height."""
UNCHANGED = ("objects", "armatures", "collections", "scenes", "meshes")
"""The kinds of data that are compared in full; of actions only the keys."""


def story() -> Iterator[float]:
    bpy.data.batch_remove(bpy.data.objects[:])
    bpy.context.scene.frame_end = LAST
    addon_utils.enable("io_scene_gltf2")
    show_steering()
    yield DRAWN
    choose_steering()
    with view():
        assert bpy.ops.import_scene.gltf(filepath=str(FILE)) == {"FINISHED"}
    yield DRAWN
    yield from one()
    bpy.data.batch_remove([ob for ob in bpy.data.objects if "steering" in ob and not ob.children])
    yield from crowd()
    assert not problems, "\n".join(problems)


problems: list[str] = []
"""What is wrong. The story continues, so that all pictures are taken."""


def check(is_right: bool, problem: str) -> None:
    if not is_right:
        problems.append(problem)


def check_same(before: dict, after: dict, when: str) -> None:
    problems.extend(f"{when}: {line}" for line in islice(difference(before, after), 10))


def one() -> Iterator[float]:
    """Tag the character just as the import left it selected, preview it, bake it, clear it."""
    before = transforms(bpy.data.objects)
    yield from make_vehicles("Person" if FILE.stem in PEOPLE else "Animal")
    with view():
        bpy.ops.view3d.view_axis(type="RIGHT")
        bpy.ops.view3d.view_orbit(angle=0.4, type="ORBITUP")
    yield from framed()
    (vehicle,) = vehicles()
    check_same(before, transforms(bpy.data.objects[name] for name in before), "Tagging")
    check(vehicle.parent is None, f"The vehicle is {vehicle.name}, a part of the character.")
    axis = vehicle.steering.forward_axis
    check(axis == "NEG_Y", f"The front is taken to be {axis}.")
    body = vehicle.steering.crowd.steering.vehicle
    radius, length = body.radius, max(size(vehicle)[:2])
    print(f"{FILE.stem}: radius {radius:.3f}, size {size(vehicle)}", flush=True)
    # Long bodies are capsules, about as long as the model; the others are spheres.
    if body.length > 2.0 * radius:
        check(0.8 * length < body.length < 1.6 * length, f"{body.length} m long for a length of {length} m.")
    else:
        check(0.2 * length < radius < 0.8 * length, f"A radius of {radius} m for a length of {length} m.")
    picture(FOLDER / "1 tagged.png")
    # Importing leaves another frame than the first.
    yield from to_frame("Left")
    start = dump()
    yield from previewed("2 preview")
    check_same(start, dump(), "After the preview")
    yield from baked()
    check_motion(vehicle)
    yield from framed()
    picture(FOLDER / "3 baked.png")
    yield from cleared()
    check_same(start, dump(), "After the bake is deleted")


def crowd() -> Iterator[float]:
    """Populate a ground with the character; the members stand on it, are baked, and get everything back."""
    (character,) = vehicles()
    half = 6.0 * max(size(character))
    y = yield from find("bpy.ops.steering.untag(role='VEHICLE'", COLUMN)
    yield from click(COLUMN, y)
    yield from until(lambda: not vehicles(), "The click does not untag.")
    with view():
        bpy.ops.mesh.primitive_plane_add(size=2.0 * half)
        bpy.ops.view3d.view_axis(type="RIGHT")
        bpy.ops.view3d.view_orbit(angle=0.5, type="ORBITUP")
    yield from framed()
    middle = points(character)
    yield from click_in_view((middle.min(axis=0) + middle.max(axis=0)) / 2.0)
    yield from click_in_view((0.0, 0.7 * half, 0.0), extend=True)
    ground = bpy.context.object
    assert ground.name == "Plane" and len(bpy.context.selected_objects) == 2, bpy.context.selected_objects
    y = yield from find("bpy.ops.steering.populate(", COLUMN)
    yield from click(COLUMN, y)
    yield from until(lambda: len(vehicles()) == USUAL, "The click does not populate.")
    yield from redo(str(USUAL), str(MEMBERS))
    yield from until(lambda: len(vehicles()) == MEMBERS, "Another count has no effect.")
    made = bpy.context.view_layer.objects.active.name
    expected = "People" if FILE.stem in PEOPLE else "Animals"
    check(made.startswith(expected), f"Populate made {made} of {FILE.stem}.")
    y = yield from find("bpy.ops.steering.crowd_select", SELECT)
    yield from click(SELECT, y)
    yield from until(lambda: len(bpy.context.selected_objects) >= MEMBERS, "The arrow does not select the members.")
    yield from framed()
    members = vehicles()
    assert len(members) == MEMBERS, f"{len(members)} members"
    for member in members:
        check_on_ground(member)
    picture(FOLDER / "4 populated.png")
    start = dump()
    yield from baked()
    for member in members:
        check_on_ground(member)
        check_motion(member)
    yield from framed()
    picture(FOLDER / "5 crowd baked.png")
    yield from cleared()
    check_same(start, dump(), "After the bake is deleted")
    picture(FOLDER / "6 cleared.png")


def previewed(name: str) -> Iterator[float]:
    """Preview to the last frame, and end the preview on the first."""
    preview = importlib.import_module(f"{MODULE}.steering_addon.blender.preview")
    yield from click(*PREVIEW)
    yield from until(lambda: preview.is_on(bpy.context.scene), "The click starts no preview.")
    yield from to_frame("Right")
    yield from until(
        lambda: not preview.report(bpy.context.scene), "The preview does not reach the last frame.", PATIENCE
    )
    yield from framed()
    picture(FOLDER / f"{name}.png")
    yield from click(*PREVIEW)
    yield from until(lambda: not preview.is_on(bpy.context.scene), "The second click does not end the preview.")
    yield from to_frame("Left")


def baked() -> Iterator[float]:
    """Bake, and go to the last frame."""
    is_baked = importlib.import_module(f"{MODULE}.steering_addon.blender.animation.ownership").is_baked
    yield from click(*BAKE)
    yield from until(lambda: all(is_baked(ob) for ob in vehicles()), "The bake does not finish.", PATIENCE)
    yield from to_frame("Right")


def cleared() -> Iterator[float]:
    """Delete the bake, and go to the first frame."""
    is_baked = importlib.import_module(f"{MODULE}.steering_addon.blender.animation.ownership").is_baked
    yield from click(*DELETE)
    yield from until(lambda: not any(is_baked(ob) for ob in vehicles()), "The click deletes no bake.")
    yield from to_frame("Left")


def framed() -> Iterator[float]:
    """Zoom to the selected objects."""
    with view():
        bpy.ops.view3d.view_selected()
    yield DRAWN


def vehicles() -> list:
    return [ob for ob in bpy.data.objects if ob.is_property_set("steering") and "VEHICLE" in ob.steering.roles]


def transforms(objects: Iterable) -> dict:
    return {ob.name: [list(row) for row in ob.matrix_basis] for ob in objects}


def points(ob) -> np.ndarray:
    """The points in the world of a character, posed and without what it holds, (n, 3)."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    arrays = []
    for part in [ob, *ob.children_recursive]:
        if part.find_armature() is not None and part.visible_get():
            shape = part.evaluated_get(depsgraph)
            mesh = shape.to_mesh()
            local = np.empty(3 * len(mesh.vertices))
            mesh.vertices.foreach_get("co", local)
            shape.to_mesh_clear()
            matrix = np.array(shape.matrix_world)
            arrays.append(local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
    return np.concatenate(arrays)


def size(ob) -> list[float]:
    return [round(float(extent), 3) for extent in np.ptp(points(ob), axis=0)]


def check_on_ground(member) -> None:
    """Check that the feet of a member touch the ground, which is at height 0."""
    corners = points(member)
    lowest, height = corners[:, 2].min(), np.ptp(corners[:, 2])
    print(
        f"{member.name} on frame {bpy.context.scene.frame_current}: {lowest:.4f} m, height {height:.3f} m", flush=True
    )
    check(abs(lowest) < ON_THE_GROUND * height, f"The lowest point of {member.name} is at {lowest:.3f} m.")


def check_motion(ob) -> None:
    """Check that a baked vehicle moves toward its front, which is its -Y axis."""
    scene = bpy.context.scene
    scene.frame_set(LAST - 1)
    before = ob.matrix_world.translation.copy()
    scene.frame_set(LAST)
    step = ob.matrix_world.translation - before
    ahead = -ob.matrix_world.to_3x3().col[1].normalized()
    is_ahead = step.length > 0.0 and step.normalized().dot(ahead) > 0.9
    check(is_ahead, f"{ob.name} does not move toward its front.")


def dump() -> dict:
    """All data that a bake might change; of actions the keys, of which characters have many."""
    values = scene_dump(UNCHANGED)
    values["keys"] = {action.name: [keys(curve) for curve in action.fcurves] for action in bpy.data.actions}
    return values


def keys(curve) -> tuple:
    numbers = np.empty(2 * len(curve.keyframe_points))
    curve.keyframe_points.foreach_get("co", numbers)
    return (curve.data_path, curve.array_index, hash(numbers.tobytes()))


tell(story())
