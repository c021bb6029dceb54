"""`negate` moves signs to where they cost nothing, and changes no float by it."""

from random import Random

from hypothesis import given

from gradc import ir
from gradc.ir import Program
from gradc.passes.expand import expand
from gradc.passes.gather import gather
from gradc.passes.negate import negate
from gradc.run import evaluate
from tests.conftest import Case, check, read
from tests.strategies import Formula, Point, differentiated, formulas, law, verify


def show(case: Case) -> str:
    derived = differentiated(read(case.source))
    return ir.listing(verify(negate(gather(expand(derived)))))


def test_golden(bless: bool) -> None:
    check("negate", show, bless)


def outputs(program: Program, point: Point) -> list[str] | None:
    """The outputs, None where the formula is not defined; 0 has no sign here."""
    try:
        return [float(x + 0.0).hex() for x in evaluate(program, point)]
    except (ArithmeticError, ValueError):
        return None


def negations(program: Program) -> int:
    return sum(node[0] == "neg" for node in program.nodes)


@law
@given(formulas(lines=4))
def test_no_float_changes_and_fewer_are_negated(drawn: tuple[Formula, Random]) -> None:
    formula, random = drawn
    derived = expand(differentiated(read(formula.text)))
    negated = verify(negate(derived))
    assert negations(negated) <= negations(derived)
    for point in formula.points(random):
        assert outputs(negated, point) == outputs(derived, point), point


def test_names_stay() -> None:
    """A root keeps the name that its author gave it where signs around it move."""
    program = read("r = sqrt(x); exp(-((r - y)*r)) + exp(-((r - y)*y))")
    negated = negate(program)
    assert negations(negated) < negations(program)
    assert [negated.nodes[i][0] for i in negated.names] == ["sqrt"]
