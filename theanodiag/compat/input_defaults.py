"""Functions whose inputs may have a default value, on unmodified PyTensor: ported sources import them for `In(x, value=...)`."""

from typing import Any, Dict, List, Mapping, Sequence

import pytensor
from pytensor.compile.io import In as PlainIn
from pytensor.compile.io import SymbolicInput
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.link.basic import Container


class In(PlainIn):
    """`theano.In`: `value` is used in calls without that argument. Used by `function` of this module."""

    def __init__(self, variable: Any, name: Any = None, value: Any = None, **options: Any) -> None:
        held = isinstance(value, (SharedVariable, Container))
        if value is not None and not held and options.get("update") is not None:
            raise NotImplementedError("an input with a value and an update: write a shared variable, and its update in updates=")
        super().__init__(variable, name=name, value=value if held else None, **options)
        self.default = None if held else value


class FunctionWithDefaults:
    """A compiled function with default values for omitted inputs; all other attributes are the function's own."""

    def __init__(self, function: Any, names: Sequence[Any], defaults: Mapping[int, Any]) -> None:
        self.function, self.names, self.defaults = function, tuple(names), dict(defaults)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs. As in Theano, None for an input with a default means the default."""
        given: List[Any] = [self.defaults.get(n) if arg is None else arg for n, arg in enumerate(args)]
        for number in range(len(args), len(self.names)):
            name = self.names[number]
            if name is not None and name in kwargs:
                given.append(kwargs.pop(name))
            elif number in self.defaults:
                given.append(self.defaults[number])
            else:
                raise TypeError("Missing required input: %s" % (name or "input %d" % number))
        return self.function(*given, **kwargs)

    def copy(self, *args: Any, **kwargs: Any) -> "FunctionWithDefaults":
        """Returns a copy of the function, with the same default values."""
        return FunctionWithDefaults(self.function.copy(*args, **kwargs), self.names, self.defaults)

    def __getattr__(self, name: str) -> Any:
        if name == "function" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return getattr(self.function, name)


def function(inputs: Any, outputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`pytensor.function`, whose inputs may be an `In` with a default value."""
    compiled = pytensor.function(inputs, outputs, *args, **kwargs)
    taken = [i for i in inputs if not (isinstance(i, SymbolicInput) and i.implicit)]
    defaults: Dict[int, Any] = {n: i.default for n, i in enumerate(taken) if isinstance(i, In) and i.default is not None}
    return FunctionWithDefaults(compiled, [i.name for i in taken], defaults) if defaults else compiled
