"""The page of the manual that Blender opens with a right click > Online Manual on a property or a button."""

from pathlib import Path

import bpy

from ...behaviors import CATALOGUE
from ...locomotion import CATALOGUE as LOCOMOTIONS

ADDRESS = ""
"""The web address of the site that scripts/site builds, with a slash at its end. While it is empty, the pages that come
with the extension are opened."""
SHIPPED = Path(__file__).resolve().parents[3] / "manual"
"""The site in the folder of the installed extension; scripts/build puts it there."""

FIRST = "README.html"
HANDING_OVER = "docs/handing_over.html"
CACHE = "docs/crowd_cache.html"
BEHAVIORS = "docs/behaviors/README.html"
PRESETS = "docs/presets.html"
VEHICLES = "docs/behaviors/vehicles.html"
CLIPS = "docs/clips.html"
STATES = "docs/behaviors/states.html"

PAGES = (
    *((f"bpy.types.steering_pg_{behavior.name}.*", f"docs/behaviors/{behavior.name}.html") for behavior in CATALOGUE),
    *((f"bpy.types.steering_pg_{moves.name}.own*", STATES) for moves in LOCOMOTIONS),
    *((f"bpy.types.steering_pg_{moves.name}.*", VEHICLES) for moves in LOCOMOTIONS),
    ("bpy.types.steering_pg_object.*locomotion*", VEHICLES),
    ("bpy.types.steering_pg_object.models*", "docs/points.html"),
    ("bpy.ops.steering.move_as*", VEHICLES),
    *((f"bpy.types.steering_pg_{name}.*", STATES) for name in ("state", "trigger")),
    ("bpy.types.steering_pg_vehicle.own*", STATES),
    ("bpy.types.steering_pg_vehicle.*", VEHICLES),
    *(
        (f"bpy.types.steering_pg_{name}*", CLIPS)
        for name in (
            "portrayal.clips",
            "portrayal.playing",
            "portrayal.no_walk",
            "portrayal.unplanted",
            "portrayal.own_shapes",
            "portrayal.head_bone",
            "portrayal.look_at",
            "clip.",
            "playing.",
        )
    ),
    ("bpy.types.steering_pg_portrayal.*", VEHICLES),
    ("bpy.types.steering_pg_attendance.*", "docs/entering_and_leaving.html"),
    ("bpy.types.steering_pg_object.output*", CACHE),
    *((f"bpy.ops.steering.{name}*", CACHE) for name in ("pick_agents", "make_objects", "give_back")),
    ("bpy.types.steering_pg_object.combining*", "docs/behaviors/combining.html"),
    ("bpy.ops.steering.behavior_preset*", PRESETS),
    ("bpy.ops.steering.preset*", PRESETS),
    ("bpy.ops.steering.state_preset*", STATES),
    ("bpy.ops.steering.clip*", CLIPS),
    ("bpy.ops.steering.populate*", "docs/populate.html"),
    *((f"bpy.ops.steering.{name}*", "docs/previews_and_bakes.html") for name in ("bake", "clear_bake", "preview")),
    *((f"bpy.ops.steering.{name}_add*", STATES) for name in ("state", "trigger", "cue")),
    ("bpy.ops.steering.behavior*", BEHAVIORS),
    ("bpy.ops.steering.flocking*", BEHAVIORS),
    *((f"{name}*", FIRST) for name in ("bpy.types.steering_", "bpy.types.object.steering", "bpy.types.scene.steering")),
    ("bpy.ops.steering.*", FIRST),
)
"""The pages by patterns of Blender's names in lower case; the first that fits counts."""


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The start of all addresses, and the pages; no pages if there are none to open, as in a checkout."""
    if ADDRESS:
        return ADDRESS, PAGES
    return (f"{SHIPPED.as_uri()}/", PAGES) if (SHIPPED / FIRST).is_file() else ("", ())


def address_of(page: str) -> str:
    """The address of a page; empty if there are no pages to open."""
    start, pages = manual_map()
    return f"{start}{page}" if pages else ""


def register() -> None:
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    bpy.utils.unregister_manual_map(manual_map)
