"""Whatever a file or a script holds: an operator answers with a sentence and changes nothing, or does its work."""

import re
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import bpy
import pytest

from tests.blender.building import part
from tests.blender.drawing import everything_shown
from tests.blender.dumping import difference, scene_dump
from tests.blender.hostile_values import BAKED, UNBAKED, Change, Stage, staged
from tests.blender.steered import select
from tests.sampling import sampled

KINDS = ("actions", "collections", "objects", "scenes")
"""The types of datablocks that a refusal must not change."""


def steering():
    return bpy.ops.steering


def _on_crowd(operator):
    def run(stage: Stage):
        select(stage.crowd)
        return operator(stage)

    return run


def _preview():
    result = steering().preview()
    bpy.context.scene.frame_set(3)
    if part("blender.preview").is_on(bpy.context.scene):
        steering().preview()
    bpy.context.scene.frame_set(1)
    return result


def _in_a_state(operator):
    """What needs a state; the state that is made here stays the active object."""
    made = steering().state_add()
    return operator() if made == {"FINISHED"} else made


OPERATORS = {
    "tag": lambda stage: (select(stage.loose), steering().tag(role="VEHICLE", moves_like="BIRD"))[-1],
    "tag as a leader": lambda stage: (select(stage.loose), steering().tag(role="LEADER"))[-1],
    "tag into a new crowd": lambda stage: (
        select(stage.loose),
        steering().tag(role="VEHICLE", moves_like="FISH", new_crowd=True),
    )[-1],
    "tag vehicles as obstacles": lambda _stage: steering().tag(role="OBSTACLE"),
    "untag": lambda _stage: steering().untag(role="VEHICLE"),
    "untag the crowd": _on_crowd(lambda _stage: steering().untag(role="CROWD")),
    "crowd_add": lambda _stage: steering().crowd_add(),
    "set_start": lambda _stage: steering().set_start(),
    "flip_front": lambda _stage: steering().flip_front(),
    "move_as": lambda _stage: steering().move_as(locomotion="PLANAR"),
    "crowd_assign": lambda _stage: steering().crowd_assign(),
    "crowd_assign to another": lambda stage: steering().crowd_assign(crowd=stage.second.name),
    "crowd_restore": lambda _stage: steering().crowd_restore(),
    "crowd_select": lambda _stage: steering().crowd_select(),
    "behavior_add": lambda _stage: steering().behavior_add(behavior="cohesion"),
    "flocking_add": lambda _stage: steering().flocking_add(),
    "behavior_remove": lambda _stage: steering().behavior_remove(behavior="wander"),
    "preset_apply": lambda _stage: steering().preset_apply(preset="flock", fit_size=True, vary=True, use_preroll=True),
    "preset_save": lambda _stage: steering().preset_save(name="Hostile"),
    "preset_remove": lambda _stage: steering().preset_remove(preset="Hostile"),
    "behavior_preset_apply": lambda _stage: steering().behavior_preset_apply(behavior="wander", preset="calm"),
    "behavior_preset_save": lambda _stage: steering().behavior_preset_save(behavior="separation", name="Hostile"),
    "behavior_preset_remove": lambda _stage: steering().behavior_preset_remove(behavior="separation", preset="Hostile"),
    "vary": lambda _stage: steering().vary(speed=0.1, size=0.1, mass=0.1, start_speed=0.1),
    "vary the selected": lambda _stage: steering().vary(size=0.1, selected=True),
    "populate": lambda stage: (select(stage.crowd, stage.loose), steering().populate(count=4))[-1],
    "populate a new crowd": lambda stage: (select(stage.loose), steering().populate(count=4))[-1],
    "populate with vehicles": lambda stage: (select(*stage.vehicles), steering().populate(count=4))[-1],
    "populate a region": lambda stage: (
        select(stage.loose),
        steering().populate(count=4, arrangement="VOLUME", place=stage.room.name),
    )[-1],
    "populate a surface": lambda stage: (
        select(stage.loose),
        steering().populate(count=4, arrangement="SURFACE", place=stage.rock.name),
    )[-1],
    "populate a curve": lambda stage: (
        select(stage.loose),
        steering().populate(count=4, arrangement="CURVE", place=stage.road.name),
    )[-1],
    "populate_add": lambda stage: (select(stage.crowd, stage.loose), steering().populate_add())[-1],
    "populate_remove": _on_crowd(lambda _stage: steering().populate_remove(row=0)),
    "add_flock": lambda _stage: steering().add_flock(count=3),
    "preview": lambda _stage: _preview(),
    "bake": lambda _stage: steering().bake(),
    "bake the selected": lambda _stage: steering().bake(selected=True, replace_own_keys=True),
    "clear_bake": lambda _stage: steering().clear_bake(),
    "select_contacts": lambda _stage: steering().select_contacts(),
    "finding_select": lambda _stage: steering().finding_select(kind="HIDDEN"),
    "export_usd": lambda _stage: steering().export_usd(filepath=str(Path(bpy.app.tempdir, "hostile.usdc"))),
    "save_crowd_library": _on_crowd(lambda _stage: steering().save_crowd_library()),
    "make_objects": _on_crowd(lambda _stage: steering().make_objects(ids="1")),
    "give_back": _on_crowd(lambda _stage: steering().give_back()),
    "pick_agents": _on_crowd(lambda _stage: steering().pick_agents()),
    "clips_find": lambda _stage: steering().clips_find(),
    "clip_add": lambda _stage: steering().clip_add(action="Walk"),
    "clip_remove": lambda _stage: steering().clip_remove(row=0),
    "clips_measure": lambda _stage: steering().clips_measure(),
    "fit_speed": lambda _stage: steering().fit_speed(),
    "lock_edited": lambda _stage: steering().lock_edited(),
    "whole_select": lambda _stage: steering().whole_select(),
    "select_sliding": lambda _stage: steering().select_sliding(),
    "drive_wheels": lambda _stage: steering().drive_wheels(),
    "state_preset_remove": lambda _stage: steering().state_preset_remove(preset="Hostile"),
    "pose_meshes": lambda _stage: steering().pose_meshes(most=4),
    "state_add": lambda _stage: steering().state_add(),
    "trigger_add": lambda _stage: _in_a_state(lambda: steering().trigger_add()),
    "cue_add": lambda _stage: _in_a_state(lambda: steering().cue_add()),
    "states_copy": lambda _stage: steering().states_copy(),
    "select_in_state": lambda _stage: steering().select_in_state(),
    "animate_by_hand": lambda _stage: steering().animate_by_hand(frame_start=2, frame_end=5),
    "mark_add": lambda _stage: steering().mark_add(),
    "flow_switch_direction": lambda _stage: steering().flow_switch_direction(),
}
"""What an animator may do with the scene, by its name."""
READING_BAKES = {
    *("tag", "untag", "set_start", "crowd_assign", "preset_apply", "vary", "populate with vehicles", "preview"),
    *("bake", "bake the selected", "clear_bake", "select_contacts", "finding_select", "animate_by_hand", "export_usd"),
}
"""Those that look at what is baked."""
READY_SCENES = (
    *("add_flock", "add_school", "add_walkers", "add_herd", "add_herd_and_wolf", "add_cowboys_and_strays"),
    *("add_station_hall", "add_traffic"),
)
WITHOUT_VALUES = {*READY_SCENES[1:], "state_preset_save"}
"""Operators that read the same as one of these does."""


