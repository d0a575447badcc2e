"""Calls with different arguments in PyTensor, rewritten around their existing arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ..compat.names import legacy, signatures
from . import variables
from .model import PortEdit, Safety, Style
from .scopes import Use
from .session import ARGUMENTS, PortSession, Rewriter
from .syntax import Node, arguments, keyword, symbols
from .targets import LEGACY, Counterpart, CounterpartKind

_JOIN = "PyTensor's Join takes the axis in its constructor"
_SHAPE = {"broadcastable": "shape"}
_VECTOR = "for a vector it returns a vector; Theano's returned a matrix of one row"


@dataclass(frozen=True)
class Form:
    """The form in which a call is written in PyTensor."""

    new: str
    """The function's name, without the root."""
    params: str
    """Names of the old parameters, in their order."""
    takes: str = ""
    """Old parameters that the new call accepts; empty: all. A call with other arguments uses compat instead."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Old keyword argument -> new keyword argument."""
    by_name: bool = False
    """Returns whether all arguments but the first are written by name."""
    around: tuple[str, str] = ("", "")
    """Text before and after the first argument."""
    more: str = ""
    """Further arguments."""
    unsafe: str = ""
    """Why the result may differ; empty if it is the same."""


FORMS: Mapping[str, Form] = {
    "tensor.nnet.softmax": Form("tensor.special.softmax", "c", more="axis=-1", unsafe=_VECTOR),
    "tensor.nnet.softmax_graph": Form("tensor.special.softmax", "c", more="axis=-1", unsafe=_VECTOR),
    "tensor.nnet.logsoftmax": Form("tensor.special.log_softmax", "c", more="axis=-1", unsafe=_VECTOR),
    "tensor.nnet.relu": Form("tensor.maximum", "x alpha", takes="x", more="0", unsafe="the gradient at exactly x = 0 differs"),
    "tensor.nnet.hard_sigmoid": Form("tensor.clip", "x", around=("0.2 * (", ") + 0.5"), more="0, 1"),
    "tensor.nnet.ultra_fast_sigmoid": Form("tensor.sigmoid", "x", unsafe="exact; Theano's was an approximation, up to 0.05 off"),
    "tensor.flatten": Form("tensor.flatten", "x ndim outdim", renamed={"outdim": "ndim"}),
    "tensor.batched_dot": Form("tensor.matmul", "a b", unsafe="the same for three dimensions on both sides; fewer are paired otherwise"),
    "tensor.tile": Form("tensor.tile", "x reps ndim", takes="x reps", unsafe="a symbolic number of dimensions is refused"),
    "tensor.tensor": Form("tensor.tensor", "dtype broadcastable name", renamed=_SHAPE, by_name=True, around=("dtype=", "")),
    "tensor.TensorType": Form("tensor.TensorType", "dtype broadcastable name", renamed=_SHAPE),
    "tensor.type.TensorType": Form("tensor.TensorType", "dtype broadcastable name", renamed=_SHAPE),
    "shared": Form("shared", "value name strict allow_downcast broadcastable borrow target", renamed=_SHAPE,
                   takes="value name strict allow_downcast broadcastable borrow"),
    "clone": Form("graph.replace.clone_replace", "output replace strict share_inputs copy_inputs", by_name=True,
                  takes="output replace strict share_inputs", renamed={"strict": "rebuild_strict", "share_inputs": "copy_inputs_over"}),
    **dict.fromkeys(("gradient.Rop", "Rop"), Form(
        "pushforward", "f wrt eval_points disconnected_outputs return_disconnected use_op_rop_implementation",
        renamed={"eval_points": "tangents", "use_op_rop_implementation": "use_op_pushforward"},
    )),
    **dict.fromkeys(("gradient.Lop", "Lop"), Form(
        "pullback", "f wrt eval_points consider_constant disconnected_inputs return_disconnected", renamed={"eval_points": "cotangents"},
    )),
    **dict.fromkeys(("tensor.subtensor.advanced_set_subtensor1", "tensor.advanced_set_subtensor1"), Form(
        "tensor.subtensor.advanced_inc_subtensor", "x y ilist", more="set_instead_of_inc=True",
    )),
    **dict.fromkeys(("tensor.elemwise.DimShuffle", "tensor.DimShuffle", "tensor.basic.DimShuffle"), Form(
        "tensor.elemwise.DimShuffle", "input_broadcastable new_order inplace", takes="input_broadcastable new_order", by_name=True,
        around=("input_ndim=len(", ")"),
    )),
    **dict.fromkeys(("compile.pfunc", "compile.pfunc.pfunc"), Form(
        "function", "params outputs mode updates givens no_default_updates accept_inplace name rebuild_strict allow_input_downcast profile "
        "on_unused_input", renamed={"params": "inputs"},
    )),
    "Param": Form("In", "variable default name mutable strict allow_downcast implicit borrow", renamed={"default": "value"}, by_name=True),
}  # fmt: skip
"""Old name -> its form. Sources: the signatures in Theano 1.0.5 and PyTensor 3.3.8."""


