"""Products of Jacobian and Hessian with a vector, without the matrix.

The elements of the vector are inputs of the program beside its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradc.ir import Builder, Input, Pass, Program, compact, unchanged
from gradc.passes.derive import Reverse, derive, differentiable
from gradc.passes.push import push


def jvp(program: Program, wrt: Sequence[str], vector: Sequence[Input]) -> Program:
    """Append the Jacobian times a vector, in forward mode.

    Arguments:
        wrt: the inputs to differentiate by.
        vector: the inputs that are its elements, one for each of `wrt`.
    """
    return _pushed(program, 0, wrt, vector)


def hvp(
    program: Program,
    wrt: Sequence[str],
    vector: Sequence[Input],
    settle: Pass = unchanged,
) -> Program:
    """Append the Hessian times a vector, forward over reverse mode.

    The gradient goes through `settle` between; the other arguments are those of `jvp`.
    """
    return _pushed(settle(derive(program, wrt)), 1, wrt, vector)


def vjp(program: Program, wrt: Sequence[str], vector: Sequence[Input]) -> Program:
    """Append a vector times the Jacobian, in reverse mode.

    Arguments:
        wrt: the inputs to differentiate by.
        vector: the inputs that are its elements, one for each output.
    """
    reverse = Reverse(program, tuple(wrt))
    weights = [reverse.builder.input(item.name) for item in vector]
    found = reverse.finish(reverse.sweep([*zip(reverse.program.outputs, weights)]))
    return replace(found, inputs=(*found.inputs, *vector))


def _pushed(
    program: Program, first: int, wrt: Sequence[str], vector: Sequence[Input]
) -> Program:
    """The values of a program, and the tangents of its outputs from `first` on."""
    program = differentiable(program)
    builder = Builder.upon(program)
    pairs = zip(wrt, vector)
    seeds = {name: {0: builder.input(item.name)} for name, item in pairs}
    zero = builder.const(0.0)
    tangents = push(builder, program, seeds, program.outputs[first:])
    products = [tangent.get(0, zero) for tangent in tangents or ()]
    outputs = [*program.outputs[: program.count], *products]
    found = compact(builder.follow(program, outputs))
    return replace(found, inputs=(*found.inputs, *vector))
