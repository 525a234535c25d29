"""Files of presets: written only where they belong, and read whatever lies in the folder."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from tests.blender.building import part
from tests.blender.drawing import shown
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.steered import crowd
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

PLAIN = {
    "format": 1,
    "label": "Mine",
    "description": "One of mine",
    "body_length": 1.0,
    "combining": "PRIORITY",
    "vehicle": {"max_speed": 3.0},
    "behaviors": {"wander": {"strength": 1.5}},
}
MENUS = ("STEERING_MT_presets", "STEERING_MT_own_presets", "STEERING_MT_crowd_presets")


def user_folder(kind: str = "crowd") -> Path:
    """The folder of the user's own presets of a kind, made if it is missing."""
    return Path(bpy.utils.user_resource("SCRIPTS", path=f"presets/steering/{kind}", create=True))


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def presets():
    return part("blender.crowds.preset_files").CROWDS


def written(name: str, text: str | None = None, **changed) -> Path:
    path = user_folder() / f"{name}.json"
    path.write_text(text if text is not None else json.dumps({**PLAIN, **changed}), encoding="utf-8")
    return path


def refusal(call, *arguments, **settings) -> str:
    """The single sentence with which an operator refuses, after which nothing has changed."""
    before = scene_dump()
    with pytest.raises(RuntimeError) as raised:
        call(*arguments, **settings)
    text = str(raised.value).strip()
    assert "Traceback" not in text and "\n" not in text, text
    assert_same(before, scene_dump())
    return text


@pytest.mark.parametrize("in_the_way", ["crowd", "steering"])
def test_a_preset_is_refused_where_its_folder_cannot_be_made(in_the_way: str, elsewhere: Path) -> None:
    folder = user_folder()
    made = {"crowd": folder, "steering": folder.parent}[in_the_way]
    aside = made.with_name("aside")
    made.rename(aside)
    made.write_text("in the way")
    crowd()
    try:
        text = refusal(bpy.ops.steering.preset_save, name="Mine")
        assert "The preset Mine cannot be saved: the folder" in text and str(folder) in text
        assert list(elsewhere.iterdir()) == []
        assert "Mine" not in presets().listed()
    finally:
        made.unlink()
        aside.rename(made)


def test_without_a_folder_for_presets_nothing_is_written_or_listed(elsewhere: Path, monkeypatch) -> None:
    (elsewhere / "stray.json").write_text(json.dumps(PLAIN))
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_args, **_named: "")
    crowd()
    assert "Blender has no folder for the user's presets" in refusal(bpy.ops.steering.preset_save, name="Mine")
    assert [path.name for path in elsewhere.iterdir()] == ["stray.json"]
    assert "stray" not in presets().listed()


