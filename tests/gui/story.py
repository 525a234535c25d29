"""Acts as a user in a window of Blender: `blender --python story.py -- FOLDER`. Stops at the first failure."""

import sys
from collections.abc import Iterator
from pathlib import Path

import addon_utils
import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.window import choose_steering, picture, press, show_steering, tell, view  # noqa: E402
from tests.blender.building import MODULE, part  # noqa: E402
from tests.gui.hands import until, vehicles  # noqa: E402

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
DRAWN = 0.4
"""Seconds after which the window has been redrawn."""
LAST = 30
READY = {"flock": 16, "walkers": 8}
"""The ready scenes with their number of members: few, because the test is about the window."""


def story() -> Iterator[float]:
    for name, count in READY.items():
        yield from new_file()
        yield from ready_scene(name, count)
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
    counted = part("blender.status.census").known(bpy.context.scene)
    # Walkers cross the road of the traffic.
    added = len(vehicles(bpy.context.scene))
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
    assert not any(ob.animation_data and ob.animation_data.action for ob in vehicles())
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
    preview = part("blender.preview")
    yield from until(lambda: not preview.report(bpy.context.scene), "The preview does not reach the current frame.")


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
    yield from until(all_baked, "The bake does not finish.")


def stopped() -> Iterator[float]:
    """Begin a long bake and stop it by Esc, which leaves nothing."""
    scene, before = bpy.context.scene, (len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.objects))
    scene.frame_end = 5000
    with view():
        assert bpy.ops.steering.bake("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield DRAWN
    press("Escape")
    yield from until(lambda: not bpy.context.window_manager.windows[0].modal_operators, "Esc does not stop the bake.")
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
    moved = [ob for ob in vehicles() if ob.animation_data and ob.animation_data.action]
    return {ob.name: ob.animation_data.action.name for ob in moved}


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
    count, members = len(bpy.data.objects), len(vehicles())
    addon_utils.disable(MODULE)
    yield DRAWN
    assert not hasattr(bpy.types.Object, "steering")
    picture(FOLDER / "switched off.png")
    addon_utils.enable(MODULE)
    yield DRAWN
    assert len(bpy.data.objects) == count
    assert len(vehicles()) == members
    picture(FOLDER / "switched on.png")


def show_object_properties() -> None:
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "PROPERTIES":
            area.spaces.active.context = "OBJECT"


def places() -> list:
    """The evaluated positions of the vehicles."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return [ob.evaluated_get(depsgraph).matrix_world.translation.copy() for ob in vehicles()]


def all_baked() -> bool:
    return bool(vehicles()) and all(ob.animation_data and ob.animation_data.action for ob in vehicles())


tell(story())
