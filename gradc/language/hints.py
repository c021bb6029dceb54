"""What was probably meant: functions written as in other languages, or as on paper.

Looks at the text around a mistake, and knows the names of functions.
"""

import re
from functools import cache

from gradc import errors
from gradc.errors import GradcError, Span
from gradc.source import Source

NEAR = 200  # characters before a mistake that are looked at
LONGEST = 30  # characters of an argument that a hint repeats
_POWER = re.compile(r"(\w+)\s*(?:\^|\*\*)\s*(-?\s*[\w.]+)\s*$")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.\w+)*\.([^\W\d]\w*)")
_NAME = re.compile(r"\w+\Z")
_LOOP = re.compile(r"\bfor\s+\w+\s+in\s[^\n;()\[\]]*\Z")
_DECLARATION = re.compile(r"(?:\A|[\n;])[ \t]*(?:input|data)\b[^\n;]*\Z")


@cache
def functions() -> frozenset[str]:
    """The names of all functions."""
    from gradc.language.vectors import FUNCTIONS  # rarely needed
    from gradc.ops import OPS

    return frozenset({*OPS.callables(), *FUNCTIONS, "where", "piecewise"})


def before(source: Source, at: int) -> str:
    """The text before a place, as far as it is looked at."""
    return source.text[max(at - NEAR, 0) : at]


def bracket(source: Source, at: int) -> str:
    """What stands in the round brackets that open at a place; short, or dots."""
    text, depth = source.text[at : at + LONGEST + 2], 0
    for k, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if depth <= 0:
            return text[1:k] if char == ")" and "\n" not in text[:k] else "..."
    return "..."


def raised(source: Source, span: Span) -> GradcError | None:
    """`sin^2(x)` and `sin^2 x`: the mistake, if an operand follows such a power."""
    match = _POWER.search(before(source, span[0]))
    if match is None or match[1] not in functions():
        return None
    start = span[0] - len(match[0])
    operand = source.text[slice(*span)]
    if operand == "(":
        operand = bracket(source, span[0])
    power = "".join(match[2].split())
    return _raised(source, (start, span[0]), match[1], power, operand)


def raised_name(source: Source, span: Span, plain: str) -> GradcError | None:
    """`sin²(x)` and `sin²x`, whose name is `sin^2` in plain characters, or `sin^2x`."""
    match = re.fullmatch(r"(\w+)\^(-?\d+)(\w*)", plain)
    called = source.text[span[1] : span[1] + 1] == "("
    if match is None or not (called or match[1] in functions()):
        return None
    operand = bracket(source, span[1]) if called else match[3] or "x"
    return _raised(source, span, match[1], match[2], operand)


def _raised(
    source: Source, span: Span, name: str, power: str, operand: str
) -> GradcError:
    inverse = f"a{name}" if power == "-1" and f"a{name}" in functions() else ""
    return errors.function_raised(source, span, name, power, operand, inverse)


def dotted(source: Source, at: int) -> GradcError | None:
    """`math.sin(x)`, `math.pi` and `x.sum()`, whose dot stands at a place."""
    head = _NAME.search(before(source, at))
    match = head and _DOTTED.match(source.text, at - len(head[0]))
    if not head or not match:
        return None
    name, end = match[1], match.end()
    called = source.text[end : end + 1] == "("
    if called and name in functions():
        inside = bracket(source, end) or match[0].rpartition(".")[0]
        instead = f"{name}({inside})"
    elif name == "T" and not called:
        instead = f"transpose({match[0].rpartition('.')[0]})"
    elif name in ("pi", "e", "inf") and not called:
        instead = name
    else:
        return None
    return errors.dotted(source, match.span(), match[0], instead)


def colon(source: Source, at: int, opens: list[int]) -> str:
    """Where a colon stands: in a `range`, an `index`, a `declaration`, or elsewhere."""
    if _LOOP.search(before(source, at)):
        return "range"
    if opens:
        inside = source.text[opens[-1]] == "["
        is_index = re.search(r"[\w)\]]\s*\Z", before(source, opens[-1]))
        return "index" if inside and is_index else ""
    return "declaration" if _DECLARATION.search(before(source, at)) else ""


def is_piece(source: Source, opens: list[int]) -> bool:
    """Whether the innermost bracket is a piece of `piecewise`."""
    inside = len(opens) > 1 and before(source, opens[-2]).rstrip()
    return bool(inside) and str(inside).endswith("piecewise")
