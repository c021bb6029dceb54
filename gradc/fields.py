"""Classes that are their fields, as those of `dataclasses`, at a tenth of the cost.

To import that module takes as long as a tenth of this package, and it writes and compiles
half a dozen methods for each class. Here classes share their methods, and only `__init__`
is compiled. `typing.NamedTuple` compiles all annotations, which nothing here asks for.
Type checkers are told that these are those of the library.
"""

from collections import namedtuple
from operator import attrgetter
from typing import TYPE_CHECKING

__all__ = ["NamedTuple", "dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import NamedTuple
else:

    class _Named(type):
        """Makes a tuple with names of a class with annotations."""

        def __new__(cls, name, bases, space):
            if not bases:
                return super().__new__(cls, name, bases, space)
            names = space.get("__annotations__")
            if names is None:  # Python 3.14 finds them when it is asked
                names = super().__new__(cls, name, bases, {**space}).__annotations__
            defaults = [space.pop(field) for field in names if field in space]
            module = space["__module__"]
            found = namedtuple(name, names, defaults=defaults, module=module)
            for key, value in space.items():
                if key != "__slots__":
                    setattr(found, key, value)
            return found

    class NamedTuple(metaclass=_Named):
        """The base of such a class, of which nothing is left in it."""

    def dataclass(given=None, /, **options):
        """Make a class of its fields, as `_made` with the options."""
        return _made(given) if given else lambda cls: _made(cls, **options)

    def field(*, default_factory):
        """The default of a field that is made anew for each instance."""
        return _Factory(default_factory)

    def replace(record, /, **changes):
        """A copy with other values of some fields."""
        values = {name: getattr(record, name) for name in record.__fields__}
        return record.__class__(**{**values, **changes})

    def _made(cls, *, frozen=False, eq=True, repr=True, slots=False):
        names = tuple(cls.__annotations__)
        given = {name: vars(cls)[name] for name in names if name in vars(cls)}
        methods = {"__fields__": names, "__init__": _init(cls, names, given, frozen)}
        if repr:
            methods["__repr__"] = _repr
        if eq:
            methods["__values__"] = property(attrgetter(*names))
            methods["__eq__"] = _eq
            if "__hash__" not in vars(cls):
                methods["__hash__"] = _hash if frozen else None
        if frozen:
            methods["__setattr__"] = methods["__delattr__"] = _refuse
        if slots:
            absent = ("__dict__", "__weakref__", *names)
            kept = {k: v for k, v in vars(cls).items() if k not in absent}
            kept = {**kept, **methods, "__slots__": names}
            return type(cls)(cls.__name__, cls.__bases__, kept)
        for name, method in methods.items():
            setattr(cls, name, method)
        return cls

    def _init(cls, names, given, frozen):
        """The method that takes a value for each field, or the default."""
        params, lines = ["self"], ["_fields = self.__dict__"] if frozen else []
        for name in names:
            params.append(f"{name}=_given[{name!r}]" if name in given else name)
            value = name
            if isinstance(given.get(name), _Factory):
                value = f"{name}() if {name} is _given[{name!r}] else {name}"
            target = f"_fields[{name!r}]" if frozen else f"self.{name}"
            lines.append(f"{target} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        scope = {"_given": given}
        exec(f"def __init__({', '.join(params)}):\n " + "\n ".join(lines), scope)
        return scope["__init__"]

    class _Factory:
        def __init__(self, make):
            self.make = make

        def __call__(self):
            return self.make()

    def _repr(self):
        shown = [f"{name}={getattr(self, name)!r}" for name in self.__fields__]
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    def _eq(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self.__values__ == other.__values__

    def _hash(self):
        return hash(self.__values__)

    def _refuse(self, name, *value):
        raise AttributeError(f"cannot set or delete field {name!r}")
