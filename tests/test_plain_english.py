"""Code and documentation are written in plain English: scripts/english_rules.py says what that refuses.

`scripts/plain_english FOLDER` lists the places of a folder with what to write instead.
"""

import pytest

from scripts.english_rules import OPENINGS, PHRASES, files, places, places_in


def test_prose_is_plain_english() -> None:
    problems = [str(place) for file in files() for place in places(file)]
    assert not problems, "\n".join(["", *problems])


def test_every_kind_of_file_is_checked() -> None:
    expected = {"README.md", "docs/presets.md", "pyproject.toml", ".ci/run", "presets/starling.json", "scripts/test"}
    expected |= {"scripts/demos/stage.py", "steering_addon/simulation/run.py", "tests/test_layers.py"}
    assert expected - set(files()) == set()


REFUSED = {
    "the key hangs on the seed": "hangs on",
    "the how manieth row": "manieth",
    "it minds the walls": "minds the",
    "Blender wants names": "Blender wants",
    "what is let through": "let through",
    "to each its own": "to each its own",
    "of these the nearest": "of these the nearest",
}


@pytest.mark.parametrize(("text", "quote"), REFUSED.items())
def test_an_odd_phrase_is_reported_with_a_remedy(text: str, quote: str) -> None:
    [place] = places_in("docs/a.md", f"A line.\n{text}.")
    assert place.quote == quote
    assert str(place).startswith(f'docs/a.md:2 "{quote}": write ')


def test_every_phrase_of_the_table_has_a_case() -> None:
    assert len(REFUSED) == len(PHRASES)


@pytest.mark.parametrize(
    "text",
    [
        "once it is there, it stays",
        "as far as that is known",
        "it works by itself, and is built anew",
        "in the end nobody moves at once",
        "hang on to this",
        "the animator wants control",
        "he goes on to say that there is no path",
    ],
)
def test_good_english_is_accepted(text: str) -> None:
    assert places_in("docs/a.md", text) == []


def test_a_generated_table_is_left_to_the_files_it_comes_from() -> None:
    table = "<!-- presets: scripts/generate writes this -->\n| hangs on |\n<!-- end of presets -->\n"
    assert [place.line for place in places_in("README.md", f"{table}hangs on")] == [4]


@pytest.mark.parametrize(
    "text",
    ["# It hangs\n# on this.\n", '"""It\nhangs on."""\n', "x = 'hangs on'\n", "def test_it_hangs_on_it(): ...\n"],
)
def test_comments_strings_and_names_of_tests_are_read_across_lines(text: str) -> None:
    assert [place.quote for place in places_in("scripts/a.py", text)] == ["hangs on"]


@pytest.mark.parametrize("word", OPENINGS)
def test_a_docstring_or_comment_that_opens_with_a_relative_clause_is_reported(word: str) -> None:
    for text in (f'"""{word.capitalize()} has arrived."""\n', f"x = 1  # {word} has arrived\n"):
        assert [place.quote.lower() for place in places_in("scripts/a.py", text)] == [word]


@pytest.mark.parametrize(
    "text", ['"""Who has arrived?"""', '"""The agents who have arrived."""', '"""Whole numbers."""']
)
def test_a_question_and_a_clause_with_its_noun_are_accepted(text: str) -> None:
    assert places_in("scripts/a.py", f"{text}\n") == []
