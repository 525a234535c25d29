"""The page about plain Python says what is true: its code runs as printed, and prints what it says."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "from_python.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_code_blocks_run_in_order_and_print_what_the_page_shows(capsys) -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "from_python"}
    expected = ""
    for block in BLOCK.finditer(text):
        language, code = block.groups()
        if language == "python":
            assert capsys.readouterr().out == expected, "the output above is another"
            expected = ""
            # Errors name the line of the page.
            before = "\n" * (text[: block.start()].count("\n") + 1)
            exec(compile(before + code, str(PAGE), "exec", dont_inherit=True), names)
        elif language == "text":
            expected = code
    assert capsys.readouterr().out == expected
    assert {"scene", "states", "hunt", "Shy", "mishaps"} <= names.keys(), "all blocks have run"


def test_the_page_links_to_files_that_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (PAGE.parent / target).exists(), target
