"""Real rigged characters in a window: tag, preview, bake, clear, populate, bake, clear, with a picture of each.

Runs for every .glb file in the folder that the environment variable STEERING_CHARACTERS names. The tests were written
with the wolf, husky, horse and cow of Quaternius' Ultimate Animated Animals, and with two of Kay Lousberg's KayKit
Adventurers. Both sets are free (CC0) and too large to be kept here.
"""

import os
from pathlib import Path

import pytest

from tests.gui.conftest import RESULT, Told

STORY = Path(__file__).with_name("characters_story.py")
FOLDER = os.environ.get("STEERING_CHARACTERS", "")
FILES = sorted(Path(FOLDER).glob("*.glb")) if FOLDER else []
PICTURES = {"1 tagged", "2 preview", "3 baked", "4 populated", "5 crowd baked", "6 cleared"}


@pytest.mark.skipif(not FILES, reason="Set STEERING_CHARACTERS to a folder with rigged characters as .glb files.")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_character_is_tagged_previewed_baked_and_populated_and_gets_everything_back(told: Told, file: Path) -> None:
    folder = told(STORY, RESULT / "characters" / file.stem, file)
    assert {picture.stem for picture in folder.glob("*.png")} == PICTURES
