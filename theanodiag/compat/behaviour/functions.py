"""Compiled functions with Theano's interface: default values, state and outputs by name, and Theano's errors for wrong arguments."""

import contextlib
import copy
import copyreg
import gc
import sys
import traceback
import warnings
from contextlib import contextmanager
from functools import wraps
from typing import Any, Dict, Iterator, List, Tuple

import numpy
import pytensor
from pytensor.compile import executor
from pytensor.compile.debug import debugmode
from pytensor.compile.executor import DUPLICATE, Function
from pytensor.compile.io import In, SymbolicInput
from pytensor.compile.maker import FunctionMaker
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Constant, Variable, clone
from pytensor.graph.utils import get_variable_trace_string
from pytensor.link.basic import Container

from ..errors import is_users
from ..framework import call_listeners
from . import modes, progress


class Values:
    """Values of a function's inputs, or their containers, by position, name or Variable. Raises TypeError for an
    unknown or ambiguous key."""

    def __init__(self, function: "LegacyFunction", containers: bool = False) -> None:
        self._function = function
        self._containers = containers

    def _find(self, item: Any, unknown: str) -> Any:
        entry = self._function._finder.get(item)
        if entry is None:
            raise TypeError("Unknown input or state: %s%s" % (item, unknown))
        if entry is DUPLICATE:
            raise TypeError("Ambiguous name: %s - please check the names of the inputs of your function for duplicates." % (item,))
        return entry

    def __getitem__(self, item: Any) -> Any:
        container = self._find(item, "")
        return container if self._containers else container.value

    def __setitem__(self, item: Any, value: Any) -> None:
        f = self._function
        container = self._find(item, ". " + Function._get_info_on_inputs(f._named_inputs, f._n_unnamed_inputs))
        container.value = value
        container.provided += 1

    def __contains__(self, item: Any) -> bool:
        return item in self._function._finder


