"""Floats where they end: a program run again, as IEEE 754 and C compute.

Generated code is fast because it leaves the ends of its domain to Python, whose `exp`
and `pow` overflow with an exception, as does `1/0.0`, while `1e200*1e200` does not.
Where it raises, or comes to what is not finite, the program is run here once more:

- What is too large or too small for a float is a decimal of a wider range, until it is
  a float again: an intermediate result never spoils a result that is finite.
- At a pole an operation is infinite, elsewhere outside its domain NaN, and what follows
  goes on from there.
- 0 times an infinity is NaN in the value, but 0 if the infinity is that of a logarithm,
  which any power outweighs: x*log(x) is 0 at 0. In a derivative it is 0, for an adjoint
  that is 0 contributes nothing, unless that 0 is the inverse of an infinity.
- A finite value may have an infinite derivative, which is returned.
- A value that is not finite, or a derivative that is NaN, is a `DomainError`, unless the
  caller wants such numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Any

from gradc.errors import GradcError, outside_domain
from gradc.ir import COMPARISONS, LAZY, Node, Program, arguments
from gradc.spelling import function

NAN = math.nan
INF = math.inf

_WIDE = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_SMALLEST = 2.0**-1022
_LINEAR = Decimal("1e-20")  # below, sinh(x) and other rows are x
Number = float | Decimal

_LINEAR_OPS = frozenset({"add", "sub", "mul", "neg"})
_LOGARITHMS = frozenset({"log", "log2", "log10", "log1p", "logbase"})
# What rows are where Python raises a ValueError or divides by zero: not NaN.
_EDGES: Mapping[str, Callable[..., float]] = {
    "div": lambda x, y: math.copysign(INF, y) * x if x else NAN,
    "log": lambda x: -INF if x == 0.0 else NAN,
    "log2": lambda x: -INF if x == 0.0 else NAN,
    "log10": lambda x: -INF if x == 0.0 else NAN,
    "log1p": lambda x: -INF if x == -1.0 else NAN,
    "atanh": lambda x: math.copysign(INF, x) if abs(x) == 1.0 else NAN,
    "pow": lambda x, y: _power(x, y) if x == 0.0 else NAN,
    "gamma": lambda x: math.copysign(INF, x) if x == 0.0 else NAN,
    "lgamma": lambda x: INF,
}
# What rows are where Python finds a result too large: not plus infinity.
_OVERFLOWS: Mapping[str, Callable[..., float]] = {
    "floor": float,
    "ceil": float,
    "trunc": float,
    "round": float,
}
# The rows that leave the range of floats or come back to it.
_DECIMALS: Mapping[str, Callable[..., Decimal]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "abs": abs,
    "pow": lambda x, y: x**y,
    "sqrt": Decimal.sqrt,
    "cbrt": lambda x: (x.copy_abs() ** (1 / Decimal(3))).copy_sign(x),
    "fma": lambda x, y, z: x * y + z,
    "fma2": lambda x, y, z, w, c: x * y + z * w + c,
    "hypot": lambda *xs: sum((x * x for x in xs), Decimal()).sqrt(),
    "degrees": lambda x: x * Decimal(180.0 / math.pi),
    "exp": Decimal.exp,
    "expm1": lambda x: x.exp() - 1 if abs(x) > _LINEAR else x,
    "exp2": lambda x: 2**x,
    "log": Decimal.ln,
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "log10": Decimal.log10,
    "logbase": lambda x, base: x.ln() / base.ln(),
    "log1p": lambda x: (x + 1).ln() if abs(x) > _LINEAR else x,
    "log1pmx": lambda x: (x + 1).ln() - x if abs(x) > _LINEAR else -x * x / 2,
    "loggrowth": lambda x, y: y * (x / y + 1).ln() if abs(x / y) > _LINEAR else x,
    "softplus": lambda x: x if x > 0 else x.exp(),
    "logaddexp": max,
    "logsumexp": max,
    "xlogy": lambda x, y: x * y.ln() if x else x,
    "max": max,
    "min": min,
    "relu": lambda x: max(x, Decimal()),
    "asinh": lambda x: _asinh(x) if abs(x) > _LINEAR else x,
    "acosh": lambda x: (x + (x * x - 1).sqrt()).ln(),
    "sinh": lambda x: (x.exp() - (-x).exp()) / 2 if abs(x) > _LINEAR else x,
    "cosh": lambda x: (x.exp() + (-x).exp()) / 2,
    "erfc": lambda x: _far_erfc(x),
    "normcdf": lambda x: _far_erfc(-x / Decimal(2).sqrt()) / 2,
    "normpdf": lambda x: (-x * x / 2).exp() / Decimal(2.0 * math.pi).sqrt(),
    "gauss": lambda x: (-x * x).exp(),
    "gamma": lambda x: 1 / x if abs(x) < 1 else Decimal(INF if x > 0 else 0),
    "digamma": lambda x: _polygamma(0, x),
    "polygamma": lambda n, x: _polygamma(int(n), x),
}


def _power(x: float, y: float) -> float:
    """A power of a zero, which has no value with a negative exponent but a pole."""
    odd = abs(y) < 2.0**53 and y % 2.0 == 1.0
    return math.copysign(INF, x) if odd else INF


def _polygamma(n: int, x: Decimal) -> Decimal:
    """polygamma(n, x) where floats end: near its pole at 0, and far out."""
    if abs(x / (1 + x)) ** (n + 1) < _LINEAR:
        return math.factorial(n) / (-x) ** (n + 1)
    if n and x * _LINEAR > n:
        return -math.factorial(n - 1) / (-x) ** n
    return Decimal(INF if n else 0)


def _far_erfc(x: Decimal) -> Decimal:
    """erfc(x) for a large x, by its continued fraction."""
    below = x
    for k in range(20, 0, -1):
        below = x + k / (2 * below)
    return (-x * x).exp() / below / Decimal(math.pi).sqrt()


def _asinh(x: Decimal) -> Decimal:
    return (abs(x) + (x * x + 1).sqrt()).ln().copy_sign(x)


def _settled(x: Decimal) -> Number:
    """A float if that loses nothing but digits."""
    near = float(x)
    is_float = _SMALLEST <= abs(near) < INF or not x or not x.is_finite()
    return near if is_float else x


class Careful:
    """One run of a program at a point.

    `values` holds the nodes that were needed, `adjoint` says that it is a derivative.
    """

    def __init__(self, program: Program, point: Sequence[float]) -> None:
        self.program = program
        self.values: dict[int, Any] = {}
        self._slow: set[int] = set()  # infinite as a logarithm is
        self._faint: set[int] = set()  # 0 as the inverse of an infinity is
        self.adjoint = False
        names = [item.name for item in program.inputs]
        self._point = dict(zip(names, map(float, point)))

    def output(self, k: int) -> float:
        """A value, or behind these a derivative; it may be infinite or NaN."""
        self.adjoint = k >= self.program.count
        with localcontext(_WIDE):
            self._run(self.program.outputs[k])
        return float(self.values[self.program.outputs[k]])

    def trouble(self, i: int) -> GradcError:
        """The mistake that node `i` has no finite value, and where that comes from."""
        nodes = self.program.nodes
        todo = [i]
        while todo:
            i = todo.pop()
            known = [self.values.get(a, 0.0) for a in arguments(nodes[i])]
            pairs = zip(arguments(nodes[i]), known)
            todo = [a for a, x in pairs if not math.isfinite(x)][:1]
            todo = [a for a in todo if nodes[a][0] != "input"]
        below = {i}
        for k in range(i, -1, -1):
            if k in below:
                below.update(arguments(nodes[k]))
        inputs = {nodes[k][1] for k in below if nodes[k][0] == "input"}
        at = {name: x for name, x in self._point.items() if name in inputs}
        span = self.program.spans[i]
        found = self.values[i]
        return outside_domain(self.program.source, span, found, at, self.adjoint)

    def _run(self, output: int) -> None:
        stack = [output]
        while stack:
            i = stack[-1]
            node = self.program.nodes[i]
            wanted = [] if i in self.values else self._wanted(node)
            stack += wanted
            if not wanted:
                stack.pop()
                if i not in self.values:
                    self.values[i] = self._compute(i, node)

    def _wanted(self, node: Node) -> list[int]:
        """The arguments that are needed next."""
        op, *args = node
        if op in ("const", "input"):
            return []
        if op in LAZY:
            args = args[:1] if args[0] not in self.values else [self._chosen(node)]
        return [a for a in args if a not in self.values]

    def _chosen(self, node: Node) -> int:
        """The argument that a lazy node is, by its first."""
        op, first, *others = node
        if op == "where":
            return int(others[0 if self.values[first] else 1])
        return int(others[0] if bool(self.values[first]) == (op == "and") else first)

    def _compute(self, i: int, node: Node) -> Any:
        op, *args = node
        if op == "const":
            return args[0]
        if op == "input":
            return self._point[args[0]]
        if op in LAZY:
            args = [self._chosen(node)]
            found = self.values[args[0]]
        elif op == "not":
            return not self.values[args[0]]
        elif op in COMPARISONS:
            return COMPARISONS[op](*(self.values[a] for a in args))
        else:
            found = self._number(op, args)
        self._mark(i, op, args, found)
        return found

    def _number(self, op: str, args: Sequence[int]) -> Number:
        operands = [self.values[a] for a in args]
        if any(x != x for x in operands):
            return NAN
        if op == "mul" and 0.0 in operands and INF in map(abs, operands):
            return 0.0 if self._is_zero(args) else NAN
        if op == "div" and operands == [0.0, 0.0]:
            return 0.0 if self._is_zero(args[:1]) else NAN
        if Decimal not in map(type, operands):
            found = self._float(op, operands)
            if _SMALLEST <= abs(found) < INF or INF in map(abs, operands):
                return found
            if found != found or op not in _DECIMALS:
                return found
            if op == "div" and not operands[1]:
                return found
            if op in _LOGARITHMS or (op == "pow" and not operands[0]):
                return found
        elif op not in _DECIMALS:
            return self._float(op, [float(x) for x in operands])
        return _settled(_DECIMALS[op](*map(Decimal, operands)))

    def _float(self, op: str, operands: Sequence[float]) -> float:
        """What Python computes, or else what IEEE 754 has for it."""
        try:
            return float(function(self.program.ops[op])(*operands))
        except OverflowError:
            return _OVERFLOWS[op](*operands) if op in _OVERFLOWS else INF
        except (ArithmeticError, ValueError, TypeError):
            return _EDGES[op](*operands) if op in _EDGES else NAN

    def _is_zero(self, args: Sequence[int]) -> bool:
        """Whether a zero among the arguments outweighs an infinity."""
        if not self._slow.isdisjoint(args):
            return True
        return self.adjoint and self._faint.isdisjoint(args)

    def _mark(self, i: int, op: str, args: Sequence[int], found: Number) -> None:
        """Note what kind of infinity or zero a node is."""
        infinite = [a for a in args if abs(self.values[a]) == INF]
        if abs(found) == INF and (op in _LOGARITHMS or op in _LINEAR_OPS or op in LAZY):
            if self._slow.issuperset(infinite) and (infinite or op in _LOGARITHMS):
                self._slow.add(i)
        if found == 0.0 and (infinite or not self._faint.isdisjoint(args)):
            self._faint.add(i)


def outputs(
    program: Program, point: Sequence[float], ieee: bool = False
) -> tuple[float, ...]:
    """The values of a program and its derivatives, wherever they are.

    Arguments:
        ieee: return what is infinite or NaN, too.

    Raises:
        DomainError: a value is not finite, or a derivative is NaN.
    """
    run = Careful(program, point)
    found = []
    for k, i in enumerate(program.outputs):
        found.append(run.output(k))
        wrong = math.isnan(found[k]) if run.adjoint else not math.isfinite(found[k])
        if wrong and not ieee:
            raise run.trouble(i)
    return tuple(found)
