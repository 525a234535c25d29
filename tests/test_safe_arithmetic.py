"""Arithmetic that feeds the state of the simulation gives the same bytes in every supported Blender.

So it keeps away from functions whose last digits depend on the processor or on the version of numpy or Python.
"""

import ast
import re
from pathlib import Path

import pytest

from tests.parsed import PACKAGE, Module, assert_none

UNSAFE_FUNCTION = re.compile(
    r"""exp | exp2 | expm1 | log | log2 | log10 | log1p | logaddexp2? | power | float_power | pow | cbrt | hypot | dist
    | tan | sinh | cosh | tanh | arc(sin|cos|tan|tan2|sinh|cosh|tanh) | a(sin|cos|tan|tan2|sinh|cosh|tanh)
    | (nan)?(sum|prod|mean|median|std|var) | average | cov | corrcoef | trapz | trapezoid | trace | sumprod
    | dot | vdot | inner | matmul | tensordot | vecdot | matvec | vecmat | convolve | correlate | polyfit | polyval
    | (add|multiply)\.reduce""",
    re.VERBOSE,
)
"""Of numpy and math, by name: transcendental functions, and sums whose order of adding is not fixed."""
UNSAFE_MODULES = {"numpy.linalg", "numpy.random", "numpy.fft", "numpy.polynomial", "random"}
UNSAFE_METHODS = {"sum", "mean", "std", "var", "prod", "dot", "trace"}


def unsafe_arithmetic(module: Module) -> list[str]:
    """Arithmetic whose last digits depend on the processor or on the version of numpy or Python.

    Safe are + - * / sqrt, comparisons, floor, float64 sin and cos, take, cumsum, bincount, reduceat and plain einsum.
    """
    if module.layer in ("", "blender"):
        return []
    offenders = []
    full_names = {}
    for node, name, goes_by in module.imports():
        # `import numpy.linalg` binds numpy.
        full_names[goes_by] = goes_by if isinstance(node, ast.Import) and name.startswith(f"{goes_by}.") else name
        if complaint := unsafe_name(name):
            offenders.append(module.at(node, complaint))
    for node in module.nodes:
        complaint = ""
        if isinstance(node, ast.Attribute):
            complaint = unsafe_name(dotted(node, full_names))
        if isinstance(node, ast.Call):
            complaint = unsafe_call(node, full_names)
        operator = getattr(node, "op", None)
        if isinstance(operator, ast.MatMult):
            complaint = "@: adds in no fixed order"
        if isinstance(operator, ast.Pow) and not is_power_of_two(node):
            complaint = "**: write the product out"
        if complaint:
            offenders.append(module.at(node, complaint))
    return offenders


def dotted(node: ast.expr, full_names: dict[str, str]) -> str:
    """The full name of `np.add.reduce` and similar calls; "" for what is not reached through an imported module."""
    if isinstance(node, ast.Name):
        return full_names.get(node.id, "")
    if isinstance(node, ast.Attribute) and (start := dotted(node.value, full_names)):
        return f"{start}.{node.attr}"
    return ""


def unsafe_name(name: str) -> str:
    if any(name == module or name.startswith(f"{module}.") for module in UNSAFE_MODULES):
        return name
    library, _, function = name.partition(".")
    return name if library in ("numpy", "math") and UNSAFE_FUNCTION.fullmatch(function) else ""


def unsafe_call(call: ast.Call, full_names: dict[str, str]) -> str:
    """Methods of arrays, the built-in sum and pow, and einsum where it may choose its own order."""
    if isinstance(call.func, ast.Name) and call.func.id in ("sum", "pow") and call.func.id not in full_names:
        return "" if call.func.id == "sum" and counts(call) else f"{call.func.id}(...)"
    if not isinstance(call.func, ast.Attribute):
        return ""
    if call.func.attr == "einsum" and any(keyword.arg == "optimize" for keyword in call.keywords):
        return "einsum(..., optimize=...)"
    if call.func.attr in UNSAFE_METHODS and not dotted(call.func.value, full_names) and not takes_values(call):
        return f".{call.func.attr}(...)"
    return ""


