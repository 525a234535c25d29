"""Prints what is measured of the actions of rigged models.

scripts/clips runs this in a Blender with factory settings and passes its options as JSON.
"""

from __future__ import annotations

import fnmatch
import json
import math
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import numpy as np

from scripts.blender_process import leave
from scripts.rigged_files import opened
from steering_addon.blender.clips.measuring import armature_of, axes_of, measured_clips
from steering_addon.blender.clips.poses import curves_for, follows_from_curves, from_blender, poses_of
from steering_addon.blender.clips.rig import Rig, rig_of
from steering_addon.blender.objects.hierarchy import Family
from steering_addon.portrayal.clips import DO, MOVE, STAND, Clip

PLAYS = {STAND: "stands", MOVE: "moves", DO: "does"}
HEAD = f"{'clip':36} {'plays':6} {'m/s':>6} {'H/s':>5} {'stride':>7} {'heading':>7} {'turn':>5} {'slides':>7} "
HEAD += f"{'sure':>5} {'support':>7} {'closes':>7} {'agrees':>6}"
CHECKED = 4
"""Frames of each clip on which bones are compared."""


def main() -> int:
    options = SimpleNamespace(**json.loads(sys.argv[1]))
    by_name: dict[str, dict[str, float]] = {}
    for file in map(Path, options.files):
        models = opened(file)
        if not models:
            print(f"{file.name}: there is no armature in it.")
        for armature, model in models:
            _report(file, armature, model, options, by_name)
    _print_differences(by_name)
    return 0


def _report(file: Path, armature, model, options, by_name: dict[str, dict[str, float]]) -> None:
    family, scene = Family(), bpy.context.scene
    actions = [action for action in bpy.data.actions if _fits(action, armature, options.clips)]
    start = time.perf_counter()
    clips = measured_clips(model, actions, scene, family, (options.forward, "Z"))
    spent = time.perf_counter() - start
    rig = rig_of(armature_of(model, family), model, family, axes_of(options.forward, "Z"))
    how = "from curves" if follows_from_curves(armature) else "evaluated by Blender"
    print(f"\n{file.name}: {armature.name}, {rig.height:.2f} m, {len(rig.names)} bones {how}, ", end="")
    print(f"{len(clips)} clips in {1000.0 * spent / max(len(clips), 1):.0f} ms each")
    print(HEAD)
    for clip in sorted(clips, key=lambda clip: (clip.plays != MOVE, clip.plays, clip.name)):
        print(_row(clip, rig.height))
        if clip.speed:
            by_name.setdefault(clip.name.split("|")[-1], {})[file.stem] = clip.speed
    if options.check and actions:
        print(f"bones differ from Blender's by {_error(armature, rig, actions):.1e} m at most")


def _fits(action, armature, patterns: list[str]) -> bool:
    """Whether an action has one of the names and moves a bone of an armature over time."""
    if not any(fnmatch.fnmatch(action.name, pattern) for pattern in patterns):
        return False
    first, last = action.frame_range
    return last > first and any(curve.data_path.startswith("pose.bones") for curve in curves_for(action, armature))


def _row(clip: Clip, height: float) -> str:
    moves = f"{clip.speed:6.2f} {clip.speed / height:5.2f} {clip.stride:7.2f} {math.degrees(clip.heading):7.0f}"
    return (
        f"{clip.name[:36]:36} {PLAYS[clip.plays]:6} {moves if clip.speed else ' ' * 28} {math.degrees(clip.turn):5.0f} "
        f"{100.0 * clip.own_slide:4.1f} cm {clip.sure:5.2f} {clip.support:7.2f} {100.0 * clip.closes:4.0f} cm "
        f"{clip.agrees if clip.speed else 0.0:6.2f}"
    )


def _error(armature, rig: Rig, actions) -> float:
    """The largest difference of a bone's place, metres."""
    worst = 0.0
    for action in actions:
        first, last = action.frame_range
        frames = first + (last - first) * (np.arange(CHECKED) + 0.37) / CHECKED
        off = poses_of(armature, rig, action, frames) - from_blender(armature, rig, action, frames)
        worst = max(worst, float(np.abs(off[..., :3, 3] @ rig.matrix[:3, :3].T).max()))
    return worst


def _print_differences(by_name: dict[str, dict[str, float]]) -> None:
    """How far the speeds of one clip on several bodies are from their mean."""
    for name, speeds in sorted(by_name.items()):
        if len(speeds) > 1:
            values = np.array(list(speeds.values()))
            spread = 100.0 * np.abs(values / values.mean() - 1.0).max()
            print(f"{name}: {', '.join(f'{file} {speed:.2f}' for file, speed in speeds.items())} m/s, +-{spread:.1f} %")


if __name__ == "__main__":
    leave(main)
