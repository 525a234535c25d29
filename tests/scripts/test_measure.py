"""scripts/measure judges figures by the bands of their measures."""

import importlib
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "scripts" / "measures").glob("*.py") if path.stem[0] != "_")


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_says_what_it_measures_where_and_within_which_bands(name: str) -> None:
    measure = importlib.import_module(f"scripts.measures.{name}")
    assert measure.__doc__.splitlines()[0].endswith(".")
    assert measure.CASES and all(isinstance(case, str) for case in measure.CASES)
    assert all(low <= high for low, high in measure.BANDS.values())
    assert isinstance(measure.IN_BLENDER, bool) and callable(measure.figures)


def test_figures_beyond_their_bands_are_counted_and_told(capsys: pytest.CaptureFixture, monkeypatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    judged = runpy.run_path(str(ROOT / "scripts" / "measure"))["judged"]
    bands = {"near, m": (1.0, 2.0), "hits": (0, 0)}
    assert judged("geese", "7", bands, {"near, m of Goose": 1.5, "near, m of Dog": 3.0, "hits": 0.0}) == 1
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in told] == ["ok", "beyond", "ok"]
    assert told[1].split()[:2] == ["geese", "7:"] and "1 to 2" in told[1]
