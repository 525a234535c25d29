"""Measures one case and prints its figures as JSON; scripts/measure runs this in the environment of the measure."""

import importlib
import json
import sys
from pathlib import Path


def main(name: str, case: str, folder: str) -> int:
    measure = importlib.import_module(f"scripts.measures.{name}")
    if measure.IN_BLENDER:
        import bpy

        import steering_addon

        steering_addon.register()
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    figures = measure.figures(case, Path(folder))
    print(json.dumps({name: float(value) for name, value in figures.items()}), flush=True)
    return 0


if __name__ == "__main__":
    from scripts.blender_process import leave

    leave(lambda: main(*sys.argv[1:]))
