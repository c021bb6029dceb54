"""The engine of a textbook: a node keeps its arguments and the slopes by them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class Node:
    """A number, the nodes it was computed from, and its derivatives by them."""

    __slots__ = ("data", "grad", "arguments", "slopes")

    def __init__(
        self,
        data: float,
        arguments: tuple[Node, ...] = (),
        slopes: tuple[float, ...] = (),
    ) -> None:
        self.data = data
        self.grad = 0.0
        self.arguments = arguments
        self.slopes = slopes

    def __add__(self, other: Any) -> Node:
        other = other if isinstance(other, Node) else Node(other)
        return Node(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other: Any) -> Node:
        other = other if isinstance(other, Node) else Node(other)
        return Node(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, power: float) -> Node:
        slope = power * self.data ** (power - 1)
        return Node(self.data**power, (self,), (slope,))

    def __neg__(self) -> Node:
        return self * -1.0

    def __sub__(self, other: Any) -> Node:
        return self + -other

    def __truediv__(self, other: Any) -> Node:
        return self * other**-1

    def __rtruediv__(self, other: Any) -> Node:
        return other * self**-1

    __radd__, __rmul__ = __add__, __mul__

    def exp(self) -> Node:
        found = math.exp(self.data)
        return Node(found, (self,), (found,))

    def log(self) -> Node:
        return Node(math.log(self.data), (self,), (1.0 / self.data,))

    def relu(self) -> Node:
        return Node(max(0.0, self.data), (self,), (float(self.data > 0.0),))

    def backward(self) -> None:
        order: list[Node] = []
        seen: set[Node] = set()

        def visit(node: Node) -> None:
            if node not in seen:
                seen.add(node)
                for argument in node.arguments:
                    visit(argument)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for argument, slope in zip(node.arguments, node.slopes):
                argument.grad += slope * node.grad


class Functions:
    """The functions of nodes, called as those of a module."""

    @staticmethod
    def exp(x: Node) -> Node:
        return x.exp()

    @staticmethod
    def relu(x: Node) -> Node:
        return x.relu()

    @staticmethod
    def sqrt(x: Node) -> Node:
        return x**0.5

    @staticmethod
    def logsumexp(*xs: Node) -> Node:
        largest = max(x.data for x in xs)
        terms: Sequence[Node] = [(x - largest).exp() for x in xs]
        return sum(terms[1:], terms[0]).log() + largest
