"""Runs the C code of Ops that users wrote for Theano, with PyTensor's C back-end.

In Theano every Op may have C code; in PyTensor only subclasses of COp may. A class with Theano's `c_code` gets that base class, and its
methods are adapted: those that take the compiler, those that raise MethodNotDefined for "nothing", and C text that uses what Python 3 or
NumPy 2 removed. JAX and numba call such an Op as one opaque function, see Thunk.
"""

import contextlib
import functools
import inspect
import pickle
import re
import sys
import threading
from typing import Any, Callable, Dict, List, Tuple

import pytensor
from pytensor.graph.basic import Apply, Constant
from pytensor.graph.op import Op
from pytensor.graph.type import Type
from pytensor.graph.utils import MethodNotDefined
from pytensor.link.c.cmodule import GCC_compiler
from pytensor.link.c.exceptions import CompileError
from pytensor.link.c.interface import CLinkerOp, CLinkerType
from pytensor.link.c.op import COp, ExternalCOp
from pytensor.scalar.basic import ScalarInnerGraphOp, ScalarOp
from pytensor.tensor.elemwise import CAReduce, Elemwise
from pytensor.tensor.rewriting.basic import constant_folding

from ..errors import is_users, node_prefix
from ..notes import note

TAKES_COMPILER = ("c_headers", "c_header_dirs", "c_libraries", "c_lib_dirs", "c_compile_args", "c_no_compile_args")
"""Methods that Theano calls as `method(compiler)` or, where that fails, `method()`; PyTensor as `method(c_compiler=compiler)`."""
GIVES_LIST = (*TAKES_COMPILER, "c_init_code")
GIVES_TEXT = (
    "c_code", "c_code_cleanup", "c_support_code", "c_support_code_apply", "c_support_code_struct", "c_init_code_apply",
    "c_init_code_struct", "c_cleanup_code_struct",
)  # fmt: skip
scalars: List[type] = []
"""The classes of scalar Ops with the user's C code."""
registering: List[Callable[[type], None]] = []
"""What back-ends call for each further class of `scalars`."""
_OR_PERFORM = "or give it a `perform` in numpy"
PRELUDE = """
#ifndef THEANODIAG_LEGACY_C
#define THEANODIAG_LEGACY_C
#define theano_complex64 pytensor_complex64
#define theano_complex128 pytensor_complex128
#define THEANO_MACRO_MOD(x, y) (x % y)
#define THEANO_EXTERN PYTENSOR_EXTERN
{python2}
#ifndef NPY_ARRAY_UPDATEIFCOPY
#define NPY_ARRAY_UPDATEIFCOPY NPY_ARRAY_WRITEBACKIFCOPY
#endif
#if NPY_ABI_VERSION >= 0x02000000
static inline PyObject* theanodiag_from_dims(int nd, const int* d, int type) {{
  npy_intp dims[NPY_MAXDIMS];
  for (int i = 0; i < nd; i++) dims[i] = d[i];
  PyObject* made = PyArray_SimpleNew(nd, dims, type);
  if (made) memset(PyArray_DATA((PyArrayObject*) made), 0, PyArray_NBYTES((PyArrayObject*) made));
  return made;
}}
#define PyArray_FromDims(nd, d, type) theanodiag_from_dims(nd, d, type)
#define PyArray_MoveInto(to, from) PyArray_CopyInto(to, from)
#endif
#endif
"""
"""What C code of that time may use and PyTensor, NumPy 2 and Python 3 do not define: sources are Theano 1.0.5's theano_mod_helper.h and
scalar/basic.py, NumPy 2.0's release notes (C API changes) and numpy/npy_3kcompat.h of 1.16, whose names for Python 2 these are."""
_PYTHON2 = {
    "PyInt_": ("PyLong_", "Type Check CheckExact FromLong FromSsize_t FromSize_t AsLong AS_LONG AsSsize_t AsUnsignedLongMask FromString"),
    "PyString_": ("PyUnicode_", "Type Check CheckExact FromString FromStringAndSize FromFormat Format Concat"),
}
_OTHER = {"PyString_AsString": "PyUnicode_AsUTF8", "PyString_AS_STRING": "PyUnicode_AsUTF8", "PyNumber_Int": "PyNumber_Long"}


