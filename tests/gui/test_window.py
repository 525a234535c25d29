"""Acts as a user in a window: ready scenes, preview, play, scrub, bake, undo, clear, disable.

The pictures and the console output are kept in build/gui for inspection.
"""

from pathlib import Path

from tests.gui.conftest import RESULT, Told

STORY = Path(__file__).with_name("story.py")


def test_the_story_runs_in_a_window_without_complaints(told: Told) -> None:
    assert len(list(told(STORY, RESULT / "window").glob("*.png"))) == 12


def test_the_buttons_of_the_bake_panel_keep_their_places_and_do_what_they_say(told: Told) -> None:
    assert len(list(told(STORY.with_name("bake_panel.py"), RESULT / "bake panel").glob("*.png"))) == 14


def test_two_windows_work_on_two_scenes_at_the_same_time(told: Told) -> None:
    assert len(list(told(STORY.with_name("two_windows.py"), RESULT / "two windows").glob("*.png"))) == 4


def test_the_first_hour_with_own_models_brings_no_surprise(told: Told) -> None:
    assert len(list(told(STORY.with_name("first_hour.py"), RESULT / "first hour").glob("*.png"))) == 10


def test_agents_of_a_cache_are_picked_by_clicks(told: Told) -> None:
    assert len(list(told(STORY.with_name("picking_story.py"), RESULT / "picking").glob("*.png"))) == 6
