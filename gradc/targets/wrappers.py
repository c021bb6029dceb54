"""Functions that take and return NumPy arrays, around those that compute.

    def value_and_grad(x: ArrayLike) -> tuple[float, NDArray[float64]]:
        found = _value_and_grad(x)
        return found[0], numpy.array(found[1])

The function inside makes floats of Python of the numbers of an array, which are faster
one by one, and raise where Python does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradc.functions import Function, Layout, shape_of
from gradc.targets.interface import (
    NOTHING,
    Nested,
    Parameter,
    kind,
    returned,
    signature,
)
from gradc.targets.printer import assignment

IMPORTS = ["from numpy import float64", "from numpy.typing import ArrayLike, NDArray"]
MATRICES = {"value_and_jacobian": "jacobian", "value_grad_and_hessian": "hessian"}
_ARRAY = "NDArray[float64]"


def of_numpy(parameter: Parameter) -> Parameter:
    """An argument of a function that takes arrays of NumPy."""
    return parameter._replace(type=_accepted(parameter.variables))


def wrapped(
    function: Function,
    parameters: Sequence[Parameter],
    doc: str,
    spell: Callable[[str], str],
) -> list[list[str]]:
    """The lines of a function with arrays around `_name`.

    Behind it stands one that returns only the matrix, as solvers ask for it.

    Arguments:
        parameters: those of the function inside.
        spell: what a function, or NumPy, is called in the module.
    """
    taken = [f"{p.name}: {p.type}" for p in parameters]
    head = signature(function.name, taken, _type(function, function.layout))
    numpy, found = spell("numpy"), "found"
    while any(p.name == found for p in parameters):
        found += "_"
    passed = [
        p.name if p.is_array else f"{spell('float')}({p.name})" for p in parameters
    ]
    inner = f"{spell(f'_{function.name}')}({', '.join(passed)})"
    call = assignment(found, inner, "    ")
    result = _converted(function, function.layout, found, numpy)
    lines = [[*head, f'    """{doc}"""', *call, *returned(result)]]
    name = MATRICES.get(function.name)
    if name is not None and not isinstance(function.layout, int):
        head = signature(name, taken, _type(function, function.layout[-1]))
        doc = f'    """Return the last part of `{function.name}`."""'
        inner = f"{spell(function.name)}({', '.join(p.name for p in parameters)})"
        call = assignment(found, inner, "    ")
        end = f"    return {found}[{len(function.layout) - 1}]"
        lines.append([*head, doc, *call, end])
    return lines


def _accepted(variables: Nested) -> str:
    """The type of an argument that is taken apart into variables."""
    if isinstance(variables, str):
        return "float"
    if _is_array(variables):
        return "ArrayLike"
    return f"tuple[{', '.join(map(_accepted, variables))}]"


def _is_array(variables: Nested) -> bool:
    return kind(variables).startswith("Sequence[")


def _type(function: Function, layout: Layout) -> Nested:
    if isinstance(layout, int):
        return "float"
    if not _is_tuple(function, layout):
        return _ARRAY
    return [_type(function, inner) for inner in layout] or NOTHING


def _converted(function: Function, layout: Layout, text: str, numpy: str) -> Nested:
    """A part of what the function inside returns, as it is returned."""
    if isinstance(layout, int):
        return text
    if not _is_tuple(function, layout):
        return f"{numpy}.array({text})"
    inner = enumerate(layout)
    return [_converted(function, part, f"{text}[{k}]", numpy) for k, part in inner]


def _is_tuple(function: Function, layout: Layout) -> bool:
    """Whether a part of a layout is no array, so that it stays a tuple with NumPy."""
    several = layout is function.layout and function.name.startswith("value_")
    return several or shape_of(layout) is None
