"""Plays a story in a window of Blender: a sequence of actions, also by mouse and keyboard, with screenshots.

For scripts that run inside Blender. They need xdotool and ImageMagick's `import`:

    def story():
        bpy.ops.steering.add_flock()
        yield 1.0                       # seconds for the window to draw
        picture(folder / "flock.png")

    tell(story())
"""

import subprocess
import traceback
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import bpy

HAND = 0.4
"""Seconds for a mouse movement or a click, until Blender has handled it."""
ROW = 11
"""Half the height of a row of buttons, in pixels."""
END = "The story is over."
"""Printed when the story is complete."""


def tell(story: Iterator[float], *, splash: bool = False) -> None:
    """Play a story once Blender has its window, then quit Blender. `story`: yields the seconds to wait before its next
    action; `splash`: whether Blender shows its splash screen, as for a new user."""

    def proceed() -> float | None:
        try:
            return next(story)
        except StopIteration:
            print(END, flush=True)
        except Exception:
            traceback.print_exc()
        bpy.ops.wm.quit_blender()
        return None

    bpy.context.preferences.view.show_splash = splash
    bpy.app.timers.register(proceed, first_interval=2.0, persistent=True)


def view() -> Any:
    """A context override for operators of the 3D viewport: `with view(): bpy.ops.view3d.view_all()`."""
    window, area = bpy.context.window_manager.windows[0], viewport()
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region, screen=window.screen)


def show_steering() -> None:
    """Open the sidebar; its tab can be chosen once the sidebar has been drawn."""
    viewport().spaces.active.show_region_ui = True


def choose_steering() -> None:
    """Choose the Steering tab of the sidebar."""
    region = next(region for region in viewport().regions if region.type == "UI")
    region.active_panel_category = "Steering"
    region.tag_redraw()


def picture(path: Path) -> None:
    """Save a screenshot of the whole window."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["import", "-window", "root", str(path)], check=True)


def click(x: int, y: int) -> Iterator[float]:
    """Click at a point, in pixels from the upper left corner of the window: `yield from click(100, 20)`."""
    yield from point(x, y)
    for action in ("mousedown", "mouseup"):
        subprocess.run(["xdotool", action, "1"], check=True)
        yield HAND


def point(x: int, y: int) -> Iterator[float]:
    """Move the mouse to a point, in small steps so that Blender highlights what is under it and opens menus."""
    for before in (8, 4, 0):
        subprocess.run(["xdotool", "mousemove", str(x - before), str(y)], check=True)
        yield HAND / 2


def find(command: str, x: int, top: int = 90, bottom: int = 890, keys: str = "ctrl+c") -> Generator[float, None, int]:
    """Find the height of the button of a command, from above: `y = yield from find("bpy.ops.steering.bake", 1175)`.

    Blender copies the command of the button under the mouse, even of a disabled one. `keys`: copies something else,
    such as the path of a setting.
    """
    manager = bpy.context.window_manager
    for y in range(top, bottom, ROW):
        for before in (4, 0):
            subprocess.run(["xdotool", "mousemove", str(x - before), str(y)], check=True)
            yield HAND / 4
        manager.clipboard = ""
        press(keys)
        yield HAND / 4
        if command in manager.clipboard:
            return y
    raise AssertionError(f"There is no button of {command} from {top} to {bottom} at {x}.")


def press(key: str) -> None:
    """Press a key."""
    subprocess.run(["xdotool", "key", key], check=True)


def key_down(key: str) -> None:
    """Press a key and hold it."""
    subprocess.run(["xdotool", "keydown", key], check=True)


def key_up(key: str) -> None:
    """Release a key that is held."""
    subprocess.run(["xdotool", "keyup", key], check=True)


def write(text: str) -> None:
    """Type a text."""
    subprocess.run(["xdotool", "type", "--delay", "40", text], check=True)


def scroll(turns: int) -> Iterator[float]:
    """Turn the mouse wheel where the mouse is, downward or, if negative, upward: `yield from scroll(20)`."""
    for _ in range(abs(turns)):
        subprocess.run(["xdotool", "click", "5" if turns > 0 else "4"], check=True)
    yield HAND


def viewport() -> bpy.types.Area:
    """The first 3D viewport of the first window."""
    screen = bpy.context.window_manager.windows[0].screen
    return next(area for area in screen.areas if area.type == "VIEW_3D")
