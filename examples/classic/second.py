"""Second derivatives two ways, of x*sin(y) + exp(x*y) at (0.5, 1.2).

A `Value` whose number is itself a `Value` has a gradient that is a graph. `backward`
runs on that graph once more; and gradc compiles it, as it has compiled the function.
"""

from __future__ import annotations

import gradc
from gradc import Value

POINT = 0.5, 1.2


def surface(x, y):
    return x * y.sin() + (x * y).exp()


def slopes() -> tuple[list[Value], list[Value]]:
    """The inputs, and the gradient as graphs over them."""
    inputs = [Value(number) for number in POINT]
    outer = [Value(x) for x in inputs]
    surface(*outer).backward()
    return inputs, [x.grad for x in outer]


def by_backward() -> list[list[float]]:
    """The matrix of second derivatives, a row by running backward on each slope."""
    rows = []
    for k in range(len(POINT)):
        inputs, gradient = slopes()
        gradient[k].backward()
        rows.append(
            [x.grad.data if isinstance(x.grad, Value) else x.grad for x in inputs]
        )
    return rows


def by_compiling() -> list[list[float]]:
    """The same matrix from the compiled slopes, whose gradients are its rows."""
    inputs, gradient = slopes()
    named = dict(zip("xy", inputs))
    rows = []
    for slope in gradient:
        compiled = gradc.compile(slope, inputs=named)
        rows.append(list(compiled.grad(*POINT)))
    return rows


def main() -> None:
    function = gradc.trace(surface, x=(), y=())
    print("compiled once:", function.value_and_grad(*POINT))
    for title, rows in (("backward", by_backward()), ("compiled", by_compiling())):
        for k, row in enumerate(rows):
            print(f"{title if k == 0 else '':>9}  {row[0]:20.16f}  {row[1]:20.16f}")


if __name__ == "__main__":
    main()
