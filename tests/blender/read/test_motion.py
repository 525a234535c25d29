"""scripts/motion: what it finds in a baked file, in a Blender that never heard of the extension."""

import os
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from scripts.baked_scene import matrices
from tests.blender.animated import curves, insert
from tests.blender.building import ROOT, frames, path_curve, wedge
from tests.blender.steered import bake, crowd, obstacle, vehicle


def motion(user: Path, *arguments: Path | str) -> subprocess.CompletedProcess:
    """The program as scripts/motion runs it, with an empty user folder."""
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(user), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "scripts" / "motion_report.py"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Thirteen birds and two walkers, baked."""
    frames(1, 40)
    flock = crowd(name="Flock", wander={"shared_strength": 4.0}, separation={"distance": 2.0}, obstacle_avoidance={})
    flock.steering.vehicle.max_speed, flock.steering.vehicle.cruise_speed = 13.0, 0.75
    obstacle(location=(500.0, 0.0, 0.0))
    for i in range(13):
        bird = vehicle(name=f"Bird {i:02}", location=(2.0 * i, 0.0, 9.0), crowd=flock)
        bird.steering.speed_factor = 2.0 if i < 12 else 1.0
    road = path_curve("Road", [(0.0, 4.0 * i, 0.0) for i in range(20)])
    people = crowd(name="People", path_following={"path": road})
    people.steering.locomotion, people.steering.vehicle.max_speed = "PLANAR", 2.0
    for i in range(2):
        vehicle(name=f"Walker {i}", location=(1.0 + i, 1.0, 0.0), crowd=people)
    bake()
    path = tmp_path / "baked.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_it_finds_crowds_and_their_stored_settings_and_a_check_fails_if_a_motion_is_not_alive(
    file: Path, tmp_path: Path
) -> None:
    done = motion(tmp_path / "user", "--check", file, file)
    assert done.returncode == 1, done.stderr
    assert "Not alive: " in done.stdout, "thirteen birds in a row do not make a flock"
    length = bpy.data.objects["Bird 00"].dimensions.y
    cruise = 13.0 * 0.75 * 25.0 / 13.0
    assert f"Flock: 13 birds, 40 frames at 24 a second, body {length:.2f} m, cruise {cruise:.1f} m/s" in done.stdout
    assert "People: 2 walkers, 40 frames at 24 a second" in done.stdout
    assert "below 0.02" in done.stdout, "the flock has an obstacle to go round"
    kept = next(line for line in done.stdout.splitlines() if "neighbors kept" in line).split()
    assert kept[5:8].count(kept[5]) == 3, "the same file twice, and its mean"


def test_a_hidden_object_stays_where_it_is_next_or_was_last_visible() -> None:
    frames(1, 9)
    ship = wedge("Ship")
    insert(ship, "location", {1: (0.0, 0.0, 0.0), 9: (0.0, 16.0, 0.0)})
    for frame, hidden in ((1, True), (4, False), (7, True)):
        ship.hide_viewport = hidden
        ship.keyframe_insert("hide_viewport", frame=frame)
    for curve in curves(ship):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT" if curve.data_path == "hide_viewport" else "LINEAR"
    where = matrices(bpy.context.scene, [ship])[:, 0, 1, 3]
    assert where.tolist() == pytest.approx([6.0, 6.0, 6.0, 6.0, 8.0, 10.0, 10.0, 10.0, 10.0])