def call(use: Use) -> Node | None:
    """Returns the node of the argument list if the use is a call; None otherwise."""
    trailer = use.trailers[0] if use.trailers else None
    called = trailer is not None and trailer.children and trailer.children[0].value == "("
    return trailer if called else None


def whole(session: PortSession, use: Use, counterpart: Counterpart) -> bool:
    """Returns whether the use ends with the ported name, so that none of its attributes is accessed."""
    return session.last_leaf(use, counterpart) == len(use.leaves) - 1


def allowed(session: PortSession, safety: Safety) -> bool:
    """Returns whether a change of this safety may be written as a new form: safe changes in every style, other changes only in the style
    `native` with `--unsafe`.
    """
    return session.options.target == "pytensor" and (
        safety is Safety.SAFE or (session.options.unsafe and session.options.style is Style.NATIVE)
    )


def _formed(form: Form) -> Rewriter:
    def write(session: PortSession, use: Use, counterpart: Counterpart) -> None:
        trailer = call(use)
        safety = Safety.UNSAFE if form.unsafe else Safety.SAFE
        if trailer is None or not whole(session, use, counterpart) or not allowed(session, safety):
            return
        edits = _edits(session, form, arguments(trailer), trailer)
        if edits is None:
            return
        session.edits += edits
        session.named[use] = form.new
        advice = f"{session.options.target}.{form.new}({form.params.replace(' ', ', ')}{', ' * bool(form.more)}{form.more})"
        session.note(use.leaves[0], use.leaves[-1], use.name, safety, form.unsafe or f"renamed in {session.options.target}", advice)

    return write


def _edits(session: PortSession, form: Form, given: list[Node], trailer: Node) -> list[PortEdit] | None:
    """The edits of a call's arguments; None if the new function does not accept one of them."""
    params, takes = form.params.split(), (form.takes or form.params).split()
    edits: list[PortEdit] = []
    for number, argument in enumerate(given):
        name = keyword(argument)
        if name in ("*", "**") or (name is None and number >= len(params)):
            return None
        param = params[number] if name is None else name
        if param not in takes:
            return None
        start = session.tree.start(argument)
        if name is None and number and form.by_name:
            edits.append(PortEdit(start, start, f"{form.renamed.get(param, param)}="))
        elif name is not None and name in form.renamed:
            edits.append(PortEdit(start, start + len(name), form.renamed[name]))
        if number == 0 and any(form.around):
            if name is not None:
                return None
            end = session.tree.end(argument)
            edits += [PortEdit(start, start, form.around[0]), PortEdit(end, end, form.around[1])]
    if form.more:
        if not given or keyword(given[-1]) is not None:
            return None
        end = session.tree.end(given[-1])
        edits.append(PortEdit(end, end, f", {form.more}"))
    return edits


