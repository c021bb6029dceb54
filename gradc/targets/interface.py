"""What stands around the body of a function: what it takes, and what it returns.

An array arrives as nested sequences and is taken apart into a variable for each element;
its gradient goes out as tuples in the same nesting, or as an array of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradc.arrays import leaves, shape_of
from gradc.functions import Column, Function, Layout
from gradc.ir import elements, grouped
from gradc.targets.origin import CERTAIN, UNSURE, Origin
from gradc.targets.printer import EXACT, headed, parted, statement, tupled, unwrapped

MATRICES = {"value_and_jacobian": "jacobian", "value_grad_and_hessian": "hessian"}

Leaf = Callable[[int], str]  # the text of an output
Nested = str | Sequence["Nested"]  # the name of a number, or those in an array


class Frame:
    """A function without its body.

    Arguments:
        values: the layout of what `value` returns.
        takes: the names of parameters, each with the nested names of its elements.
        found: a name that nothing else has.
    """

    def __init__(
        self,
        function: Function,
        origin: Origin,
        values: Layout,
        takes: Sequence[tuple[str, Any]],
        found: str = "found",
    ) -> None:
        self.name, _, self.layout, self.vector, _ = function
        self.outside, self.numpy, self.values = origin.outside, origin.numpy, values
        if self.outside == CERTAIN and self.name in UNSURE:
            self.outside = "raise"
        self.test = "isfinite" if self.outside == "nan" else "not isnan"
        self.depth = 1 if self.outside == "raise" else 2  # how far in its body stands
        self.several = self.name.startswith("value_")  # returns a value and others
        self.found, self.takes = found, takes

    def written(self, doc: str, body: Sequence[str], leaf: Leaf) -> list[str]:
        """The function with its body."""
        returns = self.type(self.layout, self.several)
        head = self._first(self.name, doc, returns, self.options())
        text = unwrapped(self.text(leaf))
        return [*head, *self.unpacked(), *self._ended(body, text)]

    def matrix(self) -> list[str]:
        """A function that returns only the last part, as solvers ask for it."""
        assert not isinstance(self.layout, int)
        doc = f"Return the last part of `{self.name}`."
        options, call = self.options(), self._call(self.name)
        call = f"{call[:-1]}, out=out)" if options else call
        return [
            *self._first(MATRICES[self.name], doc, self.type(self.layout[-1]), options),
            *statement(f"{self.found} = ", call, depth=1),
            f"    return {self.found}[{len(self.layout) - 1}]",
        ]

    def _call(self, name: str) -> str:
        """The call of a function that takes what this one does but for `v`."""
        names = [name for name, _ in self.takes]
        return f"{name}({', '.join(names[:-1] if self.vector is not None else names)})"

    def _first(
        self, name: str, doc: str, returns: str, options: Sequence[str] = ()
    ) -> list[str]:
        """The head of a function."""
        types = [f"{name}: {self.accepted(found)}" for name, found in self.takes]
        return headed(name, [*types, *options], returns, doc)

    def options(self) -> list[str]:
        """Further parameters of the function."""
        return []

    def accepted(self, variables: Any) -> str:
        """The type of an argument, as it may stand in another."""
        alike = "ArrayLike" if self.numpy else "Sequence[{}]"
        return typed(variables, "float", alike, "tuple[{}]")

    def type(self, layout: Layout, several: bool = False) -> str:
        """The type of what is returned in a layout, which may be several arrays."""
        if isinstance(layout, int):
            return "float"
        if isinstance(layout, Column):
            depth = len(layout.shape) + 1
            return "list[" * depth + "float" + "]" * depth
        if self.numpy and not several and shape_of(layout) is not None:
            return "NDArray[float64]"
        types = [self.type(inner) for inner in layout]
        if len(types) > EXACT and len({*types}) == 1:
            types[1:] = ["..."]
        return f"tuple[{', '.join(types) or '()'}]"

    def unpacked(self) -> Iterator[str]:
        """Statements that take arrays apart, and make floats of what raises nothing."""
        for name, variables in self.takes:
            if not isinstance(variables, str):
                yield from apart(f'"{name}"', name, variables)
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
        tried, caught = ["    try:", *body], "    except (ArithmeticError, ValueError)"
        if self.outside == CERTAIN:
            asked = f"{self.name}, error, {tupled([name for name, _ in self.takes])}"
            found = statement("return ", text, depth=2)
            ends = statement("return ", f"_certified({asked})", depth=2)
            return [*tried, *found, f"{caught} as error:", *ends]
        test = self._condition()
        condition = statement("if ", test, ":", depth=2) if test else []
        return [
            *tried,
            *statement(f"{self.found} = ", text, depth=2),
            *condition,
            f"{'    ' * (2 + bool(condition))}return {self.found}",
            f"{caught}:",
            "        pass",
            *statement("return ", self._nothing(), depth=1),
        ]

    def _condition(self) -> str:
        """Whether there is a value."""
        values = self.values
        if self.vector is None:
            return _holds(values, self.found + "[0]" * self.several, self.test)
        text = self._call("value")
        while not isinstance(values, int):  # without a value no part has one
            text, values = f"{text}[0]", values[0]
        return f"isfinite({text})"

    def _nothing(self) -> str:
        """What is returned where there is no value."""
        word = self.outside if self.name == "value" else "nan"
        if self.several and not isinstance(self.layout, int):
            items = [self.shown(part, lambda _: word) for part in self.layout[1:]]
            return unwrapped(self.joined([self._call("value"), *items]))
        return unwrapped(self.shown(self.layout, lambda _: word))

    def text(self, leaf: Leaf) -> str:
        """The text of what is returned."""
        if isinstance(self.layout, int) or not self.several:
            return self.shown(self.layout, leaf)
        return self.joined([self.shown(part, leaf) for part in self.layout])

    def joined(self, parts: list[str]) -> str:
        """The text of a value and its derivatives."""
        return tupled(parts)

    def shown(self, layout: Layout, leaf: Leaf, arrays: bool = True) -> str:
        """The text of a layout as tuples, those of a shape perhaps as arrays of NumPy."""
        if isinstance(layout, int):
            return leaf(layout)
        if isinstance(layout, Column):
            return self.column(layout)
        is_array = self.numpy and arrays and shape_of(layout) is not None
        items = [self.shown(part, leaf, arrays and not is_array) for part in layout]
        return f"numpy.array({tupled(items)})" if is_array else tupled(items)

    def column(self, column: Column) -> str:
        """The text of a column of results."""
        raise NotImplementedError


def facts(
    functions: Sequence[Function], wrt: Sequence[str], is_flat: bool
) -> dict[str, Sequence[Any]]:
    """The names of arguments and results, and where entries of a matrix stand."""
    program, found = functions[0].program, dict[str, Sequence[Any]]()
    found["INPUTS"] = [item.name for item in grouped(program.inputs)]
    found["WRT"] = elements(program, wrt) if is_flat else wrt
    results = [result.name for result in program.results]
    found |= {"RESULTS": results} if any(results) else {}
    for places in [f.places for f in functions if f.places is not None]:
        found["ROWS"], found["COLUMNS"] = zip(*places) if places else ((), ())
    return found


def typed(nested: Any, number: str, alike: str, several: str, exact: int = 0) -> str:
    """The type of nested numbers: of more than `exact` of a type, or one by one."""
    if isinstance(nested, (str, int)):
        return number
    types = [typed(inner, number, alike, several, exact) for inner in nested]
    if len(types) > exact and len({*types}) == 1:
        return alike.format(types[0])
    return several.format(", ".join(types))


def apart(quoted: str, given: str, variables: Sequence[Nested]) -> Iterator[str]:
    """Statements that take one array apart, or arrays and numbers side by side."""
    shape = shape_of(variables)
    if shape is not None:
        call = f"floats({', '.join([quoted, given, *map(str, shape)])})"
        yield from parted([*leaves(variables)], call)
        return
    pairs = enumerate(variables)
    parts = [x if isinstance(x, str) else f"{given}_{k}_" for k, x in pairs]
    yield f"    {', '.join(parts)} = {given}"
    for k, (part, inner) in enumerate(zip(parts, variables)):
        if not isinstance(inner, str):
            yield from apart(f'{quoted[:-1]}[{k}]"', part, inner)


def _holds(layout: Layout, text: str, test: str) -> str:
    """A condition that holds if a test does for all numbers of a layout."""
    if isinstance(layout, int):
        return f"{test}({text})"
    if isinstance(layout, Column):
        return ""
    if all(isinstance(part, int) for part in layout):
        return f"all({test}(x) for x in {text})"
    parts = (_holds(part, f"{text}[{k}]", test) for k, part in enumerate(layout))
    return " and ".join(filter(None, parts))