def _python2_names() -> str:
    names = {old + name: new + name for old, (new, rest) in _PYTHON2.items() for name in rest.split()}
    return "".join("#ifndef {0}\n#define {0} {1}\n#endif\n".format(*pair) for pair in {**names, **_OTHER}.items())


PRELUDE = PRELUDE.format(python2=_python2_names().replace("PyLong_AS_LONG", "PyLong_AsLong"))
_PLACE = r"(?:\w+|PyArray_DESCR\((?:[^()]|\([^()]*\))*\))"
_FIELDS = (
    (re.compile("(" + _PLACE + r")\s*->\s*elsize\b"), r"PyDataType_ELSIZE(\1)"),
    (re.compile("(" + _PLACE + r")\s*->\s*alignment\b"), r"PyDataType_ALIGNMENT(\1)"),
    (re.compile("(" + _PLACE + r")\s*->\s*f\s*->"), r"PyDataType_GetArrFuncs(\1)->"),
)
"""Fields of PyArray_Descr that NumPy 2 hides -> its functions for them."""


def current(text: Any) -> Any:
    """Replaces access to struct fields that NumPy 2 hides by function calls, in C text written for Theano. Returns other objects
    unchanged.
    """
    if isinstance(text, str):
        for pattern, by in _FIELDS:
            text = pattern.sub(by, text)
    return text


def _positional(function: Any) -> Tuple[int, bool]:
    """(number of positional parameters without `self`, whether `c_compiler` may be given by name)."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    by_name = any(p.kind is p.VAR_KEYWORD or p.name == "c_compiler" for p in parameters)
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters), by_name


def _for_compiler(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `function`, one of TAKES_COMPILER, so that Theano's and PyTensor's way of calling it both work."""
    count, by_name = _positional(function)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        compiler = args[0] if args else kwargs.get("c_compiler", GCC_compiler)
        if by_name:
            return function(self, c_compiler=compiler)
        return function(self, compiler) if count else function(self)

    return call


def _adapted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The user's method `name` in PyTensor's form: MethodNotDefined becomes an empty list or text, except for `c_code` itself."""
    call = _for_compiler(function) if name in TAKES_COMPILER else function

    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            code = call(self, *args, **kwargs)
        except MethodNotDefined:
            if name == "c_code":
                raise
            code = None
        if name in GIVES_LIST:
            return [current(part) for part in code or ()]
        parts = [current(part) for part in (code if isinstance(code, list) else [code or ""])]
        return "\n".join([PRELUDE, *parts] if name == "c_support_code" else parts)

    method.adapted_c = True  # type: ignore[attr-defined]
    return method


class LegacyCOp(COp):
    """Base class given to each of the user's Op classes that has C code."""

    def make_thunk(self, node: Any, storage_map: Any, compute_map: Any, no_recycling: Any, impl: Any = None) -> Any:
        """Returns a thunk of the Op's C code, as in Theano 1.0.5; of its `perform` if it has no C code or there is no compiler.

        An Op with only C code runs it in each mode. Raises MethodNotDefined for it without a compiler, and CompileError if the C code does
        not compile; if there is a `perform`, that runs instead, with a message.
        """
        if not _has_perform(self) and has_c(self):
            if not pytensor.config.cxx:
                raise MethodNotDefined(message(node, "it has only C code, and there is no C++ compiler: install g++, " + _OR_PERFORM))
            impl = "c"
        try:
            with contextlib.redirect_stdout(sys.stderr):  # PyTensor prints where it keeps code that does not compile
                return super().make_thunk(node, storage_map, compute_map, no_recycling, impl)
        except (CompileError, ImportError) as error:
            reason = "its C code does not compile: " + first_error(str(error))
            if impl == "c":
                raise CompileError(message(node, reason + "; correct that line, " + _OR_PERFORM)) from None
            note(message(node, reason + "; its `perform` runs instead"))
            return super().make_thunk(node, storage_map, compute_map, no_recycling, "py")

    def c_support_code(self, **kwargs: Any) -> str:
        """Returns definitions that legacy C code may use."""
        return PRELUDE


