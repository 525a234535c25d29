"""Bakes the ready scene Cowboys and Strays and measures the saved file; scripts/strays runs this in Blender."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parents[1]


def baked(request: dict[str, Any]) -> str:
    """Add and bake the scene as a user does, and save it; the path of the file."""
    import steering_addon

    steering_addon.register()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, request["frames"]
    count = {"count": request["count"]} if request["count"] else {}
    bpy.ops.steering.add_cowboys_and_strays(seed=request["seed"], **count)
    cows = bpy.context.object
    if request["moved"]:
        members = [ob for ob in scene.objects if ob.is_property_set("steering") and ob.steering.crowd == cows]
        stray = max(members, key=lambda ob: (ob.location - cows.location).to_2d().length)
        out = (stray.location - cows.location).to_2d().normalized() * request["moved"]
        stray.location += out.to_3d()
        bpy.ops.object.select_all(action="DESELECT")
        stray.select_set(True)
        bpy.context.view_layer.objects.active = stray
        bpy.ops.steering.set_start()
    if bpy.ops.steering.bake() != {"FINISHED"}:
        raise SystemExit("The scene was not baked.")
    path = str(Path(request["keep"] or tempfile.mkdtemp()) / f"strays_{request['seed']}.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, compress=True)
    steering_addon.unregister()
    return path


def main() -> None:
    sys.path.insert(0, str(ROOT))
    from scripts.stray_figures import figures

    request = json.loads(sys.argv[1])
    bpy.ops.wm.open_mainfile(filepath=request["file"] or baked(request))
    print(json.dumps(figures(bpy.context.scene, "Cows", "Riders")), flush=True)
    # Blender as a module may hang while Python ends.
    os._exit(0)


if __name__ == "__main__":
    main()
