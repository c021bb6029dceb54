"""What a function returns where the formula has no value, if that is nan or inf.

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

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradc.functions import Function, Layout
from gradc.targets.interface import EXACT, Nested, one_line, returned
from gradc.targets.printer import asked


class Outside:
    """Writes the ends of the functions of a module.

    `row` is what stands where there is no value as a row of a matrix; it has the name
    `_NONE` where that spares lines.
    """

    def __init__(
        self, instead: str, values: Layout, spell: Callable[[str], str]
    ) -> None:
        self.instead = instead
        self.values = values
        self.spell = spell
        self.row: Sequence[Nested] = []

    def ended(
        self, function: Function, body: Sequence[str], found: str, call: str
    ) -> list[str]:
        """The body of a function that assigns what it returns to a variable.

        Arguments:
            body: its lines, so far in as they stand in `try`.
            found: the variable.
            call: the call of `value` with the same arguments.
        """
        spell, layout = self.spell, function.layout
        test = spell("isfinite") if self.instead == "nan" else f"not {spell('isnan')}"
        tested, values = f"{found}[0]", self.values
        word, first = "nan", [call]
        if function.name == "value":
            tested, word, first = found, self.instead, []
        elif function.vector is not None:
            test, tested, first = spell("isfinite"), call, []
            while not isinstance(values, int):  # without a value no part has one
                tested, values = f"{tested}[0]", values[0]
        errors = ", ".join(map(spell, ("ArithmeticError", "ValueError")))
        return [
            "    try:",
            *body,
            *asked("if", _holds(values, tested, test), "        "),
            f"            return {found}",
            f"    except ({errors}):",
            "        pass",
            *self._nothing(layout, spell(word), first),
        ]

    def _nothing(self, layout: Layout, text: str, first: Sequence[str]) -> list[str]:
        """The last line, of which a matrix may need that its rows have a name."""
        nothing = row = _alike(layout, text)
        while row and not isinstance(row, str) and not isinstance(row[-1], str):
            row = row[-1]
        whole = nothing if not first else [*first, *nothing[1:]]
        lines = returned(whole)
        if len(lines) == 1 or isinstance(row, str) or any(x != text for x in row):
            return lines
        self.row = self.row or row
        nothing = _alike(layout, text, self.spell("_NONE"), self.row)
        return returned(nothing if not first else [*first, *nothing[1:]])


def _alike(
    layout: Layout, text: str, name: str = "", row: Sequence[Nested] = ()
) -> Nested:
    """A text at every place of a layout, with a name for rows of it."""
    if isinstance(layout, int):
        return text
    inner = [_alike(part, text, name, row) for part in layout]
    if inner == row:
        return name
    if len(inner) > EXACT and inner.count(inner[0]) == len(inner):
        return f"({one_line(inner[0])},) * {len(inner)}"
    return inner


def _holds(layout: Layout, text: str, test: str) -> str:
    """A condition that holds if a test does for all numbers of a layout."""
    if isinstance(layout, int):
        return f"{test}({text})"
    if all(isinstance(part, int) for part in layout):
        return f"all({test}(x) for x in {text})"
    parts = (_holds(part, f"{text}[{k}]", test) for k, part in enumerate(layout))
    return " and ".join(parts)
