"""What can be emitted: the functions of a module, and how each is derived.

The program of a function has the values as its first outputs, also where the function
returns only a product. What is differentiated twice goes through a pass between, that
it loses no digits on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gradc.errors import mistake
from gradc.functions import Function, Interface, shifted, values
from gradc.ir import Pass, Program
from gradc.passes.derive import derive
from gradc.passes.matrices import hessian, jacobian
from gradc.passes.products import hvp, jvp, vjp


class Emitted(NamedTuple):
    """A function that a module can have: its name, and the ways to derive it."""

    name: str
    derived: Callable[[Program, Interface, Pass], Function]
    scalar: bool = False  # whether the formula must have one number as its result


def _value(program: Program, interface: Interface, settle: Pass) -> Function:
    return Function("value", program, interface.values)


def _gradient(program: Program, interface: Interface, settle: Pass) -> Function:
    layout = [interface.values, shifted(interface.gradient, program.count)]
    return Function("value_and_grad", derive(program, interface.names), layout)


def _jacobian(program: Program, interface: Interface, settle: Pass) -> Function:
    grown, entries = jacobian(program, interface.names)
    matrix, places = interface.matrix(interface.values, entries)
    layout = [interface.values, matrix]
    return Function("value_and_jacobian", grown, layout, places=places)


def _hessian(program: Program, interface: Interface, settle: Pass) -> Function:
    gradient = shifted(interface.gradient, program.count)
    grown, entries = hessian(program, interface.names, settle)
    matrix, places = interface.matrix(interface.inputs, entries)
    layout = [interface.values, gradient, matrix]
    return Function("value_grad_and_hessian", grown, layout, places=places)


def _hvp(program: Program, interface: Interface, settle: Pass) -> Function:
    grown = hvp(program, interface.names, interface.vector(interface.gradient), settle)
    layout = shifted(interface.gradient, program.count)
    return Function("hvp", grown, layout, vector=interface.gradient)


def _jvp(program: Program, interface: Interface, settle: Pass) -> Function:
    grown = jvp(program, interface.names, interface.vector(interface.gradient))
    layout = shifted(interface.values, program.count)
    return Function("jvp", grown, layout, vector=interface.gradient)


def _vjp(program: Program, interface: Interface, settle: Pass) -> Function:
    grown = vjp(program, interface.names, interface.vector(interface.values))
    layout = shifted(interface.gradient, program.count)
    return Function("vjp", grown, layout, vector=interface.values)


EMITTED: Mapping[str, Emitted] = {
    "value": Emitted("value", _value),
    "gradient": Emitted("value_and_grad", _gradient, scalar=True),
    "jacobian": Emitted("value_and_jacobian", _jacobian),
    "hessian": Emitted("value_grad_and_hessian", _hessian, scalar=True),
    "hvp": Emitted("hvp", _hvp, scalar=True),
    "jvp": Emitted("jvp", _jvp),
    "vjp": Emitted("vjp", _vjp),
}


def chosen(program: Program, emit: Sequence[str] | str | None) -> tuple[str, ...]:
    """The names of what to emit, in the order of the table; the value is always there.

    Arguments:
        emit: some of the names, also as one text with commas; None for the value with
            its gradient, or its Jacobian if it is more than one number.

    Raises:
        GradcError: a name is unknown, or the formula has too many results for it.
    """
    is_scalar = isinstance(values(program), int)
    if emit is None:
        emit = ("gradient",) if is_scalar else ("jacobian",)
    words = emit.split(",") if isinstance(emit, str) else emit
    words = [word.strip() for word in words]
    for word in words:
        if word not in EMITTED:
            names = ", ".join(EMITTED)
            raise mistake("emit_unknown", near=list(EMITTED), name=word, names=names)
        if EMITTED[word].scalar and not is_scalar:
            count = program.count
            results = "an array of one result" if count == 1 else f"{count} results"
            source = program.source
            raise mistake("emit_needs_one", source, name=word, results=results)
    return tuple(word for word in EMITTED if word == "value" or word in words)
