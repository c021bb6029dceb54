"""Classes that are their fields, as those of `dataclasses`, at a tenth of the cost.

To import that module takes as long as a tenth of this package, and it writes and compiles
half a dozen methods for each class. Here classes share their methods, and only `__init__`
is compiled. `typing.NamedTuple` compiles all annotations, which nothing here asks for,
and `collections.namedtuple` the `__new__` of each class, which here is that of another
one with as many fields and has other names. Type checkers are told that these are those
of the library.
"""

from collections import namedtuple
from operator import attrgetter, itemgetter
from types import FunctionType
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
            names = (*names,)
            defaults = [space.pop(field) for field in names if field in space]
            made = {"_fields": names, "__match_args__": names, "__slots__": ()}
            made["__new__"] = _new(name, names, defaults)
            made |= {field: _getter(k) for k, field in enumerate(names)}
            return type(name, (tuple,), {**_METHODS, **space, **made})

    class NamedTuple(metaclass=_Named):
        """The base of such a class, of which nothing is left in it."""

    _Getter = type(namedtuple("_One", "x").x)  # what reads a field fastest
    _news = {}  # of classes with so many fields

    def _getter(k):
        """What reads field k."""
        if _Getter is property:
            return property(itemgetter(k))
        return _Getter(k, f"Field {k}")

    def _new(name, names, defaults):
        """The method that makes a tuple of a value for each field, or the default."""
        new = _news.get(len(names))
        if new is None:
            fields = ", ".join(f"field_{k}" for k in range(len(names)))
            source = f"lambda cls, {fields}: make(cls, ({fields},))"
            new = _news[len(names)] = eval(source, {"make": tuple.__new__})
        code = new.__code__.replace(co_varnames=("cls", *names), co_name="__new__")
        found = FunctionType(code, new.__globals__, "__new__", tuple(defaults))
        found.__qualname__ = f"{name}.__new__"
        return found

    def _replace(self, /, **changes):
        """A copy with other values of some fields."""
        values = [changes.pop(field, x) for field, x in zip(self._fields, self)]
        if changes:
            raise ValueError(f"no fields: {[*changes]}")
        return tuple.__new__(self.__class__, values)

    def _shown(self):
        shown = [f"{field}={x!r}" for field, x in zip(self._fields, self)]
        return f"{self.__class__.__name__}({', '.join(shown)})"

    def _arguments(self):
        return tuple(self)  # for copies and pickles

    _METHODS = {
        "_replace": _replace,
        "__repr__": _shown,
        "__getnewargs__": _arguments,
    }

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
