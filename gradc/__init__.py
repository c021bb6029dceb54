"""gradc compiles a formula to a plain Python module with its value and gradient."""

from typing import TYPE_CHECKING, Any

from gradc.compiler import Compiled, compile, compile_file
from gradc.errors import DomainError, GradcError
from gradc.ops import OPS
from gradc.version import __version__

if TYPE_CHECKING:
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
]


def __getattr__(name: str) -> Any:
    """Import the runtime engine when it is first asked for."""
    if name == "Value":
        from gradc.value import Value

        return Value
    raise AttributeError(f"module 'gradc' has no attribute '{name}'")