def counts(call: ast.Call) -> bool:
    """The built-in sum of whole numbers, recognised by what is added: `1` or `len(...)` for each."""
    added = call.args[0].elt if call.args and isinstance(call.args[0], ast.GeneratorExp | ast.ListComp) else None
    if isinstance(added, ast.Call):
        return isinstance(added.func, ast.Name) and added.func.id == "len"
    return isinstance(added, ast.Constant) and isinstance(added.value, int)


def takes_values(call: ast.Call) -> bool:
    """A `sum` of our own, which is given what to add (`near.sum(offsets)`); an array's is given an axis at most."""
    if call.func.attr != "sum" or len(call.args) != 1 or call.keywords:
        return False
    given = ast.unparse(call.args[0])
    return given not in ("axis", "None") and not re.fullmatch(r"[-\d(), ]+", given)


def is_power_of_two(power: ast.BinOp | ast.AugAssign) -> bool:
    """2 ** 64 or 2.0 ** -53, written in numbers: exact on every processor."""
    if not isinstance(power, ast.BinOp) or not isinstance(power.left, ast.Constant):
        return False
    exponent = power.right.operand if isinstance(power.right, ast.UnaryOp) else power.right
    return power.left.value == 2 and isinstance(exponent, ast.Constant) and isinstance(exponent.value, int)


def test_what_feeds_the_state_gives_the_same_bytes_everywhere() -> None:
    assert_none(unsafe_arithmetic)


UNSAFE = (
    *("np.exp(x)", "np.log1p(x)", "np.power(x, 2)", "np.arctan2(y, x)", "np.atan2(y, x)", "np.tanh", "math.exp(1.0)"),
    *("np.hypot(x, y)", "np.linalg.norm(x)", "numpy.linalg.norm(x)", "norm(x)", "np.random.default_rng(1)"),
    *("np.sum(x)", "np.mean(x, axis=0)", "np.add.reduce(x)", "sum(lengths)", "x.mean()", "x.dot(y)", "x.std()"),
    *("x.sum()", "x.sum(axis=0)", "x.sum(-1)", "x.sum(axis)", "(x * x).sum(1)"),
    *("pow(x, 2)", "x @ y", "x ** 2", "x ** 0.5", "2 ** x", "np.einsum('ij,ij->i', x, y, optimize=True)"),
)


@pytest.mark.parametrize("expression", UNSAFE)
def test_unsafe_arithmetic_is_found(expression: str) -> None:
    start = "import math\nimport numpy\nimport numpy as np\n"
    if expression.startswith("norm"):
        start += "from numpy.linalg import "
        expression = "norm"
    offenders = unsafe_arithmetic(Module(Path(PACKAGE, "simulation", "a.py"), start + expression))
    assert offenders != []
    assert all(offender.startswith("steering_addon/simulation/a.py:4 ") for offender in offenders)


def test_unsafe_arithmetic_in_place_is_found() -> None:
    text = "x **= 2\nx @= y"
    assert len(unsafe_arithmetic(Module(Path(PACKAGE, "behaviors", "a.py"), text))) == 2


@pytest.mark.parametrize(
    "expression",
    [
        "np.sqrt(x) + np.sin(x) * np.cos(x)",
        "np.add.reduceat(x, starts) + np.bincount(rows, weights=x) + np.cumsum(x)",
        "np.maximum.reduce(x)",
        "np.einsum('ij,ij->i', x, y)",
        "vectors.dot(x, y) + dot(x, y)",
        "near.sum(-near.offset / near.distance_squared[:, None])",
        "sum(1 for path in paths) + sum(len(path) for path in paths)",
        "f(**options)",
        "{**options}",
        "2**64 + 2.0**-53",
        "math.sqrt(2.0) * math.pi",
    ],
)
def test_safe_arithmetic_is_accepted(expression: str) -> None:
    start = "import math\nimport numpy as np\nfrom . import vectors\nfrom .vectors import dot\n"
    assert unsafe_arithmetic(Module(Path(PACKAGE, "simulation", "a.py"), start + expression)) == []
