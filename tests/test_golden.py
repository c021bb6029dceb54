"""Every golden file, by one function; a pass registers how it is shown."""

from collections.abc import Callable

import pytest

from gradc import ir, syntax
from gradc.errors import GradcError
from gradc.lower import MAX_OPS, read
from gradc.parse import parse
from tests.conftest import Case, check


def lowered(case: Case) -> ir.Program:
    """The program of a case, with its options `inputs` and `max_ops`."""
    options = case.options
    inputs = options["inputs"].split(", ") if "inputs" in options else None
    max_ops = int(options.get("max_ops", MAX_OPS))
    return read(case.source, "expr.txt", inputs=inputs, max_ops=max_ops)


def show_parse(case: Case) -> str:
    return syntax.listing(parse(case.source))


def show_lower(case: Case) -> str:
    program = ir.verify(lowered(case))
    lines = [ir.listing(program)]
    for item in program.inputs:
        if item.kind == "data" or item.domain:
            lines.append(f"{item.kind} {item.name} {item.domain}".rstrip())
    lines += [f"{name} = %{i}" for i, name in program.names.items()]
    return "\n".join([*lines, *program.notes])


def show_error(case: Case) -> str:
    with pytest.raises(GradcError) as caught:
        lowered(case)
    return str(caught.value)


SHOW: dict[str, Callable[[Case], str]] = {
    "parse": show_parse,
    "lower": show_lower,
    "errors": show_error,
}


@pytest.mark.parametrize("name", SHOW)
def test_golden(name: str, bless: bool) -> None:
    check(name, SHOW[name], bless)