@pytest.fixture(scope="module")
def stages(addon, tmp_path_factory: pytest.TempPathFactory) -> dict[bool, str]:
    """Files with the scene of `staged`, by whether it is baked."""
    files = {}
    for baked in (False, True):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        staged(baked=baked)
        files[baked] = str(tmp_path_factory.mktemp("stages") / f"{baked}.blend")
        bpy.ops.wm.save_as_mainfile(filepath=files[baked])
    return files


def test_every_operator_is_tried() -> None:
    tried = {name.split(" ")[0] for name in OPERATORS} | WITHOUT_VALUES
    assert tried == set(dir(bpy.ops.steering))


def set_up(file: str, change: Change) -> Stage:
    """Open the scene and let something be wrong in it."""
    part("blender.preview").end()
    bpy.ops.wm.open_mainfile(filepath=file, load_ui=False)
    stage = Stage.present()
    change(stage)
    select(*stage.vehicles)
    return stage


def answer(operator: Callable, stage: Stage) -> tuple[str, bool]:
    """The traceback of an operator, empty if it has none, and whether it finished."""
    try:
        result = operator(stage)
    except RuntimeError as error:
        return (str(error), False) if "Traceback" in str(error) else ("", False)
    except Exception as error:
        return f"{type(error).__name__}: {error}", False
    return "", result == {"FINISHED"}


def cause(traceback: str) -> str:
    """The last place in the extension and the error of a traceback, in a line."""
    places = re.findall(r'steering_addon/(\S+)", line (\d+)', traceback)
    errors = re.findall(r"^(?:\w+\.)*\w+(?:Error|Refusal|StopIteration|Exception)\b.*", traceback, re.MULTILINE)
    return f"{':'.join(places[-1]) if places else ''} {errors[-1] if errors else traceback[-200:]}"


