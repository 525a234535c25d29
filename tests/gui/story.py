"""Acts as a user in a window of Blender: `blender --python story.py -- FOLDER`. Stops at the first failure."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import addon_utils
import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.window import choose_steering, click, find, picture, point, press, scroll, show_steering, tell, view  # noqa: E402
from tests.gui.hands import COLUMN  # noqa: E402

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
MODULE = "bl_ext.user_default.steering_behaviors"
PATIENCE = 90.0
"""Longest duration of a bake or preview, in seconds."""
DRAWN = 0.4
"""Seconds after which the window has been redrawn."""
LAST = 30
READY = {"flock": 16, "school": 16, "walkers": 8, "herd": 8, "traffic": 8}
"""The ready scenes with their number of members: few, because the test is about the window."""
HEADER, BELOW_VARY = 1099, 62
"""Where the headers of panels are from the left, and that of Populate is below the upper part of the button Vary."""


def story() -> Iterator[float]:
    for name, count in READY.items():
        yield from new_file()
        yield from ready_scene(name, count)
    yield from new_file()
    yield from own_models()
    yield from new_file()
    yield from eaten_up()
    yield from new_file()
    yield from populated()
    yield from switched_off()


def new_file() -> Iterator[float]:
    """Open a new empty file and show the Steering tab."""
    with view():
        bpy.ops.wm.read_homefile(use_factory_startup=False)
    yield DRAWN
    bpy.data.batch_remove(bpy.data.objects[:])
    bpy.context.scene.frame_end = LAST
    show_steering()
    yield DRAWN
    choose_steering()
    with view():
        bpy.ops.ed.undo_push(message="Empty File")
    yield DRAWN


def ready_scene(name: str, count: int) -> Iterator[float]:
    """Add a ready scene; bake, play, scrub, undo, redo and clear it."""
    with view():
        assert getattr(bpy.ops.steering, f"add_{name}")("EXEC_DEFAULT", True, count=count) == {"FINISHED"}
        assert bpy.ops.steering.crowd_select("EXEC_DEFAULT", True) == {"FINISHED"}
        bpy.ops.view3d.view_selected()
    counted = extension("status.census").known(bpy.context.scene)
    # Walkers cross the road of the traffic.
    added = sum(is_vehicle(ob) for ob in bpy.context.scene.objects)
    assert counted.vehicles == added >= count, f"The panel would say {counted.vehicles} vehicles."
    yield DRAWN
    show_object_properties()
    yield DRAWN
    picture(FOLDER / f"{name} 1 added.png")
    actions_before = actions()
    if name == "flock":
        yield from preview(FOLDER / f"{name} 2 preview.png")
        yield from stopped()
    yield from bake()
    picture(FOLDER / f"{name} 3 baked.png")
    yield from play()
    yield from scrub()
    picture(FOLDER / f"{name} 4 scrubbed.png")
    yield from step_back_and_clear(actions_before)
    picture(FOLDER / f"{name} 5 cleared.png")


def own_models() -> Iterator[float]:
    """Tag Suzannes: their arrows show the front immediately, and their crowd comes back after it was deleted."""
    with view():
        for k in range(3):
            bpy.ops.mesh.primitive_monkey_add(location=(4.0 * k, 0.0, 0.0), rotation=(0.0, 0.0, 0.5 * k))
        bpy.ops.object.select_all(action="SELECT")
        bpy.ops.view3d.view_selected()
        assert bpy.ops.steering.tag("EXEC_DEFAULT", True, role="VEHICLE", moves_like="BIRD") == {"FINISHED"}
    yield from arrows_of(3)
    picture(FOLDER / "own models 1 with their fronts.png")
    suzanne = bpy.context.object
    assert suzanne.steering.forward_axis == "NEG_Y"
    with view():
        assert bpy.ops.steering.flip_front("EXEC_DEFAULT", True) == {"FINISHED"}
        assert suzanne.steering.forward_axis == "POS_Y"
        bpy.ops.ed.undo()
    suzanne = bpy.data.objects["Suzanne"]
    assert suzanne.steering.forward_axis == "NEG_Y"
    crowd = suzanne.steering.crowd
    with view():
        bpy.ops.object.select_all(action="DESELECT")
        crowd.select_set(True)
        bpy.ops.object.delete()
        suzanne.select_set(True)
        bpy.context.view_layer.objects.active = suzanne
    yield from arrows_of(1)
    picture(FOLDER / "own models 2 without their crowd.png")
    with view():
        assert bpy.ops.steering.crowd_restore("EXEC_DEFAULT", True) == {"FINISHED"}
    yield DRAWN
    yield from bake()
    yield from step_back_and_clear({})


def arrows_of(number: int) -> Iterator[float]:
    """Wait until the overlay draws this number of vehicles."""
    watching = importlib.import_module(f"{MODULE}.steering_addon.blender.overlay.watching")
    waited = 0.0
    while (drawn := watching.vehicles_of(bpy.context.scene)) != number:
        assert waited < PATIENCE, f"The overlay draws {drawn} vehicles."
        waited += 0.2
        yield 0.2
    yield DRAWN


def eaten_up() -> Iterator[float]:
    """A preview hides an eaten resource, also after undo and redo. The end of the preview shows it again."""
    with view():
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.4, location=(0.0, -1.5, 0.0))
        assert bpy.ops.steering.tag("EXEC_DEFAULT", True, role="RESOURCE") == {"FINISHED"}
        bpy.context.object.name = "Food"
        bpy.context.object.steering.amount = 0.1
        bpy.ops.mesh.primitive_cone_add(radius1=0.2, depth=0.6)
        assert bpy.ops.steering.tag("EXEC_DEFAULT", True, role="VEHICLE", moves_like="UNCHANGED") == {"FINISHED"}
        bpy.context.object.steering.crowd.steering.forage.use = True
        bpy.ops.ed.undo_push(message="Food")
        bpy.data.objects["Food"].select_set(True)
        bpy.ops.ed.undo_push(message="Selected")
        assert bpy.ops.steering.preview("EXEC_DEFAULT", True) == {"FINISHED"}
    for frame, visible in ((1, True), (LAST, False), (2, True), (LAST, False)):
        bpy.context.scene.frame_set(frame)
        yield from played()
        assert size_of("Food") == float(visible), f"Food on frame {frame}"
    picture(FOLDER / "eaten up.png")
    for step in ("undo", "redo"):
        with view():
            getattr(bpy.ops.ed, step)()
        bpy.context.scene.frame_set(LAST)
        yield from played()
        assert size_of("Food") == 0.0, f"Food is visible after {step}."
        assert tuple(bpy.data.objects["Food"].scale) == (1.0, 1.0, 1.0)
    with view():
        assert bpy.ops.steering.preview("EXEC_DEFAULT", True) == {"FINISHED"}
    yield DRAWN
    assert size_of("Food") == 1.0
    assert bpy.data.objects["Food"].select_get()


def size_of(name: str) -> float:
    """The volume scale with which an object is drawn."""
    evaluated = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    return round(abs(evaluated.matrix_world.determinant()), 3)


def populated() -> Iterator[float]:
    """Populate a crowd on a ground, then again with a larger count."""
    with view():
        bpy.ops.mesh.primitive_plane_add(size=20.0)
        ground = bpy.context.object
        bpy.ops.mesh.primitive_cone_add(radius1=0.4, depth=1.2, rotation=(-1.5708, 0.0, 0.0))
        bpy.ops.object.transform_apply(rotation=True)
        ground.select_set(True)
        assert bpy.ops.steering.populate("EXEC_DEFAULT", True, moves_like="ANIMAL", count=40) == {"FINISHED"}
        crowd = bpy.context.object
        bpy.ops.view3d.view_axis(type="TOP")
    yield DRAWN
    yield from point(COLUMN, 700)
    yield from scroll(40)
    yield DRAWN
    y = yield from find("bpy.ops.steering.vary", COLUMN)
    yield from click(HEADER, y + BELOW_VARY)
    yield DRAWN
    # This button exists only if the click has opened the panel.
    yield from scroll(40)
    yield DRAWN
    yield from find("bpy.ops.steering.populate_add(", COLUMN)
    picture(FOLDER / "populated 1.png")
    before = members(crowd)
    with view():
        assert bpy.ops.steering.populate("EXEC_DEFAULT", True, count=70) == {"FINISHED"}
    assert len(members(crowd)) == 70
    assert set(before) <= set(members(crowd))
    yield DRAWN
    picture(FOLDER / "populated 2 with more.png")
    yield from bake()
    yield from play()
    picture(FOLDER / "populated 3 baked.png")
    yield from step_back_and_clear({})


def preview(file: Path) -> Iterator[float]:
    """Play and scrub a preview and end it: the vehicles are back at their start, without keys."""
    before = places()
    with view():
        assert bpy.ops.steering.preview("EXEC_DEFAULT", True) == {"FINISHED"}
    yield from play()
    yield from scrub()
    picture(file)
    assert max((a - b).length for a, b in zip(places(), before)) > 0.1, "No vehicle moves in the preview."
    yield from another_setting()
    assert not any(ob.animation_data and ob.animation_data.action for ob in bpy.data.objects if is_vehicle(ob))
    with view():
        assert bpy.ops.steering.preview("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    yield DRAWN
    assert max((a - b).length for a, b in zip(places(), before)) < 1e-4, "The vehicles are not at their start."


def another_setting() -> Iterator[float]:
    """Change a setting during the preview, and undo the change."""
    with view():
        bpy.ops.ed.undo_push(message="Before")
    yield from played()
    before = places()
    bpy.data.objects["Flock"].steering.wander.strength = 40.0
    yield from played()
    assert places() != before, "The preview ignores a changed setting."
    with view():
        bpy.ops.ed.undo_push(message="Strength")
        bpy.ops.ed.undo()
    yield from played()
    assert places() == before, "The preview ignores an undone setting."


def played() -> Iterator[float]:
    """Wait until the preview has reached the current frame."""
    yield DRAWN
    waited = 0.0
    while extension("preview").report(bpy.context.scene):
        assert waited < PATIENCE, "The preview does not reach the current frame."
        waited += 0.2
        yield 0.2


def scrub() -> Iterator[float]:
    """Go to other frames, and frame the vehicles in the view."""
    for frame in (25, 20):
        bpy.context.scene.frame_set(frame)
        yield DRAWN
    with view():
        bpy.ops.view3d.view_selected()
    yield DRAWN


def bake() -> Iterator[float]:
    """Bake as from the button, and wait until it is finished."""
    with view():
        assert bpy.ops.steering.bake("INVOKE_DEFAULT", True) in ({"RUNNING_MODAL"}, {"FINISHED"})
    waited = 0.0
    while not all_baked():
        assert waited < PATIENCE, "The bake does not finish."
        waited += 0.2
        yield 0.2
    yield DRAWN


def stopped() -> Iterator[float]:
    """Begin a long bake and stop it by Esc, which leaves nothing."""
    scene, before = bpy.context.scene, (len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.objects))
    scene.frame_end = 5000
    with view():
        assert bpy.ops.steering.bake("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield DRAWN
    press("Escape")
    waited = 0.0
    while len(bpy.context.window_manager.windows[0].modal_operators):
        assert waited < PATIENCE, "Esc does not stop the bake."
        waited += 0.2
        yield 0.2
    assert (len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.objects)) == before
    assert not all_baked()
    yield DRAWN
    picture(FOLDER / "bake canceled.png")
    scene.frame_end = LAST
    yield DRAWN


def play() -> Iterator[float]:
    """Play for a second."""
    before = bpy.context.scene.frame_current
    with view():
        bpy.ops.screen.animation_play()
    yield 1.0
    with view():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    assert bpy.context.scene.frame_current != before, "The animation does not play."
    yield DRAWN


def actions() -> dict[str, str]:
    """The names of the vehicles' actions; what a walker carries holds its arms by one."""
    vehicles = [ob for ob in bpy.data.objects if is_vehicle(ob) and ob.animation_data]
    return {ob.name: ob.animation_data.action.name for ob in vehicles if ob.animation_data.action}


