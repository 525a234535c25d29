"""Names that a behavior cannot have, and why. Standard library only."""

import ast
import keyword
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEHAVIORS = ROOT / "steering_addon" / "behaviors"
SETTINGS = ROOT / "steering_addon" / "settings" / "stored.py"
"""Declares `Object.steering`, of which each behavior is a property."""
HASHES = ROOT / "tests" / "simulation" / "same_bytes.sha256"
SHAPE = re.compile(r"[a-z]+(_[a-z]+)*")
LONGEST = 40
"""Characters; with more, lines of code would be too long."""
TAKEN_BY_BLENDER = {
    *("as_pointer", "bl_rna", "bl_rna_get_subclass", "bl_rna_get_subclass_py", "bl_system_properties_get"),
    *("driver_add", "driver_remove", "get", "id_data", "id_properties_clear", "id_properties_ensure"),
    *("id_properties_ui", "is_property_hidden", "is_property_overridable_library", "is_property_readonly"),
    *("is_property_set", "items", "keyframe_delete", "keyframe_insert", "keys", "name", "path_from_id"),
    *("path_from_module", "path_resolve", "pop", "property_overridable_library_set", "property_unset", "rna_ancestors"),
    *("rna_type", "type_recast", "update", "values"),
}
"""What every group of properties in Blender has besides its properties."""
TAKEN_BY_THE_CODE = {
    "combining": "a page of the manual",
    "progress": "a memory of simulation/adjusting.py",
    "ways": "a memory of simulation/adjusting.py",
}


def class_of(name: str) -> str:
    """The name of a behavior's class: `path_following` to `PathFollowing`."""
    return name.title().replace("_", "")


def label_of(name: str) -> str:
    """What an animator reads, as long as nothing better is declared: `path_following` to `Path Following`."""
    return name.replace("_", " ").title()


def catalogue() -> list[str]:
    """The names of all behaviors, in the order of CATALOGUE."""
    text = (BEHAVIORS / "__init__.py").read_text(encoding="utf-8")
    imports = re.findall(r"^from \.(\w+) import (\w+)$", text, re.MULTILINE)
    module_of = {kind: module for module, kind in imports}
    listed = text.partition("CATALOGUE")[2].partition("\n)")[0]
    return [module_of[kind] for kind in re.findall(r"^    (\w+),$", listed, re.MULTILINE)]


def declared(behavior: str, variable: str) -> str:
    """A class variable of a behavior, as it is written in its file."""
    text = (BEHAVIORS / f"{behavior}.py").read_text(encoding="utf-8")
    match = re.search(rf"^    {variable} = (.*)$", text, re.MULTILINE)
    return match.group(1) if match else ""


def objection(name: str) -> str:
    """Why a new behavior cannot have a name, as a sentence; empty if it can."""
    return next(_objections(name), "")


def _objections(name: str) -> Iterator[str]:
    if not SHAPE.fullmatch(name) or keyword.iskeyword(name) or len(name) > LONGEST:
        yield f"{name} is not a name: use lowercase words joined by underscores, at most {LONGEST} characters."
        return
    if (BEHAVIORS / f"{name}.py").exists():
        yield f"{name} exists: see steering_addon/behaviors/{name}.py."
    if name in TAKEN_BY_BLENDER:
        yield f"{name} is taken by Blender: every group of properties has it."
    if name in _settings():
        yield f"{name} is taken: it is another property of Object.steering."
    if name in TAKEN_BY_THE_CODE:
        yield f"{name} is taken: it is {TAKEN_BY_THE_CODE[name]}."
    if name in {line.split()[0] for line in HASHES.read_text(encoding="ascii").splitlines()}:
        yield f"{name} is taken: it is a case of tests/simulation/same_bytes.sha256."
    for behavior in catalogue():
        if declared(behavior, "label") == f'"{label_of(name)}"':
            yield f"{label_of(name)} is already the label of {behavior}."


def _settings() -> set[str]:
    """The names of the properties of `Object.steering` that are not behaviors."""
    names = set()
    for node in ast.walk(ast.parse(SETTINGS.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name == "ObjectSettings":
            names |= {field.target.id for field in node.body if isinstance(field, ast.AnnAssign)}
        elif isinstance(node, ast.Dict):
            names |= {key.value for key in node.keys if isinstance(key, ast.Constant)}
    return names
