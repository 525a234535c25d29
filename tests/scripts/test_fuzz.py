"""What becomes of seeds that hold, break a law, crash or hang, with a small program in Blender's place."""

import sys
from pathlib import Path

import pytest

from scripts.fuzzing import batch
from scripts.fuzzing.home import MODULE, Home

PROGRAM = """#!{python}
import json, os, signal, sys, time
for text in sys.argv[5:]:
    seed, *left_out = text.split(",")
    print(json.dumps({{"seed": int(seed)}}), flush=True)
    for step in ("step 0: bake", "step 1: preview"):
        if step[:6] not in left_out:
            print(json.dumps({{"step": step}}), flush=True)
    if seed == "3":
        os.kill(os.getpid(), signal.SIGSEGV)
    if seed == "4":
        time.sleep(60)
    if seed == "6":
        os.kill(os.getpid(), signal.SIGPROF)
    if seed == "5":
        print("no JSON", flush=True)
        sys.exit(7)
    broken = [["a law", "seen"]] if seed == "2" and "step 0" not in left_out else []
    print(json.dumps({{"end": 0.5, "broken": broken, "counts": {{"finished": 2}}}}), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands for the Python of a Blender."""
    path = tmp_path / "python"
    path.write_text(PROGRAM.format(python=sys.executable))
    path.chmod(0o755)
    monkeypatch.setattr(batch, "SILENCE", 1.0)
    monkeypatch.setattr(batch, "PATIENCE", 0.1)
    return path


def test_seeds_that_hold_break_nothing(program: Path) -> None:
    results = list(batch.tried("4.5", program, [0, 1]))
    assert [(result.seed, result.broken, result.counts["finished"]) for result in results] == [(0, [], 2), (1, [], 2)]


def test_a_broken_law_is_told_with_the_seed_and_its_steps(program: Path) -> None:
    (result,) = batch.tried("4.5", program, [2])
    assert result.broken == [("a law", "seen")]
    assert result.text().splitlines()[0] == "Seed 2 in Blender 4.5:"
    assert "step 1: preview" in result.text()


@pytest.mark.parametrize(
    ("seed", "law"), [(3, "no crash (SIGSEGV)"), (4, "no hang"), (6, "no hang"), (5, "no early end (exit code 7)")]
)
def test_a_seed_that_ends_its_process_costs_only_itself(program: Path, seed: int, law: str) -> None:
    results = list(batch.tried("4.5", program, [0, seed, 1]))
    assert [(result.seed, [name for name, _ in result.broken]) for result in results] == [
        (0, []),
        (seed, [law]),
        (1, []),
    ]


def test_a_reduction_leaves_out_what_the_broken_law_does_not_need(program: Path) -> None:
    (result,) = batch.tried("4.5", program, [2])
    smaller = batch.reduced(result, program)
    assert smaller.broken == [("a law", "seen")]
    assert "step 0: bake" in smaller.steps
    assert "step 1: preview" not in smaller.steps


def test_a_home_has_the_checkout_as_its_installed_extension(tmp_path: Path) -> None:
    home = Home(tmp_path)
    environment = home.environment()
    repository, name = MODULE.split(".")[1:]
    assert (
        Path(environment["BLENDER_USER_RESOURCES"]) / "extensions" / repository / name / "blender_manifest.toml"
    ).exists()
    assert list(home.work.iterdir()) == list(home.home.iterdir()) == []