class LegacyFunction(Function):
    """PyTensor's compiled function with default values of inputs, outputs by name and Theano's attributes."""

    output_keys: Any = None
    """Names of the outputs if the caller gave a dict, else None."""
    _in_c: Any = None
    """Compiles the same function in C; set if JAX was chosen automatically and may fail to run it."""
    _shared: Any = None
    """Storage of the shared variables and of the state that a function outside JAX reads; None until its first call."""
    _called: bool = False
    """Whether the function was called; JAX, numba and PyTorch compile it in its first call."""
    _kept: Any = ()
    """Containers whose value is restored after each call, because `copy` deleted their updates."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.defaults: List[Tuple[bool, bool, Any]] = []
        for given, container in zip(self.maker.expanded_inputs, self.input_storage):
            value = given.value if isinstance(given, In) else None
            fixed = isinstance(value, (Container, SharedVariable))
            if value is not None and not fixed:
                if container.storage[0] is value:
                    container.value = value  # through the type's filter
            self.defaults.append((value is None, value is not None and not fixed and given.update is None, None if fixed else value))
        self._refeeds = any(refeed for _, refeed, _ in self.defaults)

    fn = property(lambda self: self.vm)
    """Theano's name of PyTensor's `vm`: what runs the graph."""
    finder = property(lambda self: self._finder)
    """Mapping: position, name or Variable of an input -> its container."""
    inv_finder = property(lambda self: self._inv_finder)
    """Mapping: container -> its input."""
    value = property(lambda self: Values(self))
    """Values of the inputs, by position, name or Variable."""
    container = property(lambda self: Values(self, True))
    """Containers of the inputs, by position, name or Variable."""
    n_returned_outputs = property(lambda self: self._n_returned_outputs)
    """Number of outputs that a call returns, without updates."""
    nodes_with_inner_function = property(lambda self: self._nodes_with_inner_function)
    """Nodes whose Op has an inner compiled function."""
    indices = property(lambda self: [(given, None, [given]) for given in self.maker.inputs])
    """For each input (the input, None, [the input]), as in Theano."""

    @property
    def _check_for_aliased_inputs(self) -> bool:
        return any(isinstance(i, In) and not i.shared and (i.borrow or i.mutable) for i in self.maker.inputs)

    def __contains__(self, item: Any) -> bool:
        return item in self.value

    def __getitem__(self, item: Any) -> Any:
        return self.value[item]

    def __setitem__(self, item: Any, value: Any) -> None:
        self.value[item] = value

    def _restore(self) -> None:
        """Restores the default values of inputs that have one."""
        for (_, refeed, value), container in zip(self.defaults, self.input_storage):
            if refeed:
                container.value = value

    def _take_from_jax(self) -> None:
        """Converts what a function in JAX left in a shared variable or as state to a numpy array, in a function of another mode.

        C code of Ops that do not check their inputs (Shape_i, DimShuffle) would read a JAX array as if it were numpy's.
        """
        jax = sys.modules.get("jax")
        if jax is None:
            return
        if self._shared is None:
            outside = type(self.maker.linker).__name__ != "JAXLinker"
            self._shared = [
                c.storage for c, i in zip(self.input_storage, self.maker.inputs) if outside and (i.shared or i.update is not None)
            ]
        for storage in self._shared:
            if isinstance(storage[0], jax.Array):
                storage[0] = numpy.array(storage[0])

    def _add_note_to_invalid_argument_exception(self, e: Any, arg_container: Any, arg: Any) -> None:
        i = self.input_storage.index(arg_container)
        function = "theano function" + (' with name "%s"' % self.name if self.name else "")
        argument = "argument" + (' with name "%s"' % arg.name if getattr(arg, "name", None) else "")
        where = get_variable_trace_string(self.maker.inputs[i].variable)
        start = "Bad input %s to %s at index %d (0-based). %s" % (argument, function, i, where)
        e.args = (start + str(e.args[0]),) if len(e.args) == 1 else (start, *e.args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        subset = kwargs.pop("output_subset", None)
        for listener in call_listeners:
            listener(self, args, kwargs)
        kept = [(c, c.storage[0]) for c in self._kept]
        for container, value in kept:
            container.storage[0] = copy.deepcopy(value)
        absent = [(c, c.type) for c, arg in zip(self.input_storage, args) if arg is None]
        for container, _ in absent:
            container.type = _NOTHING
        self._take_from_jax()
        try:
            with contextlib.nullcontext() if self._called else self._first_call():
                out = super().__call__(*args, **kwargs) if self._in_c is None else modes.call(self, super().__call__, args, kwargs)
        finally:
            for container, kind in absent:
                container.type = kind
            for container, value in kept:
                container.storage[0] = value
            if self._refeeds:
                self._restore()
        if self.output_keys is not None:
            named = dict(zip(self.output_keys, out))
            return named if subset is None else {key: named[key] for key in subset}
        if subset is None:
            return out
        listed = [out] if self.unpack_single else out
        return [listed[i] for i in subset]

    def _first_call(self) -> Any:
        """A context for the first call, which is reported if it takes long; nothing for functions that were compiled before it."""
        self._called = True
        compiler = progress.compiler(self.maker.linker)
        if compiler not in progress.COMPILERS.values():
            return contextlib.nullcontext()
        doing = "the first call of {}, in which {} compiles it".format(self.name or "a function", compiler)
        return progress.report_if_long(doing, self.maker.linker, lambda: len(self.maker.fgraph.apply_nodes))

    def copy(
        self, share_memory: bool = False, swap: Any = None, delete_updates: bool = False, name: Any = None, profile: Any = None
    ) -> Any:
        """Returns a copy of the function, whose outputs are returned as a list; arguments as in Theano."""
        kept = self._destroyed_updates() if delete_updates else []
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Shared variable .* will still be mutated", UserWarning)
            duplicate = super().copy(share_memory, swap, delete_updates, name, profile)
        duplicate._kept = [duplicate.input_storage[i] for i in kept]
        duplicate.profile = duplicate.profile or None
        duplicate.output_keys = self.output_keys
        if str(sys._getframe(1).f_globals.get("__name__")).partition(".")[0] != "pymc":  # whose samplers read a single value
            duplicate.unpack_single = False  # a copy gives a list, as in Theano
        for given, container in zip(duplicate.maker.inputs, duplicate.input_storage):
            value = getattr(given, "value", None)
            if value is not None and not isinstance(value, (Container, SharedVariable)) and container.storage[0] is None:
                container.value = value
        return duplicate

    def _destroyed_updates(self) -> List[int]:
        """Positions of updated inputs whose memory a node overwrites with the new value."""
        graph = self.maker.fgraph
        if not hasattr(graph, "destroyers"):
            return []
        return [i for i in graph.update_mapping.values() if graph.destroyers(graph.inputs[i])]

    def sync_shared(self) -> None:
        """Does nothing: values of shared variables are on the CPU."""


class _Nothing:
    """Replaces an input's type while None is passed for it, which Theano accepted for any type (`T.default` needs it)."""

    def filter(self, data: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
        """Returns `data` unchanged."""
        return data


_NOTHING = _Nothing()


def _pickle(f: LegacyFunction) -> Any:
    _, (maker, storage, data, trust) = executor._pickle_Function(f)
    return _unpickle, (maker, storage, data, trust, f.output_keys, f.name)


def _unpickle(maker: Any, storage: Any, data: Any, trust: bool, output_keys: Any, name: Any) -> Any:
    fn = executor._constructor_Function(maker, storage, data, trust)
    if fn is not None:
        fn.output_keys, fn.name = output_keys, name
    return fn


def _init_in(
    self: Any, variable: Any, name: Any = None, value: Any = None, update: Any = None, mutable: Any = None, strict: bool = False,
    allow_downcast: Any = None, autoname: bool = True, implicit: Any = None, borrow: Any = None, shared: bool = False,
) -> None:  # fmt: skip
    """`In.__init__` with Theano's arguments; `value` is the default that a call without that argument uses."""
    self.shared = shared
    self.borrow = mutable if borrow is None else borrow
    if mutable and not self.borrow:
        raise AssertionError(
            "Symbolic input for variable %s (name=%s) has flags mutable=True, borrow=False. This combination is incompatible since "
            "mutable=True implies that the input variable may be both aliased (borrow=True) and overwritten." % (variable, name),
            variable,
            name,
        )
    if implicit is None:
        implicit = isinstance(value, (Container, SharedVariable))
    if update is not None and update.type != variable.type:
        converted = variable.type.filter_variable(update, allow_convert=True) if variable.type.ndim == update.type.ndim else update
        update = converted
    SymbolicInput.__init__(self, variable, name, update, mutable, strict, allow_downcast, autoname, implicit)
    self.value = value
    if self.implicit and value is None:
        raise TypeError("An implicit input must be given a default value")


class Param(In):
    """`theano.Param` of Theano 0.6 to 0.8: an input with a default value."""

    def __init__(
        self, variable: Any, default: Any = None, name: Any = None, mutable: bool = False, strict: bool = False,
        allow_downcast: Any = None, implicit: Any = None, borrow: Any = None,
    ) -> None:  # fmt: skip
        _init_in(self, variable, name, default, None, mutable, strict, allow_downcast, True, implicit, borrow)


def convert_function_input(input: Any) -> Any:
    """Converts a Variable or a tuple to an In: (variable, value), (name, variable, value), or ((variable, update), value).

    Raises TypeError for other inputs.
    """
    if isinstance(input, SymbolicInput):
        return input
    if isinstance(input, Constant):
        raise TypeError("A Constant instance is not a legal function input", input)
    if isinstance(input, Variable):
        return In(input)
    if not isinstance(input, (list, tuple)):
        raise TypeError("Unknown input type: %s, expected Variable instance" % type(input), input)
    if not input:
        raise TypeError("Nonsensical input specification: %s" % (input,))
    name, rest = (input[0], list(input[1:])) if isinstance(input[0], str) else (None, list(input))
    wrong = TypeError("Invalid input syntax: %s (check documentation or use an In instance)" % (input,))
    update = value = None
    if isinstance(rest[0], (list, tuple)):
        if len(rest[0]) != 2 or len(rest) != 2:
            raise wrong
        (variable, update), value = rest
    elif isinstance(rest[0], Variable):
        if len(rest) > 2:
            raise wrong
        variable, value = rest if len(rest) == 2 else (rest[0], None)
    elif isinstance(rest[0], SymbolicInput):
        if len(rest) == 2:
            given, given.value = rest[0], rest[1]
            given.name = given.name if name is None else name
        return rest[0]
    else:
        raise TypeError("The input specification is not valid: %s" % (input,))
    if not isinstance(variable, Variable):
        raise TypeError("Unknown input type: %s, expected Variable instance" % type(variable), variable)
    if update is not None and not isinstance(update, Variable):
        raise TypeError("Unknown update type: %s, expected Variable instance" % type(update), update)
    if isinstance(value, (Variable, SymbolicInput)):
        raise TypeError("The value for input %s should not be a Variable or SymbolicInput instance (got: %s)" % (variable, value))
    return In(variable, name=name, value=value, update=update)


def _keys(outputs: Dict[Any, Any]) -> List[str]:
    """Names of the outputs, sorted: the order in which they are computed."""
    for key in outputs:
        assert isinstance(key, str), "Dictionary keys must be strings"
    return sorted(outputs)


def _caller() -> str:
    """`file:line` in the user's script that creates the function; empty if unknown."""
    for frame in reversed(traceback.extract_stack()[:-2]):
        if is_users(frame.filename):
            return "%s:%s" % (frame.filename, frame.lineno)
    return ""


def function(
    inputs: Any, outputs: Any = None, mode: Any = None, updates: Any = None, givens: Any = None, no_default_updates: Any = False,
    accept_inplace: bool = False, name: Any = None, rebuild_strict: bool = True, allow_input_downcast: Any = None, profile: Any = None,
    on_unused_input: Any = None, trust_input: bool = False,
) -> Any:  # fmt: skip
    """`theano.function`: outputs may be a dict, inputs tuples and In instances with default values; errors as in Theano."""
    output_keys = None
    if isinstance(outputs, dict):
        output_keys = _keys(outputs)
        outputs = [outputs[key] for key in output_keys]
    if not isinstance(inputs, (list, tuple)):
        raise Exception("Input variables of a Theano function should be contained in a list, even when there is a single input.")
    if not isinstance(no_default_updates, (bool, list)):
        raise TypeError("no_default_update should be either a boolean or a list")
    if isinstance(mode, (list, tuple)):
        raise Exception("We do not support the passing of multiple modes")
    updates = _pairs(updates, "The updates parameter must be an OrderedDict/dict or a list of lists/tuples with 2 elements")
    givens = _pairs(givens, "The givens parameter must be a dict or a list of lists/tuples with 2 elements")
    if any(isinstance(i, (list, tuple)) for i in inputs):
        if profile:
            raise NotImplementedError("profiling not supported in old-style function")
        if updates or givens:
            raise NotImplementedError("In() instances and tuple inputs trigger the old semantics, which disallow using updates and givens")
        inputs = [convert_function_input(i) for i in inputs]
    kwargs = {"no_default_updates": no_default_updates} if no_default_updates else {}

    def compiled(mode: Any) -> Any:
        return pytensor.function(
            list(inputs), outputs, mode=mode, updates=updates, givens=givens, accept_inplace=accept_inplace, name=name,
            rebuild_strict=rebuild_strict, allow_input_downcast=allow_input_downcast, profile=profile, on_unused_input=on_unused_input,
            **kwargs,
        )  # fmt: skip

    name = name or _caller()
    computed = [v for v in (*(outputs if isinstance(outputs, (list, tuple)) else [outputs]), *(new for _, new in updates)) if v is not None]
    with warnings.catch_warnings(), pytensor.config.change_flags(compute_test_value="off"), _few_full_collections():
        warnings.filterwarnings("ignore", "The no_default_updates parameter", DeprecationWarning)
        linker = pytensor.compile.mode.get_mode(mode).linker
        doing = "compiling {} with {}".format(name or "a function", progress.compiler(linker))
        with progress.report_if_long(doing, linker, lambda: progress.count(computed)):
            fn = modes.first_that_can(compiled) if mode is None and modes.automatic() else compiled(mode)
    fn.output_keys = output_keys
    fn.trust_input = trust_input
    return fn


@contextmanager
def _few_full_collections() -> Iterator[None]:
    """Makes the garbage collector go through the whole heap a tenth as often in the block.

    Rewriting a graph makes many objects that live on, and each full collection also visits those of the imported libraries: a third of the
    processor time that compiling a recurrent net took.
    """
    before = gc.get_threshold()
    if before[2]:
        gc.set_threshold(before[0], before[1], 10 * before[2])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _pairs(given: Any, wrong: str) -> List[Tuple[Any, Any]]:
    """The pairs of a mapping or an iterable of pairs. Raises ValueError with the message `wrong` for a single pair."""
    if given is None:
        return []
    pairs = list(given.items()) if hasattr(given, "items") else list(given)
    if any(isinstance(pair, Variable) for pair in pairs):
        raise ValueError(wrong)
    return [(pair[0], pair[1]) for pair in pairs]


def pfunc(
    params: Any, outputs: Any = None, mode: Any = None, updates: Any = None, givens: Any = None, no_default_updates: Any = False,
    accept_inplace: bool = False, name: Any = None, rebuild_strict: bool = True, allow_input_downcast: Any = None, profile: Any = None,
    on_unused_input: Any = None, output_keys: Any = None,
) -> Any:  # fmt: skip
    """`theano.compile.pfunc.pfunc`: `function` with its first argument named `params`."""
    fn = function(
        params, outputs, mode, updates, givens, no_default_updates, accept_inplace, name, rebuild_strict, allow_input_downcast, profile,
        on_unused_input,
    )  # fmt: skip
    fn.output_keys = output_keys or fn.output_keys
    return fn


def orig_function(
    inputs: Any, outputs: Any, mode: Any = None, accept_inplace: bool = False, name: Any = None, profile: Any = None,
    on_unused_input: Any = None, output_keys: Any = None,
) -> Any:  # fmt: skip
    """`theano.compile.orig_function`: `function` without updates and givens, for In instances or tuples."""
    inputs = [convert_function_input(i) for i in inputs]
    fn = pytensor.compile.mode.get_mode(mode).function_maker(
        inputs, outputs, mode, accept_inplace=accept_inplace, profile=profile, on_unused_input=on_unused_input, name=name
    )
    f = fn.create()
    f.output_keys = output_keys
    return f


def _with_legacy_function(plain: Any) -> Any:
    """Wraps the constructor of a function maker so that its functions are LegacyFunctions by default."""

    @wraps(plain)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) < 5 and kwargs.get("function_class", Function) is Function:
            kwargs["function_class"] = LegacyFunction
        if call_listeners:
            self.before_rewrites = _copied(*args[:2])
        plain(self, *args, **kwargs)

    return __init__


def _copied(inputs: Any, outputs: Any) -> Any:
    """(variables of `inputs`, of `outputs`) of a copy of the graph between them, so that rewriting does not change the copy."""
    given = [i.variable for i in inputs]
    listed = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return given, clone(given, [getattr(out, "variable", out) for out in listed if out is not None], copy_inputs=False)[1]


def apply(origin: str) -> None:
    """Makes every function compiled from now on a LegacyFunction, and makes In accept Theano's arguments.

    Registers the RandomState type with `shared` immediately, and Ops with JAX, numba or PyTorch when that back-end first compiles a
    function.
    """
    from ..backends import load_when_used
    from ..random import streams  # noqa: F401  # the import registers it

    load_when_used()
    In.__init__ = _init_in
    for maker in (FunctionMaker, debugmode._Maker):
        maker.__init__ = _with_legacy_function(maker.__init__)
    copyreg.pickle(LegacyFunction, _pickle)
