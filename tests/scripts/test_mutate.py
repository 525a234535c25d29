"""The mutants, the tests that are chosen for them, and what becomes of them in a small project."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scripts.mutation import trial
from scripts.mutation.choosing import Chooser
from scripts.mutation.coverage_map import CoverageMap, Record, Recorder
from scripts.mutation.mutants import Mutant, mutants
from scripts.mutation.trial import Checkout, Verdict, tried
from tests.sampling import sampled, thorough

ROOT = Path(__file__).resolve().parents[2]
LISTED = tomllib.loads((ROOT / "scripts" / "mutation" / "equivalent.toml").read_text(encoding="utf-8"))
EQUIVALENT = [{"file": file, **entry} for file, entries in LISTED.items() for entry in entries]


def changed(text: str) -> set[str]:
    """The mutated lines of a text."""
    return {" ".join(mutant.after.split()) for mutant in mutants("a.py", text)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = a < b", {"x = a >= b"}),
        ("x = len(a) <= b", {"x = len(a) < b", "x = len(a) > b"}),
        ("x = a == b", {"x = a != b"}),
        ("x = a is not b", {"x = a is b"}),
        ("x = a not in b", {"x = a in b"}),
        ("x = a < b <= c", {"x = a >= b <= c", "x = a < b > c"}),
        ("x = (a) * (b)", {"x = (a) / (b)"}),
        ("x = a & b", {"x = a | b", "x = a", "x = b"}),
        ("x = a | b < c", {"x = a & b < c", "x = a | b >= c", "x = a < c", "x = b < c"}),
        ("x = a and not b", {"x = a or not b", "x = a and b", "x = a", "x = (not b)"}),
        ("x = -a", {"x = a"}),
        ("x = ~a", {"x = a"}),
        ("x = a * 1.0", set()),
        ("x = -1", {"x = 1", "x = 0"}),
        ("def f():\n    a += b", {"a -= b"}),
        ("é = a + 'é' * 2 + b", {"é = a + 'é' * 2 - b", "é = a - 'é' * 2 + b"}),
    ],
)
def test_each_operator_is_changed_on_its_own(text: str, wanted: set[str]) -> None:
    assert changed(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        *('"""A docstring of 3 < 4 words."""', "x = 'a' + 'b'", "x = f'{a + 1}'"),
        *("def f(a: Literal[1] | None) -> Literal[2]: ...", "x: Literal[1]", "Alias = Callable[[A], B] | None"),
        *("@cache(maxsize=64)\ndef f(): ...", "assert a < b", "from a import b", "EPSILON = 1e-12"),
        "if TYPE_CHECKING:\n    x = 1",
    ],
)
def test_words_types_decorators_and_guards_against_rounding_stay(text: str) -> None:
    assert changed(text) == set()


def test_the_rest_of_the_file_stays_as_it_is() -> None:
    text = "# A comment, é.\nx = (\n    a  # less\n    < b\n)\ny = 'é'\n"
    [mutant] = mutants("a.py", text)
    assert mutant.applied(text) == text.replace("    < b", "    >= b")
    assert (mutant.line, mutant.before, mutant.after, mutant.runs_on) == (4, "    < b\n", "    >= b\n", (2, 5))


@sampled
@pytest.mark.parametrize("entry", EQUIVALENT, ids=lambda entry: f"{entry['file']}: {entry['after']}")
def test_a_mutant_in_the_table_of_equivalents_exists_and_has_a_reason(entry: dict[str, str]) -> None:
    text = (ROOT / entry["file"]).read_text(encoding="utf-8")
    assert (entry["file"], entry["before"], entry["after"]) in {m.identity for m in mutants(entry["file"], text)}
    assert len(entry["reason"].split()) > 3


def test_what_runs_on_import_is_noticed_by_the_tests_that_run_its_uses() -> None:
    sources = {
        "p/a.py": "LIMIT = -2\nTWICE = 2 * LIMIT\n\n\ndef f(x):\n    return x < TWICE\n\n\ndef g(x):\n    return x\n",
        "p/b.py": "from .a import LIMIT\n\n\ndef h(x):\n    return x > LIMIT\n",
    }
    lines = {"p/a.py": {"6": "1", "10": "2"}, "p/b.py": {"5": "4"}}
    record = Record(tests=["t::f", "t::g", "t::h"], seconds=[0.3, 0.2, 0.1], shared=[[], [], []], lines=lines)
    chooser, coverage = Chooser(sources, 60.0), CoverageMap({"t": record})

    def chosen(path: str, line: int) -> list[str]:
        mutant = next(m for m in mutants(path, sources[path]) if m.line == line)
        return [choice.name for choice in chooser.tests(mutant, coverage)]

    assert chosen("p/a.py", 1) == ["t::h", "t::f"], "LIMIT, of which TWICE is made"
    assert chosen("p/a.py", 2) == ["t::f"]
    assert chosen("p/a.py", 6) == ["t::f"]


def test_the_mirrored_test_file_comes_first_then_the_fastest_tests_until_the_time_is_over() -> None:
    record = Record(
        tests=["tests/test_b.py::slow", "tests/test_b.py::fast", "tests/test_a.py::mirrored"],
        seconds=[3.0, 1.0, 2.0],
        shared=[[]] * 3,
        lines={"p/a.py": {"2": "7"}},
    )
    source = "def f(x):\n    return x < 1\n"
    names = {
        seconds: [
            choice.name.partition("::")[2]
            for choice in Chooser({"p/a.py": source}, seconds).tests(
                mutants("p/a.py", source)[0], CoverageMap({"t": record})
            )
        ]
        for seconds in (0.5, 3.0, 60.0)
    }
    assert names == {0.5: ["mirrored"], 3.0: ["mirrored", "fast"], 60.0: ["mirrored", "fast", "slow"]}


SMALL = """
def count(limit):
    total, step = 0, 1
    while total < limit:
        total += step
    return total


