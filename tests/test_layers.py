"""The rules that hold the code together, checked on its text.

The way of the data is blender -> settings -> behaviors, locomotion, portrayal, minds -> simulation, never back and
never sideways.
"""

import ast
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.parsed import PACKAGE, ROOT, Module, assert_none, modules_of_the_package, read

BELOW = {
    "simulation": (),
    "behaviors": ("simulation",),
    "locomotion": ("simulation",),
    "portrayal": ("simulation",),
    "minds": ("simulation",),
    "recording": ("simulation",),
    "settings": ("simulation", "behaviors", "locomotion", "portrayal", "minds"),
    "scene": ("simulation", "behaviors", "locomotion", "minds"),
    "blender": ("simulation", "behaviors", "locomotion", "portrayal", "minds", "recording", "settings"),
}
"""The layers, and which others each may import besides itself: those below, never one beside it."""
FLOORS = (
    ("handlers", "pieces", "refusal", "moving", "property_groups", "units"),
    ("properties",),
    ("objects",),
    ("animation",),
    ("clips",),
    ("read",),
    ("crowds",),
    ("write",),
    ("preview",),
    ("status",),
    ("panels", "operators", "overlay"),
)
"""The floors of blender/, from the ground up: files and folders. Each knows itself and what is below; those on the top
floor know each other, as a panel draws operators."""
COMPARES_AS_TESTS = "fuzzing"
"""The folder of scripts that compares whole files with the dumps of the tests in Blender."""
WRITES_FOR_TESTS = ("generate", "generated_files.py")
"""Scripts that write what tests compare with, and so may import these tests."""
WITHOUT_BLENDER = tuple(layer for layer in BELOW if layer != "blender")
NOT_A_NAME = ("utils", "common", "helpers", "manager")
"""Signs of a missing idea: a file is named for what it holds."""
WRITING = {
    *("write_text", "write_bytes", "mkdir", "makedirs", "touch", "symlink_to", "rename", "replace", "unlink", "rmdir"),
}
LEFTOVER = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")


def test_each_layer_imports_from_those_below_only() -> None:
    assert_none(wrong_imports)


def test_every_layer_is_named() -> None:
    assert {module.layer for module in modules_of_the_package()} == {"", *BELOW}


def test_each_floor_of_blender_imports_from_those_below_only() -> None:
    assert_none(upward_imports)


def test_every_part_of_blender_stands_on_a_floor() -> None:
    folder = ROOT / PACKAGE / "blender"
    parts = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert parts - {"__init__"} == {name for floor in FLOORS for name in floor}


def test_classes_are_the_only_ones_of_their_name() -> None:
    files: dict[str, list[str]] = {}
    for module in modules_of_the_package():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                files.setdefault(node.name, []).append(module.path.as_posix())
    assert {name: paths for name, paths in files.items() if len(paths) > 1} == {}


def test_no_modules_import_each_other_in_a_circle_not_even_for_types() -> None:
    assert circles(import_graph(modules_of_the_package())) == []


def test_the_package_is_imported_by_blender_only_when_asked_for() -> None:
    assert early_imports(read(Path(PACKAGE, "__init__.py"))) == []


def test_the_package_leaves_python_and_its_own_folder_alone() -> None:
    assert_none(meddling)


def test_scripts_import_nothing_from_the_tests() -> None:
    files = [path for path in (ROOT / "scripts").rglob("*") if path.suffix in ("", ".py") and path.is_file()]
    paths = [
        path.relative_to(ROOT)
        for path in files
        if path.name not in WRITES_FOR_TESTS and path.parent.name != COMPARES_AS_TESTS
    ]
    assert len(paths) > 50
    assert [offender for path in paths for offender in imports_of_tests(read(path))] == []


def test_derived_values_are_kept_in_one_way() -> None:
    assert_none(cached_properties)


