"""Moves a crowd cache into a file of its own, from which the scene links it."""

from pathlib import Path

import bpy
from bpy.types import Collection

from ..objects.crowd_caches import RECORD
from ..refusal import Refusal
from .crowd_cache import is_kept_here, remove_content

MOST = 10000
"""Versions of a library at most."""


def save_as_library(collection: Collection, folder: Path) -> Path:
    """Write a cache into the next version of its library in a folder, and link it from there; returns the file. Refused
    if the file cannot be written."""
    name = bpy.path.clean_name(collection.name)
    path = next(p for k in range(1, MOST) if not (p := folder / f"{name}_v{k:03}.blend").exists())
    record = collection[RECORD].to_dict()
    # The crowd would come along, with everything that its behaviors look at.
    collection[RECORD] = {key: value for key, value in record.items() if key != "crowd"}
    try:
        bpy.data.libraries.write(str(path), {collection}, path_remap="RELATIVE_ALL")
    except (OSError, RuntimeError) as problem:
        raise Refusal(f"{path.name} cannot be written ({problem}). Save the file to another folder.") from problem
    finally:
        collection[RECORD] = record
    with bpy.data.libraries.load(str(path), link=True, relative=True) as (_, wanted):
        wanted.collections = [collection.name]
    remove_content(collection)
    collection.children.link(wanted.collections[0])
    return path


def may_be_saved(collection: Collection | None) -> bool:
    """Whether a cache is in this file."""
    return collection is not None and is_kept_here(collection)
