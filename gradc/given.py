"""Arguments as they are given: their numbers, in the shape that was declared.

A generated module that takes arrays carries copies of the functions it uses, and the
library uses the same ones. Lists and tuples of floats pass with a few tests; everything
else is made nested lists of floats before.
"""

from collections.abc import Sequence


def vector(name: str, given: object, size: int) -> "Sequence[float]":
    """The numbers of an array of one dimension; see `elements`."""
    try:
        if (type(given) is tuple or type(given) is list) and len(given) == size:
            if type(sum(given, 0.0)) is float:  # as only a sum of numbers is
                return given
    except (ArithmeticError, TypeError, ValueError):
        pass
    return elements(name, given, (size,))


def elements(name: str, given: object, shape: tuple[int, ...]) -> "Sequence[float]":
    """The numbers of an array, row by row.

    Raises:
        ValueError: the array has another shape.
        TypeError: something in it is no number.
    """
    if hasattr(given, "tolist"):  # an array of NumPy
        given = given.tolist()
    flat = plain(given, shape)
    if flat is None:
        given = listed(name, given)
        flat = plain(given, shape)
    if flat is None:
        found = shape_of(given)
        raise ValueError(f"{name} has shape {shape} but was given shape {found}")
    return flat


def number(name: str, given: object) -> float:
    """An argument that is one number; see `elements`."""
    return given if type(given) is float else elements(name, given, ())[0]


def parts(
    name: str, given: object, shapes: tuple[tuple[int, ...], ...]
) -> "Sequence[float]":
    """The numbers of a sequence of arrays and numbers; see `elements`."""
    items = listed(name, given)
    if not isinstance(items, list) or len(items) != len(shapes):
        found = shape_of(items)
        raise ValueError(f"{name} has {len(shapes)} parts but was given shape {found}")
    flat: list[float] = []
    for k, shape in enumerate(shapes):
        flat += elements(f"{name}[{k}]", items[k], shape)
    return flat


def plain(given: object, shape: tuple[int, ...]) -> "Sequence[float] | None":
    """The numbers of nested lists or tuples of floats, None if they are none."""
    if not shape:
        return [given] if type(given) is float else None
    if not isinstance(given, (list, tuple)) or len(given) != shape[0]:
        return None
    flat = given
    for length in shape[1:]:
        rows, flat = flat, []
        for row in rows:
            if not isinstance(row, (list, tuple)) or len(row) != length:
                return None
            flat += row
    return flat if are_floats(flat) else None


def are_floats(flat: "Sequence[float]") -> bool:
    """Whether all are numbers and not all of them integers: then their sum is a float.

    This costs less than to look at the type of each.
    """
    try:
        return type(sum(flat)) is float
    except (ArithmeticError, TypeError, ValueError):
        return False


def listed(name: str, given: object) -> object:
    """Nested sequences, arrays and numbers as nested lists of floats."""
    if hasattr(given, "tolist"):
        given = given.tolist()
    if hasattr(given, "__float__"):
        try:
            return float(given)
        except OverflowError:
            what = f"{name} is given a number that is too large for a float"
            raise ValueError(what) from None
    if isinstance(given, set) or hasattr(given, "keys"):
        return given  # which has no shape
    if hasattr(given, "__getitem__") and not isinstance(given, (str, bytes)):
        if hasattr(given, "__iter__"):
            return [listed(name, item) for item in given]
    raise TypeError(f"{name} is given {given!r}, which is no number")


def shape_of(nested: object) -> tuple[object, ...]:
    """The shape of nested lists, ending in a word where they have none."""
    if not isinstance(nested, list):
        return () if type(nested) is float else (type(nested).__name__,)
    shapes = {shape_of(item) for item in nested} or {()}
    return (len(nested), *(shapes.pop() if len(shapes) == 1 else ("ragged",)))
