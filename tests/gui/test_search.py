"""Types words into Blender's search (F3) and presses Enter: the first entry found does what the word means."""

from pathlib import Path

from tests.gui.conftest import RESULT, Told

STORY = Path(__file__).with_name("search_story.py")


def test_enter_on_a_searched_word_does_what_it_means(told: Told) -> None:
    pictures = sorted(path.stem for path in told(STORY, RESULT / "search").glob("*.png"))
    assert pictures == sorted(
        ["seek", "flee", "arrival", "containment", "cohesion", "boids", "swarm", "crowd", "traffic", "bake crowd"]
    )
