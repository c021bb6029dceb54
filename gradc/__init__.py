"""gradc compiles a formula to a plain Python module with its value and gradient.

Programs over `Value` compile as well: `trace` records what a Python function does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"  # before what prints it is imported

from gradc.compiler import Compiled, compile, compile_file, trace
from gradc.errors import DomainError, GradcError
from gradc.ops import OPS

if TYPE_CHECKING:
    from gradc import math, nn
    from gradc.fitting import fit
    from gradc.record import data, where
    from gradc.value import Value

__all__ = [
    "OPS",
    "Compiled",
    "DomainError",
    "GradcError",
    "Value",
    "__version__",
    "compile",
    "compile_file",
    "data",
    "fit",
    "math",
    "nn",
    "trace",
    "where",
]

_LATER = {"Value": "value", "data": "record", "fit": "fitting", "where": "record"}


def __getattr__(name: str) -> Any:
    """Import what only programs need when it is first asked for."""
    if name not in {"math", "nn", *_LATER}:
        raise AttributeError(f"module 'gradc' has no attribute '{name}'")
    module = import_module(f"gradc.{_LATER.get(name, name)}")
    found = globals()[name] = getattr(module, name, module)
    return found
