"""Constant folding of GPU Ops, which Theano would run on the device while it rewrites (theano/tensor/opt.py: constant_folding).

Elementwise Ops are computed on the host, since equal constants are merged, so that their values matter. GPU Ops without a Python
implementation are not folded; none has ever been seen with constants alone.
"""

import sys

import numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def seen(backend: "Live") -> None:
    """Replaces `GpuElemwise.perform` in theano.gpuarray, and switches constant folding off for Ops that exist in C only."""
    base = sys.modules["theano"].Op
    sys.modules["theano.gpuarray.elemwise"].GpuElemwise.perform = elementwise
    for cls in below(base):
        if cls.__module__.startswith("theano.gpuarray") and not in_python(cls, base):
            cls.do_constant_folding = never


def below(cls: "Live") -> "set[Live]":
    """All subclasses of a class, direct and indirect."""
    classes, todo = set(), [cls]  # type: ignore[var-annotated]
    while todo:
        new = set(todo.pop().__subclasses__()) - classes
        classes |= new
        todo.extend(new)
    return classes


def in_python(cls: "Live", base: "Live") -> bool:
    """Whether an Op has a Python implementation: a `perform` that is not the base class's and does not delegate to it."""
    perform = getattr(cls.perform, "__func__", cls.perform)
    if perform is getattr(base.perform, "__func__", base.perform):
        return False
    return not {"Op", "perform"} <= set(perform.__code__.co_names)


def never(op: "Live", node: "Live") -> bool:
    """Replaces `do_constant_folding`: the Op is not folded."""
    return False


def elementwise(op: "Live", node: "Live", inputs: "list[Live]", outputs: "list[list[Live]]", params: "Live" = None) -> None:
    """Replaces `GpuElemwise.perform`: computes the same scalar operation on numpy arrays."""
    tensor, gpuarray = sys.modules["theano.tensor"], sys.modules["pygpu.gpuarray"]
    host = tensor.Elemwise(op.scalar_op).make_node(*[tensor.as_tensor_variable(numpy.asarray(v)) for v in inputs])
    values = dict((v, [v.data]) for v in host.inputs)
    values.update((v, [None]) for v in host.outputs)
    host.op.make_py_thunk(host, values, dict((v, [v in host.inputs]) for v in values), [])()
    for cell, variable, host_output in zip(outputs, node.outputs, host.outputs):
        cell[0] = gpuarray.array(values[host_output][0], variable.dtype, context=variable.type.context)