def objections(file: str, change: Change, printed: Callable[[], str], names: Collection[str]) -> Iterator[str]:
    """What is wrong with the answers of operators, each to the scene with a change.

    Args:
        printed: returns what was printed to the error stream since the last call. Handlers print their tracebacks.
        names: of the operators.
    """
    stage, refused = None, []
    for name in names:
        stage = stage or set_up(file, change)
        select(*stage.vehicles)
        traceback, finished = answer(OPERATORS[name], stage)
        if "Traceback" in (errors := printed()):
            traceback = traceback or errors
        if traceback:
            yield f"{name}: {cause(traceback)}"
        elif not finished:
            refused.append(name)
        if traceback or finished:
            stage = None
    # A dump takes longer than a refusal: one is made before and one after all of them.
    stage = set_up(file, change)
    before = scene_dump(KINDS)
    for name in refused:
        answer(OPERATORS[name], stage)
        select(*stage.vehicles)
    printed()
    for changed in list(difference(before, scene_dump(KINDS)))[:3]:
        yield f"one of the refusals of {', '.join(refused)} changes {changed}"


def draw_overlay() -> None:
    overlay = part("blender.overlay.picture")
    scene, depsgraph = bpy.context.scene, bpy.context.evaluated_depsgraph_get()
    items = frozenset(item.identifier for item in scene.steering.bl_rna.properties["overlay"].enum_items)
    tracks = part("blender.overlay.tracks").Tracks()
    cast = overlay.find_cast(scene, bpy.context.view_layer)
    tracks.record(cast.vehicles, depsgraph, scene.frame_current)
    overlay.picture(scene, depsgraph, cast, tracks, [], items)


def drawing_errors(file: str, change: Change) -> Iterator[str]:
    """What goes wrong when all panels and the overlay are drawn for the scene with a change."""
    stage = set_up(file, change)
    for ob in (stage.crowd, stage.vehicles[0], stage.rock, stage.room, stage.road):
        select(ob)
        try:
            # What menus show depends on the crowd.
            everything_shown(menus=ob == stage.crowd)
            draw_overlay()
        except Exception as error:
            yield f"drawing with {ob.name} active: {type(error).__name__}: {error}"


def is_tried(name: str, value: str) -> bool:
    """Whether an operator is tried with a value: those that read no bake with every third one, each with others."""
    return zlib.crc32(f"{name} {value}".encode()) % 3 == 0


CASES = [(value, baked) for values, baked in ((UNBAKED, False), (BAKED, True)) for value in values]


@sampled(one_of=48)
@pytest.mark.parametrize(("value", "baked"), CASES, ids=[value for value, _ in CASES])
def test_no_operator_and_no_panel_falls_over(value: str, baked: bool, stages, capfd) -> None:
    change = (BAKED if baked else UNBAKED)[value]
    names = [name for name in OPERATORS if name in READING_BAKES or (not baked and is_tried(name, value))]
    wrong = list(objections(stages[baked], change, lambda: capfd.readouterr().err, names))
    wrong += drawing_errors(stages[baked], change)
    assert not wrong, "\n".join(wrong)


