"""Classes of fields behave as those of `dataclasses`, and nothing imports that."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from itertools import product
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from gradc import fields
from gradc.ir import Adjoint

OPTIONS = [
    {"frozen": frozen, "eq": eq, "repr": repr, "slots": slots and not frozen}
    for frozen, eq, repr, slots in product((False, True), repeat=4)
]
HEAVY = {"dataclasses", "inspect", "lark", "shutil", "tempfile", "tokenize"}


def of(module: ModuleType, options: dict[str, bool]) -> Any:
    class Record:
        given: int
        more: int = 3
        some: list[int] = module.field(default_factory=list)

        def total(self) -> int:
            return self.given + self.more + sum(self.some)

    return module.dataclass(**options)(Record)


def outcome(run: Any) -> Any:
    try:
        return run()
    except (AttributeError, TypeError) as error:
        return AttributeError if isinstance(error, AttributeError) else TypeError


def seen(module: ModuleType, options: dict[str, bool]) -> list[Any]:
    """What can be seen of a class and its instances."""
    cls = of(module, options)
    a, b, c = cls(1), cls(given=1, more=3), cls(1, 2, [3])
    d = module.replace(c, more=4)
    found: list[Any] = [(x.given, x.more, x.some, x.total()) for x in (a, b, c, d)]
    a.some.append(1)
    found += [b.some, a == b, b == cls(1), b != c, b == 1, hasattr(a, "__dict__")]
    found += [repr(c).partition(" object ")[0].rpartition(".")[2]]
    found += [outcome(lambda: hash(cls(1, 2, ())) == hash(cls(1, 2, ())))]
    found += [outcome(lambda: setattr(c, "more", 5)), c.more]
    found += [outcome(lambda: delattr(c, "more")), hasattr(c, "more")]
    found += [outcome(lambda: cls()), outcome(lambda: cls(1, 2, [], 4))]
    return [*found, outcome(lambda: cls(1, other=2))]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_class_is_as_dataclasses_would_make_it(options: dict[str, bool]) -> None:
    assert seen(fields, options) == seen(dataclasses, options)


def test_a_named_tuple_is_as_typing_would_make_it() -> None:
    def seen(base: Any) -> list[Any]:
        class Record(base):  # type: ignore[misc]
            """What it is."""

            given: int
            more: "int | None" = 3

            @property
            def total(self) -> int:
                return self.given + self.more

            def scaled(self, factor: int) -> "Record":
                return self._replace(given=factor * self.given)

        a, b = Record(1), Record(given=2, more=5)
        found = [repr(a), a == (1, 3), b.total, b.scaled(3), Record._fields, hash(b)]
        found += [Record.__doc__, Record.__bases__, Record.__module__, [*b], a < b]
        found += [outcome(lambda: Record()), outcome(lambda: setattr(a, "more", 1))]
        found += [outcome(lambda: Record(1, given=2)), outcome(lambda: Record(1, 2, 3))]
        found += [copy.copy(b), Record.__match_args__]
        found += [b.__getnewargs__()]
        return [str(each) for each in found]

    assert seen(fields.NamedTuple) == seen(NamedTuple)
    assert type(pickle.loads(pickle.dumps(Adjoint(3, 4)))) is Adjoint


def test_a_class_may_have_a_hash_of_its_own() -> None:
    @fields.dataclass(frozen=True)
    class Record:
        name: str

        def __hash__(self) -> int:
            return 7

    assert hash(Record("a")) == 7 and Record("a") == Record("a") != Record("b")


def test_the_command_imports_nothing_that_takes_long() -> None:
    code = (
        "import sys; before = {*sys.modules}\n"
        "from gradc.cli import main\n"
        "main(['compile', '-e', 'x*sin(y) + log(1 + exp(z))'])\n"
        "print(*({*sys.modules} - before), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "gradc.fields" in done.stderr.split()
    assert not HEAVY & {*done.stderr.split()}
