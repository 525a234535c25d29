"""No steering code names the z axis: it asks its agents which way is up and what is level (`Agents.upward`).

A locomotion may keep its vehicles to a wall or a planet, where code that drops the z component would be wrong.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "steering_addon"
STEERING = ("behaviors", "simulation/avoiding", "simulation/maneuvers", "simulation/ways", "simulation/targets.py")
KNOW_Z: dict[str, str] = {
    "simulation/avoiding/jams.py": "jostles at random in x and y, then keeps to the agent's ground",
    "simulation/avoiding/tried_velocities.py": "counts the components of directions in an agent's own frame",
    "simulation/ways/standing.py": "maps ground for walkers, which keep upright",
    "simulation/ways/detours.py": "plans on a map, in x and y",
    "simulation/ways/footprints.py": "plans on a map, in x and y",
    "simulation/ways/journeys.py": "plans on a map, in x and y",
    "simulation/ways/mesh_walls.py": "cuts meshes at a height, for a map",
    "simulation/ways/over_ground.py": "maps ground for walkers, which keep upright",
    "simulation/ways/planning.py": "plans on a map, in x and y",
    "simulation/ways/walkable_ground.py": "maps ground for walkers, which keep upright",
}
"""Files that use a z axis, and the reason."""
CONSTANTS = [(0, 0, 1), (0, 0, -1), (1, 1, 0)]
"""The z axis, and factors that drop the component along it; also as booleans."""
OF_THE_Z_AXIS = {"level_side", "upright", "UP"}
"""Names of other layers that mean the z axis; `Agents` has methods for the up of each agent instead."""


def test_no_steering_code_names_the_z_axis() -> None:
    offenders = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path in steering_code()
        if path not in KNOW_Z
        for node in naming_z(parsed(path))
    ]
    assert offenders == [], "Ask the agents: Agents.level, flat, climb, lifted, left_of, upward, grounded."


def test_every_exception_is_needed() -> None:
    assert [path for path in KNOW_Z if path not in steering_code() or not naming_z(parsed(path))] == []


def steering_code() -> list[str]:
    paths = [ROOT / part for part in STEERING]
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


def parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def naming_z(tree: ast.Module) -> list[ast.AST]:
    """The expressions and imports of a module that mean the z axis of the world."""
    return [node for node in ast.walk(tree) if means_z(node)]


def means_z(node: ast.AST) -> bool:
    match node:
        case ast.Subscript():
            return third_component(node.slice)
        case ast.Tuple() | ast.List():
            return constants(node.elts) in CONSTANTS
        case ast.ImportFrom():
            return bool({alias.name for alias in node.names} & OF_THE_Z_AXIS)
        case ast.Call():
            return ast.unparse(node.func) == "columns" and constants(node.args[2:]) == (0,)
    return False


def third_component(index: ast.expr) -> bool:
    """Whether an index in brackets picks, or leaves out, the last of three columns: `[:, 2]`, `[..., 2]`, `[:, :2]`."""
    if not isinstance(index, ast.Tuple) or len(index.elts) < 2:
        return False
    last = index.elts[-1]
    bounds = [last.lower, last.upper] if isinstance(last, ast.Slice) else [last]
    return any(isinstance(bound, ast.Constant) and bound.value == 2 for bound in bounds)


def constants(nodes: list[ast.expr]) -> tuple[object, ...]:
    """The values of nodes that are all written as numbers or truth values, else none."""
    try:
        return tuple(ast.literal_eval(node) for node in nodes)
    except ValueError:
        return ()


@pytest.mark.parametrize(
    "text",
    [
        *("v[:, 2] = 0.0", "v[..., 2]", "v[rows, 2]", "v[:, :2]", "up = (0.0, 0.0, 1.0)"),
        *("level = np.array([1.0, 1.0, 0.0])", "height = np.array([False, False, True])", "columns(x, y, 0.0)"),
        *("from ..ground import upright", "from ..arrays.vectors import dot, level_side"),
    ],
)
def test_the_z_axis_is_recognised(text: str) -> None:
    assert len(naming_z(ast.parse(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        *("v[:, axis]", "v[2]", "v[:, 1]", "columns(x, y, z)", "way = (1.0, 0.0, 0.0)", "agents.level(v)"),
        *("agents.climb(v)", "from ..ground import left_of"),
    ],
)
def test_other_code_is_accepted(text: str) -> None:
    assert naming_z(ast.parse(text)) == []
