"""The order of statements where nothing is conditional.

    t1 = x * x                        t1 = x * x
    t2 = y * y                        t3 = sin(t1)
    t3 = sin(t1)                      t5 = t1 * t3 + t3
    t4 = sin(t2)            -->       t2 = y * y
    t5 = t1 * t3 + t3                 t4 = sin(t2)
    t6 = t2 * t4 + t4                 t6 = t2 * t4 + t4
    return t5 * t6, (t5, t6)          return t5 * t6, (t5, t6)

In the order of the program a value stands before the derivatives, whatever waits for
them. It may need more variables at a time than the order in which every statement
follows as soon as all that it reads is there; then that one is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradc.passes.inline import Layout

MOST = 20_000  # nodes above which the program's order is taken


def straight(layout: Layout) -> list[int]:
    """The nodes that are given to variables, in the order of their statements."""
    inline = layout.inline
    order = [i for i, alive in enumerate(layout.alive) if alive and not inline[i]]
    if len(layout.nodes) > MOST:
        return order
    return min(order, _soonest(layout, order), key=lambda one: _peak(layout, one))


def _soonest(layout: Layout, order: Sequence[int]) -> list[int]:
    """The statements sorted by the last of the first ones that they go back to."""
    first = [-1] * len(layout.nodes)
    for i, node in enumerate(layout.nodes):
        if layout.alive[i]:
            found = max([first[a] for a in node[1:]], default=-1)
            first[i] = i if found < 0 and not layout.inline[i] else found
    return sorted(order, key=lambda i: first[i])


def _peak(layout: Layout, order: Sequence[int]) -> int:
    """How many variables are read later on, where they are most."""
    end = len(order)
    at = [-1] * len(layout.nodes)  # the step that computes a node
    for k, i in enumerate(order):
        at[i] = k
    last = [-1] * len(layout.nodes)  # the step that reads it last
    for i in layout.program.outputs:
        last[i] = end
    for i in reversed(range(len(layout.nodes))):
        if layout.alive[i]:
            step = last[i] if layout.inline[i] else at[i]
            for a in layout.nodes[i][1:]:
                last[a] = max(last[a], step)
    ends = [0] * (end + 1)
    for i in order:
        ends[last[i]] += 1
    peak = count = 0
    for k in range(end):
        count += 1 - ends[k]
        peak = max(peak, count)
    return peak
