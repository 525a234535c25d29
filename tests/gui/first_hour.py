"""Does with own models what a new user does, by mouse and keyboard: `blender --python first_hour.py -- FOLDER`."""

import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.window import (  # noqa: E402
    HAND,
    choose_steering,
    click,
    find,
    picture,
    point,
    press,
    scroll,
    show_steering,
    tell,
    view,
    write,
)
from tests.blender.building import part  # noqa: E402
from tests.blender.dumping import difference, scene_dump  # noqa: E402
from tests.gui.hands import BAKE, COLUMN, DRAWN, FIRST_LISTED, LISTED, VIEW, look, until, vehicles  # noqa: E402

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
WEIGHT = 1208
"""Where the weights of the behaviors are."""
PATH = "ctrl+shift+alt+c"
"""Copies the path of the setting under the mouse."""
SUZANNES = ("Suzanne", "Suzanne.001", "Suzanne.002")


def story() -> Iterator[float]:
    yield from own_scene()
    watch_counts()
    yield from tagged()
    yield from given_a_path()
    yield from helped()
    yield from looked_at()
    yield from lost_and_restored()
    yield from populated()
    assert not wrong_counts, f"The panel showed old counts: {wrong_counts}."


def own_scene() -> Iterator[float]:
    """Three Suzannes that look along -X, and a path before them with a box on it."""
    bpy.data.batch_remove(bpy.data.objects[:])
    bpy.context.scene.frame_end = 60
    show_steering()
    yield DRAWN
    choose_steering()
    with view():
        for k in range(3):
            bpy.ops.mesh.primitive_monkey_add(location=(0.0, 3.0 * k, 0.0), rotation=(0.0, 0.0, -1.5708))
        bpy.ops.curve.primitive_nurbs_path_add(radius=10.0, location=(24.0, 3.0, 0.0))
        bpy.ops.mesh.primitive_cube_add(location=(24.0, 3.0, 0.0))
        select("NurbsPath")
        bpy.ops.steering.tag("EXEC_DEFAULT", True, role="PATH")
        select("Cube")
        bpy.ops.steering.tag("EXEC_DEFAULT", True, role="OBSTACLE")
        select(*SUZANNES)
        bpy.ops.view3d.view_all()
        bpy.ops.ed.undo_push(message="Scene")
    yield DRAWN


wrong_counts: list[tuple[int, int]] = []
"""The numbers of vehicles that a panel showed, and that there were, where they differ."""


def watch_counts() -> None:
    """Compare the vehicles that the panel counts with those of the scene, each time that it is drawn."""
    panel, census = part("blender.panels.baking").Baking, part("blender.status.census")
    draw = panel.draw

    def watched(self, context) -> None:
        known = census.known(context.scene)
        counts = (known.vehicles, len(vehicles())) if known is not None else (0, 0)
        if counts[0] != counts[1]:
            wrong_counts.append(counts)
        draw(self, context)

    panel.draw = watched


def tagged() -> Iterator[float]:
    """Vehicle > Bird changes no object, and shows where the front of each is."""
    before = dump()
    y = yield from find("bpy.ops.steering.tag(role='VEHICLE'", COLUMN)
    yield from click(COLUMN, y)
    picture(FOLDER / "1 moves like.png")
    press("b")
    yield DRAWN
    assert len(vehicles()) == 3, "The click and the key tag no vehicles."
    changed = [line for line in difference(before, dump()) if "/stored" not in line]
    assert not changed, changed
    yield from until(
        lambda: part("blender.overlay.watching").vehicles_of(bpy.context.scene) == 3, "No arrow shows a front."
    )
    assert {ob.steering.forward_axis for ob in vehicles()} == {"NEG_Y"}
    picture(FOLDER / "2 tagged.png")


def given_a_path() -> Iterator[float]:
    """Follow Path from the menu of the panel has a weight that fits those beside it, and a place below the headings."""
    yield from point(COLUMN, 700)
    yield from scroll(40)
    y = yield from find("STEERING_MT_behavior_add", COLUMN)
    yield from click(COLUMN, y)
    picture(FOLDER / "3 add behavior.png")
    # Space searches the menu that is open.
    press("space")
    yield HAND
    write("Follow Path")
    yield DRAWN
    press("Return")
    yield DRAWN
    steering = crowd().steering
    assert steering.is_property_set("path_following") and steering.path_following.use
    weights = [getattr(steering, name).weight for name in ("wander", "obstacle_avoidance", "containment")]
    assert min(weights) <= steering.path_following.weight <= max(weights), (steering.path_following.weight, weights)
    picture(FOLDER / "4 with a path.png")


