"""The interpreter: what the nodes of a program are at a point, on numbers of any type.

It is the meaning of a program, which passes and printed code are tested against, and
what names the part at fault where a module raises. Only what the outputs need is
computed: `where`, `and` and `or` ask for the side that they take. Nothing recurses.

What the rows compute on a type of number is its arithmetic. Floats take a row's Python
spelling, mpmath's numbers its witness, fractions and other exact types Python's
operators; a type may bring its own in an attribute `arithmetic`. A text of a row becomes
a Python function: its operators are Python's, its constants are numbers of the type.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress
from numbers import Integral, Rational, Real
from typing import Any

from gradc.calculus import EVERY, Template, meaning_template
from gradc.ir import ARITHMETIC, CONDITIONS, LAZY, Program, arguments
from gradc.ops import AT, ENTRY, OPS, Op
from gradc.special import entry
from gradc.spelling import SYMBOLS, Compute, function, made, text

Point = Mapping[str, Any]  # the inputs by name

# What stands in the text of a function as it is spelled in Python, for any number.
_OPERATORS = frozenset({*SYMBOLS, "neg", "not", "where"})

# Python's min and max of a single number would look for numbers inside it.
_CHOICES: Mapping[str, Compute] = {"min": lambda *x: min(x), "max": lambda *x: max(x)}
# The rows that take rational numbers to rational numbers.
RATIONAL: Mapping[str, Compute] = {
    **_CHOICES,
    **{name: getattr(math, name) for name in ("floor", "ceil", "trunc")},
    "round": round,
    "fmod": lambda x, y: x - y * math.trunc(x / y),
    "remainder": lambda x, y: x - y * round(x / y),
    "copysign": lambda x, y: abs(x) if y >= 0 else -abs(x),
    "ties": lambda m, *xs: xs.count(m),
    "relu": lambda x: x if x > 0 else 0,
    "pow": operator.pow,
}


@dataclass(eq=False)
class Arithmetic:
    """One type of number: how it holds constants and computes rows.

    `primitive` gives what computes a row, None if the meaning of a row that is written
    out will do, or the Python spelling of another. Where types meet, the one of higher
    `rank` computes.
    """

    number: Callable[[float], Any]
    primitive: Callable[[Op], Compute | None]
    rank: int
    _known: dict[Op, Compute] = field(default_factory=dict)

    def compute(self, op: Op) -> Compute:
        """What the row computes on numbers of this type, as a function."""
        found = self._known.get(op)
        if found is None:
            if op.name not in CONDITIONS and op.name not in LAZY:
                found = self.primitive(op)
            if found is None:
                found = self.meaning(op) if op.is_written_out else function(op)
            self._known[op] = found
        return found

    def meaning(self, op: Op) -> Compute:
        """What the row means, as a function."""
        return self.function(meaning_template(op), _parameters(op))

    def function(self, template: Template, params: Iterable[str]) -> Compute:
        """A template as a function of its parameters: one expression, as it is a tree."""
        holes, ops = _holes(params), template.row.table
        scope: dict[str, Any] = {}
        texts: list[str] = []
        for i, (kind, content) in enumerate(template.items):
            name = f"c{i}"
            if kind == "param":
                texts.append(holes[content])
            elif kind == "const":
                scope[name] = self.number(content)
                texts.append(name)
            elif kind in _OPERATORS:
                args = [texts[a] for a in content]
                texts.append(f"({text(ops[kind], len(args)).format(*args)})")
            else:
                scope[name] = self.compute(ops[kind])
                texts.append(f"{name}({', '.join([texts[a] for a in content])})")
        return made(texts[-1], holes, scope)


def _parameters(op: Op) -> tuple[str, ...]:
    """The parameters of a row, those that are repeated as one."""
    return (*op.params[: op.leading], EVERY) if op.variadic else op.params


def _holes(params: Iterable[str]) -> dict[str, str]:
    """What parameters are called in the text of a function."""
    return {x: f"*{EVERY}" if x == EVERY else f"a{k}" for k, x in enumerate(params)}


_FLOATING: dict[str, Compute] = {**_CHOICES, **ARITHMETIC}
# A sampled number of rows is no whole one.
_FLOATING |= {
    AT: lambda k, x, j: x[k] if isinstance(x, list) else x,
    ENTRY: lambda x, n: entry(x, n) if n.is_integer() else x,
}
FLOATS = Arithmetic(float, lambda op: _FLOATING.get(op.name), rank=0)


def arithmetic(*numbers: Any) -> Arithmetic:
    """The arithmetic in which numbers meet; that of floats if there are none."""
    found = [getattr(x, "arithmetic", None) or _of_type(x.__class__) for x in numbers]
    return max([FLOATS, *found], key=lambda one: one.rank)


@lru_cache(maxsize=256)
def _of_type(cls: type) -> Arithmetic:
    if hasattr(cls, "context"):  # mpmath's numbers know their precision
        return _mpmath(cls.context)
    real = issubclass(cls, Integral) or not issubclass(cls, Rational)
    return FLOATS if issubclass(cls, Real) and real else _rational(cls)


def _rational(cls: type) -> Arithmetic:
    def primitive(op: Op) -> Compute | None:
        compute = RATIONAL.get(op.name)
        return compute and (lambda *args: lift(compute(*args)))

    def lift(x: Any) -> Any:
        return cls(x) if isinstance(x, int) else x

    return Arithmetic(cls, primitive, rank=1)


def _mpmath(context: Any) -> Arithmetic:
    scope = {name: getattr(context, name) for name in dir(context) if name[0] != "_"}
    scope |= _CHOICES

    def primitive(op: Op) -> Compute | None:
        if body := op.witness or (op.python if op.name in _OPERATORS else None):
            return made(body, _holes(_parameters(op)), scope)
        if op.name not in OPS or op.called not in scope:
            return result.meaning(op) if op.means else None
        found: Any = scope[op.called]
        return (lambda *args: found(*args)) if op.params else (lambda: +found)

    result = Arithmetic(context.mpf, primitive, rank=2)
    return result


# What operations raise outside their domains; a TypeError is that of a complex power.
NOT_DEFINED = (ArithmeticError, ValueError, TypeError)

_MISSING = object()


@dataclass
class Run:
    """What was computed: the values, and what each lazy node took.

    `failed` is the node that raised `error`; what comes after it has no value.
    """

    program: Program
    values: list[Any]
    taken: dict[int, int] = field(default_factory=dict)
    failed: int | None = None
    error: Exception | None = None

    def has(self, i: int) -> bool:
        """Whether a node was needed, and could be computed."""
        return self.values[i] is not _MISSING

    def results(self) -> tuple[Any, ...]:
        """The outputs; raises what the node that failed has raised."""
        if self.error is not None:
            raise self.error
        return tuple([self.values[i] for i in self.program.outputs])

    def reads(self, i: int) -> Sequence[int]:
        """The arguments that a node needs: of a lazy one the side that it takes.

        Before its condition is known, that is what it waits for.
        """
        op, args = self.program.nodes[i][0], arguments(self.program.nodes[i])
        if op not in LAZY:
            return args
        first = self.values[args[0]]
        if i not in self.taken and first is not _MISSING:
            sides = args[1:] if op == "where" else args[:: -1 if op == "and" else 1]
            self.taken[i] = sides[0] if first else sides[1]
        return args[0], self.taken.get(i, args[0])

    def fault(self) -> int | None:
        """The node at fault where the run raised or is not finite; None where it is.

        Of what is not finite it is found from the output back: infinities on the way
        that do no harm are passed by.
        """
        if self.failed is not None:
            return self.failed
        for i in self.program.outputs:
            bad = [i]
            while bad := [a for a in bad if not math.isfinite(self.values[a])]:
                i, bad = bad[0], list(self.reads(bad[0]))
            if not math.isfinite(self.values[i]):
                return i
        return None


def run(program: Program, point: Point, numbers: Arithmetic = FLOATS) -> Run:
    """Compute the outputs of a program at a point; what raises ends the run."""
    nodes, ops, leaves = program.nodes, program.ops, {"const", "input"}
    computes = {o: numbers.compute(ops[o]) for o in program.operations - leaves}
    values = [numbers.number(x[1]) if x[0] == "const" else _MISSING for x in nodes]
    found = Run(program, values)
    stack = [*compress(reversed(range(len(nodes))), reversed(program.sure))]
    while stack:
        i = stack.pop()
        if values[i] is not _MISSING:
            continue
        op, *args = nodes[i]
        if op == "input":
            values[i] = point[args[0]]
            continue
        reads = found.reads(i) if op in LAZY else args
        if waits := [a for a in reads if values[a] is _MISSING]:
            stack += (i, *reversed(waits))
            continue
        try:
            if op in LAZY:
                values[i] = values[found.taken[i]]
            else:
                values[i] = computes[op](*[values[a] for a in args])
        except NOT_DEFINED as error:
            found.failed, found.error = i, error
            break
    return found


def evaluate(program: Program, point: Point) -> tuple[Any, ...]:
    """The outputs at a point of floats; raises what operations do outside domains."""
    return run(program, point).results()
