"""What an animator may do next: the steps of a trial."""

import contextlib
from collections.abc import Callable
from random import Random

import bpy

from . import laws
from .extension import is_previewing, let_play
from .odd_animation import animate
from .odd_objects import NAMES
from .odd_scene import is_crowd
from .trial import Trial

Step = Callable[[Trial, Random], None]
STEPS: dict[str, tuple[Step, float]] = {}
"""The steps by name, and how often each is drawn."""

UNTAGGED = ("VEHICLE", "OBSTACLE", "PATH", "LEADER", "REGION", "FLOW", "RESOURCE", "SURFACE", "LINK", "SIGNAL")
PRESETS = ("starling", "flock", "school", "car", "pedestrian", "bee", "missing", "../../x", "mine")
FURTHER = (
    *("select_contacts", "crowd_add", "flow_switch_direction", "crowd_select", "populate_add", "populate_remove"),
    *("flocking_add", "flip_front", "crowd_restore", "finding_select", "crowd_assign", "set_start"),
)


def step(weight: float = 1.0) -> Callable[[Step], Step]:
    """Declare a step that is drawn this often."""

    def declare(function: Step) -> Step:
        STEPS[function.__name__] = function, weight
        return function

    return declare


@step(3.0)
def bake_twice_and_clear(trial: Trial, chance: Random) -> None:
    """A second bake is as the first, and without the bake all is as before."""
    _end_preview(trial)
    was_baked = bool(laws.baked_actions() or laws.caches())
    before, involved = laws.dump(), laws.involved()
    settings = {"replace_own_keys": chance.random() < 0.5, "selected": chance.random() < 0.15}
    if not trial.attempt("bake", **settings):
        return
    once, involved, hidden = laws.dump(), involved | laws.involved(), laws.hidden()
    trial.breaks("a bake leaves other things alone", laws.touched(before, once, involved))
    trial.breaks("keys are finite", laws.no_numbers())
    # Blender deselects what the first bake hides.
    is_other = settings["selected"] and hidden
    if not trial.attempt("bake", **settings):
        trial.breaks("a bake can be repeated", "" if is_other else "the second bake was refused")
        return
    if not is_other and not any(laws.drivers_of_bakes()) and not laws.caches():
        # A driver that reads a bake makes the next one depend on it. Meshes of a cache are new each time.
        trial.breaks("baking twice is baking once", laws.differences(once, laws.dump()))
    if was_baked or not (laws.baked_actions() or laws.caches()) or chance.random() < 0.3:
        return
    if trial.attempt("clear_bake"):
        was, now = (laws.restorable(dump, laws.copies(before), hidden) for dump in (before, laws.dump()))
        trial.breaks("bake and clear restore the file", laws.differences(was, now))
    else:
        trial.breaks("a bake can be cleared", "refused")


def _end_preview(trial: Trial) -> None:
    """End a preview, which poses bones until a bake ends it."""
    if is_previewing():
        trial.attempt("preview")


@step(2.0)
def preview(trial: Trial, chance: Random) -> None:
    """The preview leaves no trace, whatever frames are shown."""
    _end_preview(trial)
    scene = bpy.context.scene
    # Blender deselects what an earlier bake hides, while the preview plays.
    frame, before, hidden = scene.frame_current, laws.dump(), laws.hidden_by_keys()
    if not trial.attempt("preview", replace_own_keys=chance.random() < 0.3):
        return
    first, last = trial.range()
    hidden |= laws.hidden()
    for _ in range(chance.randint(1, 4)):
        let_play(chance.random() < 0.5)
        scene.frame_set(chance.randint(first - 2, last + 2))
        hidden |= laws.hidden()
        if chance.random() < 0.2:
            trial.scene.select(chance)
            selected = [ob.name for ob in bpy.context.selected_objects]
            active = bpy.context.view_layer.objects.active
            before["selected"], before["active"] = sorted(selected), getattr(active, "name", None)
    if chance.random() < 0.7:
        trial.attempt("preview")
        scene.frame_set(frame)
        was, now = (laws.without_selection_of(hidden, dump) for dump in (before, laws.dump()))
        trial.breaks("a preview leaves no trace", laws.differences(was, now))


@step()
def bake(trial: Trial, chance: Random) -> None:
    # A bake ends it even where it is refused, and with it goes the mesh that shows points.
    _end_preview(trial)
    trial.scene.select(chance)
    before, involved = laws.dump(), laws.involved()
    selected = chance.random() < 0.5
    if trial.attempt("bake", selected=selected, replace_own_keys=chance.random() < 0.3):
        if not selected:
            trial.breaks("a bake holds until something is changed", laws.outdated())
        involved |= laws.involved()
        trial.breaks("a bake leaves other things alone", laws.touched(before, laws.dump(), involved))
        trial.breaks("keys are finite", laws.no_numbers())


@step()
def clear(trial: Trial, chance: Random) -> None:
    # One that runs shows otherwise what is baked no longer.
    _end_preview(trial)
    trial.scene.select(chance)
    before, involved = laws.dump(), laws.involved()
    if trial.attempt("clear_bake", selected=chance.random() < 0.4):
        trial.breaks("a clear leaves other things alone", laws.touched(before, laws.dump(), involved))


@step()
def tag(trial: Trial, chance: Random) -> None:
    trial.scene.tag_objects(chance)


@step()
def untag(trial: Trial, chance: Random) -> None:
    trial.scene.select(chance)
    trial.attempt("untag", role=chance.choice(UNTAGGED))


@step()
def change_settings(trial: Trial, chance: Random) -> None:
    trial.scene.change_settings(chance)


