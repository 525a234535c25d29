"""The manual's figures show what their captions claim, and its pages match the declarations."""

import re
from pathlib import Path

import pytest

from scripts.behavior_pages import PAGES, idle, pages, source
from scripts.figure_scenes import combining, drawing_of, figures, has_figure, more_of
from steering_addon.behaviors import CATALOGUE
from steering_addon.simulation.combining import COMBININGS

NAMES = [behavior.name for behavior in CATALOGUE]


@pytest.mark.parametrize("name", NAMES)
def test_every_behavior_has_a_figure(name: str) -> None:
    assert has_figure(name)


def test_every_way_to_combine_has_a_figure() -> None:
    assert list(combining.FIGURES) == [choice.name for choice in COMBININGS]


@pytest.mark.parametrize(("name", "figure"), figures().items(), ids=figures().keys())
def test_a_figure_shows_what_its_caption_claims(name: str, figure) -> None:
    shown = figure.shows(figure.run())
    assert len(shown) > 1
    assert [claim for claim, holds in shown.items() if not holds] == []


@pytest.mark.parametrize("name", pages().keys())
def test_the_pages_are_up_to_date(name: str) -> None:
    assert (PAGES / name).read_text(encoding="utf-8") == pages()[name], "run scripts/figures"


def test_no_outdated_pages_or_drawings_are_left() -> None:
    more = (f"{name}-{key}" for name in NAMES for key in more_of(name))
    drawings = {f"{name}.svg" for name in (*NAMES, *more, *(drawing_of(choice.name) for choice in COMBININGS))}
    assert {path.name for path in Path(PAGES).iterdir()} == pages().keys() | drawings


@pytest.mark.parametrize("text", pages().values(), ids=pages().keys())
def test_the_links_of_a_page_lead_to_files(text: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert target.startswith("https://") or (PAGES / target).exists()


@pytest.mark.parametrize("behavior", CATALOGUE, ids=NAMES)
def test_every_behavior_says_when_it_does_nothing_and_names_its_source(behavior) -> None:
    assert idle(behavior)
    assert source(behavior)