def helped() -> Iterator[float]:
    """F1 over a setting opens the page about its behavior, which the extension brings along."""
    opened: list[str] = []
    browse, webbrowser.open = webbrowser.open, lambda url, *_rest: opened.append(url) or True
    try:
        y = yield from find("path_following.weight", WEIGHT, keys=PATH)
        press("F1")
        yield DRAWN
    finally:
        webbrowser.open = browse
    assert len(opened) == 1 and "path_following" in opened[0], opened
    assert Path(opened[0].removeprefix("file://").partition("#")[0]).exists(), opened
    print(f"F1 at {y}: {opened[0]}", flush=True)


def looked_at() -> Iterator[float]:
    """A hidden vehicle and one of scale zero are listed, and a click selects them."""
    bpy.data.objects[SUZANNES[0]].hide_set(True)
    bpy.data.objects[SUZANNES[1]].scale = (0.0, 0.0, 0.0)
    yield from point(COLUMN, 700)
    yield from scroll(-60)
    yield DRAWN
    listed = {finding.kind.name: finding for finding in part("blender.status.census").known(bpy.context.scene).findings}
    assert set(listed) == {"HIDDEN", "NO_SIZE"}, listed
    y = FIRST_LISTED
    for kind in range(len(listed)):
        yield from look()
        picture(FOLDER / "5 to look at.png")
        y = yield from find("bpy.ops.steering.finding_select", LISTED, y)
        yield from click(LISTED, y)
        yield DRAWN
        chosen = {ob.name for ob in bpy.context.selected_objects}
        picture(FOLDER / f"6 selected {kind + 1}.png")
        assert len(chosen) == 1 and chosen < set(SUZANNES[:2]), chosen
        y += 15
    bpy.data.objects[SUZANNES[0]].hide_set(False)
    bpy.data.objects[SUZANNES[1]].scale = (1.0, 1.0, 1.0)
    yield DRAWN


def lost_and_restored() -> Iterator[float]:
    """The Empty of the crowd is deleted by X; a click brings it back with its settings, and the crowd bakes."""
    weight = crowd().steering.path_following.weight
    select(crowd().name)
    yield DRAWN
    yield from point(*VIEW)
    press("x")
    yield DRAWN
    press("Return")
    yield from until(lambda: "Birds" not in bpy.context.scene.objects, "X deletes nothing.")
    select(*SUZANNES)
    yield DRAWN
    yield from point(COLUMN, 700)
    yield from scroll(-60)
    picture(FOLDER / "7 without its crowd.png")
    y = yield from find("bpy.ops.steering.crowd_restore", COLUMN)
    yield from click(COLUMN, y)
    yield DRAWN
    assert crowd().steering.path_following.weight == weight
    yield from click(*BAKE)
    yield from until(
        lambda: all(ob.animation_data and ob.animation_data.action for ob in vehicles()), "The click does not bake."
    )
    picture(FOLDER / "8 restored and baked.png")


def populated() -> Iterator[float]:
    """Populate puts members on a ground by one click, and the panel counts them immediately."""
    with view():
        bpy.ops.mesh.primitive_plane_add(size=20.0, location=(0.0, 40.0, 0.0))
        bpy.ops.mesh.primitive_cone_add(radius1=0.3, depth=1.8, location=(0.0, 40.0, 0.9))
        select("Cone", "Plane")
    yield DRAWN
    y = yield from find("bpy.ops.steering.populate", COLUMN)
    yield from click(COLUMN, y)
    yield DRAWN
    assert len(vehicles()) == 53, len(vehicles())
    picture(FOLDER / "9 populated.png")


def select(*names: str) -> None:
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def crowd():
    return bpy.data.objects[SUZANNES[0]].steering.crowd


def dump() -> dict:
    """Everything that the scene's objects are, but for the settings that this extension stores on them."""
    objects = scene_dump(["objects"])["objects"]
    return {ob.name: {**objects[ob.name], "steering": None} for ob in bpy.data.objects if ob.type != "EMPTY"}


tell(story())
