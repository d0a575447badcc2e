"""The formats that `theanodiag export` writes: StableHLO by jax.export, and ONNX by jax2onnx.

Each format has the program of a second process that runs a file of it without the framework and the script: with JAX, or with ONNX Runtime.
"""

import contextlib
import logging
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

PLATFORMS = (("cpu", "cuda"), ("cpu",))
"""Platforms of a StableHLO file: the first tuple for which JAX can lower the function."""
_RUN = """
import sys
import numpy as np
{load}
calls, results = {{}}, {{}}
with np.load(sys.argv[2]) as arrays:
    for name in sorted(arrays.files):
        calls.setdefault(name.partition("_")[0], []).append(arrays[name])
for call, values in calls.items():
    results.update({{"%s_%04d" % (call, k): np.asarray(value) for k, value in enumerate(call_file(values))}})
np.savez(sys.argv[3], **results)
"""


class CannotExport(Exception):
    """Raised if no file can be written: `what` is the reason, `advice` what to do ("" if there is nothing to do)."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what)
        self.what, self.advice = what, advice


class NotConverted(CannotExport):
    """Raised if the converter rejects a function for a `reason` that may not apply once all lengths are fixed."""

    def __init__(self, converter: str, reason: str, advice: str) -> None:
        super().__init__("{} cannot convert the function as a whole: {}".format(converter, reason), advice)
        self.reason = reason


class Input(NamedTuple):
    """One input of the exported function."""

    name: str
    shape: Sequence[str]
    """Lengths as text; a word is a variable length."""
    dtype: str


class Written(NamedTuple):
    """A file's content."""

    data: bytes
    form: str
    """The format with its version or platforms, for people."""
    outputs: Sequence[Tuple[Sequence[Any], str]]
    """(shape, dtype) of each output."""


class StableHLO:
    """A serialised jax.export.Exported; JAX runs it."""

    converter, runtime = "JAX", "JAX"
    program = _RUN.format(
        load="""
from jax import export
with open(sys.argv[1], "rb") as file:
    exported = export.deserialize(bytearray(file.read()))
call_file = lambda values: exported.call(*values)
"""
    )
    """Arguments: the file, an .npz with the inputs of each call, the .npz to write."""

    @staticmethod
    def write(traced: Any, inputs: List[Input]) -> Iterator[Written]:
        """Yields the file of a function that JAX can trace. Raises what JAX raises."""
        import jax
        from jax import export

        reason: Optional[Exception] = None
        for platforms in PLATFORMS:
            try:
                exported = export.export(jax.jit(traced), platforms=platforms)(*_described(inputs))
            except Exception as error:
                reason = reason or error
                continue
            outputs = [(a.shape, str(a.dtype)) for a in exported.out_avals]
            yield Written(exported.serialize(), "StableHLO for " + " and ".join(platforms), outputs)
            return
        assert reason is not None
        raise reason


def _described(inputs: List[Input]) -> List[Any]:
    """The inputs as JAX describes arrays, with symbolic variable lengths."""
    import jax
    from jax import export

    scope = export.SymbolicScope()
    arguments = []
    for one in inputs:
        lengths = tuple(int(n) if n.isdigit() else export.symbolic_shape(n, scope=scope)[0] for n in one.shape)
        arguments.append(jax.ShapeDtypeStruct(lengths, one.dtype))
    return arguments


class Onnx:
    """An ONNX model; ONNX Runtime and others run it."""

    converter, runtime = "jax2onnx", "ONNX Runtime"
    program = _RUN.format(
        load="""
import onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
names = [one.name for one in session.get_inputs()]
call_file = lambda values: session.run(None, dict(zip(names, values)))
"""
    )
    """Arguments: the file, an .npz with the inputs of each call, the .npz to write."""

    @staticmethod
    def write(traced: Any, inputs: List[Input]) -> Iterator[Written]:
        """Yields ONNX files of a function that JAX can trace, until the caller accepts one: not every form of the function is converted by
        jax2onnx to one that runs.

        Raises the first error of jax2onnx if all forms fail.
        """
        import jax
        import jax.extend.core
        import jax2onnx
        import onnx

        logging.getLogger("onnx_ir").setLevel(logging.ERROR)  # it warns of types that the file leaves out
        reason: Optional[Exception] = None
        doubles = any(one.dtype == "float64" for one in inputs)
        for wide, nested in ((True, True), (True, False), (False, False)):
            if doubles and not wide:
                continue
            try:
                with contextlib.nullcontext() if nested else jax.disable_jit(), jax.enable_x64(wide), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # about types that become narrower
                    described = _described(inputs)
                    # While it traces, jax2onnx replaces functions of jax.numpy that the layer calls: it gets what JAX traced before.
                    graph = jax.make_jaxpr(traced)(*described)
                model = jax2onnx.to_onnx(
                    jax.extend.core.jaxpr_as_fun(graph), described, enable_double_precision="f64[" in str(graph),
                    input_names=_unique([one.name for one in inputs]),
                )  # fmt: skip
            except Exception as error:
                reason = reason or error
                continue
            _pool_last_axes(model.graph)
            outputs = []
            for one in model.graph.output:
                lengths = [d.dim_param or d.dim_value for d in one.type.tensor_type.shape.dim]
                outputs.append((lengths, str(onnx.helper.tensor_dtype_to_np_dtype(one.type.tensor_type.elem_type))))
            yield Written(model.SerializeToString(), "ONNX, opset {}".format(model.opset_import[0].version), outputs)
        if reason is not None:
            raise reason


def _pool_last_axes(graph: Any) -> None:
    """Makes poolings of an ONNX graph work on images and channels as they are.

    jax2onnx 0.17.1 (plugins/jax/lax/reduce_window_max.py) puts two axes before them and pools along all four, which ONNX Runtime 1.32
    refuses.
    """
    makers = {name: node for node in graph.node for name in node.output}
    readers = {name: node for node in graph.node for name in node.input}
    for pool in [node for node in graph.node if node.op_type == "MaxPool"]:
        inner, after = makers.get(pool.input[0]), readers.get(pool.output[0])
        outer = makers.get(inner.input[0]) if inner is not None else None
        options = {one.name: one for one in pool.attribute}
        apart = [list(one.ints) for name, one in options.items() if name != "pads"]
        pads = list(options["pads"].ints) if "pads" in options else [0] * 8
        if (
            inner is None
            or outer is None
            or after is None
            or (outer.op_type, inner.op_type, after.op_type) != ("Unsqueeze", "Unsqueeze", "Squeeze")
        ):
            continue
        if any(len(lengths) != 4 or lengths[:2] != [1, 1] for lengths in apart) or pads[:2] + pads[4:6] != [0] * 4:
            continue
        for name, one in options.items():
            one.ints[:] = pads[2:4] + pads[6:] if name == "pads" else list(one.ints)[2:]
        pool.input[0], pool.output[0] = outer.input[0], after.output[0]
        for node in (outer, inner, after):
            graph.node.remove(node)


def _unique(names: List[str]) -> List[str]:
    """The names, made different where two are the same."""
    seen: Dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else "{}_{}".format(name, seen[name]))
    return unique


FORMATS: Dict[str, Any] = {"stablehlo": StableHLO, "onnx": Onnx}
"""Name of a format in the request -> what writes it."""
