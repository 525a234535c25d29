"""The manual's figures show what their captions claim, and its pages match the declarations."""

import re

import pytest

from scripts.behavior_pages import PAGES, idle, pages, source
from scripts.figure import FIGURES
from scripts.figure_scenes import figures_about, topics
from scripts.figure_scenes.combining import drawing_of
from scripts.generated_files import left_over
from steering_addon.behaviors import CATALOGUE
from steering_addon.simulation.combining import COMBININGS
from tests.sampling import sampled

NAMES = [behavior.name for behavior in CATALOGUE]


@pytest.mark.parametrize("name", NAMES)
def test_every_behavior_has_a_figure(name: str) -> None:
    assert name in FIGURES, f"{name} has no figure: write scripts/figure_scenes/{name}.py, then run scripts/generate"


def test_every_way_to_combine_has_a_figure() -> None:
    assert list(figures_about("combining")) == [drawing_of(choice.name) for choice in COMBININGS]


@sampled(one_of=18)
@pytest.mark.parametrize("topic", topics())
def test_a_figure_shows_what_its_caption_says(topic: str) -> None:
    for figure in figures_about(topic).values():
        shown = figure.shows(figure.run())
        assert len(shown) > 1
        assert [claim for claim, holds in shown.items() if not holds] == []


@pytest.mark.parametrize("name", pages().keys())
def test_the_pages_are_up_to_date(name: str) -> None:
    text = pages()[name]()
    assert (PAGES / name).exists(), "run scripts/generate"
    assert (PAGES / name).read_text(encoding="utf-8") == text, "run scripts/generate"


@pytest.mark.parametrize("topic", topics())
def test_every_figure_is_drawn(topic: str) -> None:
    missing = [name for name in figures_about(topic) if not (PAGES / f"{name}.svg").exists()]
    assert missing == [], "run scripts/generate"


def test_there_are_no_pages_nor_drawings_left_over() -> None:
    assert left_over() == [], "run scripts/generate"


@pytest.mark.parametrize("name", pages().keys())
def test_what_a_page_links_to_exists(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", pages()[name]()):
        assert target.startswith("https://") or (PAGES / target).exists(), "run scripts/generate"


@pytest.mark.parametrize("behavior", CATALOGUE, ids=NAMES)
def test_every_behavior_says_when_it_does_nothing_and_names_its_source(behavior) -> None:
    assert idle(behavior)
    assert source(behavior)