def doubled(x):
    return x + x | 0


def unseen(x):
    return -x
"""
SMALL_TESTS = """
import pytest
from steering_addon.small import count, doubled


@pytest.fixture(scope="module")
def four():
    return doubled(2)


def test_count():
    assert count(3) == 3


def test_first(four):
    assert four


@pytest.mark.parametrize("wanted", [4, 5])
def test_second(four, wanted):
    assert four < 9
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, CoverageMap, Recorder]:
    """A project of one file and its tests, and which lines these run."""
    root = tmp_path_factory.mktemp("small") / "project"
    for path, text in {
        "steering_addon/__init__.py": "",
        "steering_addon/small.py": SMALL,
        "tests/test_small.py": SMALL_TESTS,
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\npythonpath = ["."]\n',
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    recorder = Recorder(Path(sys.executable), root, ["tests"], [], root.parent / "cache")
    return Checkout(root, root.parent / "copy"), recorder.map(), recorder


def small_mutant(change: str) -> Mutant:
    return next(m for m in mutants("steering_addon/small.py", SMALL) if m.change == change)


def test_a_record_holds_until_the_code_that_it_ran_changes(small: tuple) -> None:
    checkout, _, recorder = small
    assert recorder._kept("tests/test_small.py") is not None
    file = recorder.root / "steering_addon" / "small.py"
    with Checkout.mutated(checkout, small_mutant("+ -> -")):
        changed_there = Recorder(recorder.python, checkout.root, ["tests"], [], recorder.cache)
        assert changed_there._kept("tests/test_small.py") is None
    assert file.read_text(encoding="utf-8") == SMALL


@thorough
@pytest.mark.parametrize(
    ("change", "verdict", "killer"),
    [
        ("< -> >=", Verdict.KILLED, "test_count"),
        ("+= -> -=", Verdict.TIMED_OUT, ""),
        ("+ -> -", Verdict.KILLED, "test_first"),
        ("x + x | 0 -> (x + x)", Verdict.SURVIVED, ""),
        ("- -> (nothing)", Verdict.NEVER_RUN, ""),
    ],
)
def test_mutants_die_by_failing_tests_or_endless_loops(
    monkeypatch, small: tuple, change: str, verdict: Verdict, killer: str
) -> None:
    monkeypatch.setattr(trial, "LEAST_PATIENCE", 1.0)
    checkout, coverage, recorder = small
    mutant = small_mutant(change)
    choices = Chooser({mutant.path: SMALL}, 60.0).tests(mutant, coverage)
    outcome = tried(checkout, mutant, "tools", recorder.python, choices)
    assert (outcome.verdict, outcome.killer.partition("::")[2]) == (verdict, killer)
    assert (checkout.root / mutant.path).read_text(encoding="utf-8") == SMALL


def test_the_same_seed_draws_the_same_mutants() -> None:
    def drawn(*arguments: str) -> list[str]:
        command = [sys.executable, ROOT / "scripts" / "mutate", "--list", "--files", "recording/*", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()

    first = drawn("--count", "8", "--seed", "1")
    assert len(first) == 8 and all(line.startswith("steering_addon/recording/") for line in first)
    assert drawn("--count", "8", "--seed", "1") == first != drawn("--count", "8", "--seed", "2")
    of_one_file = [line for line in first if line.startswith(first[0].partition(":")[0])]
    assert drawn("--count", "1", "--seed", "1") == first[:1]
    assert len(of_one_file) < len(first), "else the next line compares the same draws"
    name = first[0].partition(":")[0].removeprefix("steering_addon/")
    assert drawn("--files", name, "--count", str(len(of_one_file)), "--seed", "1") == of_one_file