def _plain(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(super(LegacyCOp, self), name)(**kwargs)

    method.__name__, method.__doc__ = name, "PyTensor's own, which may be called with the compiler as its first argument."
    return method


for _name in TAKES_COMPILER:
    setattr(LegacyCOp, _name, _plain(_name))


class LegacyExternalCOp(LegacyCOp, ExternalCOp):
    """Theano's COp: C code from files, whose sections may be marked as THEANO_APPLY_CODE_SECTION."""

    backward_re = re.compile(r"^(?:THEANO|PYTENSOR)_(APPLY|SUPPORT)_CODE_SECTION$", re.MULTILINE)

    def load_c_code(self, func_files: Any) -> None:
        """Reads the sections of C code from the files."""
        super().load_c_code(func_files)
        self.code_sections: Dict[str, str] = {name: current(text) for name, text in self.code_sections.items()}

    def c_support_code(self, **kwargs: Any) -> str:
        """Returns definitions that legacy C code may use, followed by the section `support_code`."""
        return PRELUDE + ExternalCOp.c_support_code(self, **kwargs)


class HideC(CLinkerOp):
    """A mixin that hides an Op's C code, so that its `perform` runs."""

    def c_code(self, *args: Any, **kwargs: Any) -> str:
        """Raises MethodNotDefined, so that there is no C code."""
        raise MethodNotDefined("c_code", type(self), type(self).__name__)

    def c_code_cache_version(self) -> Tuple[Any, ...]:
        """Returns an empty version: there is nothing to cache."""
        return ()


def _is_users(function: Any) -> bool:
    """Whether `function` is Python code outside PyTensor that is not adapted yet."""
    return (
        inspect.isfunction(function)
        and not getattr(function, "adapted_c", False)
        and is_users(function.__code__.co_filename)
        and not (function.__module__ or "").startswith("pytensor.")
    )


def with_base(bases: Tuple[type, ...], dct: Dict[str, Any]) -> Tuple[type, ...]:
    """Returns the `bases` of a class being defined, with the base class added that lets PyTensor run the C code of an Op or a Type."""

    def defines(method: str) -> bool:
        return _is_users(dct.get(method)) or any(_is_users(getattr(base, method, None)) for base in bases)

    if any(issubclass(base, LegacyCOp) or _is_scalar(base) for base in bases):
        return bases
    if any(issubclass(base, Op) for base in bases) and defines("c_code"):
        return _replaced(bases, Op, LegacyCOp)
    if any(issubclass(base, Type) for base in bases) and not any(issubclass(base, CLinkerType) for base in bases) and defines("c_declare"):
        return (*bases, CLinkerType)
    return bases


def _is_scalar(base: type) -> bool:
    """Whether `base` is a scalar Op: Elemwise already runs the C code of those."""
    return issubclass(base, ScalarOp)


def _replaced(bases: Tuple[type, ...], old: type, new: type) -> Tuple[type, ...]:
    """`bases` with `new` instead of `old`, or appended: a class that overrides its methods must come first."""
    return tuple(new if base is old else base for base in bases) if old in bases else (*bases, new)


def adapt(cls: Any) -> None:
    """Replaces the methods for C code of the newly defined class `cls` by adapted ones."""
    if not issubclass(cls, (CLinkerOp, CLinkerType)):
        return
    for name in {*GIVES_LIST, *GIVES_TEXT}:
        function: Any = getattr(cls, name, None)
        if _is_users(function):
            setattr(cls, name, _adapted(name, function))
    if _is_scalar(cls) and getattr(cls.c_code, "adapted_c", False):
        scalars.append(cls)
        for register in registering:
            register(cls)


def has_c(op: Any) -> bool:
    """Returns whether `op` has the user's own C code: an Op, a scalar Op, a Composite with such a scalar Op, or one of these for each
    element.
    """
    scalar = op.scalar_op if isinstance(op, (Elemwise, CAReduce)) else op
    if isinstance(scalar, ScalarInnerGraphOp):
        return any(has_c(node.op) for node in scalar.fgraph.apply_nodes)
    if isinstance(scalar, ScalarOp):
        return bool(getattr(type(scalar).c_code, "adapted_c", False))
    return isinstance(op, LegacyCOp) and not isinstance(op, HideC)


def _has_perform(op: Any) -> bool:
    """Whether the class of `op` defines `perform` itself."""
    return not getattr(type(op).perform, "is_default", False)


def message(node: Any, reason: str) -> str:
    """Returns the error text `file:line: Op NAME: reason`."""
    return "{}Op {}: {}".format(node_prefix(node), type(node.op).__name__, reason)


def first_error(text: str) -> str:
    """Returns the compiler's first error in `text`, with its line of code; the first line of `text` if it names no error."""
    match = re.search(r"error: (.*)\n(?:\s*\d+ \| (.*))?", text) or re.search(r"(undefined symbol: .*)", text)
    if not match:
        return text.strip().partition("\n")[0]
    code = match.group(2) if match.re.groups > 1 else None
    return match.group(1) + (" in `%s`" % re.sub(r"__label_\d+:$", "", code.strip()) if code else "")


class Thunk:
    """Runs one node on numpy arrays. The user's C code is compiled in the constructor, so that an error in it is raised early."""

    def __init__(self, op: Any, node: Any) -> None:
        if not isinstance(node, Apply):  # a frozen one, of a Scan's inner graph (PyTensor 3.1 and later), which the C linker cannot clone
            node = Apply(op, [v.type() for v in node.inputs], [v.type() for v in node.outputs])
        self.op, self.node = op, node
        self._storage: dict[Any, list[Any]] = {variable: [None] for variable in [*node.inputs, *node.outputs]}
        self._lock = threading.Lock()
        self._run: Any = None
        self.destroyed = {place for inputs in getattr(op, "destroy_map", {}).values() for place in inputs}
        """Positions of the inputs that the node may overwrite."""
        if has_c(op):
            self._compile()

    def _compile(self) -> None:
        done = {variable: [True] for variable in self._storage}
        self._run = self.op.make_thunk(self.node, self._storage, done, [], None if has_c(self.op) else "py")

    def __reduce__(self) -> Any:
        raise pickle.PicklingError("a compiled node cannot be pickled")  # numba then keeps a reference instead of a copy

    def __call__(self, values: Any) -> list[Any]:
        """The outputs of the node for `values`, one for each input."""
        with self._lock:  # JAX may call from several threads
            if self._run is None:
                self._compile()
            for variable, value in zip(self.node.inputs, values):
                self._storage[variable][0] = value
            self._run()
            results = [self._storage[variable][0] for variable in self.node.outputs]
            for cell in self._storage.values():
                cell[0] = None
            return results


_plain_folding = constant_folding.fn


def _folded(fgraph: Any, node: Any) -> Any:
    """Constant folding by the C code of an Op that has the user's, as in Theano 1.0.5 (tensor/opt.py, constant_folding); PyTensor runs its
    `perform`, which may say otherwise."""
    constant = all(isinstance(v, Constant) for v in node.inputs)
    if not (constant and has_c(node.op) and pytensor.config.cxx and node.op.do_constant_folding(fgraph, node)):
        return _plain_folding(fgraph, node)
    results = Thunk(node.op, node)([v.data for v in node.inputs])
    return [output.type.make_constant(result) for output, result in zip(node.outputs, results)]


constant_folding.fn = _folded
