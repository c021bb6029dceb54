"""What stands around the body of a function: what it takes, and what it returns.

An array arrives as nested sequences and is taken apart into a variable for each element;
its gradient goes out as tuples in the same nesting, or as an array of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gradc.arrays import leaves, shape_of
from gradc.functions import Layout
from gradc.passes.schedule import WIDTH
from gradc.targets.names import Page
from gradc.targets.origin import CERTAIN, UNSURE, Origin
from gradc.targets.printer import headed, statement, tupled, unwrapped

NUMPY = ["from numpy import float64", "from numpy.typing import ArrayLike, NDArray"]
MATRICES = {"value_and_jacobian": "jacobian", "value_grad_and_hessian": "hessian"}
EXACT = 8  # elements up to which a tuple of the same is written out

Leaf = Callable[[int], str]  # the text of an output
Nested = str | Sequence["Nested"]  # the name of a number, or those in an array


class Frame:
    """A function without its body; `values` is the layout of what `value` returns."""

    def __init__(self, page: Page, origin: Origin, values: Layout) -> None:
        self.name, _, self.layout, self.vector, _ = page.function
        self.outside, self.numpy, self.values = origin.outside, origin.numpy, values
        if self.outside == CERTAIN and self.name in UNSURE:
            self.outside = "raise"
        self.depth = 1 if self.outside == "raise" else 2  # how far in its body stands
        self.several = self.name.startswith("value_")  # returns a value and others
        self.found = page.names.free("found")
        arguments = page.function.arguments(page.names.elements.__getitem__)
        self.takes: list[tuple[str, Nested]] = [
            (page.names.parameters[name], variables) for name, _, variables in arguments
        ]

    def lines(self, doc: str, body: Sequence[str], leaf: Leaf) -> list[str]:
        """The function with its body."""
        head = self._first(self.name, doc, self._type(self.layout, self.several))
        text = unwrapped(_shown(self.layout, leaf, self.numpy, self.several))
        return [*head, *self._unpacked(), *self._ended(body, text)]

    def matrix(self) -> list[str]:
        """A function that returns only the last part, as solvers ask for it."""
        assert not isinstance(self.layout, int)
        doc = f"Return the last part of `{self.name}`."
        return [
            *self._first(MATRICES[self.name], doc, self._type(self.layout[-1])),
            *statement(f"{self.found} = ", self._call(self.name), depth=1),
            f"    return {self.found}[{len(self.layout) - 1}]",
        ]

    def _call(self, name: str) -> str:
        """The call of a function that takes what this one does but for `v`."""
        names = [name for name, _ in self.takes]
        return f"{name}({', '.join(names[:-1] if self.vector is not None else names)})"

    def _first(self, name: str, doc: str, returns: str) -> list[str]:
        """The head of a function."""
        types = [f"{name}: {self._accepted(found)}" for name, found in self.takes]
        return headed(name, types, returns, doc)

    def _accepted(self, variables: Nested) -> str:
        """The type of an argument, as it may stand in another."""
        if isinstance(variables, str):
            return "float"
        types = [self._accepted(inner) for inner in variables]
        if len({*types}) > 1:
            return f"tuple[{', '.join(types)}]"
        return "ArrayLike" if self.numpy else f"Sequence[{types[0]}]"

    def _type(self, layout: Layout, several: bool = False) -> str:
        """The type of what is returned in a layout, which may be several arrays."""
        if isinstance(layout, int):
            return "float"
        if self.numpy and not several and shape_of(layout) is not None:
            return "NDArray[float64]"
        types = [self._type(inner) for inner in layout]
        if len(types) > EXACT and len({*types}) == 1:
            types[1:] = ["..."]
        return f"tuple[{', '.join(types) or '()'}]"

    def _unpacked(self) -> Iterator[str]:
        """Statements that take arrays apart, and make floats of what raises nothing."""
        for name, variables in self.takes:
            if not isinstance(variables, str):
                yield from _apart(f'"{name}"', name, variables)
            elif self.numpy:
                yield f"    {name} = float({name})"

    def _ended(self, body: Sequence[str], text: str) -> list[str]:
        """The body and its end.

            try:
                ...
                found = x * t1, (t1, x / y)
                if isfinite(found[0]):
                    return found
            except (ArithmeticError, ValueError):
                pass
            return value(x, y), (nan, nan)

        The value is what `value` returns, and there is no derivative.
        """
        if self.outside == "raise":
            return [*body, *statement("return ", text, depth=1)]
        if self.outside == CERTAIN:
            asked = f"{self.name}, error, {tupled([name for name, _ in self.takes])}"
            return [
                "    try:",
                *body,
                *statement("return ", text, depth=2),
                "    except (ArithmeticError, ValueError) as error:",
                *statement("return ", f"_certified({asked})", depth=2),
            ]
        return [
            "    try:",
            *body,
            *statement(f"{self.found} = ", text, depth=2),
            *statement("if ", self._condition(), ":", depth=2),
            f"            return {self.found}",
            "    except (ArithmeticError, ValueError):",
            "        pass",
            *statement("return ", self._nothing(), depth=1),
        ]

    def _condition(self) -> str:
        """Whether there is a value."""
        values, test = self.values, "isfinite" if self.outside == "nan" else "not isnan"
        if self.vector is None:
            return _holds(values, self.found + "[0]" * self.several, test)
        text = self._call("value")
        while not isinstance(values, int):  # without a value no part has one
            text, values = f"{text}[0]", values[0]
        return f"isfinite({text})"

    def _nothing(self) -> str:
        """What is returned where there is no value."""
        word = self.outside if self.name == "value" else "nan"
        if self.several and not isinstance(self.layout, int):
            items = [_shown(part, lambda _: word, self.numpy) for part in self.layout]
            return ", ".join([self._call("value"), *items[1:]])
        return unwrapped(_shown(self.layout, lambda _: word, self.numpy))


def _shown(layout: Layout, leaf: Leaf, numpy: bool, several: bool = False) -> str:
    """The text of a layout as tuples, those of a shape perhaps as arrays of NumPy."""
    if isinstance(layout, int):
        return leaf(layout)
    is_array = numpy and not several and shape_of(layout) is not None
    items = [_shown(part, leaf, numpy and not is_array) for part in layout]
    is_same = len(items) > EXACT and len({*items}) == 1
    text = f"({items[0]},) * {len(items)}" if is_same else tupled(items)
    return f"numpy.array({text})" if is_array else text


def _apart(quoted: str, given: str, variables: Sequence[Nested]) -> Iterator[str]:
    """Statements that take one array apart, or arrays and numbers side by side."""
    shape = shape_of(variables)
    if shape is not None:
        call = f"floats({', '.join([quoted, given, *map(str, shape)])})"
        names = tupled([*leaves(variables)])
        if len(bare := unwrapped(names)) > WIDTH - 8:
            yield from statement("", names, f" = {call}", depth=1)
        else:
            yield from statement(f"{bare} = ", call, depth=1)
        return
    pairs = enumerate(variables)
    parts = [x if isinstance(x, str) else f"{given}_{k}_" for k, x in pairs]
    yield f"    {', '.join(parts)} = {given}"
    for k, (part, inner) in enumerate(zip(parts, variables)):
        if not isinstance(inner, str):
            yield from _apart(f'{quoted[:-1]}[{k}]"', part, inner)


def _holds(layout: Layout, text: str, test: str) -> str:
    """A condition that holds if a test does for all numbers of a layout."""
    if isinstance(layout, int):
        return f"{test}({text})"
    if all(isinstance(part, int) for part in layout):
        return f"all({test}(x) for x in {text})"
    parts = (_holds(part, f"{text}[{k}]", test) for k, part in enumerate(layout))
    return " and ".join(parts)
