"""Code and documentation are written in plain English: scripts/english_rules.py says what that refuses, and why.

`scripts/plain_english FOLDER` lists the places of a folder with what to write instead.
"""

import pytest

from scripts.english_rules import NAMES, OPENINGS, PHRASES, files, places, places_in


def test_prose_and_names_are_plain_english() -> None:
    problems = [str(place) for file in files() for place in places(file)]
    assert not problems, "\n".join(["", *problems])


def test_every_kind_of_file_is_checked() -> None:
    expected = {
        "README.md",
        "CHANGELOG.md",
        "docs/presets.md",
        "pyproject.toml",
        ".ci/run",
        "presets/starling.json",
        "scripts/test",
        "scripts/demos/stage.py",
        "steering_addon/simulation/run.py",
        "tests/test_plain_english.py",
    }
    assert expected - set(files()) == set()


REFUSED = {
    "the key hangs on the seed": "hangs on",
    "wings that hung on the body": "hung on",
    "it is built anew": "anew",
    "heeding what is ahead": "heeding",
    "as far as that is known": "as far as",
    "so many frames later": "so many",
    "as many rows": "as many",
    "the how manieth row": "manieth",
    "so as to be safe": "so as to",
    "who turned of late": "of late",
    "it swings to and fro": "to and fro",
    "their luck decides": "luck",
    "it minds the walls": "minds the",
    "Blender wants names": "Blender wants",
    "while it is there": "is there",
    "rows that are not there yet": "are not there",
    "where nobody moves": "nobody",
    "as soon as everybody has had its say": "everybody",
    "all have had their say": "had their say",
    "it has come to its goal": "has come to",
    "what follows from this": "what follows from",
    "forget all that is known": "all that",
    "that is to say, none": "that is to say",
    "walls and the like": "the like",
    "it ends by itself": "by itself",
    "worked out once": "worked out",
    "how they are told apart": "told apart",
    "the bake goes on": "goes on",
    "the frame at hand": "at hand",
    "in the end it stops": "in the end",
    "it stops at once": "at once",
    "it moves no more": "no more",
    "what is let through": "let through",
    "this is no mesh": "is no",
    "to each its own": "to each its own",
    "of these the nearest": "of these the",
    "only then is it written": "only then is",
}


@pytest.mark.parametrize(("text", "quote"), REFUSED.items())
def test_an_odd_phrase_is_reported_with_a_remedy(text: str, quote: str) -> None:
    reported = {place.quote: place for place in places_in("docs/a.md", f"A line.\n{text}.")}
    assert quote in reported
    assert str(reported[quote]).startswith(f'docs/a.md:2 "{quote}": write ')


def test_every_phrase_of_the_table_has_a_case() -> None:
    reported = {place.instead for text in REFUSED for place in places_in("docs/a.md", text)}
    assert [phrase.instead for phrase in PHRASES if phrase.instead not in reported] == []


@pytest.mark.parametrize(
    "text",
    [
        "the new value",
        "twice as many neighbors",
        "there is no path, and there are no vehicles",
        "which of them is there a path for",
        "it is no longer used, and no more than a metre away",
        "it has come to rest",
        "how near it comes to the wall",
        "the camera goes on the roof",
        "the frames are written all at once",
        "the animator wants control",
        "an agent that is no nearer than before",
        "walk to work outside",
    ],
)
def test_good_english_is_accepted(text: str) -> None:
    assert places_in("docs/a.md", text) == []


def test_a_generated_table_is_left_to_the_files_it_comes_from() -> None:
    table = "<!-- presets: scripts/generate writes this -->\n| anew |\n<!-- end of presets -->\n"
    assert [place.line for place in places_in("README.md", f"{table}anew")] == [4]


def quotes(text: str) -> list[str]:
    """What is reported in a module of this text."""
    return [place.quote for place in places_in("scripts/a.py", text)]


def test_comments_docstrings_strings_and_names_of_tests_are_read() -> None:
    assert quotes("# made anew\n") == ["anew"]
    assert quotes('"""Made anew."""\n') == ["anew"]
    assert quotes("print('made anew')\n") == ["anew"]
    assert quotes("print(f'{x} made anew, {y:.2f}')\n") == ["anew"]
    assert quotes("def test_it_is_made_anew():\n    pass\n") == ["anew"]
    assert quotes("def made_anew():\n    pass\n") == []
    assert quotes("anew = 1\n") == []


def test_a_phrase_is_found_across_lines_and_reported_where_it_begins() -> None:
    text = '# It hangs\n# on this.\ndef f():\n    """It\n\n    hangs\n    on."""\n'
    docstring, comment = sorted(places_in("scripts/a.py", text), key=lambda place: -place.line)
    assert (comment.line, comment.quote) == (1, "hangs on")
    assert (docstring.line, docstring.quote) == (6, "hangs on")


@pytest.mark.parametrize("word", OPENINGS)
def test_a_docstring_or_comment_that_opens_with_a_relative_clause_is_reported(word: str) -> None:
    assert quotes(f'"""{word.capitalize()} has arrived."""\n') == [f"{word.capitalize()} ..."]
    assert quotes(f"x = 1  # {word} has arrived\n") == [f"{word} ..."]


def test_a_question_and_a_clause_with_its_noun_are_accepted() -> None:
    assert quotes('"""Who has arrived?"""\n') == []
    assert quotes('"""The agents who have arrived."""\n') == []
    assert quotes("print('who')\n") == []
    assert quotes('"""Whole numbers."""\n') == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "{} = 1",
        "{}: int = 1",
        "{} += 1",
        "x, {} = 1, 2",
        "def f({}):\n    pass",
        "def f(*, {}=1):\n    pass",
        "f = lambda {}: 1",
        "self.{} = 1",
        "[1 for {} in x]",
        "for {} in x:\n    pass",
        "with x as {}:\n    pass",
        "({} := 1)",
        "try:\n    pass\nexcept ValueError as {}:\n    pass",
        "import x as {}",
        "match x:\n    case [1, {}]:\n        pass",
        "class A:\n    {}: int",
    ],
)
def test_an_adverb_or_pronoun_as_a_name_is_reported(text: str, name: str) -> None:
    assert quotes(text.format(name)) == [name]


def test_a_name_that_is_stored_in_files_is_accepted_where_it_is_declared() -> None:
    text = "class Interpose:\n    one: int"
    assert quotes(text) == ["one"]
    assert places_in("steering_addon/behaviors/interpose.py", text) == []


@pytest.mark.parametrize("text", ["found_rows = 1", "here()", "x.found", "f(own=1)", "HERE = 1", "x['one'] = 1"])
def test_other_names_and_the_use_of_one_are_accepted(text: str) -> None:
    assert quotes(text) == []
