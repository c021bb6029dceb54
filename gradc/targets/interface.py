"""What a module's functions take and return: signatures, unpacking, the last line.

An array arrives as nested sequences, is taken apart into one variable an element, and
its gradient goes out as tuples in the same nesting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gradc.functions import Layout

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
CALL = VALUES._replace(alone="")


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


def accepted(variables: Nested) -> str:
    """The type of an argument that is taken apart into variables."""
    if isinstance(variables, str):
        return "float"
    kinds = [accepted(inner) for inner in variables]
    alike = all(kind == kinds[0] for kind in kinds)
    return f"Sequence[{kinds[0]}]" if alike else f"tuple[{', '.join(kinds)}]"


def given(layout: Layout) -> Nested:
    """The type of what is returned in a layout."""
    return "float" if isinstance(layout, int) else _counted([*map(given, layout)])


def _counted(inner: Sequence[Nested]) -> Nested:
    """The types in a tuple, those of many that are the same written once."""
    if not inner:
        return "tuple[()]"
    if len(inner) > EXACT and all(item == inner[0] for item in inner):
        return [inner[0], "..."]
    return inner


class Parameter(NamedTuple):
    """An argument: what it is called, its type, its variables and its form in words.

    The variable of a number is its name, and it has no form.
    """

    name: str
    type: str
    variables: Nested
    form: str


def unpacking(parameters: Sequence[Parameter]) -> list[str]:
    """Statements that take the arrays apart, and complain if one is of another shape."""
    arrays = [parameter for parameter in parameters if parameter.form]
    if not arrays:
        return []
    forms = ", ".join(f"{array.name}: {array.form}" for array in arrays)
    return [
        "    try:",
        *(line for array in arrays for line in _unpacked(array.variables, array.name)),
        "    except (TypeError, ValueError):",
        *_raised(f"the arguments have other shapes than {forms}"),
    ]


def called(head: str, arguments: Sequence[Nested]) -> list[str]:
    """A statement that calls a function: its text up to the bracket, and what follows."""
    line = f"    {head}{_line(arguments, CALL)}"
    if len(line) <= WIDTH:
        return [line]
    first, *others = _exploded(arguments, 4, CALL)
    return [f"    {head}{first.lstrip()}", *others]


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


def returned(found: Nested, depth: int = 1) -> list[str]:
    """The last line, so far in, or lines if one has no room."""
    indent = "    " * depth
    if isinstance(found, str):
        line, inner = f"{indent}return {found}", f"{indent}    {found}"
        fits = len(line) <= WIDTH or len(inner) > WIDTH
        return [line] if fits else [f"{indent}return (", inner, f"{indent})"]
    inner = _line(found, VALUES)
    line = f"{indent}return {inner[1:-1] if len(found) > 1 else inner}"
    if len(line) <= WIDTH:
        return [line]
    head = f"{indent}return {_line(found[0], VALUES)}, ("
    if len(found) == 2 and not isinstance(found[1], str) and len(head) <= WIDTH:
        return [head, *_exploded(found[1], len(indent), VALUES)[1:]]
    first, *others = _exploded(found, len(indent), VALUES)
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
