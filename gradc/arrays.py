"""Arrays as the interface sees them: nested sequences of a fixed shape.

Inside, everything is a flat list of scalars in row-major order.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

Shape = tuple[int, ...]


def names(name: str, shape: Shape) -> list[str]:
    """What the elements are called, in row-major order: `w[0][1]`."""
    indices = product(*(range(n) for n in shape))
    return [name + "".join(f"[{k}]" for k in index) for index in indices]


def nest(
    flat: Sequence[Any], shape: Shape, kind: Callable[[Sequence[Any]], Any] = list
) -> Any:
    """Nested lists of a shape, or another kind of sequence, from row-major order."""
    for n in shape[:0:-1]:
        flat = [kind(flat[k : k + n]) for k in range(0, len(flat), n)]
    return kind(flat) if shape else flat[0]


def flatten(nested: Any) -> tuple[Shape, list[Any]]:
    """The shape of nested sequences (or of an array), and the elements in order.

    Raises:
        ValueError: sequences side by side have different lengths, or are empty.
    """
    shape: list[int] = []
    flat = [nested]
    while _is_sequence(flat[0]):
        n = len(flat[0])
        if not n or not all(_is_sequence(x) and len(x) == n for x in flat):
            raise ValueError("the lists are empty or of different lengths")
        shape.append(n)
        flat = [x for inner in flat for x in inner]
    if any(_is_sequence(x) for x in flat):
        raise ValueError("numbers and lists stand side by side")
    return tuple(shape), flat


def shape_of(nested: Any) -> Shape | None:
    """The shape of nested sequences, None if they are not those of an array."""
    try:
        return flatten(nested)[0]
    except ValueError:
        return None


def leaves(nested: Any) -> Iterator[Any]:
    """The elements of sequences of any lengths, in order."""
    if _is_sequence(nested):
        for inner in nested:
            yield from leaves(inner)
    else:
        yield nested


def _is_sequence(x: Any) -> bool:
    """Whether something has parts: it is no text, and no array without axes."""
    is_scalar = isinstance(x, (str, bytes)) or getattr(x, "shape", None) == ()
    return hasattr(x, "__len__") and hasattr(x, "__getitem__") and not is_scalar
