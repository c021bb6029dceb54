"""Fits a damped oscillation to readings with SciPy, which is given the exact gradient.

Needs NumPy and SciPy beside the generated module.
"""

import numpy as np
from scipy.optimize import minimize

from damped_oscillator import value_and_grad

STEP = 0.25  # seconds between two readings
READINGS = [
    *(1.829, 0.440, -1.111, -1.548, -0.774, 0.492, 1.208, 0.840, -0.033),
    *(-0.767, -0.748, -0.164, 0.375, 0.682, 0.329, -0.185, -0.565, -0.429),
    *(-0.009, 0.301, 0.335, 0.070, -0.165, -0.298, -0.111),
]


def squares(parameters: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the sum of squares over the readings, and its gradient."""
    total, slope = 0.0, np.zeros(len(parameters))
    for i, reading in enumerate(READINGS):
        value, grad = value_and_grad(*parameters, i * STEP, reading)
        total += value
        slope += grad
    return total, slope


if __name__ == "__main__":
    start = np.array([1.0, 0.1, 0.55, 0.0])
    fit = minimize(squares, start, jac=True, method="BFGS")
    names = ("amplitude", "rate", "frequency", "phase")
    for name, number in zip(names, fit.x):
        print(f"{name:10} {number:8.4f}")
    print(f"sum of squares {fit.fun:.5f}")
