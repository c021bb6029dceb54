"""The derivative of x^3 by central differences, by `Value` and by the compiled function.

A difference quotient is off by the step's square until rounding takes over; the other
two are right to the last bits.
"""

from __future__ import annotations

import gradc
from gradc import Value


def cube(x):
    return x**3


def central(x: float, step: float) -> float:
    return (cube(x + step) - cube(x - step)) / (2 * step)


def by_value(number: float) -> float:
    x = Value(number)
    cube(x).backward()
    return x.grad


def main() -> None:
    compiled = gradc.trace(cube, x=())
    print(f"{'x':>5}  {'3 x^2':>20}  {'Value':>20}  {'compiled':>20}")
    for x in (-2.0, -0.5, 0.1, 1.0, 3.0):
        slope = compiled.grad(x)[0]
        print(f"{x:5}  {3 * x * x:20.16f}  {by_value(x):20.16f}  {slope:20.16f}")
    print("\nat x = 3, where the slope is 27, by central differences:")
    for power in range(1, 13, 2):
        found = central(3.0, 10.0**-power)
        print(f"step 1e-{power:<2}  {found:20.16f}  off by {abs(found - 27):.1e}")


if __name__ == "__main__":
    main()