def test_files_are_named_for_what_they_hold() -> None:
    files = [path for folder in (PACKAGE, "scripts", "tests") for path in (ROOT / folder).rglob("*")]
    assert [str(path.relative_to(ROOT)) for path in files if path.stem in NOT_A_NAME] == []


def test_nothing_is_left_to_be_done() -> None:
    suffixes = {"", ".py", ".md", ".toml", ".sh"}
    folders = (PACKAGE, "presets", "scripts", "tests", ".ci")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")] + list(ROOT.glob("*.*"))
    offenders = []
    for path in files:
        if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
            for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if LEFTOVER.search(text):
                    offenders.append(f"{path.relative_to(ROOT)}:{line} {text.strip()}")
    assert offenders == []


def import_graph(modules: list[Module]) -> dict[str, set[str]]:
    """The modules that each module names in its imports, by dotted names.

    All imports count: those within functions, and those that only a type checker follows. That a module stands in a
    package, whose `__init__` Python runs first, does not.
    """
    names = {module.name for module in modules}
    graph: dict[str, set[str]] = {}
    for module in modules:
        imported = [name for _, name, _ in module.imports()]
        targets = {name if name in names else name.rpartition(".")[0] for name in imported}
        graph[module.name] = targets & names
    return graph


def circles(graph: dict[str, set[str]]) -> list[str]:
    """The shortest circle of imports through each module that is on one, each circle once."""
    shortest = {}
    for start in sorted(graph):
        ways = [[start]]
        seen = {start}
        while ways:
            way = ways.pop(0)
            if start in graph[way[-1]]:
                shortest.setdefault(frozenset(way), " -> ".join([*way, start]))
                break
            following = sorted(graph[way[-1]] - seen)
            seen.update(following)
            ways += [[*way, name] for name in following]
    return list(shortest.values())


def wrong_imports(module: Module) -> list[str]:
    """Imports against the direction of the data, of Blender where it is not known, of own code by an absolute name."""
    offenders = []
    for node, name, _ in module.imports():
        parts = name.split(".")
        relative = isinstance(node, ast.ImportFrom) and node.level > 0
        if not relative:
            if parts[0] in (PACKAGE, "bl_ext"):
                offenders.append(module.at(node, f"imports {name} absolutely: own code is imported relatively"))
            elif module.layer in WITHOUT_BLENDER and parts[0] not in {"numpy", *sys.stdlib_module_names}:
                offenders.append(module.at(node, f"imports {name}: {module.layer} knows numpy only"))
            elif module.layer in WITHOUT_BLENDER and parts[0] in ("importlib", "runpy"):
                offenders.append(module.at(node, f"imports {name}: imports are written out"))
        elif parts[0] != PACKAGE:
            offenders.append(module.at(node, "imports from outside the package"))
        elif module.layer in WITHOUT_BLENDER:
            allowed = (*BELOW[module.layer], module.layer)
            if parts[1] not in allowed:
                offenders.append(module.at(node, f"imports {name}: {module.layer} knows {' and '.join(allowed)} only"))
    for node in module.nodes:
        if module.layer in WITHOUT_BLENDER and isinstance(node, ast.Name) and node.id == "__import__":
            offenders.append(module.at(node, "__import__: imports are written out"))
    return offenders


def upward_imports(module: Module) -> list[str]:
    """Imports within blender/ from a floor above the module's own."""
    start = f"{PACKAGE}.blender."
    height = {name: number for number, floor in enumerate(FLOORS) for name in floor}
    own = height.get(module.name.removeprefix(start).split(".")[0])
    if own is None or not module.name.startswith(start):
        return []
    return [
        module.at(node, f"imports {name}, which is above it")
        for node, name, _ in module.imports()
        if name.startswith(start) and height.get(name.removeprefix(start).split(".")[0], 0) > own
    ]


