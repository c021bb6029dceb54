"""Write rows out as the steps that compute them, so that they share their parts.

    %0 = input x                     %0 = input x
    %1 = softplus %0                 %1 = const 0.0
    %2 = sigmoid %0                  %2 = ge %0 %1
    out %1 %2                        %3 = neg %0
                           -->       %4 = exp %3
                                     ...
                                     %9 = where %2 %6 %8
                                     ...
                                     out %9 %14

A row that has the column `steps` would be a call of a function; its value and its
derivative, which are other rows, would each compute the same exponential. The steps give
the same floats as the function, so `strict` compilation runs the pass as well.
"""

from __future__ import annotations

from gradc.calculus import steps_template
from gradc.ir import Builder, Program


def expand(program: Program) -> Program:
    """Return a program in which no node is of a row with steps of its own."""
    ops = program.ops
    rows = {op.name: op for op in ops if op.steps is not None}
    if not any(node[0] in rows for node in program.nodes):
        return program
    builder = Builder(ops)
    new: list[int] = []
    for i, node in enumerate(program.nodes):
        row = rows.get(node[0])
        if row is None:
            new.append(builder.copy(program, i, new))
            continue
        builder.span = program.spans[i]
        args = [new[a] for a in node[1:]]
        every = args[row.leading :] if row.variadic else []
        params = dict(zip(row.params, args))
        j = steps_template(row, ops).build(builder, params, every)
        if i in program.names:
            builder.name(j, program.names[i])
        if i in program.hints:
            builder.hints.setdefault(j, program.hints[i])
        new.append(j)
    return builder.follow(program, [new[i] for i in program.outputs])
