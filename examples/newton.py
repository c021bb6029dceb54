"""Finds where Halley's comet is by Newton's method on Kepler's equation.

Run it as it is; it needs nothing but the generated module beside it.
"""

from math import atan2, cos, degrees, pi, sin, sqrt

from kepler import value_and_grad

ECCENTRICITY = 0.96714
AXIS = 17.834  # astronomical units
PERIOD = 75.32  # years


def solve(mean: float, eccentricity: float) -> tuple[float, int]:
    """Return the eccentric anomaly and the number of steps that it took.

    From pi the steps approach the root from one side and cannot overshoot.
    """
    anomaly = pi
    for step in range(100):
        value, (slope,) = value_and_grad(anomaly, eccentricity, mean)
        if abs(value) < 1e-14:
            return anomaly, step
        anomaly -= value / slope
    raise ArithmeticError("Newton's method did not arrive")


if __name__ == "__main__":
    print("years   steps   distance   angle")
    for years in (1, 2, 5, 10, 20, 37):
        anomaly, steps = solve(2 * pi * years / PERIOD, ECCENTRICITY)
        distance = AXIS * (1 - ECCENTRICITY * cos(anomaly))
        side = sqrt(1 - ECCENTRICITY**2) * sin(anomaly)
        angle = degrees(atan2(side, cos(anomaly) - ECCENTRICITY))
        print(f"{years:5d} {steps:7d} {distance:10.4f} {angle:7.2f}")
