"""Take the sign off a zero that decides an angle: atan2(-0.0, -1) is -pi.

    %2 = mul %0 %1                  %4 = add %2 %3      # %3 = const 0.0
    %3 = atan2 %2 %x        -->     %5 = atan2 %4 %x

The number 0 has no sign, and on its cut an angle is the one from above, pi. Floats have
a zero that came to be -0.0, as -1*0 does; of a zero that is given the caller chose the
sign. A sum with 0.0 is never -0.0. Where y cannot have become that, or x is never below
0, nothing changes.
"""

from __future__ import annotations

from gradc.analysis.bounds import Size, sizes
from gradc.ir import Builder, Program, arguments, compact, within

_ODD = frozenset(  # of -0.0 these are -0.0
    "sin tan asin atan sinh tanh asinh atanh cbrt erf expm1 log1p sqrt min max sub "
    "floor ceil trunc round fmod degrees radians".split()
)


def unsign(program: Program) -> Program:
    """Return a program of whose angles no computed zero is below the cut."""
    if "atan2" not in program.operations:
        return program
    found = sizes(program)
    signed = _signed(program, found)
    angles = (node for node in program.nodes if node[0] == "atan2")
    chosen = {y for _, y, x in angles if signed[y] and not found[x].positive}
    if not chosen:
        return program
    builder = Builder.upon(program)
    zero = builder.const(0.0)
    new: list[int] = []
    for i, (op, *args) in enumerate(program.nodes):
        builder.span = within(program.spans[i])
        moved = arguments(program.nodes[i]) and any(new[a] != a for a in args)
        new.append(builder.add(op, *[new[a] for a in args]) if moved else i)
        if i in chosen and op == "neg":
            new[i] = builder.add("sub", zero, new[args[0]])
        elif i in chosen:
            new[i] = builder.add("add", new[i], zero)
        builder.label(new[i], program.spans[i])
        if new[i] != i and i in program.names:
            builder.name(new[i], builder.names.pop(i))
        if new[i] != i and i in program.hints:
            builder.hints.setdefault(new[i], program.hints[i])
    return compact(builder.follow(program, [new[i] for i in program.outputs]))


def _signed(program: Program, found: list[Size]) -> list[bool]:
    """The nodes that may have become -0.0."""
    signed: list[bool] = []
    for op, *args in program.nodes:
        if op == "add":
            signed.append(all(signed[a] for a in args))
        elif op in ("mul", "div"):
            signed.append(_is_signed(program, args, [found[a] for a in args], signed))
        elif op == "where":
            signed.append(signed[args[1]] or signed[args[2]])
        else:
            signed.append(op == "neg" or (op in _ODD and any(signed[a] for a in args)))
    return signed


def _is_signed(
    program: Program, args: list[int], found: list[Size], signed: list[bool]
) -> bool:
    """Whether a product or quotient may be -0.0."""
    for a, other in (args, args[::-1]):
        op, *value = program.nodes[a]
        if op == "const" and value[0] > 0.0:
            return signed[other]
    return args[0] != args[1] and not all(size.positive for size in found)