def early_imports(module: Module) -> list[str]:
    """Imports of Blender, or of the layer that knows it, that happen as soon as the module is imported."""
    inside = {id(n) for f in module.nodes if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    offenders = []
    for node, name, _ in module.imports():
        if id(node) not in inside and (name.split(".")[0] == "bpy" or name.startswith(f"{PACKAGE}.blender")):
            offenders.append(module.at(node, f"imports {name} at module level"))
    return offenders


def imports_of_tests(module: Module) -> list[str]:
    """Imports from the tests by what is not a test: a script builds its scenes with `steering_addon.scene`."""
    return [
        module.at(node, f"imports {name}: use steering_addon.scene")
        for node, name, _ in module.imports()
        if name.split(".")[0] == "tests"
    ]


def cached_properties(module: Module) -> list[str]:
    """Properties that keep their value in another way than `once`, which says why."""
    return [
        module.at(node, f"imports {name}: use simulation.arrays.once")
        for node, name, _ in module.imports()
        if name == "functools.cached_property"
    ]


def meddling(module: Module) -> list[str]:
    """Changes of the import path, and writing beside the code, which an update deletes and a system may forbid."""
    offenders = []
    for node, name, _ in module.imports():
        if name == "sys.path":
            offenders.append(module.at(node, "sys.path"))
    beside = {"__file__"}
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and node.attr == "path" and ast.unparse(node) == "sys.path":
            offenders.append(module.at(node, "sys.path"))
        if isinstance(node, ast.Assign) and names_in(node.value) & beside:
            beside |= {name for target in node.targets for name in names_in(target)}
        if isinstance(node, ast.Call) and writes(node) and names_in(node) & beside:
            offenders.append(module.at(node, f"writes beside the code: {ast.unparse(node)}"))
    return offenders


def names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def writes(call: ast.Call) -> bool:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called == "open":
        modes = [a.value for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)]
        return any(isinstance(mode, str) and re.fullmatch(r"[rwabtx+]*[wax+][rwabtx+]*", mode) for mode in modes)
    return called in WRITING


SIMULATION, BEHAVIORS, BLENDER = (f"{PACKAGE}/{layer}/a.py" for layer in ("simulation", "behaviors", "blender"))
RULES: tuple[tuple[Callable, str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        wrong_imports,
        SIMULATION,
        (
            *("from ..behaviors import seek", "from .. import BASE_PACKAGE", "import gpu.types", "import scipy"),
            *("from ..blender.reading import read_frame", "import importlib", "__import__('bpy')"),
        ),
        ("import numpy as np\nfrom dataclasses import dataclass\nfrom .vectors import dot",),
    ),
    (
        wrong_imports,
        f"{PACKAGE}/simulation/deep/a.py",
        ("from ...behaviors import seek",),
        ("from ..vectors import dot",),
    ),
    (wrong_imports, f"{PACKAGE}/simulation/__init__.py", ("from .. import behaviors",), ()),
    (
        wrong_imports,
        BEHAVIORS,
        (
            *("from ..blender import bake", "import bpy", "def f():\n    from mathutils import Vector"),
            "from ..locomotion import banking",
        ),
        ("from ..simulation.vectors import dot\nfrom . import declaration",),
    ),
    (wrong_imports, f"{PACKAGE}/recording/a.py", ("from ..behaviors import CATALOGUE",), ()),
    (wrong_imports, f"{PACKAGE}/portrayal/a.py", ("from ..settings import preset",), ()),
    (
        wrong_imports,
        BLENDER,
        (
            *("from steering_addon.simulation import world", "import bl_ext.user_default.steering_behaviors"),
            "from ... import register",
        ),
        ("import bpy\nfrom .. import BASE_PACKAGE\nfrom ..behaviors import CATALOGUE",),
    ),
    (wrong_imports, f"{PACKAGE}/__init__.py", (), ("def register():\n    from . import blender",)),
    (upward_imports, f"{PACKAGE}/blender/animation/a.py", ("from ..read.plan import Plan",), ()),
    (upward_imports, f"{PACKAGE}/blender/read/a.py", ("from ..write import bake",), ()),
    (upward_imports, f"{PACKAGE}/blender/read/deep/a.py", ("from ...crowds.states import add_state",), ()),
    (upward_imports, f"{PACKAGE}/blender/objects/a.py", ("def f():\n    from ..animation import keyframes",), ()),
    (upward_imports, f"{PACKAGE}/blender/refusal.py", ("from .properties import has_role",), ()),
    (upward_imports, f"{PACKAGE}/blender/panels/a.py", (), ("from ..operators import baking",)),
    (upward_imports, f"{PACKAGE}/blender/__init__.py", (), ("from . import panels",)),
    (
        upward_imports,
        f"{PACKAGE}/blender/write/a.py",
        ("from .. import status",),
        ("from ..read.plan import Plan\nfrom . import bake\nfrom ...portrayal import clips",),
    ),
    (
        early_imports,
        f"{PACKAGE}/__init__.py",
        ("import bpy", "from . import blender", "from .blender import register"),
        (),
    ),
    (
        imports_of_tests,
        "scripts/a.py",
        ("from tests.scene import Scene", "import tests.scene", "def f():\n    from tests import surfaces"),
        ("from steering_addon.scene import Scene", "import pytest", "from .tests import a"),
    ),
    (
        cached_properties,
        BLENDER,
        ("from functools import cached_property",),
        ("from functools import cache, lru_cache",),
    ),
    (
        meddling,
        BLENDER,
        (
            *("import sys\nsys.path.append('x')", "from sys import path", "open(__file__ + '.log', 'w')"),
            "from pathlib import Path\nHERE = Path(__file__).parent\nCACHE = HERE / 'cache'\nCACHE.mkdir()",
        ),
        ("from pathlib import Path\nHERE = Path(__file__).parent\n(HERE / 'a').read_text()\nopen(HERE / 'a')",),
    ),
)
"""Each check, the path of a file, texts of it that break a rule once, and texts that do not."""


