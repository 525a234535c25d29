"""Clicks the buttons of the Bake panel in every state: `blender --python bake_panel.py -- FOLDER`.

The buttons are clicked with the mouse, always at the same pixels, and Blender itself names the button under it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.window import HAND, choose_steering, click, find, picture, point, press, show_steering, tell, view  # noqa: E402
from tests.blender.building import part  # noqa: E402
from tests.gui.hands import BAKE, DELETE, DRAWN, FIRST_LISTED, LISTED, PREVIEW, look, until, vehicles  # noqa: E402

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
TRIES, NOTHING = 5, "nothing"
LAST = 30
REPLACE = (1030, 366)
"""Where the setting below the refusal is. In a popover Blender copies no path, so that it cannot be found."""
BUTTONS = {PREVIEW: "bpy.ops.steering.preview", BAKE: "bpy.ops.steering.bake", DELETE: "bpy.ops.steering.clear_bake"}


def story() -> Iterator[float]:
    bpy.data.batch_remove(bpy.data.objects[:])
    bpy.context.scene.frame_end = LAST
    show_steering()
    yield DRAWN
    choose_steering()
    yield DRAWN
    yield from in_their_places("1 empty")
    with view():
        assert bpy.ops.steering.add_flock("EXEC_DEFAULT", True, count=8) == {"FINISHED"}
        assert bpy.ops.steering.crowd_select("EXEC_DEFAULT", True) == {"FINISHED"}
    yield DRAWN
    yield from in_their_places("2 added")
    yield from previewed_by_two_clicks()
    yield from baked_outdated_and_deleted()
    yield from refused()
    yield from asked_of_edited_keys()


def previewed_by_two_clicks() -> Iterator[float]:
    """A click starts the preview; the next, at the same pixel, ends it and starts no bake."""
    yield from click(*PREVIEW)
    yield DRAWN
    assert is_previewed(), "The first click starts no preview."
    yield from in_their_places("3 previewing")
    bpy.context.scene.frame_set(20)
    yield DRAWN
    yield from in_their_places("4 previewing another frame")
    yield from click(*PREVIEW)
    yield DRAWN
    assert not is_previewed(), "The second click does not end the preview."
    assert not bpy.context.window_manager.windows[0].modal_operators, "The second click starts an operator."
    assert not any_baked(), "The second click bakes."
    yield from in_their_places("5 preview ended")


def baked_outdated_and_deleted() -> Iterator[float]:
    yield from click(*BAKE)
    yield from until(any_baked, "The click does not bake.")
    yield from in_their_places("6 baked")
    assert state() == (False, True)
    yield from frames_compare_nothing()
    yield from in_their_places("7 outdated")
    assert state() == (True, True)
    with view():
        bpy.ops.object.select_all(action="DESELECT")
        bpy.context.view_layer.objects.active = None
    yield DRAWN
    yield from in_their_places("8 nothing selected")
    yield from click(*DELETE)
    yield DRAWN
    assert not any_baked(), "The click does not delete the bake."
    yield from in_their_places("9 deleted")
    for operator in (bpy.ops.steering.clear_bake, bpy.ops.steering.select_contacts):
        assert not operator.poll(), f"{operator} is offered with nothing baked."


def frames_compare_nothing() -> Iterator[float]:
    """Going to other frames does not compare the bake with the scene again, which would slow down playback."""
    census = part("blender.status.census")
    compare, compared = census.fingerprint, []
    census.fingerprint = lambda *scene: compared.append(scene) or compare(*scene)
    for frame in (5, 25, 20):
        bpy.context.scene.frame_set(frame)
        yield DRAWN
    assert not compared, "A change of the frame compares the bake again."
    bpy.data.objects["Flock"].steering.vehicle.max_speed -= 1.0
    yield from until(lambda: bool(compared), "A change of a setting does not compare the bake.")
    assert len(compared) == 1, "A change of a setting compares the bake once."
    census.fingerprint = compare


def refused() -> Iterator[float]:
    """A vehicle with keys of its own is refused; a click selects it, another replaces its keys."""
    bird = vehicles()[0]
    bird.keyframe_insert("location", frame=5)
    yield DRAWN
    yield from click(*BAKE)
    yield DRAWN
    assert not any_generated(bird)
    yield from in_their_places("10 refused")
    yield from look()
    y = yield from find("bpy.ops.steering.finding_select", LISTED, FIRST_LISTED)
    yield from click(LISTED, y)
    yield DRAWN
    assert bpy.context.selected_objects == [bird], "The click does not select what was refused."
    yield from look()
    yield from click(*REPLACE)
    yield DRAWN
    assert bpy.context.scene.steering.replace_own_keys, "The click does not turn on Replace Own Keys."
    yield from in_their_places("11 allowed")
    yield from click(*BAKE)
    yield from until(lambda: any_generated(bird), "The click does not bake after Replace Own Keys.")
    yield from in_their_places("12 baked over keys")


def asked_of_edited_keys() -> Iterator[float]:
    """A key is moved by hand: Bake asks, Esc leaves all as it is, and the answer under the mouse locks the vehicle."""
    bird, other = vehicles()[:2]
    bpy.context.scene.frame_set(20)
    with view():
        bpy.ops.object.select_all(action="DESELECT")
        bird.select_set(True)
        bpy.context.view_layer.objects.active = bird
    yield DRAWN
    yield from point(300, 600)
    for key in ("g", "z", "3", "Return", "i"):
        press(key)
        yield HAND
    yield DRAWN
    height, before = bird.location.z, keys_of(other)
    bpy.context.scene.steering.seed += 1
    yield from click(*BAKE)
    yield DRAWN
    press("Escape")
    yield DRAWN
    yield from click(*BAKE)
    yield DRAWN
    picture(FOLDER / "bake panel 13 asked of edited keys.png")
    assert not bird.steering.locked and keys_of(other) == before, "It bakes without an answer."
    yield from click(*BAKE)
    yield from until(lambda: bird.steering.locked, "The answer locks nothing.")
    assert keys_of(other) != before, "The answer bakes nothing."
    bpy.context.scene.frame_set(20)
    assert abs(bird.location.z - height) < 1e-5, "The edited key is lost."
    yield from in_their_places("14 locked")


def in_their_places(name: str) -> Iterator[float]:
    """Check that each button is at its pixels, and take a picture."""
    yield from point(300, 600)
    picture(FOLDER / f"bake panel {name}.png")
    for place, operator in BUTTONS.items():
        yield from point(*place)
        bpy.context.window_manager.clipboard = NOTHING
        for _ in range(TRIES):
            # Blender copies the command of the button under the mouse, even of a disabled one.
            press("ctrl+c")
            yield HAND
            copied = bpy.context.window_manager.clipboard
            if copied != NOTHING:
                break
        assert copied.startswith(operator), f"{name}: {copied!r} is where {operator} was."


def state() -> tuple[bool, bool]:
    """Whether the bake is out of date, and whether there is one, as the panel shows it."""
    bake = part("blender.status.census").known(bpy.context.scene).bake
    return bake.outdated, bake.vehicles > 0


def is_previewed() -> bool:
    return part("blender.preview").is_on(bpy.context.scene)


def any_baked() -> bool:
    return any(ob.animation_data and ob.animation_data.action for ob in vehicles())


def any_generated(ob) -> bool:
    """Whether an object has keys of a bake."""
    action = ob.animation_data.action if ob.animation_data else None
    return action is not None and "steering_bake" in action


def keys_of(ob) -> list[tuple[float, float]]:
    """The frames and values of the keys of an object."""
    return [tuple(key.co) for curve in ob.animation_data.action.fcurves for key in curve.keyframe_points]


tell(story())