def test_a_write_that_fails_leaves_the_old_preset_and_nothing_else(monkeypatch) -> None:
    ob = crowd(wander={"strength": 2.0})
    bpy.ops.steering.preset_save(name="Mine")
    old = (user_folder() / "Mine.json").read_bytes()
    ob.steering.wander.strength = 3.0

    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_what):
            pass

        def write(self, _content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    opened = Path.open

    def full(path, mode="r", *args, **named):
        if "w" in mode or "x" in mode:
            opened(path, mode, *args, **named).close()
            return Full()
        return opened(path, mode, *args, **named)

    monkeypatch.setattr(Path, "open", full)
    assert "No space left" in refusal(bpy.ops.steering.preset_save, name="Mine")
    monkeypatch.undo()
    assert [path.name for path in user_folder().iterdir()] == ["Mine.json"]
    assert (user_folder() / "Mine.json").read_bytes() == old


def test_a_draft_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("keep")
    (user_folder() / f"Mine.json{os.getpid()}~").symlink_to(target)
    crowd()
    assert bpy.ops.steering.preset_save(name="Mine") == {"FINISHED"}
    assert target.read_text() == "keep"
    assert [path.name for path in user_folder().iterdir()] == ["Mine.json"]


@pytest.mark.parametrize(("first", "second"), [("a/b", "a\\b"), ("a b", "a:b"), ("Gulls", "gulls")])
def test_a_name_that_gives_the_file_of_another_preset_is_refused(first: str, second: str) -> None:
    crowd(wander={"strength": 2.0})
    bpy.ops.steering.preset_save(name=first)
    files = {path.name: path.read_bytes() for path in user_folder().iterdir()}
    text = refusal(bpy.ops.steering.preset_save, name=second)
    assert f"The preset {second} would replace the preset {first}" in text
    assert {path.name: path.read_bytes() for path in user_folder().iterdir()} == files


@pytest.mark.parametrize("name", ["CON", "nul", "Lpt1"])
def test_a_name_that_windows_gives_to_a_device_is_refused(name: str) -> None:
    """Such a preset could not be read there; saved there, it would be lost without an error."""
    crowd()
    assert "Windows gives that name to a device" in refusal(bpy.ops.steering.preset_save, name=name)
    assert not list(user_folder().iterdir())


def test_a_file_that_is_not_a_preset_is_kept() -> None:
    path = written("Mine", "not a preset")
    crowd()
    assert "would replace the preset Mine" in refusal(bpy.ops.steering.preset_save, name="Mine")
    assert path.read_text() == "not a preset"


def test_nan_is_not_saved() -> None:
    ob = crowd(wander={})
    ob.steering.vehicle.max_speed = float("nan")
    text = refusal(bpy.ops.steering.preset_save, name="Mine")
    assert "steering.vehicle.max_speed of Crowd is not a finite number" in text
    ob.steering.vehicle.max_speed = 3.0
    ob.steering.portrayal.stride = float("nan")
    text = refusal(bpy.ops.steering.preset_save, name="Mine")
    assert not ob.steering.portrayal.use and "steering.portrayal.stride of Crowd is not a finite number" in text
    ob.steering.portrayal.stride = 1.0
    ob.steering.wander.strength = float("nan")
    text = refusal(bpy.ops.steering.behavior_preset_save, behavior="wander", name="Mine")
    assert "steering.wander.strength of Crowd" in text
    assert list(user_folder().iterdir()) == []


def odd(**values) -> Callable[[Path], object]:
    """What writes a preset with odd values into a file."""
    return lambda path: path.write_text(json.dumps({**PLAIN, **values}))


ODD_FILES = {
    "a pipe": ("is not a file", os.mkfifo),
    "a device": ("is not a file", lambda path: path.symlink_to("/dev/zero")),
    "a folder": ("is not a file", Path.mkdir),
    "a link to nothing": ("cannot be read", lambda path: path.symlink_to(path.with_name("nowhere"))),
    "a link to itself": ("cannot be read", lambda path: path.symlink_to(path)),
    "a huge file": ("larger than 1 MB", odd(padding="x" * 2**21)),
    "no text": ("not UTF-8", lambda path: path.write_bytes(b'{"format": 1, "label": "\xff"}')),
    "half a character": ("half a character", odd(label="half \ud800")),
    "half an unknown name": ("half a character", odd(behaviors={"\ud800": {}}, **{"\udcff": 1})),
    "a null": ("null character", odd(label="a\0b")),
    "a wrong value": ("behaviors.seek.weight must be a number", odd(behaviors={"seek": {"weight": "much"}})),
    "a later format": ("its format 99 needs a later version", odd(format=99)),
}
"""Files that are no presets of this version: why they are refused, and what makes them."""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize(("why", "make"), ODD_FILES.values(), ids=ODD_FILES)
def test_an_odd_file_is_refused_with_a_sentence_and_harms_no_other(why: str, make) -> None:
    make(user_folder() / "odd.json")
    written("good")
    ob = crowd(seek={})
    text = refusal(bpy.ops.steering.preset_apply, preset="odd")
    assert "The preset odd cannot be" in text and why in text
    listed = presets().listed()
    assert listed["odd"].label() == "odd" and why in listed["odd"].tooltip()
    for menu in MENUS:
        shown(menu)
    assert "There is no preset dragon" in refusal(bpy.ops.steering.preset_apply, preset="dragon")
    assert bpy.ops.steering.preset_apply(preset="good") == {"FINISHED"}
    assert not ob.steering.seek.use
    if make is Path.mkdir:
        assert "cannot be removed" in refusal(bpy.ops.steering.preset_remove, preset="odd")
    else:
        assert bpy.ops.steering.preset_remove(preset="odd") == {"FINISHED"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_file_name_that_is_not_text_is_shown_and_refused() -> None:
    path = os.path.join(os.fsencode(user_folder()), b"gull\xff.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(PLAIN, file)
    crowd()
    text = refusal(bpy.ops.steering.preset_apply, preset="gull\\udcff")
    assert "the name of its file is not UTF-8" in text
    assert "There is no preset dragon" in refusal(bpy.ops.steering.preset_apply, preset="dragon")
    for menu in MENUS:
        shown(menu)
    assert bpy.ops.steering.preset_remove(preset="gull\\udcff") == {"FINISHED"}
    assert not os.path.exists(path)
