"""Extensions of CPython: the C file with a wrapper in it, built by the system's compiler.

Each function of an extension has that of Python behind it, which runs where anything is
out of the ordinary: a keyword, an argument that is neither a number nor an array of
floats, a result that is not finite, or an exception of IEEE arithmetic on the way, for
which Python raises. So all means the same whether there is a compiler or not.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

from gradc.arrays import leaves, shape_of
from gradc.errors import GradcError, mistake
from gradc.functions import DOCS, Function, Layout
from gradc.ops import BOTTOM, TOP
from gradc.spelling import C
from gradc.targets.c import Plain, Source, named
from gradc.targets.blocks import Blocks
from gradc.targets.columns import Loop
from gradc.targets.kernels import ROWS, looped
from gradc.targets.names import pages
from gradc.targets.origin import Origin
from gradc.targets.printer import filled

LEVELS = "-O2", "-Og"  # of a function, and of one in pieces, which is as fast
FLAGS = "-DNDEBUG -fno-plt -fPIC -shared -fvisibility=hidden -ffp-contract=off -fno-math-errno"
GCC = "-fno-tree-sink"  # which others do not know
SIMD = f"-O3 -march=native -fopenmp-simd {GCC} -DGRADC_SIMD"  # of columns
BLOCK = 131_072  # rows at a time, in which nothing is kept
LARGE = 4096  # doubles that do not stand on the stack
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
_KINDS = {  # how a loop takes a column, a number, a list, and what it fills
    **{"r": "const double *{0}s = x[{1}];", "n": "double {0} = *x[{1}];"},
    **{"l": "const double *{0} = x[{1}];"},
    **dict.fromkeys("gw", "double *{0} = x[{1}];"),
}
_OVER = """static PyObject *over_wrapped(
    PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    return over(every, self, args, n, names);
}"""
_TAIL = '''

def _use_native() -> None:
    """Take the functions of the extension of {name}.c, if it is there and of this formula."""
    from importlib import import_module

    try:
        native = import_module(f"{{__package__}}._{name}" if __package__ else "_{name}")
    except ImportError:
        return
    if getattr(native, "DIGEST", "") == "{digest}":
        globals().update(native.functions(globals()))


_use_native()
'''


def tail(source: Source) -> str:
    """What stands at the end of a module, so that it takes the functions of an extension."""
    return _TAIL.format(name=source.prefix, digest=source.digest)


def text(source: Source) -> str:
    """The C file with a wrapper in it, for the extension with an underscore before."""
    around = Path(__file__).with_suffix(".c").read_text(encoding="utf-8")
    before, ends = around.partition("\n\n")[2].split("\n// Behind the wrappers.\n")
    lines = ["", "#ifdef GRADC_PYTHON", before]
    table, is_columnar = [], source.is_columnar
    is_asked = source.origin.outside in ("nan", "inf")  # for the value, by products
    for one in [x for x in source.made if isinstance(x, Plain)]:
        if is_asked and one.page.function.vector is not None:
            continue
        lines += [*_wrapped(source.prefix, one), ""]
        doc = f"Return {DOCS[one.name].format(kind=source.origin.kind)}"
        takes = ", ".join(name for name, *_ in one.page.function.arguments())
        doc = f"{one.name}({takes})\\n--\\n\\n{doc}"
        name, flags = f"{one.name}_wrapped", "METH_FASTCALL | METH_KEYWORDS"
        table.append(f'    {{"{one.name}", CODE({name}), {flags},\n     "{doc}"}},')
    loops = dict[str, list[str]]()
    for function in source.functions if is_columnar else ():
        loops |= _Rows(function, source.reserved, source.origin).made
    for name, made in loops.items():
        lines += made
        called = f"{name.lstrip('_')}_wrapped"
        table.append(f'    {{"{name}", CODE({called}), METH_FASTCALL, NULL}},')
    if loops:
        rows = ", ".join([*[f"&{name.lstrip('_')}_rows" for name in loops], "NULL"])
        lines += [*filled(f"static const Rows *const every[] = {{{rows}}};"), ""]
        lines += [*_OVER.split("\n"), ""]
        flags = "METH_FASTCALL | METH_KEYWORDS"
        table.append(f'    {{"over", CODE(over_wrapped), {flags}, NULL}},')
    table = ["static PyMethodDef wrapped[] = {", *table, "    {NULL, NULL, 0, NULL},"]
    name = f"_{source.prefix}"
    init = f"_{name}" if name.isascii() else f"U_{name.encode('punycode').decode()}"
    told = {"NAME": f'"{name}"', "INIT": f"PyInit{init.replace('-', '_')}"}
    told |= {"DIGEST": f'"{source.digest}"', "BLOCK": str(BLOCK * is_columnar)}
    named = [f"#define {name} {value}" for name, value in told.items()]
    lines[2:2] = [*named, ""]
    return source.text([*lines, *table, "};", "", ends.rstrip()])


class _Rows(Blocks):
    """The loops of a function over columns, which take the places of those in NumPy."""

    words = (*Blocks.words, *C.reserved, "x", "sums", "n_rows")

    def __init__(self, function: Function, own: set[str], origin: Origin) -> None:
        super().__init__(function, own, origin)
        self.made: dict[str, list[str]] = {}  # by their names
        for _ in self.lines():
            pass

    def loop(self, loop: Loop) -> list[str]:
        found, part, split = super().loop(loop), loop.part, self.split
        if part.states or split.program.operations & {TOP, BOTTOM}:
            return found  # where rows are compared they are computed in one way
        inputs, named = part.program.inputs, split.names
        given = [("r", i.name) for i in inputs if i.rows] or [("r", "")]
        numbers = [i for i in inputs if i.name in loop.numbers]
        given += [("l" if i.kind == "list" else "n", i.name) for i in numbers]
        given += [("g", x) for x in loop.groups] + [("w", x) for x in loop.filled]
        pairs = enumerate(given)
        declared = [_KINDS[kind].format(x, k) for k, (kind, x) in pairs if x]
        kinds = "".join([kind for kind, _ in given])
        places = zip(part.roots, loop.filled)
        targets = {(i, part.length): [f"{x}[{{}}]"] for i, x in places}
        targets |= {(i, split.rows[i]): [f"{named[i]}[{{}}]"] for i in part.sums}
        layout = [*range(len(part.program.outputs))]
        own = self.taken - {item.name for item in inputs}
        page = next(pages([Function(self.name, part.program, layout)], own, ROWS))
        reads = {i.name: f"double {i.name} = {i.name}s[k];" for i in inputs if i.rows}
        head = "    for (size_t k = 0; k < n_rows; k++) {"
        sums = [f"    sums[{k}] = {x};" for k, x in enumerate(loop.sums)]
        name = loop.name.lstrip("_")
        self.made[loop.name] = [
            f"static void {name}_loop(size_t n_rows, double *const *x, double *sums) {{",
            *[f"    {text}" for text in declared],
            *looped(split, part, page, targets, reads, head),
            *(sums or ["    (void)sums;"]),
            "}",
            "",
            f"static PyObject *{name}_wrapped(",
            "    PyObject *self, PyObject *const *args, Py_ssize_t n);",
            f"static const Rows {name}_rows = {{",
            f'    CODE({name}_wrapped), "{kinds}", {name}_loop, {len(sums)}}};',
            f"static PyObject *{name}_wrapped(",
            "    PyObject *self, PyObject *const *args, Py_ssize_t n) {",
            f"    return looped(self, args, n, &{name}_rows);",
            "}",
            "",
        ]
        return found


def _wrapped(prefix: str, one: Plain) -> Iterator[str]:
    """The lines of what Python calls."""
    function = one.page.function
    given = [own for *_, own in function.arguments()]
    called, declared, tests, total = list[str](), list[str](), list[str](), 0
    for k, own in enumerate(given):
        size = 0 if isinstance(own, str) else len([*leaves(own)])
        declared.append(_declared(f"a{k}", size))
        tests += _taken(own, f"args[{k}]", f"a{k}", 0)
        called.append(f"a{k}")
    for k, (_, outputs) in enumerate(one.parts):
        if outputs and (k or not one.is_number):
            called.append(f"found + {total}")
        total += len(outputs)
    call = f"{prefix}_{one.name}({', '.join(called)});"
    declared.append(_declared("found", max(total, 1)))
    yield f"static PyObject *{one.name}_wrapped("
    yield "    PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {"
    yield from declared
    yield from filled(
        f"    if ({' && '.join([f'n == {len(given)} && !names', *tests])}) {{", " " * 8
    )
    yield from filled(f"        {'found[0] = ' * one.is_number}{call}", " " * 12)
    yield f"        if (fine(found, {total}))"
    made = _built(function.layout, 0)
    yield from filled(f"            return {made};", " " * 16)
    yield "    }"
    yield "    return PyErr_Occurred() ? NULL : PyObject_Vectorcall(self, args, n, names);"
    yield "}"


def _declared(name: str, size: int) -> str:
    """The declaration of some doubles, of many not on the stack."""
    word = "static _Thread_local " * (size > LARGE)
    return f"    {word}double {name}{f'[{size}]' * bool(size)};"


def _taken(own: Any, given: str, name: str, at: int) -> Iterator[str]:
    """Conditions that take an argument, an array or several of these."""
    if isinstance(own, str):
        place = f"&{name}" if given[:4] == "args" else f"{name} + {at}"
        yield f"number({given}, {place})"
    elif shape := shape_of(own):
        sizes = ", ".join(map(str, shape))
        sizes = f"(const Py_ssize_t[]){{{sizes}}}"
        yield f"array({given}, {name} + {at}, {len(shape)}, {sizes})"
    else:
        for k, inner in enumerate(own):
            yield from _taken(inner, f"part({given}, {k}, {len(own)})", name, at)
            at += len([*leaves(inner)])


def _built(layout: Layout, at: int) -> str:
    """An expression for what is returned, from the doubles behind so many."""
    if isinstance(layout, int):
        return f"PyFloat_FromDouble(found[{at}])"
    if all(isinstance(part, int) for part in layout):
        return f"floats(found + {at}, {len(layout)})"
    parts = []
    for part in layout:
        parts.append(_built(part, at))
        at += len([*leaves(part)])
    return f"tuple({len(parts)}, (PyObject *[]){{{', '.join(parts)}}})"


def compiler() -> list[str]:
    """The words that call the C compiler; none if there is none."""
    named = os.environ.get("CC")
    for text in [named] if named else [sysconfig.get_config_var("CC") or "cc", "cc"]:
        with suppress(IndexError, ValueError):  # of no words, and of open quotes
            if shutil.which((words := shlex.split(text))[0]):
                return words
    return []


def build(text: str, name: str, target: str | os.PathLike[str]) -> None:
    """Compile the text of a C file to an extension, which is there whole or not at all.

    Raises:
        GradcError: there is no C compiler, or it refuses.
    """
    if not (words := compiler()):
        raise mistake("compiler_missing", name)
    mac = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    include = sysconfig.get_paths()["include"]
    level = SIMD if "GRADC_ROWS" in text else LEVELS["GRADC_APART" in text]
    made = Path(f"{os.fspath(target)}.{os.urandom(4).hex()}")
    piped: Any = {"capture_output": True, "encoding": "utf-8", "errors": "replace"}
    piped["input"] = f"#line 1 {json.dumps(name, ensure_ascii=False)}\n{text}"
    try:
        own = shlex.split(os.environ.get("CFLAGS", ""))
        words += [*level.split(), *FLAGS.split(), *own, *mac, "-DGRADC_PYTHON"]
        words += [f"-I{include}", "-x", "c", "-", "-o", str(made), "-lm"]
        made.touch()  # where nothing can be written, that is told
        done = subprocess.run(words, **piped)
        if done.returncode and GCC in words:
            done = subprocess.run([x for x in words if x != GCC], **piped)
        said = [x for x in done.stderr.split("\n") if "error" in x]
        if done.returncode == 0 and made.stat().st_size:
            os.replace(made, target)
            return
    except (OSError, ValueError) as error:
        said = [str(error)]
    finally:
        made.unlink(missing_ok=True)
    raise mistake(
        "compiler_refuses", name, said=said[0] if said else "nothing is built"
    )


def built(module: str) -> str:
    """Build the extension beside a module that was written, and tell of it."""
    folder, stem = os.path.split(os.path.splitext(module)[0])
    target = os.path.join(folder, f"_{named(stem)}{SUFFIX}")
    source = f"{os.path.join(folder, stem)}.c"
    try:
        build(Path(source).read_text(encoding="utf-8"), source, target)
    except GradcError as error:
        return f"note: {error}; {module} works alone"
    return f"built {target}"


def cache() -> Path:
    """The directory of what is built for `gradc.compile`."""
    if own := os.environ.get("GRADC_CACHE"):
        return Path(own)
    home = Path.home()
    plain = {"darwin": home / "Library/Caches", "win32": home / "AppData/Local"}
    base = os.environ.get("XDG_CACHE_HOME") or plain.get(sys.platform, home / ".cache")
    return Path(base) / "gradc"


def processor() -> str:
    """What tells this processor from others that may have the same cache."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    return next((x for x in text.split("\n") if x.startswith("flags")), "")


def cached(source: Source) -> Any:
    """The extension of a source, built in the cache if it is not there.

    Its name depends on all that it is built of, so that who finds it may take it.
    """
    code, words = text(source), compiler()
    where = shutil.which(words[0]) if words else None
    age = os.stat(where).st_mtime_ns if where else 0
    told = [code, *words, str(age), *LEVELS, SIMD, FLAGS, SUFFIX, processor()]
    told.append(os.environ.get("CFLAGS", ""))
    name = sha256("\0".join(told).encode()).hexdigest()[:32]
    target = cache() / f"{name}{SUFFIX}"
    with suppress(ImportError):  # nothing is there, or what somebody has damaged
        return loaded(f"_{source.prefix}", target)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    build(code, "formula.c", target)
    return loaded(f"_{source.prefix}", target)


def loaded(name: str, target: Path) -> Any:
    """An extension from its file."""
    loader = ExtensionFileLoader(name, str(target))
    module = module_from_spec(ModuleSpec(name, loader, origin=str(target)))
    loader.exec_module(module)
    return module
