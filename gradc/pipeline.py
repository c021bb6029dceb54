"""The passes in their order, from a formula to the programs of a module's functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from gradc.analysis.tests import tested
from gradc.costs import cost
from gradc.emit import EMITTED, by_products
from gradc.functions import Function, Interface, shifted, without_zeros
from gradc.ir import Node, Pass, Program, constants, elements, once, unchanged
from gradc.passes.bridge import bridge
from gradc.passes.cancel import cancel
from gradc.passes.exact import exact
from gradc.passes.exclude import exclude, unguarded
from gradc.passes.expand import expand
from gradc.passes.exponentials import exponentials
from gradc.passes.gather import gather
from gradc.passes.lift import lift
from gradc.passes.logs import logs
from gradc.passes.matrices import jacobian
from gradc.passes.merge import merge
from gradc.passes.negate import negate
from gradc.passes.recognise import recognise
from gradc.passes.reduce import reduce
from gradc.passes.resolve import resolve
from gradc.passes.share import share
from gradc.passes.sink import sink
from gradc.passes.smooth import smooth
from gradc.passes.squares import squares
from gradc.passes.stabilise import stabilise
from gradc.passes.unround import unround
from gradc.passes.unsign import unsign
from gradc.rational import Ratio, completed, rerounded

CLOSE = 1.2  # of two ways the passes may make the one cheaper that costs so much more
WORTH = 0.98  # of its cost, below which one with other derivatives is taken to the end
NEAR = 1.08  # how much more the next best may cost before the search, to be tried, too
BEST = 2  # ways that are looked at
MANY = 900  # above so many nodes; of smaller programs all
FEW = 500  # nodes up to which what is differentiated may be shared before that
TWICE = frozenset({"hessian", "hvp"})  # what is differentiated twice
MOST = 1_500  # nodes above which only one is tried

Passes = list[tuple[str, Pass]]


def passes(wrt: Sequence[str], strict: bool) -> Passes:
    """The passes in their order, each with the name that `gradc show` takes.

    The derivative is the gradient, or of several results the Jacobian, by the inputs
    `wrt`, which may be arrays.
    """

    def differentiate(program: Program) -> Program:
        if program.count > 1:
            return jacobian(program, elements(program, wrt))[0][0]
        interface = Interface(program, tuple(wrt), bare=False, sparse=False)
        ways = _ways("gradient", program, interface, strict)
        return _cheapest(ways, strict)[0].program

    def recognised(program: Program) -> Program:
        other = _recognised(program)
        ways = (program,) if other is program else (program, other)
        return min(ways, key=lambda way: cost(_through(finishing(strict), way).nodes))

    first: Passes = [("derive", differentiate)]
    last: Passes = [] if strict else [("recognise", recognised)]
    return [*_before(strict), *first, *_between(strict), *last, *finishing(strict)]


def _before(strict: bool) -> Passes:
    if strict:
        return []
    return [("stabilise", stabilise), ("resolve", resolve), ("reduce", reduce)]


def _between(strict: bool) -> Passes:
    """What has to know the values of a formula from its derivatives."""
    if strict:
        return []
    first: Passes = [("exclude", exclude), ("smooth", smooth), ("bridge", bridge)]
    first += [("cancel", cancel), ("exponentials", exponentials), ("sink", sink)]
    return [
        *first,
        ("merge", merge),
        ("lift", lift),
        ("squares", squares),
        ("unround", unround),
    ]


def finishing(strict: bool, search: bool = True) -> Passes:
    """What makes a program fast; without the search it is shown how fast, roughly."""
    if strict:
        return [("expand", partial(expand, strict=True))]
    gathering = partial(gather, search=search)
    found: Passes = [("expand", _expanded), ("gather", gathering), ("share", share)]
    found += [("exact", exact), ("negate", negate)]
    return [*found, ("unsign", unsign), ("logs", logs)]


def _expanded(program: Program) -> Program:
    """A program that has been expanded; one that is tried in several ways only once."""
    return once(expand)(program) if len(program.nodes) <= MOST else expand(program)


def _through(steps: Passes, program: Program) -> Program:
    for _, run in steps:
        program = run(program)
    return program


def prepared(program: Program, strict: bool) -> Program:
    """A formula as it is differentiated."""
    return _through(_before(strict), program)


def cancelled(function: Function) -> Function:
    """A function in whose derivatives terms cancel exactly where they can."""
    return function._replace(program=cancel(function.program))


def functions(
    interface: Interface, emit: Sequence[str], strict: bool, ieee: bool = False
) -> list[Function]:
    """The functions of a module, `value` first.

    It is computed as in the function behind it, if that begins with the value too and
    need not be made for second derivatives.

    Arguments:
        interface: of the formula.
        emit: what is wanted, names of `EMITTED` in their order.
        ieee: whether values may be infinite.
    """
    program = prepared(interface.program, strict)
    shares = emit[1:2] in (("gradient",), ("jacobian",))
    found = [
        settled(_fastest(word, program, interface, strict), interface, strict)
        for word in emit[shares:]
    ]
    if shares:
        found = [Function("value", found[0].program, interface.values), *found]
    groups = groupby(found, lambda function: id(function.program))
    return [f for _, group in groups for f in tested([*group], strict, ieee)]


def _fastest(
    word: str, program: Program, interface: Interface, strict: bool
) -> Function:
    return _cheapest(_ways(word, program, interface, strict), strict)[1]


def _ways(
    word: str, program: Program, interface: Interface, strict: bool
) -> list[Function]:
    """The ways to derive a function, also from the formula as it will be computed.

    What products share there their derivatives then have in common.
    """
    found = derived(word, program, interface, strict)
    if strict or word == "value" or len(found[0].program.nodes) > FEW:
        return found
    shared = share(program)
    forms = [program] if shared.nodes == program.nodes else [program, shared]
    for form in forms:
        if form is not program:
            found += derived(word, form, interface, strict)
        if word == "gradient":
            found += by_products(form, interface)
    return found


def derived(
    word: str, program: Program, interface: Interface, strict: bool
) -> list[Function]:
    """A function that can be emitted, derived in several ways."""
    settle = unchanged if strict else cancel
    found = EMITTED[word].derived(program, interface, settle)
    if strict or word not in TWICE:
        return found
    return [f._replace(program=unguarded(f.program)) for f in found]


def _cheapest(ways: list[Function], strict: bool) -> tuple[Function, Function]:
    """The function that costs least in the end, as it was derived and as it ends.

    Only those are tried that promise to cost little. Savings are searched for in the
    best of them, and in the next best if it may win by them.
    """
    first = ways[0].program.nodes
    if len(first) > MOST:
        return ways[0], finished(ways[0], strict)
    limit = CLOSE * cost(first)
    tried = [
        (way, _begun(way, strict)) for way in ways if cost(way.program.nodes) <= limit
    ]
    if len(first) > MANY:
        tried.sort(key=lambda pair: cost(pair[1].program.nodes))
        tried = tried[:BEST]
    if len(tried) > 1:
        tried.sort(key=lambda pair: cost(_rough(pair[1], strict)))
    way, begun = tried[0]
    ended = _ended(begun, strict)
    if len(first) <= MANY and len(tried) > 1:
        next_way, next_begun = tried[1]
        if _may_win(next_begun, begun, ended, strict):
            other = _ended(next_begun, strict)
            if cost(other.program.nodes) < cost(ended.program.nodes):
                way, begun, ended = next_way, next_begun, other
    return way, _closed(begun, ended, strict)


def _may_win(other: Function, best: Function, ended: Function, strict: bool) -> bool:
    """Whether a search may make a function cheaper than the best one as it ended.

    It may if the function costs as much without, or little more and the search has
    found savings in the best one.
    """
    rough, least = _rough(other, strict), _rough(best, strict)
    saves = cost(ended.program.nodes) < cost(least)
    return rough != least and cost(rough) <= (NEAR if saves else 1.0) * cost(least)


def _closed(begun: Function, ended: Function, strict: bool) -> Function:
    """A function with its derivatives recognised, if that is less work in the end.

    Savings are searched for only where it is less work without.
    """
    program = begun.program if strict else _recognised(begun.program)
    if program is begun.program:
        return ended
    closed = begun._replace(program=program)
    if cost(_rough(closed, strict)) >= cost(_rough(begun, strict)):
        return ended
    other = _ended(closed, strict)
    return min(ended, other, key=lambda function: cost(function.program.nodes))


def _recognised(program: Program) -> Program:
    """A program with its derivatives recognised, if that promises to be less work."""
    found = recognise(program)
    return found if cost(found.nodes) < WORTH * cost(program.nodes) else program


def settled(function: Function, interface: Interface, strict: bool) -> Function:
    """A function whose program knows what its rounded constants are.

    Unless it is `strict`, they are rounded once: 1 - (1 - 1e-9) is 1e-9.
    """
    program, written = function.program, interface.program
    exact = completed(program.exact, constants(written), constants(program))
    if not strict:
        program, exact = _rounded_once(program, exact)
    if exact is program.exact:
        return function._replace(program=program)
    return function._replace(program=replace(program, exact=exact))


def _rounded_once(
    program: Program, exact: Mapping[float, Ratio]
) -> tuple[Program, Mapping[float, Ratio]]:
    """A program with constants that are next to what they are exactly, and these."""
    wrong = rerounded(exact)
    if not wrong:
        return program, exact
    sizes = ((wrong.get(x, x), ratio) for x, ratio in exact.items())
    left = {x: ratio for x, ratio in sizes if x.as_integer_ratio() != ratio}
    nodes = [*program.nodes]
    for i, (op, *args) in enumerate(nodes):
        if op == "const" and abs(args[0]) in wrong:
            nodes[i] = op, math.copysign(wrong[abs(args[0])], args[0])
    return replace(program, nodes=tuple(nodes)), left


def finished(function: Function, strict: bool) -> Function:
    """A function whose program has been made fast; a product loses the values."""
    return _ended(_begun(function, strict), strict)


def _begun(function: Function, strict: bool) -> Function:
    """A function that is done with what has to know the values."""
    program = _through(_between(strict), function.program)
    layout = function.layout
    if function.vector is not None:
        count = program.count
        program = replace(program, outputs=program.outputs[count:], results=())
        layout = shifted(layout, -count)
    return function._replace(program=program, layout=layout)


def _ended(function: Function, strict: bool) -> Function:
    program = _through(finishing(strict), function.program)
    return without_zeros(function._replace(program=program))


def _rough(function: Function, strict: bool) -> Sequence[Node]:
    """The work of a function as it ends if no savings are searched for."""
    program = function.program
    found = _through(finishing(strict), program) if strict else _roughly(program)
    return found.nodes


@once
def _roughly(program: Program) -> Program:
    return _through(finishing(strict=False, search=False), program)