@step()
def vary(trial: Trial, chance: Random) -> None:
    trial.scene.select(chance)
    trial.attempt("vary", speed=chance.choice((0.0, 0.1, 0.9)), size=chance.choice((0.0, 0.2, 0.9)))


@step()
def populate(trial: Trial, chance: Random) -> None:
    trial.scene.select(chance)
    for ob in bpy.context.selected_objects:
        if ob.library is None and is_crowd(ob):
            stored = ob.steering.populate
            ways = [item.identifier for item in stored.bl_rna.properties["arrangement"].enum_items]
            stored.count, stored.arrangement = chance.choice((0, 1, 3, 6)), chance.choice(ways)
    trial.attempt("populate")


@step()
def presets(trial: Trial, chance: Random) -> None:
    trial.scene.select(chance, 1)
    if chance.random() < 0.4:
        name = chance.choice((*NAMES, "mine"))
        trial.attempt("preset_save", name=name, description=chance.choice((*NAMES, "")))
    trial.attempt(
        "preset_apply", preset=chance.choice(PRESETS), fit_size=chance.random() < 0.5, vary=chance.random() < 0.4
    )
    if chance.random() < 0.3:
        trial.attempt("preset_remove", preset=chance.choice(PRESETS))


@step()
def further_operators(trial: Trial, chance: Random) -> None:
    trial.scene.select(chance)
    for operator in chance.sample(FURTHER, 3):
        trial.attempt(operator)


@step(0.5)
def behaviors(trial: Trial, chance: Random) -> None:
    trial.scene.select(chance, 1)
    declared = bpy.ops.steering.behavior_add.get_rna_type().properties["behavior"].enum_items
    behavior = chance.choice([item.identifier for item in declared])
    trial.attempt("behavior_add", behavior=behavior)
    trial.attempt("behavior_preset_save", behavior=behavior, name=chance.choice((*NAMES, "mine")))
    trial.attempt("behavior_preset_apply", behavior=behavior, preset=chance.choice(("mine", "missing")))
    trial.attempt("behavior_preset_remove", behavior=behavior, preset=chance.choice(("mine", "missing")))
    if chance.random() < 0.5:
        trial.attempt("behavior_remove", behavior=behavior)


@step(0.5)
def states(trial: Trial, chance: Random) -> None:
    trial.scene.select(chance, 1)
    trial.attempt("state_add", preset=chance.choice(("", "startle", "hunt", "Mine", "missing")))
    trial.attempt("trigger_add", when=chance.choice(("NEAR", "ALONE", "INSIDE")))
    trial.attempt("state_preset_save", name=chance.choice((*NAMES, "mine")))
    trial.attempt("state_preset_remove", preset=chance.choice(("mine", "missing")))


@step(0.5)
def ready_scenes(trial: Trial, chance: Random) -> None:
    trial.attempt(chance.choice(("add_flock", "add_school", "add_walkers")), count=chance.choice((1, 4)))


@step()
def undo_and_redo(trial: Trial, chance: Random) -> None:
    """Undo takes back everything an operator did, redo does it again."""
    operator, settings = chance.choice(
        (("bake", {"replace_own_keys": True}), ("clear_bake", {}), ("tag", {"role": "OBSTACLE"}), ("populate", {}))
    )
    trial.scene.select(chance)
    _end_preview(trial)
    before = _seen_before()
    bpy.ops.ed.undo_push(message="Before")
    if not trial.attempt(operator, **settings):
        return
    after = _seen_before()
    bpy.ops.ed.undo_push(message="After")
    bpy.ops.ed.undo()
    trial.breaks(f"undo takes back a {operator}", laws.differences(before, laws.undoable(laws.dump())))
    bpy.ops.ed.redo()
    trial.breaks(f"redo repeats a {operator}", laws.differences(after, laws.undoable(laws.dump())))


def _seen_before() -> dict:
    """A dump after an earlier one: the first look makes Blender store groups that were never set."""
    laws.dump()
    return laws.undoable(laws.dump())


@step()
def save_and_open(trial: Trial, chance: Random) -> None:
    path = str(trial.scratch / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
    bpy.ops.wm.open_mainfile(filepath=path)


@step()
def edit_by_hand(trial: Trial, chance: Random) -> None:
    """Delete, rename, copy, move or key an object, which the extension has to bear."""
    objects = [ob for ob in bpy.context.view_layer.objects if ob is not None and ob.library is None]
    if len(objects) < 2:
        return
    ob = chance.choice(objects)
    edit = chance.choice(("delete", "rename", "copy", "move", "key", "range"))
    trial.did(f"{edit} {ob.name}")
    if edit == "delete":
        bpy.data.objects.remove(ob)
    elif edit == "rename":
        ob.name = chance.choice(NAMES)
    elif edit == "copy":
        trial.scene.select(chance, 1)
        # Nothing may be selected.
        with contextlib.suppress(RuntimeError):
            bpy.ops.object.duplicate(linked=chance.random() < 0.5)
    elif edit == "move":
        ob.location = [chance.uniform(-9.0, 9.0) for _ in range(3)]
    elif edit == "key":
        animate(ob, chance, trial.scene.oddness)
    else:
        scene = bpy.context.scene
        scene.frame_start -= chance.choice((0, 2))
        scene.frame_end = scene.frame_start + chance.choice((0, 4, 9))


@step(0.5)
def show_frames(trial: Trial, chance: Random) -> None:
    first, last = trial.range()
    for _ in range(3):
        bpy.context.scene.frame_set(chance.randint(first - 5, last + 5))
