"""Constant folding of GPU Ops, which Theano runs on the device during optimization (theano/tensor/opt.py: constant_folding).

Elementwise Ops are computed on the host with numpy: Theano merges equal constants, so the values matter. GPU Ops without a Python
implementation are not folded; no graph with such an Op on constants alone has been seen.
"""

import sys

import numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def patch_folding(backend: "Live") -> None:
    """Replaces `GpuElemwise.perform` in theano.gpuarray and disables constant folding for Ops that have only C code."""
    base = sys.modules["theano"].Op
    sys.modules["theano.gpuarray.elemwise"].GpuElemwise.perform = elementwise
    for cls in all_subclasses(base):
        if cls.__module__.startswith("theano.gpuarray") and not in_python(cls, base):
            cls.do_constant_folding = refuse_folding


def all_subclasses(cls: "Live") -> "set[Live]":
    """All subclasses of a class, direct and indirect."""
    classes, todo = set(), [cls]  # type: ignore[var-annotated]
    while todo:
        new = set(todo.pop().__subclasses__()) - classes
        classes |= new
        todo.extend(new)
    return classes


def in_python(cls: "Live", base: "Live") -> bool:
    """Whether an Op has a Python implementation: its `perform` is not the base class's and does not call that one."""
    perform = getattr(cls.perform, "__func__", cls.perform)
    if perform is getattr(base.perform, "__func__", base.perform):
        return False
    return not {"Op", "perform"} <= set(perform.__code__.co_names)


def refuse_folding(op: "Live", node: "Live") -> bool:
    """Replaces `do_constant_folding`: always False."""
    return False


def elementwise(op: "Live", node: "Live", inputs: "list[Live]", outputs: "list[list[Live]]", params: "Live" = None) -> None:
    """Replaces `GpuElemwise.perform`: computes the same scalar operation with numpy."""
    tensor, gpuarray = sys.modules["theano.tensor"], sys.modules["pygpu.gpuarray"]
    host = tensor.Elemwise(op.scalar_op).make_node(*[tensor.as_tensor_variable(numpy.asarray(v)) for v in inputs])
    values = dict((v, [v.data]) for v in host.inputs)
    values.update((v, [None]) for v in host.outputs)
    host.op.make_py_thunk(host, values, dict((v, [v in host.inputs]) for v in values), [])()
    for cell, variable, host_output in zip(outputs, node.outputs, host.outputs):
        cell[0] = gpuarray.array(values[host_output][0], variable.dtype, context=variable.type.context)
