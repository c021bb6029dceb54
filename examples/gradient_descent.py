"""Fits a logistic classifier by gradient descent: who passes the examination?

Run it as it is; it needs nothing but the generated module beside it.
"""

from logistic_loss import value_and_grad

# hours of study, hours of sleep, passed
STUDENTS = [
    (0.5, 7.0, 0),
    (1.0, 5.0, 0),
    (1.5, 8.0, 0),
    (1.8, 6.0, 1),
    (2.0, 4.5, 0),
    (2.5, 7.5, 1),
    (3.0, 5.0, 0),
    (3.2, 8.0, 1),
    (3.5, 6.5, 1),
    (4.0, 4.0, 0),
    (4.5, 7.0, 1),
    (5.0, 5.5, 1),
]

Weights = tuple[float, float, float]


def loss(weights: Weights) -> tuple[float, list[float]]:
    """Return the mean surprise at the students, and its gradient."""
    total, slope = 0.0, [0.0, 0.0, 0.0]
    for student in STUDENTS:
        value, grad = value_and_grad(*weights, *student)
        total += value / len(STUDENTS)
        slope = [s + g / len(STUDENTS) for s, g in zip(slope, grad)]
    return total, slope


def descend(weights: Weights, steps: int, rate: float) -> Weights:
    """Go `steps` steps downhill, reporting every tenth part of the way."""
    for step in range(steps + 1):
        value, slope = loss(weights)
        if step % (steps // 10) == 0:
            print(f"step {step:5d}   loss {value:.6f}")
        if step < steps:
            w1, w2, bias = (w - rate * s for w, s in zip(weights, slope))
            weights = w1, w2, bias
    return weights


if __name__ == "__main__":
    weights = descend((0.0, 0.0, 0.0), steps=20_000, rate=0.05)
    for name, weight in zip(("study", "sleep", "bias"), weights):
        print(f"{name:5} {weight:8.4f}")
