"""The programs that attacks start in Blender: PYTHON -m scripts.fuzzing.victim WORK [FILE] [NUMBER]."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import bpy

from scripts.blender_process import leave
from tests.blender.animated import is_baked
from tests.blender.building import wedge
from tests.blender.steered import select

from .extension import blank_file, enable

VEHICLES = 40
FRAMES = 400
"""Enough that no kill comes too late."""


def populate(file: str) -> None:
    """Save, then add members for ever."""
    crowd = _flock(file, 4)
    crowd.steering.populate.count = VEHICLES
    model = wedge("Model")
    while True:
        select(crowd, model)
        assert bpy.ops.steering.populate() == {"FINISHED"}
        _save(file)


def bake(file: str) -> None:
    """Save, then bake, save and delete the bake for ever."""
    _flock(file, VEHICLES)
    while True:
        bpy.ops.steering.bake()
        _save(file)
        bpy.ops.steering.clear_bake()


def preview(file: str) -> None:
    """Save, then play the preview for ever, and save while it is on."""
    _flock(file, VEHICLES)
    scene = bpy.context.scene
    bpy.ops.steering.preview()
    while True:
        for frame in range(1, FRAMES):
            scene.frame_set(frame)
            if frame % 20 == 0:
                _save(file)


def autosave(file: str) -> None:
    """Save, then write files as autosave does: whole, next to each other, while bakes come and go."""
    _flock(file, VEHICLES)
    aside = str(Path(file).with_name("victim_autosave.blend"))
    while True:
        bpy.ops.steering.bake()
        bpy.ops.wm.save_as_mainfile(filepath=aside, copy=True, check_existing=False)
        bpy.ops.steering.clear_bake()
        bpy.ops.wm.save_as_mainfile(filepath=aside, copy=True, check_existing=False)


def reopen(file: str) -> None:
    """Open a file that a killed Blender saved, bake it, and delete the bake."""
    bpy.ops.wm.open_mainfile(filepath=file)
    scene = bpy.context.scene
    scene.frame_end = scene.frame_start + 4
    assert bpy.ops.steering.bake() == {"FINISHED"}
    assert any(is_baked(ob) for ob in scene.objects)
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    assert not any(is_baked(ob) for ob in scene.objects)


def share(file: str, number: str) -> None:
    """Save, apply and remove presets of the same names, and save the same file, as another Blender does."""
    crowd = _flock("", 4)
    for turn in range(15):
        for name in ("shared", f"own {number}"):
            select(crowd)
            assert bpy.ops.steering.preset_save(name=name) == {"FINISHED"}
            # The other Blender may have removed it just now, which is refused in a sentence.
            _told(lambda name=name: bpy.ops.steering.preset_apply(preset=name.replace(" ", "_")))
        if turn % 3 == 0:
            _told(lambda: bpy.ops.steering.preset_remove(preset="shared"))
        # Blender refuses in a sentence where the other one is just putting the same file in place.
        _told(lambda: _save(file))


def refuse(user: str) -> None:
    """Become another user, and save presets where that one may not write: each is refused in a sentence."""
    # Only now, as that user may not be allowed to read this Python either.
    # Python reads some modules only when they are needed, from folders that the other user may not read.
    _flock("", 2)
    os.setgid(int(user))
    os.setuid(int(user))
    for name in ("mine", "yours"):
        select(_flock("", 2))
        told = _told(lambda name=name: bpy.ops.steering.preset_save(name=name))
        assert told.startswith("Error:"), told or "The preset was saved."
    assert bpy.ops.steering.bake() == {"FINISHED"}


def _told(call: Callable[[], object]) -> str:
    """What a refused call says; empty if it is not refused. A traceback does not count as one."""
    try:
        call()
    except RuntimeError as refusal:
        assert "Traceback" not in str(refusal), refusal
        return str(refusal)
    return ""


def _flock(file: str, number: int) -> bpy.types.Object:
    """A crowd of birds in an empty file, which is saved unless no file is given; returns the crowd."""
    blank_file()
    scene = bpy.context.scene
    scene.frame_end = FRAMES if number == VEHICLES else 20
    vehicles = [wedge(f"Bird {k}", (2.0 * (k % 8), 2.0 * (k // 8), 5.0)) for k in range(number)]
    select(*vehicles)
    assert bpy.ops.steering.tag(role="VEHICLE", moves_like="BIRD") == {"FINISHED"}
    crowd = vehicles[0].steering.crowd
    select(crowd)
    if file:
        _save(file)
    return crowd


def _save(file: str) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=file, check_existing=False)


WORKS: dict[str, Callable[..., None]] = {
    work.__name__: work for work in (populate, bake, preview, autosave, reopen, share, refuse)
}


def main() -> int:
    enable()
    WORKS[sys.argv[1]](*sys.argv[2:])
    return 0


if __name__ == "__main__":
    leave(main)
