"""A locomotion added as the manual says is in the panel, in presets and in a bake."""

import os
import subprocess
import sys
from pathlib import Path

from tests.own_locomotion import checkout_with_own

TRIED = 4


def test_it_is_in_the_panel_in_presets_and_in_a_bake(tmp_path: Path) -> None:
    copy = checkout_with_own(tmp_path / "checkout")
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/blender/own_locomotion_in_blender.py"]
    alone = {**os.environ, "STEERING_ALONE": "1"}
    done = subprocess.run([sys.executable, *command], cwd=copy, capture_output=True, text=True, timeout=200, env=alone)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{TRIED} passed" in done.stdout