SENTENCES = [
    ("combining of the crowd is 99", "bake", "steering.combining of Crowd is a choice that this version does not know"),
    ("combining of the crowd is 99", "preview", "steering.combining of Crowd is a choice that this version"),
    ("combining of the crowd is 99", "preset_save", "steering.combining of Crowd is a choice that this version"),
    ("separation.neighbors of the crowd is 77", "bake", "steering.separation.neighbors of Crowd is a choice"),
    ("obstacle_shape is 99", "bake", "steering.obstacle_shape of Rock is a choice"),
    ("pass_side is 99", "bake", "steering.pass_side of Rock is a choice"),
    ("region_shape is 77", "bake", "steering.region_shape of Room is a choice"),
    ("region_shape is 77", "populate a region", "steering.region_shape of Room is a choice"),
    ("forward_axis of vehicles is 99", "bake", "steering.forward_axis of Ship 0 is a choice"),
    ("forward_axis of vehicles is 99", "flip_front", "steering.forward_axis of Ship 0 is a choice"),
    ("up_axis of vehicles is -5", "populate with vehicles", "steering.up_axis of Ship 0 is a choice"),
    (
        "forward and up are one axis",
        "populate with vehicles",
        "Forward and Up of Ship 0 are the same axis",
    ),
    ("forward and up are one axis", "bake", "Forward and Up of Ship 0 are the same axis"),
    ("a corner of the model is NaN", "tag", "Loose or a part of it has a vertex that is nowhere"),
    ("a corner of the model is infinite", "populate", "Loose or a part of it has a vertex that is nowhere"),
    ("the model stands nowhere", "tag", "Loose has a transform that is not a number"),
    (
        "vehicle.max_speed of the crowd is nan",
        "preset_save",
        "steering.vehicle.max_speed of Crowd is not a finite",
    ),
    ("vehicle.radius of the crowd is nan", "tag", "steering.vehicle.radius of Crowd is not a finite number"),
    ("speed_factor of vehicles is nan", "bake", "steering.speed_factor of Ship"),
    ("size_factor of vehicles is nan", "vary", "steering.size_factor of Ship 0 is not a finite number"),
    ("start_speed of vehicles is nan", "preview", "steering.start_speed of Ship"),
    ("preroll of the crowd is 2147483647", "bake", "The Pre-Roll of Crowd is 2147483647 frames. Set one from 0 to"),
    ("the frames end at the last number", "bake", "reaches beyond the frames of Blender. Set Start and End between"),
    ("the road has no point", "populate a curve", "Road has no length"),
    ("the region stands nowhere", "populate a region", "Room has an invalid transform"),
    ("the start has an odd rotation mode", "clear_bake", "The start of Ship 0 has the rotation mode 'SIDEWAYS'"),
    ("the start has an odd rotation mode", "bake", "The start of Ship 0 has the rotation mode 'SIDEWAYS'"),
    ("the start is nowhere", "clear_bake", "The start of Ship 0 is not a place"),
    ("an object is kept", "bake", "Ship 0 has keys on location"),
]


@pytest.mark.parametrize(("value", "operator", "sentence"), SENTENCES)
def test_the_refusal_names_object_and_remedy(value: str, operator: str, sentence: str, stages) -> None:
    stage = set_up(stages[value in BAKED], {**UNBAKED, **BAKED}[value])
    with pytest.raises(RuntimeError, match=re.escape(sentence)) as raised:
        OPERATORS[operator](stage)
    assert "\n" not in str(raised.value).strip()


@pytest.mark.parametrize("damage", ["an object is kept", "the channels are numbers"])
def test_a_damaged_record_is_told_when_the_bake_is_to_be_deleted(damage: str, stages, capfd) -> None:
    set_up(stages[True], BAKED[damage])
    assert steering().clear_bake() == {"CANCELLED"}
    printed = capfd.readouterr().out
    assert "the record of a bake is damaged, so its keys are kept as your own" in printed and "Ship 0" in printed


@pytest.mark.parametrize(
    "display", ['{"odd": 1, "max": 7.0}', '{"min": "a", "max": 7.0}', '{"max": 7.0, "subtype": "LATER"}']
)
def test_what_this_version_knows_of_a_kept_property_is_restored(display: str, stages) -> None:
    stage = set_up(stages[True], BAKED["the frames of presence are whole"])
    for ob in stage.vehicles:
        record = ob.animation_data.action["steering_bake"]
        record["channels"] = [*record["channels"], '["steering_speed"]']
        record["kept_properties"] = {"steering_speed": {"value": 2.5, "display": display}}
    assert steering().clear_bake() == {"FINISHED"}
    for ob in stage.vehicles:
        assert ob["steering_speed"] == 2.5
        assert ob.id_properties_ui("steering_speed").as_dict()["max"] == 7.0


def test_a_vehicle_joins_a_crowd_of_points_with_a_warning(stages, capfd) -> None:
    stage = set_up(stages[False], UNBAKED["vehicle.radius of the crowd is 0.0"])
    select(stage.loose, stage.crowd)
    assert steering().tag(role="VEHICLE") == {"FINISHED"}
    assert stage.loose.steering.crowd == stage.crowd and stage.loose.steering.size_factor == 1.0
    assert "The Radius of Crowd is 0, so its vehicles count as points. Set a radius" in capfd.readouterr().out


@sampled(one_of=4)
@pytest.mark.parametrize("scene", READY_SCENES)
def test_ready_scenes_can_be_added_beside_materials_of_the_same_names(scene: str) -> None:
    """Materials of the same names exist, without any nodes."""
    add = getattr(steering(), scene)
    assert add(count=2) == {"FINISHED"}
    names = [material.name for material in bpy.data.materials]
    for material in bpy.data.materials:
        material.node_tree.nodes.clear()
    assert add(count=2) == {"FINISHED"}
    made = [material for material in bpy.data.materials if material.name not in names]
    assert len(made) == len(names)
    for material in made:
        assert [node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"]
