"""What a module's functions take and return: signatures, unpacking, the last line.

An array arrives as nested sequences, is checked and taken apart into one variable an
element, and its gradient goes out as tuples in the same nesting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from gradc.arrays import leaves
from gradc.functions import Function, Layout, shape_of
from gradc.targets.names import Names
from gradc.targets.printer import assignment

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
NOTHING = "tuple[()]"


def signature(name: str, parameters: Sequence[str], result: Nested) -> list[str]:
    """The head of a function, of which a line may have room for each parameter."""
    ending = [f") -> {one_line(result, TYPES)}:"]
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


def defined(
    name: str, parameters: Sequence[Parameter], layout: Layout, doc: str
) -> list[str]:
    """The first lines of a function."""
    takes = [f"{parameter.name}: {parameter.type}" for parameter in parameters]
    return [*signature(name, takes, returns(layout)), f'    """{doc}"""']


def kind(variables: Nested) -> str:
    """The type of an argument, as it may stand in another."""
    if isinstance(variables, str):
        return "float"
    kinds = [kind(inner) for inner in variables]
    alike = all(kind == kinds[0] for kind in kinds)
    return f"Sequence[{kinds[0]}]" if alike else f"tuple[{', '.join(kinds)}]"


def returns(layout: Layout) -> Nested:
    """The type of what is returned in a layout."""
    return "float" if isinstance(layout, int) else _counted([*map(returns, layout)])


def _counted(inner: Sequence[Nested]) -> Nested:
    """The types in a tuple, those of many that are the same written once."""
    if not inner:
        return NOTHING
    if len(inner) > EXACT and all(item == inner[0] for item in inner):
        return [inner[0], "..."]
    return inner


class Parameter(NamedTuple):
    """An argument: what it is called, its type, and its variables in their nesting.

    The variable of a number is its name.
    """

    name: str
    type: str
    variables: Nested

    @property
    def is_array(self) -> bool:
        """Whether it is taken apart."""
        return not isinstance(self.variables, str)


def parameters(function: Function, names: Names) -> list[Parameter]:
    """The arguments of a function, as it takes them apart."""
    return [
        Parameter(names.parameters[name], kind(variables), variables)
        for name, _, variables in function.arguments(names.elements.__getitem__)
    ]


def unpacking(
    parameters: Sequence[Parameter], spell: Callable[[str], str]
) -> Iterator[str]:
    """Statements that check the arrays and take them apart.

    Arguments:
        spell: what a function is called in the module.
    """
    for parameter in parameters:
        if isinstance(parameter.variables, str):
            continue
        quoted = f'"{parameter.name}"'
        yield from _apart(quoted, parameter.name, parameter.variables, spell)


def _apart(
    quoted: str, given: str, variables: Sequence[Nested], spell: Callable[[str], str]
) -> Iterator[str]:
    """Statements that take one array apart, or arrays and numbers side by side."""
    shape = shape_of(variables)
    if shape is not None:
        call = f"{spell('floats')}({', '.join([quoted, given, *map(str, shape)])})"
        yield from _assigned([*leaves(variables)], call)
        return
    names = [
        item if isinstance(item, str) else f"{given}_{k}_"
        for k, item in enumerate(variables)
    ]
    yield f"    {', '.join(names)} = {given}"
    for k, item in enumerate(variables):
        if not isinstance(item, str):
            yield from _apart(f'{quoted[:-1]}[{k}]"', names[k], item, spell)


def by(shape: Sequence[int]) -> str:
    """A shape in words: `8 by 2`."""
    return " by ".join(str(n) for n in shape)


def _assigned(targets: Sequence[str], call: str) -> list[str]:
    """A statement that assigns what a function returns, as black lays it out."""
    names = ", ".join(targets) + "," * (len(targets) == 1)
    names = f"({names})" if len(targets) == 1 else names
    lines = assignment(names, call, "    ")
    if len(lines[0]) <= WIDTH:
        return lines
    if len(f"    {names} = (") <= WIDTH:
        return [f"    {names} = (", f"        {call}", "    )"]
    *lines, _ = _exploded(targets, 4, VALUES)
    return [*lines, *assignment(")", call, "    ")]


def returned(found: Nested, depth: int = 1, head: str = "return ") -> list[str]:
    """The last line, so far in, or lines if one has no room."""
    indent = "    " * depth
    if isinstance(found, str):
        line, inner = f"{indent}{head}{found}", f"{indent}    {found}"
        fits = len(line) <= WIDTH or len(inner) > WIDTH
        return [line] if fits else [f"{indent}{head}(", inner, f"{indent})"]
    inner = one_line(found, VALUES)
    line = f"{indent}{head}{inner[1:-1] if len(found) > 1 else inner}"
    if len(line) <= WIDTH:
        return [line]
    first = f"{indent}{head}{one_line(found[0], VALUES)}, ("
    if len(found) == 2 and not isinstance(found[1], str) and len(first) <= WIDTH:
        return [first, *_exploded(found[1], len(indent), VALUES)[1:]]
    opening, *others = _exploded(found, len(indent), VALUES)
    return [f"{indent}{head}{opening.lstrip()}", *others]


# ---- nested texts in brackets, on one line or an item a line


def one_line(nested: Nested, brackets: Brackets = VALUES) -> str:
    """Texts in brackets, on one line."""
    if isinstance(nested, str):
        return nested
    inner = ", ".join(one_line(item, brackets) for item in nested)
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
    line = f"{' ' * depth}{one_line(item, brackets)}{comma}"
    if isinstance(item, str) or len(line) <= WIDTH:
        yield line
    else:
        *lines, last = _exploded(item, depth, brackets)
        yield from (*lines, f"{last}{comma}")
