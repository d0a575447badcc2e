"""The graph of a function that is not compiled is the one of the function that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.running import FLAGS, MLP, framework
from tests.interpreters import THOROUGH
from theanodiag.capture.model import Capture
from theanodiag.ir import FunctionGraph

SCAN = """
import numpy as np
import {package} as lib
import {package}.tensor as T

x = T.matrix("x")
W = lib.shared(np.ones((4, 4)), name="W")
options = {"return_updates": False} if "{package}" == "pytensor" else {}
out = lib.scan(lambda r, h: T.tanh(T.dot(r + h, W)), sequences=[x], outputs_info=[T.zeros((4,))], **options)
states = out if options else out[0]
folded = T.dot(T.ones((3, 4)), np.arange(20.0).reshape(4, 5)) + T.arange(5) * np.pi
f = lib.function([x], [states, folded.sum(axis=0)], name="f")
"""


def shape_of(graph: FunctionGraph) -> list[object]:
    """All of a graph but the parameters of its ops (linking adds some to Scan)."""
    nodes = [(n.op.text, n.op.view_map, n.op.destroy_map, n.inputs, n.outputs, n.after) for n in graph.applies]
    inner = [shape_of(n.op.inner) for n in graph.applies if n.op.inner]
    return [graph.variables, graph.inputs, graph.outputs, nodes, inner]


def same(dry: Capture, real: Capture) -> bool:
    """Whether two runs compiled the same graphs."""
    return [shape_of(f.graph) for f in dry.script.functions] == [shape_of(f.graph) for f in real.script.functions]


def both(folder: Path, name: str, text: str) -> tuple[Capture, Capture]:
    """The same script dry and really compiled, without the influence of what was compiled before."""
    flags = {k: f"base_compiledir={folder / 'compiled'},{v}" for k, v in FLAGS.items()}
    dry = framework(folder, name, text, env=flags)
    return dry, framework(folder, name, text, env=flags, calls="real")


AESARA = pytest.param("aesara", MLP, marks=THOROUGH)


@pytest.mark.parametrize(("name", "text"), [("theano", MLP), AESARA, ("theano", SCAN)], ids=["theano", "aesara", "scan"])
def test_graphs_are_equal_op_by_op(tmp_path: Path, name: str, text: str) -> None:
    """Ops, inner graphs, Variables, constants and order agree in everything."""
    dry, real = both(tmp_path, name, text)
    assert real.end.status == "finished", real.end.traceback
    assert same(dry, real)
    assert dry.seconds < real.seconds


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_graphs_for_numba_are_equal(tmp_path: Path, name: str) -> None:
    """PyTensor rewrites for its default linker, and compiles nothing where calls are dry."""
    dry, real = both(tmp_path, name, SCAN.replace("[states, ", "[T.tanh(x).sum(axis=0), "))
    assert real.end.status == "finished", real.end.traceback
    assert same(dry, real)
    assert dry.seconds < real.seconds


@pytest.mark.parametrize("name", ["theano", "aesara", "pytensor", "pytensor_new"])
def test_no_compiler_is_needed(tmp_path: Path, name: str) -> None:
    """Where calls are dry, the compiler is never started to make a function."""
    flags = dict.fromkeys(FLAGS, f"base_compiledir={tmp_path / 'compiled'}")
    text = SCAN + "import os\nassert not [d for d in os.listdir(lib.config.compiledir) if d.startswith('tmp')]\n"
    capture = framework(tmp_path, name, text, env=flags)
    assert capture.end.status == "finished", capture.end.traceback