def _stack(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports `stack(a, b)` to `stack([a, b])`; a call whose first argument may be a list is left to compat."""
    trailer = call(use)
    if trailer is None or not allowed(session, Safety.SAFE) or not whole(session, use, counterpart):
        return
    given = arguments(trailer)
    names = [keyword(a) for a in given]
    plain = [a for a, name in zip(given, names) if name is None]
    if "*" in names or "**" in names:
        return
    listed = bool(plain) and _is_list(plain[0])
    axis = len(plain) == 2 and not plain[1].children and str(plain[1].value).isdigit()
    if not (listed or axis or len(plain) <= 1):
        if len(plain) != len(given) or (len(plain) == 2 and not any(variables.is_variable(session, a) for a in plain)):
            return
        start, end = session.tree.start(plain[0]), session.tree.end(plain[-1])
        session.edits += [PortEdit(start, start, "["), PortEdit(end, end, "]")]
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, "stack takes a list", "pytensor.tensor.stack([a, b])")
    session.named[use] = "tensor.stack"


def _join(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports `Join()(axis, a, b)` to `join(axis, a, b)`, also for an assigned `Join()`: PyTensor's class takes the axis itself."""
    trailer = call(use)
    if trailer is None or not allowed(session, Safety.SAFE) or not whole(session, use, counterpart):
        return
    if arguments(trailer):
        session.done.add(use)
        session.by_hand(use, replace(counterpart, why=f"{_JOIN}, and no view", advice="pytensor.tensor.join(axis, *tensors)"))
        return
    session.edits.append(PortEdit(session.tree.start(trailer), session.tree.end(trailer), ""))
    session.named[use] = "tensor.join"
    session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, _JOIN, "pytensor.tensor.join")


def _is_list(node: Node) -> bool:
    """Whether a node is a list or tuple display, a comprehension, or brackets."""
    return bool(node.children) and not node.children[0].children and node.children[0].value in "[("


def _pattern(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports `patternbroadcast(x, (False, True))` if the pattern is a literal."""
    trailer = call(use)
    given = arguments(trailer) if trailer is not None else []
    if len(given) != 2 or keyword(given[0]) is not None or not allowed(session, Safety.SAFE):
        return
    name = keyword(given[1])
    value = given[1].children[2] if name is not None else given[1]
    try:
        flags = ast.literal_eval(session.tree.source(value))
        axes = [str(n) for n, flag in enumerate(flags) if flag]
    except (ValueError, SyntaxError, TypeError):
        return
    if not axes:
        return
    session.replace(given[1], None, ", ".join(axes))
    session.named[use] = "tensor.specify_broadcastable"
    advice = "pytensor.tensor.specify_broadcastable(x, *axes)"
    session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, "renamed in pytensor", advice)


def _itself(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Replaces a transfer between host and device by its argument."""
    trailer = call(use)
    given = arguments(trailer) if trailer is not None else []
    if len(given) != 1 or keyword(given[0]) is not None or not allowed(session, Safety.SAFE) or not whole(session, use, counterpart):
        return
    sym = symbols()
    simple = not given[0].children or given[0].type in (sym.power, sym.atom)
    start, stop = session.tree.start(use.leaves[0]), session.tree.end(trailer)
    if simple:
        session.edits += [PortEdit(start, session.tree.start(given[0]), ""), PortEdit(session.tree.end(given[0]), stop, "")]
    else:
        session.edits.append(PortEdit(start, session.tree.start(trailer), ""))
    session.done.add(use)
    reason = "there is no CUDA back-end and nothing to transfer"
    session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, reason, "the variable itself")


def _no_test_values(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports `get_debug_values(x)` to `()`, its result without test values: PyTensor does not compute any."""
    trailer = call(use)
    if trailer is None or not whole(session, use, counterpart) or session.options.target != "pytensor":
        return
    session.edits.append(PortEdit(session.tree.start(use.leaves[0]), session.tree.end(trailer), "()"))
    session.done.add(use)
    session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, "pytensor has no test values", "an empty tuple")


def _left_out(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Removes a statement that only calls a function which has no effect in the target."""
    trailer = call(use)
    statement = trailer.parent if trailer is not None else None
    if statement is None or statement.parent is None or statement.parent.type != symbols().simple_stmt:
        return
    if statement.children[-1] is not trailer or session.options.target != "pytensor":
        return
    session.remove(statement)
    session.done.add(use)
    session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, "pytensor reaches a GPU through mode='JAX'", "left out")


