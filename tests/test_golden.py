"""Every golden file, by one function; a pass registers how it is shown."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import gradc
from gradc import compile, ir
from gradc.errors import GradcError
from gradc.functions import Interface, derived, passes
from gradc.language import syntax
from gradc.language.parse import parse
from gradc.passes.cancel import cancel
from gradc.passes.derive import derive
from gradc.passes.slopes import slopes
from gradc.passes.stabilise import stabilise
from gradc.show import shown, stages
from tests.conftest import Case, check, read
from tests.strategies import verify


def lowered(case: Case) -> ir.Program:
    """The program of a case, with its options `inputs` and `max_ops`."""
    options = compile_options(case)
    return read(case.source, "expr.txt", **options)


def compile_options(case: Case) -> dict[str, Any]:
    """The options of a case, as `compile` takes them."""
    found: dict[str, Any] = dict(case.options)
    for name in ("inputs", "wrt"):
        if name in found:
            found[name] = found[name].split(", ")
    if "max_ops" in found:
        found["max_ops"] = int(found["max_ops"])
    return found


def show_parse(case: Case) -> str:
    return syntax.listing(parse(case.source))


def show_lower(case: Case) -> str:
    program = verify(lowered(case))
    lines = [ir.listing(program)]
    for item in program.inputs:
        domain = ""
        if item.low is not None:
            left, right = "[("[item.low_open], "])"[item.high_open]
            low, high = [repr(x).removesuffix(".0") for x in (item.low, item.high)]
            domain = f"{left}{low}, {high}{right}"
        if item.kind == "data" or domain:
            lines.append(f"{item.kind} {item.name} {domain}".rstrip())
    lines += [f"{name} = %{i}" for i, name in program.names.items()]
    lines += [
        f"returns {result.name}{list(result.shape)}"
        for result in program.results
        if result != ir.Result("", ())
    ]
    return "\n".join([*lines, *program.notes])


def show_slopes(case: Case) -> str:
    program = verify(slopes(lowered(case)))
    names = [f"{name} = %{i}" for i, name in program.names.items()]
    return "\n".join([ir.listing(program), *names])


def show_error(case: Case) -> str:
    with pytest.raises(GradcError) as caught:
        compile(case.source, filename="expr.txt", **compile_options(case))
    return str(caught.value)


def show_derive(case: Case) -> str:
    program = lowered(case)
    names = [item.name for item in program.inputs if item.kind == "input"]
    return ir.listing(verify(derive(program, names)))


def show_stabilise(case: Case) -> str:
    return ir.listing(verify(stabilise(lowered(case))))


def show_cancel(case: Case) -> str:
    program = lowered(case)
    names = [item.name for item in program.inputs if item.kind == "input"]
    return ir.listing(verify(cancel(derive(program, names))))


def show_stage(name: str) -> Callable[[Case], str]:
    """A stage of the compiler: its own functions and parts, without empty lines."""

    def show(case: Case) -> str:
        text = shown(dict(stages(case.source, "expr.txt"))[name])
        text = text[max(text.find("def value("), 0) :]
        return "\n".join(line for line in text.split("\n") if line)

    return show


def show_emitted(case: Case) -> str:
    """The program of a function before it is made fast."""
    program = read(case.source)
    wrt = [item.name for item in program.inputs if item.kind == "input"]
    interface = Interface(program, wrt)
    function = derived(case.options["emit"], program, interface, True)
    return ir.listing(verify(function.program))


def show_functions(case: Case) -> str:
    """The functions of a module; `with` are options that are on or off."""
    options = case.options
    switches = {name: True for name in options.get("with", "").split()}
    text = compile(case.source, emit=options["emit"], **switches).source
    text = text[text.index("\nINPUTS = ") :]
    return "\n".join(line for line in text.split("\n") if line)


def show_c(case: Case, target: str = "c") -> str:
    """The functions in C; `with` are options that are on, or the target."""
    words = case.options.get("with", "").split()
    switches = {name: True for name in words if name != "h"}
    emit = case.options.get("emit")
    found = compile(case.source, emit=emit, **switches)
    text = found.text("h" if "h" in words else target, "f")
    text = text[text.index("\n\n", text.index("// digest")) :]
    return "\n".join(line for line in text.split("\n") if line and line[0] != "#")


SHOW: dict[str, Callable[[Case], str]] = {
    "parse": show_parse,
    "lower": show_lower,
    "errors": show_error,
    "slopes": show_slopes,
    "stabilise": show_stabilise,
    "derive": show_derive,
    "cancel": show_cancel,
    "schedule": show_stage("python"),
    "python": show_stage("python"),
    "matrices": show_emitted,
    "products": show_emitted,
    "functions": show_functions,
    "c": show_c,
    "javascript": partial(show_c, target="js"),
}


@pytest.mark.parametrize("name", SHOW)
def test_golden(name: str, bless: bool) -> None:
    check(name, SHOW[name], bless)


@pytest.mark.parametrize(
    "text",
    [
        "input x[2]; sum(x)",
        "input A[2, 2], b[2]; data t; b @ A @ b + t*A[0, 1]",
        "input x[3], y; return x[0]*y, sum(x), exp(y)",
    ],
)
def test_stages_of_arrays(text: str) -> None:
    """Every stage is shown, and those that are programs are in order."""
    found = dict(stages(text, "expr.txt"))
    names = [name for name, _ in passes((), strict=False)]
    assert [*found] == ["parse", "lower", *names, "python"]
    for stage in found.values():
        assert shown(stage)
        if isinstance(stage, ir.Program):
            verify(stage)
    assert found["python"] == gradc.compile(text, filename="expr.txt").source
