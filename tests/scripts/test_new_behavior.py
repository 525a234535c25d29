"""scripts/new_behavior makes behaviors that obey every law as they are, and refuses names that are taken."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.behavior_names import TAKEN_BY_THE_CODE, catalogue, objection
from steering_addon.behaviors import CATALOGUE
from tests.sampling import sampled, thorough

ROOT = Path(__file__).resolve().parents[2]
CACHES = shutil.ignore_patterns(".git", ".pytest_cache", ".hypothesis", "docs", "build", "dist")
PLAIN, REMEMBERING = "amble", "zigzag_about"
"""The names begin and end the alphabet, for the order of the imports."""
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
LAWS = (
    *("tests/behaviors", "tests/simulation/presence", "tests/simulation/test_same_bytes.py", "tests/test_layers.py"),
    "tests/test_safe_arithmetic.py",
)


def files_of(name: str) -> list[str]:
    return [
        f"steering_addon/behaviors/{name}.py",
        f"tests/behaviors/test_{name}.py",
        f"scripts/figure_scenes/{name}.py",
    ]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout to which two behaviors have been added."""
    copy = tmp_path_factory.mktemp("new_behavior") / "checkout"
    shutil.copytree(ROOT, copy, ignore=CACHES)
    assert run(copy, "scripts/new_behavior", PLAIN).returncode == 0
    assert run(copy, "scripts/new_behavior", REMEMBERING, "--memory", "--after", "rest").returncode == 0
    return copy


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def assert_passes(folder: Path, *arguments: str) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def test_they_are_listed_in_their_places(checkout: Path) -> None:
    done = run(checkout, "-c", "from steering_addon.behaviors import CATALOGUE; print(*(k.name for k in CATALOGUE))")
    names = [kind.name for kind in CATALOGUE]
    last = [kind.intent.name for kind in CATALOGUE][::-1].index("GO")
    names.insert(len(names) - last, PLAIN)
    names.insert(names.index("rest") + 1, REMEMBERING)
    assert done.stdout.split() == names


def test_what_is_made_is_linted_and_formatted(checkout: Path) -> None:
    assert_passes(checkout, "-m", "ruff", "check", ".")
    assert_passes(checkout, "-m", "ruff", "format", "--check", ".")


@thorough
def test_what_is_made_has_the_right_types(checkout: Path) -> None:
    assert_passes(checkout, "-m", "mypy", files_of(PLAIN)[0], files_of(REMEMBERING)[0])


def test_what_is_made_is_plain_english(checkout: Path) -> None:
    assert_passes(checkout, "scripts/plain_english", *files_of(PLAIN), *files_of(REMEMBERING))


@sampled
@pytest.mark.parametrize("name", [PLAIN, REMEMBERING])
def test_what_is_made_passes_its_own_tests(checkout: Path, name: str) -> None:
    assert_passes(checkout, *PYTEST, files_of(name)[1])


@thorough
@pytest.mark.parametrize("name", [PLAIN, REMEMBERING])
def test_what_is_made_obeys_every_law(checkout: Path, name: str) -> None:
    done = run(checkout, *PYTEST, *LAWS, "-k", f"{name} or imports or bytes_everywhere")
    assert done.returncode == 0, done.stdout
    passed = int(done.stdout.rpartition(" passed")[0].split()[-1])
    assert passed > 50


@thorough
def test_its_figure_shows_what_its_caption_says(checkout: Path) -> None:
    names = f"caption and ({PLAIN} or {REMEMBERING})"
    assert_passes(checkout, *PYTEST, "--thorough", "tests/scripts/test_figures.py", "-k", names)


def test_the_catalogue_is_read_as_it_is() -> None:
    assert catalogue() == [kind.name for kind in CATALOGUE]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("seek", "exists"),
        ("Seek", "is not a name"),
        ("go-home", "is not a name"),
        ("2fast", "is not a name"),
        ("_hidden", "is not a name"),
        ("while", "is not a name"),
        ("very_" * 8 + "long", "is not a name"),
        ("keys", "taken by Blender"),
        ("start_speed", "property of Object.steering"),
        ("throng", "same_bytes"),
        *((name, "is taken") for name in TAKEN_BY_THE_CODE),
        ("go_to", "the label of seek"),
    ],
)
def test_a_name_that_is_taken_or_is_none_is_refused(name: str, reason: str) -> None:
    assert reason in objection(name)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((PLAIN,), "exists"),
        (("memory",), "imports something of the name Memory"),
        (("loiter", "--after", "nonsense"), "no behavior nonsense"),
    ],
)
def test_a_refusal_writes_nothing(checkout: Path, arguments: tuple[str, ...], reason: str) -> None:
    before = contents(checkout)
    done = run(checkout, "scripts/new_behavior", *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert contents(checkout) == before


def contents(folder: Path) -> dict[Path, bytes]:
    folders = (folder / name for name in ("scripts", "steering_addon/behaviors", "tests/behaviors"))
    paths = (path for parent in folders for path in parent.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path: path.read_bytes() for path in paths}


def test_a_file_that_is_left_of_another_one_is_kept(checkout: Path) -> None:
    left = checkout / "tests" / "behaviors" / "test_loiter.py"
    left.write_text("# mine\n", encoding="utf-8")
    done = run(checkout, "scripts/new_behavior", "loiter")
    assert done.returncode == 2
    assert "tests/behaviors/test_loiter.py exists" in done.stderr
    assert left.read_text(encoding="utf-8") == "# mine\n"
    left.unlink()