@pytest.mark.parametrize(("check", "path", "text"), [(c, path, text) for c, path, found, _ in RULES for text in found])
def test_what_breaks_a_rule_is_found(check: Callable, path: str, text: str) -> None:
    assert len(check(Module(Path(path), text))) == 1


@pytest.mark.parametrize(("check", "path", "text"), [(c, path, text) for c, path, _, good in RULES for text in good])
def test_what_keeps_to_the_rules_is_accepted(check: Callable, path: str, text: str) -> None:
    assert check(Module(Path(path), text)) == []


def graph_of(texts: dict[str, str]) -> dict[str, set[str]]:
    return import_graph([Module(Path(PACKAGE, path), text) for path, text in texts.items()])


@pytest.mark.parametrize(
    "texts",
    [
        {"a.py": "from . import b", "b.py": "from .a import thing"},
        {"a.py": "from .b import thing", "b.py": "def f():\n    from . import a"},
        {"a.py": "from .b import x", "b.py": "if TYPE_CHECKING:\n    from .a import T"},
        {"a.py": "from .deep.b import x", "deep/b.py": "from . import c", "deep/c.py": "from ..a import y"},
        {"deep/__init__.py": "from .a import x", "deep/a.py": "from . import y"},
        {"deep/__init__.py": "from .a import x", "deep/a.py": "from .b import y", "deep/b.py": "from .. import deep"},
    ],
)
def test_a_circle_of_imports_is_found(texts: dict[str, str]) -> None:
    assert len(circles(graph_of(texts))) == 1


@pytest.mark.parametrize(
    "texts",
    [
        {"a.py": "from . import b\nfrom .c import x", "b.py": "from . import c", "c.py": "import numpy"},
        {
            "deep/__init__.py": "from .a import x",
            "deep/a.py": "from . import b",
            "deep/b.py": "from ..c import y",
            "c.py": "",
        },
    ],
)
def test_imports_without_a_circle_are_accepted(texts: dict[str, str]) -> None:
    assert circles(graph_of(texts)) == []
