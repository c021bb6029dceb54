"""What a module's functions take and return: signatures, unpacking, the last line.

An array arrives as nested sequences, is taken apart into one variable an element, and
its gradient goes out as tuples in the same nesting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gradc.arrays import nest
from gradc.ir import Argument

WIDTH = 88
EXACT = 8  # elements up to which an annotation counts them

Nested = str | Sequence["Nested"]  # the text of a number or a type, or of several


class Brackets(NamedTuple):
    """What stands around several texts, and behind one that stands there alone."""

    opening: str
    closing: str
    alone: str


VALUES = Brackets("(", ")", ",")
TYPES = Brackets("tuple[", "]", "")


def signature(name: str, parameters: Sequence[str], result: Nested) -> list[str]:
    """The head of a function, of which a line may have room for each parameter."""
    ending = [f") -> {_line(result, TYPES)}:"]
    if len(ending[0]) > WIDTH:
        first, *others = _exploded(result, 0, TYPES)
        ending = [f") -> {first}", *others[:-1], f"{others[-1]}:"]
    line = f"def {name}({', '.join(parameters)}{ending[0]}"
    if len(line) <= WIDTH:
        return [line, *ending[1:]]
    inner = "    " + ", ".join(parameters)
    listed = [f"    {parameter}," for parameter in parameters]
    if len(inner) <= WIDTH and len(parameters) > 1:
        listed = [inner]
    return [f"def {name}(", *listed, *ending]


def taken(shape: Sequence[int]) -> str:
    """The type of an argument of a shape."""
    return "Sequence[" * len(shape) + "float" + "]" * len(shape)


def given(arguments: Sequence[Argument]) -> Nested:
    """The type of a gradient by some arguments."""
    return _counted([_given(argument.shape) for argument in arguments])


def _given(shape: Sequence[int]) -> Nested:
    return _counted([_given(shape[1:])] * shape[0]) if shape else "float"


def _counted(inner: Sequence[Nested]) -> Nested:
    """The types in a tuple, those of many that are the same written once."""
    if not inner:
        return "tuple[()]"
    if len(inner) > EXACT and all(item == inner[0] for item in inner):
        return [inner[0], "..."]
    return inner


def unpacking(
    arguments: Sequence[Argument],
    parameters: Mapping[str, str],
    elements: Mapping[str, str],
) -> list[str]:
    """Statements that take the arrays apart, and complain if one is of another shape."""
    arrays = [argument for argument in arguments if argument.shape]
    lines: list[str] = []
    for array in arrays:
        names = nest([elements[e.name] for e in array.elements], array.shape)
        lines += _unpacked(names, parameters[array.name])
    if not arrays:
        return []
    shapes = ", ".join(f"{a.name}: {by(a.shape)}" for a in arrays)
    return [
        "    try:",
        *lines,
        "    except (TypeError, ValueError):",
        *_raised(f"the arguments have other shapes than {shapes}"),
    ]


def by(shape: Sequence[int]) -> str:
    """A shape in words: `8 by 2`."""
    return " by ".join(str(n) for n in shape)


def _raised(message: str) -> list[str]:
    line = f'        raise ValueError("{message}") from None'
    if len(line) <= WIDTH:
        return [line]
    return [
        "        raise ValueError(",
        f'            "{message}"',
        "        ) from None",
    ]


def _unpacked(names: Nested, array: str) -> list[str]:
    inner = _line(names, VALUES)
    if len(names) > 1:  # black leaves out the brackets that Python can do without
        inner = inner[1:-1]
    line = f"        {inner} = {array}"
    if len(line) <= WIDTH:
        return [line]
    *lines, last = _exploded(names, 8, VALUES)
    return [*lines, f"{last} = {array}"]


def returned(value: str, gradient: Nested | None = None, depth: int = 1) -> list[str]:
    """The last line, so far in, or lines if one has no room."""
    indent = "    " * depth
    if gradient is None:
        line, inner = f"{indent}return {value}", f"{indent}    {value}"
        fits = len(line) <= WIDTH or len(inner) > WIDTH
        return [line] if fits else [f"{indent}return (", inner, f"{indent})"]
    line = f"{indent}return {value}, {_line(gradient, VALUES)}"
    if len(line) <= WIDTH:
        return [line]
    head = f"{indent}return {value}, ("
    if len(head) <= WIDTH:
        return [head, *_exploded(gradient, len(indent), VALUES)[1:]]
    first, *others = _exploded([value, gradient], len(indent), VALUES)
    return [f"{indent}return {first.lstrip()}", *others]


# ---- nested texts in brackets, on one line or an item a line


def _line(nested: Nested, brackets: Brackets) -> str:
    if isinstance(nested, str):
        return nested
    inner = ", ".join(_line(item, brackets) for item in nested)
    alone = brackets.alone if len(nested) == 1 else ""
    return f"{brackets.opening}{inner}{alone}{brackets.closing}"


def _exploded(nested: Nested, depth: int, brackets: Brackets) -> list[str]:
    indent = " " * depth
    comma = "," if len(nested) > 1 else brackets.alone
    lines = [f"{indent}{brackets.opening}"]
    for item in nested:
        lines += _item(item, depth + 4, comma, brackets)
    return [*lines, f"{indent}{brackets.closing}"]


def _item(item: Nested, depth: int, comma: str, brackets: Brackets) -> Iterator[str]:
    line = f"{' ' * depth}{_line(item, brackets)}{comma}"
    if isinstance(item, str) or len(line) <= WIDTH:
        yield line
    else:
        *lines, last = _exploded(item, depth, brackets)
        yield from (*lines, f"{last}{comma}")