def _placeholder(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports a class of the old GPU back-end, which has no instances here: only `isinstance` tests remain; other uses are ported by hand."""
    if session.options.target == "pytensor" and (use.trailers or not whole(session, use, counterpart)):
        session.done.add(use)
        session.by_hand(
            use, replace(counterpart, why="it makes an object of the old GPU back-end", advice="leave it out, or use a TensorType")
        )


_OWN_VALUE = "inputs in PyTensor have no default values"
_OWN_VALUE_ADVICE = "pass the value at each call, or compute with a shared variable"


_INPUTS = ("Param", "compile.Param", "In", "compile.In", "compile.io.In")
_FUNCTIONS = ("function", "compile.function")


def _own_value(use: Use) -> str | None:
    """How an input gets a default value: the name of the argument, "by place", or `**` if that may contain it; None without a default."""
    trailer = call(use)
    given = arguments(trailer) if trailer is not None else []
    names = [keyword(a) for a in given]
    place = 1 if use.name.endswith(".Param") else 2  # of the parameter `default`, or `value`
    if len(given) > place and names[: place + 1] == [None] * (place + 1):
        return "by place"
    return next((name for name in names if name in ("default", "value", "**")), None)


def _with_defaults(session: PortSession) -> dict[Use, None]:
    """The calls of `function` that contain an input with a default value; all calls if such an input is created elsewhere."""
    functions = [use for use, counterpart in session.counterparts.items() if counterpart.old in _FUNCTIONS and call(use) is not None]
    around: dict[int, Use] = {id(call(use)): use for use in functions}
    chosen: dict[Use, None] = {}
    for use, counterpart in session.counterparts.items():
        if counterpart.old in _INPUTS and _own_value(use) is not None:
            node: Node | None = use.leaves[0]
            while node is not None and id(node) not in around:
                node = node.parent
            chosen.update(dict.fromkeys(functions if node is None else [around[id(node)]]))
    return chosen


def _input(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports an input of a function: one with a default value to compat's `In`, since PyTensor rejects it."""
    own = _own_value(use)
    if own is None or session.options.target != "pytensor":
        if use.name.endswith(".Param"):
            _formed(FORMS["Param"])(session, use, counterpart)
        return
    trailer = call(use)
    given = arguments(trailer) if trailer is not None else []
    session.done.add(use)
    edits = _edits(session, FORMS["Param"], given, trailer) if trailer is not None and use.name.endswith(".Param") else []
    kept = own == "**" or edits is None or any(keyword(a) == "update" for a in given) or not session.once(_with_defaults)
    if kept or not whole(session, use, counterpart):
        session.by_hand(use, replace(counterpart, why=_OWN_VALUE, advice=_OWN_VALUE_ADVICE))
        return
    session.edits += edits or []
    _from_compat(session, use, counterpart, "In")


def _function(session: PortSession, use: Use, counterpart: Counterpart) -> None:
    """Ports a call of `function` with a default value for an input to compat's `function`."""
    if session.options.target == "pytensor" and use in session.once(_with_defaults) and whole(session, use, counterpart):
        session.done.add(use)
        _from_compat(session, use, counterpart, "function")


def _from_compat(session: PortSession, use: Use, counterpart: Counterpart, name: str) -> None:
    """Replaces a use by the name `name` of compat."""
    session.rename(use, counterpart, session.piece((LEGACY, name)))
    session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, _OWN_VALUE, f"imported from {LEGACY}; {_OWN_VALUE_ADVICE}")


