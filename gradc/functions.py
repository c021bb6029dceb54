"""The functions of a module: what each takes and returns, and the passes it goes through.

A layout is the nesting of what a function takes or returns: a number stands for the
output (or the element) of this number, -1 for a zero.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count, product
from math import prod
from typing import Any, NamedTuple, cast
from unicodedata import normalize

from gradc.arrays import Shape, leaves, names, nest, shape_of
from gradc.errors import listed, mistake
from gradc.ir import Builder, Input, Pass, Program, Result, elements, grouped
from gradc.ir import states, tail
from gradc.ops import TOTAL
from gradc.passes.bound import bound
from gradc.passes.cancel import cancel
from gradc.passes.decide import decide
from gradc.passes.derive import derive
from gradc.passes.expand import expand
from gradc.passes.gather import gather
from gradc.passes.matrices import Entries, Place, hessian, hvp, jacobian, jvp, vjp
from gradc.passes.merge import merge
from gradc.passes.negate import negate
from gradc.passes.resolve import resolve
from gradc.passes.slopes import slopes
from gradc.passes.stabilise import stabilise

ZERO = -1


class Column(tuple[int, ...]):
    """The layout of a column: the outputs of a row, in row-major order.

    Attributes:
        name: what it is called.
        length: the name of its length.
        shape: that of what stands in a row.
        labels: what the entries of a row are called.
    """

    name: str
    length: str
    shape: Shape
    labels: Sequence[str]

    def __new__(cls, outputs: Iterable[int], **told: Any) -> "Column":
        """A column of some outputs; the attributes are given by name."""
        found = super().__new__(cls, outputs)
        vars(found).update(told)
        return found


Layout = int | Sequence["Layout"]
Places = Sequence[Place]
Passes = Sequence[tuple[str, Pass]]


class Function(NamedTuple):
    """One function of a module: `program` computes what it returns in a layout."""

    name: str
    program: Program
    layout: Layout  # by the program's outputs
    vector: Layout | None = None  # of the argument `v`, by the inputs of kind "vector"
    places: Places | None = None  # of the entries of its matrix, None for all

    @property
    def is_columnar(self) -> bool:
        """Whether there are columns among its arguments."""
        return any(item.rows for item in self.program.inputs)

    def arguments(
        self, called: Callable[[str], Any] = str
    ) -> Iterator[tuple[str, Shape | None, Any]]:
        """Each argument: its name, its shape, and the nested names of its elements."""
        for name, shape, elements in grouped(self.program.inputs):
            own = [called(element.name) for element in elements]
            if elements[0].kind != "vector":
                yield name, shape, nest(own, shape)
            elif self.vector is not None:
                yield name, shape_of(self.vector), filled(self.vector, own.__getitem__)


def filled(layout: Layout, leaf: Callable[[int], Any]) -> Any:
    """Tuples nested like a layout, with something else at the place of its numbers."""
    if isinstance(layout, int):
        return leaf(layout)
    if isinstance(layout, Column):
        return Column(map(leaf, layout), **vars(layout))
    return tuple([filled(inner, leaf) for inner in layout])


def _nested(parts: Iterable[tuple[str, Shape, str]]) -> list[Layout]:
    """The layouts of arrays and columns that stand one after the other, and a name."""
    numbers, found = count(), list[Layout]()
    for name, shape, rows in parts:
        own = [next(numbers) for _ in range(prod(shape))]
        told = {"name": name, "length": rows, "shape": shape}
        column = Column(own, **told, labels=names(name, shape))
        found.append(column if rows else nest(own, shape))
    return found


def _indexed(name: str, layout: Layout) -> list[str]:
    """What the elements of an array with this layout are called."""
    if isinstance(layout, int):
        return [name]
    pairs = enumerate(layout)
    return [found for k, inner in pairs for found in _indexed(f"{name}[{k}]", inner)]


def titles(program: Program) -> list[str]:
    """What the values of a formula are called: `value`, `force[2]`, `value[1]`."""
    results = program.results
    plain = ["value"] if len(results) == 1 else names("value", (len(results),))
    pairs = [(one.name or other, one.shape) for one, other in zip(results, plain)]
    return [title for name, shape in pairs for title in names(name, shape)]


class Interface:
    """How the functions of a formula take and return what they do.

    Attributes:
        program: the formula, its inputs as the functions take them.
        wrt: the arguments to differentiate by; `names` are their elements.
        values: the layout of the values: of one result alone, of several a tuple.
        inputs: that of a row of a matrix.
        gradient: that of what is nested like it; `slopes` is the one behind the values.
    """

    def __init__(
        self, program: Program, wrt: Sequence[str], options: Collection[str] = ()
    ) -> None:
        bare = "bare" in options
        if "flat" in options:  # one array is the argument for all of `wrt`, the first
            rest = {item.name: item for item in program.inputs}
            own = [rest.pop(name) for name in elements(program, wrt)]
            name, shape = free("x", rest.values()), (len(own),)
            own = [replace(item, array=name, shape=shape) for item in own]
            program = replace(program, inputs=(*own, *rest.values()))
            wrt = [name] if own else []
        self.program, self.wrt, self.sparse = program, tuple(wrt), "sparse" in options
        self.names = elements(program, wrt)
        values = _nested([(r.name or "value", *r[1:]) for r in program.results])
        self.values = values[0] if len(values) == 1 else values
        named = {item.name: item for item in grouped(program.inputs)}
        items = [named[name] for name in wrt]
        nested = _nested((f"d_{i.name}", i.shape, i.elements[0].rows) for i in items)
        is_array = len(wrt) == 1 and not isinstance(nested[0], int)
        self.inputs = nested[0] if is_array or bare else nested
        is_alike = not {"flat", "numpy", "bare"}.isdisjoint(options)
        self.gradient = self.inputs if is_alike else nested
        if bare and (nested != [0] or any(i.rows for i in program.inputs)):
            raise mistake("bare_needs_one", program.source, inputs=listed([*wrt]))
        self.slopes = filled(self.gradient, lambda k: k + program.count)

    def matrix(self, rows: Layout, entries: Entries) -> tuple[Layout, Places | None]:
        """A matrix by rows and inputs: its layout, and its places if it is sparse."""
        if self.sparse and not isinstance(rows, int):
            places = sorted(entries)
            return [entries[place] for place in places], places
        return self._matrix(rows, entries), None

    def _matrix(self, rows: Layout, entries: Entries) -> Layout:
        """A matrix by rows and inputs; what is a row of columns is one of all inputs."""
        if isinstance(rows, int):
            row = rows
            cell: Layout = filled(self.inputs, lambda j: entries.get((row, j), ZERO))
            return cell
        if isinstance(rows, Column):
            places = product(rows, range(len(self.names)))
            cells = [entries.get(place, ZERO) for place in places]
            pairs = product(rows.labels, self.names)
            labels = [f"d_{x}" if rows.shape == () else f"{r}_{x}" for r, x in pairs]
            name = "jacobian" if rows is self.values else f"jacobian_{rows.name}"
            told = {**vars(rows), "name": name, "labels": labels}
            return Column(cells, **told | {"shape": (*rows.shape, len(self.names))})
        return [self._matrix(row, entries) for row in rows]

    def vector(self, layout: Layout) -> list[Input]:
        """The inputs that are the elements of `v`."""
        name = free("v", self.program.inputs)
        array = "" if isinstance(layout, int) else name
        return [Input(n, kind="vector", array=array) for n in _indexed(name, layout)]


def free(name: str, inputs: Iterable[Input]) -> str:
    """A name that no input has, nor an array of which one was an element."""
    while any(name in (i.name.partition("[")[0], i.array) for i in inputs):
        name += "_"
    return name


# By the word that asks for it each function, and what it returns.
_TABLE = """
value    value                  the value of the {kind}.
gradient value_and_grad         the value and its gradient, in the order of WRT.
jacobian value_and_jacobian     the value and its Jacobian, in the order of WRT.
gram     gram                   the sums of products of the value and its derivatives by WRT.
hessian  value_grad_and_hessian the value, its gradient and its Hessian, by WRT.
hvp      hvp                    the Hessian times v, both like the gradient.
jvp      jvp                    the Jacobian times v, which is nested like a gradient.
vjp      vjp                    v times the Jacobian; v is nested like the value.
error    value_grad_and_error   the value, its derivatives, and a bound on its error.
bind     bind                   the functions of the parameters, for columns that are kept.
"""
_ROWS = [line.split(maxsplit=2) for line in _TABLE.strip().split("\n")]
EMITTED: Mapping[str, str] = {word: name for word, name, _ in _ROWS}
DOCS = {name: doc for _, name, doc in _ROWS}
SCALAR = frozenset({"gradient", "hessian", "hvp"})  # of a formula that is one number
NEVER = frozenset({"hvp", "jvp", "vjp", "error"})  # of a formula with columns


def derived(word: str, program: Program, at: Interface, strict: bool) -> Function:
    """A function that can be emitted, before its program is made fast."""
    name, wrt, values, gradient = EMITTED[word], at.names, at.values, at.gradient
    own = program.lengths
    never = own.keys() & {*wrt} or states(program)
    if own and word in NEVER or word == "hessian" and never:
        raise mistake("columns_never", program.source, name=word)
    if word == "value":
        return Function(name, program, values)
    if word == "gradient" and states(program):
        grown, entries = jacobian(program, wrt)
        slopes = filled(gradient, lambda k: entries.get((0, k), ZERO))
        return Function(name, grown, [values, slopes])
    if word == "gradient" or word == "error" and isinstance(values, int):
        return Function(name, derive(program, wrt), [values, at.slopes])
    if word in ("jacobian", "gram", "error"):  # the others are added at the end
        grown, entries = jacobian(program, wrt)
        matrix, places = at.matrix(values, entries)
        return Function(name, grown, [values, matrix], places=places)
    if word == "hessian":
        grown, entries = hessian(program, wrt, strict)
        matrix, places = at.matrix(at.inputs, entries)
        return Function(name, grown, [values, at.slopes, matrix], places=places)
    vector = values if word == "vjp" else gradient
    layout = values if word == "jvp" else gradient
    made: Any = {"hvp": partial(hvp, strict=strict), "jvp": jvp, "vjp": vjp}
    grown = made[word](program, wrt, at.vector(vector))
    product = replace(grown, outputs=grown.outputs[grown.count :], results=())
    return Function(name, product, layout, vector)


def words(given: Sequence[str] | str) -> list[str]:
    """Names, which may be one text with commas."""
    parts = given.split(",") if isinstance(given, str) else given
    return [normalize("NFC", part.strip()) for part in parts]


def chosen(program: Program, emit: Sequence[str] | str | None) -> tuple[str, ...]:
    """The names of what to emit, in the order of the table; the value is always there.

    They may be one text with commas; None is for the gradient, or for the Jacobian of a
    formula that is more than one number.
    """
    is_scalar = [result[1:] for result in program.results] == [((), "")]
    if emit is None:
        emit = "gradient" if is_scalar else "jacobian"
    asked = words(emit)
    asked += chosen(program, None) if asked == ["bind"] else ()
    for word in asked:
        if word not in EMITTED:
            known = ", ".join(EMITTED)
            raise mistake("emit_unknown", near=list(EMITTED), name=word, names=known)
        if word in SCALAR and not is_scalar:
            raise mistake("emit_needs_one", program.source, name=word)
        if word == "gram" and (not program.results[0].rows or program.count > 1):
            raise mistake("gram_needs_column", program.source)
        if word == "bind" and not program.lengths:
            raise mistake("bind_nothing")
    return tuple(word for word in EMITTED if word == "value" or word in asked)


BEFORE: Passes = (
    ("slopes", slopes),  # diff(f, x) in a formula is the reverse pass of that part
    ("stabilise", stabilise),  # what cancels or overflows is written in another way
    ("resolve", resolve),  # 0/0 at a point: around it the series, elsewhere as written
)
AFTER: Passes = (
    ("cancel", cancel),  # what cancels in real arithmetic goes
    ("merge", merge),  # nodes that agree in 50 digits at some points are one node
    ("decide", decide),  # a condition that is known where it stands asks nothing
    ("expand", expand),  # a row becomes what it means, where parts are shared
    ("gather", gather),  # sums and products with the fewest operations, and shared
    ("negate", negate),  # signs move to where a difference takes them for nothing
)
STRICT: tuple[Passes, Passes] = BEFORE[:1], (("expand", partial(expand, strict=True)),)


def passes(wrt: Sequence[str], strict: bool) -> Passes:
    """All passes by name, and among them the gradient or the Jacobian by `wrt`."""

    def differentiate(program: Program) -> Program:
        word = chosen(program, None)[-1]
        return derived(word, program, Interface(program, wrt), strict).program

    before, after = STRICT if strict else (BEFORE, AFTER)
    return (*before, ("derive", differentiate), *after)


def functions(at: Interface, emit: Sequence[str], strict: bool) -> list[Function]:
    """The functions of a module that are asked for, `value` first.

    It is computed as in the function behind it, if that begins with the value too and
    need not be made for second derivatives.
    """
    before, after = STRICT if strict else (BEFORE, AFTER)
    if not strict and not {"hessian", "hvp"}.isdisjoint(emit):
        before = (*BEFORE[:-1], ("resolve", partial(resolve, twice=True)))
    program = _through(before, at.program)
    shares = emit[1:2] in (("gradient",), ("jacobian",), ("error",))
    wanted = [word for word in emit[shares:] if word != "bind"]
    made = [derived(word, program, at, strict) for word in wanted]
    found = [one._replace(program=_through(after, one.program)) for one in made]
    found = [_squared(one) if one.name == "gram" else one for one in found]
    if shares:
        found.insert(0, derived("value", found[0].program, at, strict))
    if emit[-1] == "error":
        first, last = len(found[-1].program.outputs), found.pop()
        assert not isinstance(last.layout, int)
        layout = [*last.layout, filled(at.values, lambda k: k + first)]
        found.append(last._replace(program=bound(last.program), layout=layout))
    return found


def _squared(function: Function) -> Function:
    """The sums of products of a column of residuals and its Jacobian, by pairs."""
    program, builder = function.program, Builder.upon(function.program)
    length = builder.input(program.results[0].rows)
    value, matrix = cast(tuple[Column, Column], function.layout)
    zero = builder.const(0.0)
    every = [program.outputs[k] if k != ZERO else zero for k in (*value, *matrix)]
    squares = [builder.add("mul", *pair) for pair in product(every, repeat=2)]
    sums = [builder.add(TOTAL, square, length) for square in squares]
    grown = builder.follow(program, [*sums, *tail(program)])
    own = Input(value.length, "length")
    has_length = any((i.name, i.kind) == (own.name, own.kind) for i in program.inputs)
    inputs = program.inputs if has_length else (*program.inputs, own)
    grown = replace(grown, inputs=inputs, results=(Result("", ()),))
    layout = nest([*range(len(sums))], (len(every), len(every)))
    return function._replace(program=grown, layout=layout)


def _through(steps: Passes, program: Program) -> Program:
    for _, run in steps:
        program = run(program)
    return program


class Number(NamedTuple):
    """A number that a function returns: an output of the formula, or a derivative of it.

    `place` is the output of the function's program, ZERO for what is left out.
    """

    function: str
    title: str
    place: int
    output: int = 0
    along: tuple[str, ...] = ()  # the inputs that it is the derivative by


def numbers(
    function: Function, program: Program, wrt: Sequence[str], axis: int = 0
) -> list[Number]:
    """All that a function returns of a formula and its derivatives by `wrt`, in order.

    A product is that with a unit vector, of this axis.
    """
    called, name = titles(program), function.name
    outputs, unit = range(len(called)), wrt[axis % max(len(wrt), 1) :][:1]
    most = 1 if name == "value" else 3 if name == "value_grad_and_hessian" else 2
    orders = [product(outputs, product(wrt, repeat=order)) for order in range(most)]
    products = {
        "vjp": product([axis % len(called)], product(wrt)),
        "jvp": product(outputs, product(unit)),
        "hvp": product([0], product(unit, wrt)),
    }
    every = [*products.get(name, chain(*orders))]
    places = [*leaves(function.layout)]
    if name == "value_grad_and_error":  # whose bounds are no numbers of the formula
        del places[-len(called) :]
    if function.places is not None:
        start = len(places) - len(function.places)
        at = [i * len(wrt) + j for i, j in function.places]
        kept = dict(zip(at, places[start:]))
        places[start:] = [kept.get(k, ZERO) for k in range(len(every) - start)]
    found = []
    for place, (k, along) in zip(places, every):
        of = "" if along and called[k] == "value" else called[k]
        title = f"d{of}/d{' d'.join(along)}" if along else of
        found.append(Number(name, title, place, k, along))
    return found