def step_back_and_clear(actions_before: dict[str, str]) -> Iterator[float]:
    """Undo, redo and delete the bake, which leaves the vehicles their own actions."""
    for step, expected in (("undo", False), ("redo", True)):
        with view():
            getattr(bpy.ops.ed, step)()
        yield DRAWN
        assert all_baked() == expected, f"The bake is not affected by {step}."
    with view():
        assert bpy.ops.steering.clear_bake("EXEC_DEFAULT", True) == {"FINISHED"}
    yield DRAWN
    assert actions() == actions_before


def switched_off() -> Iterator[float]:
    """Disable and enable the extension; the file keeps its contents."""
    count = len(bpy.data.objects)
    addon_utils.disable(MODULE)
    yield DRAWN
    assert not hasattr(bpy.types.Object, "steering")
    picture(FOLDER / "switched off.png")
    addon_utils.enable(MODULE)
    yield DRAWN
    assert len(bpy.data.objects) == count
    assert sum(1 for ob in bpy.data.objects if is_vehicle(ob)) == 70
    picture(FOLDER / "switched on.png")


def show_object_properties() -> None:
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "PROPERTIES":
            area.spaces.active.context = "OBJECT"


def places() -> list:
    """The evaluated positions of the vehicles."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return [ob.evaluated_get(depsgraph).matrix_world.translation.copy() for ob in bpy.data.objects if is_vehicle(ob)]


def is_vehicle(ob) -> bool:
    return ob.is_property_set("steering") and "VEHICLE" in ob.steering.roles


def extension(name: str):
    """A module of the extension, below its folder blender."""
    return importlib.import_module(f"{MODULE}.steering_addon.blender.{name}")


def members(crowd) -> list[str]:
    return [ob.name for ob in bpy.data.objects if is_vehicle(ob) and ob.steering.crowd == crowd]


def all_baked() -> bool:
    vehicles = [ob for ob in bpy.data.objects if is_vehicle(ob)]
    return bool(vehicles) and all(ob.animation_data and ob.animation_data.action for ob in vehicles)


tell(story())