_TRANSFERS = "host_from_gpu gpu_from_host gpu_contiguous as_cuda_ndarray_variable as_gpuarray_variable"
_CUDA = ("sandbox.cuda", "sandbox.cuda.basic_ops", "sandbox.gpuarray.basic_ops", "gpuarray.basic_ops", "gpuarray", "sandbox.gpuarray")
_ITSELF: dict[str, Callable[[PortSession, Use, Counterpart], None]] = {f"{m}.{n}": _itself for m in _CUDA for n in _TRANSFERS.split()}
_PLACEHOLDERS = {
    ("gpuarray", "gpuarray.type"): "GpuArrayType GpuArrayVariable GpuArrayConstant GpuArraySharedVariable",
    ("sandbox.cuda", "sandbox.cuda.type", "sandbox.cuda.var"): "CudaNdarrayType CudaNdarrayVariable CudaNdarraySharedVariable",
}
REWRITERS: Mapping[str, Rewriter] = {
    **{name: _formed(form) for name, form in FORMS.items()},
    **dict.fromkeys(_INPUTS, _input),
    **dict.fromkeys(_FUNCTIONS, _function),
    "tensor.stack": _stack,
    **dict.fromkeys(("tensor.Join", "tensor.basic.Join"), _join),
    "tensor.patternbroadcast": _pattern,
    "sandbox.cuda.use": _left_out,
    "sandbox.cuda.unuse": _left_out,
    "gpuarray.use": _left_out,
    "gof.op.get_debug_values": _no_test_values,
    "gof.get_debug_values": _no_test_values,
    **_ITSELF,
    **{f"{module}.{name}": _placeholder for modules, names in _PLACEHOLDERS.items() for module in modules for name in names.split()},
}
"""Name -> function that rewrites its uses."""


# Checks whether the target function accepts the arguments of a call.


def write(session: PortSession) -> None:
    """Passes arguments by name if their position differs in the target; leaves calls that the target rejects to be ported by hand."""
    for use, counterpart in session.counterparts.items():
        own = counterpart.kind is CounterpartKind.NAME and counterpart.new and use not in session.done and use not in session.named
        trailer = call(use) if own and whole(session, use, counterpart) else None
        new = _signature(session.options.target, str(counterpart.new)) if trailer is not None else None
        if trailer is not None and new is not None:
            old = _signature(use.name.partition(".")[0], counterpart.old)
            _checked(session, use, _Call(arguments(trailer), f"{session.options.target}.{counterpart.new}", old, new))


class _Call:
    """The arguments of a call, with the signatures of the old and the new function."""

    def __init__(self, given: list[Node], name: str, old: signatures.Signature | None, new: signatures.Signature) -> None:
        self.given, self.name, self.old, self.new = given, name, old, new
        self.names = [keyword(argument) for argument in given]

    def moved_places(self) -> dict[int, str]:
        """Returns index -> name of the positional arguments whose position in the new function differs or does not exist, and of all
        arguments after the first of these.
        """
        moved: dict[int, str] = {}
        for number, name in enumerate(self.old.by_place[: self.names.count(None)] if self.old is not None else ()):
            here = self.new.by_place[number : number + 1]
            elsewhere = here != (name,) and any(p.name == name for p in self.new.parameters)
            if moved or elsewhere:
                moved[number] = name
        return moved


def _checked(session: PortSession, use: Use, call: _Call) -> None:
    """Passes arguments by name where their position changed, or leaves the call to be ported by hand if the new function rejects it."""
    renamed = ARGUMENTS.get(_defined(session.options.target, call.name.partition(".")[2]), {}) if use.name.startswith("pytensor.") else {}
    names = [renamed.get(name, name) for name in call.names if name not in (None, "*", "**")]
    refused: str | None
    if "*" in call.names or "**" in call.names:  # how many there are is not in the text
        unknown = [name for name in names if not call.new.takes(name)]
        refused = f"takes no {', '.join(unknown)}" if unknown else None
    else:
        places, moved = call.names.count(None), call.moved_places()
        refused = call.new.misfit(places, names)
        if moved and call.new.misfit(places - len(moved), [*names, *moved.values()]) is None:
            for number, name in moved.items():
                start = session.tree.start(call.given[number])
                session.edits.append(PortEdit(start, start, f"{name}="))
            reason = f"{call.name} takes {', '.join(moved.values())} by name"
            session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, reason, ", ".join(f"{name}=" for name in moved.values()))
            return
        if moved and refused is None:
            refused = f"has {', '.join(moved.values())} in another position"
    if refused is not None:
        session.note(
            use.leaves[0], use.leaves[-1], use.name, Safety.BY_HAND, f"{call.name} {refused}", "remove it, or write equivalent code"
        )


def _signature(root: str, name: str) -> signatures.Signature | None:
    """The signature of a framework's function; None if the tables have none."""
    return signatures.table(root).get(_defined(root, name))


def _defined(root: str, name: str) -> str:
    """The full name under which a framework defines the object called `name`."""
    return (name, *legacy.origin(root, name))[-1]
