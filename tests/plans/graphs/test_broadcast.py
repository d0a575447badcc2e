"""Broadcasts that blow up, in graphs of the real Theano: which are found, and what they need as dots and in blocks."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.capture.model import visible_gpu
from theanodiag.capture.runner import run_script
from theanodiag.devices import by_name
from theanodiag.memory.script import Call, Script
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.graphs.large_arrays import Blown, as_dot, find_blown, in_blocks
from theanodiag.workflows import compose

SCRIPT = Path(__file__).parents[1] / "scripts" / "distances.py"
CUBE = (2000, 300, 64)
BOTH = pytest.mark.parametrize("gpu", [False, True], ids=["host", "device"])


@cache
def script(gpu: bool) -> Script:
    """The script as Theano compiles it."""
    wanted = visible_gpu(by_name("6 GiB")) if gpu else None
    return run_script(SCRIPT, find("theano"), gpu=wanted, stdout=os.open(os.devnull, os.O_WRONLY)).script


@cache
def blown(gpu: bool) -> dict[str, Blown]:
    """The broadcasts by function."""
    found = {}
    for event in script(gpu).events:
        if isinstance(event, Call):
            function = script(gpu).functions[event.function]
            for each in find_blown(function.graph, event.shapes, event.function):
                found[function.name] = each
    return found


def peak(of: Script, gpu: bool, name: str) -> int:
    """The live peak of a function, for itself."""
    settings = MemorySettings() if gpu else MemorySettings(allocator=AllocatorKind.DIRECT)
    return next(simulate(of, settings).functions[f.index].figures.live_peak_bytes for f in of.functions if f.name == name)


@BOTH
def test_broadcasts_that_are_only_reduced_are_found(gpu: bool) -> None:
    """Not those that are returned as they are, and not the dots; the gradient's arrays belong to it."""
    found = blown(gpu)
    assert sorted(found) == ["distances", "other", "products", "train"]
    assert {b.shape for b in found.values()} == {CUBE}
    assert {name for name, b in found.items() if b.dot} == {"distances", "products", "train"}
    assert {b.operands for b in found.values() if b.dot} == {("x", "C")}
    assert found["other"].row_bytes == 300 * 64 * 4
    assert {found[name].operands[0] for name in ("other", "train")} == {"x"}  # 2000 rows, over which the blocks go


@BOTH
@pytest.mark.parametrize("name", ["distances", "products"])
def test_dots_need_what_was_foretold(gpu: bool, name: str) -> None:
    """To the byte: the same function, written as the advice says, compiled by Theano."""
    changed = as_dot(script(gpu), blown(gpu)[name])
    assert changed is not None
    assert peak(changed, gpu, name) == peak(script(gpu), gpu, f"{name} as a dot")
    assert peak(script(gpu), gpu, name) > 2000 * 300 * 64 * 4


@BOTH
def test_a_gradient_without_the_broadcast_needs_about_what_was_foretold(gpu: bool) -> None:
    """Theano takes it of the dot, and not of the distances."""
    changed = as_dot(script(gpu), blown(gpu)["train"])
    assert changed is not None
    assert peak(changed, gpu, "train") == pytest.approx(peak(script(gpu), gpu, "train as a dot"), rel=0.03)
    assert peak(script(gpu), gpu, "train") > 20 * peak(changed, gpu, "train")


@BOTH
@pytest.mark.parametrize("rows", [1, 8, 2000])
def test_blocks_leave_what_is_not_the_broadcast(gpu: bool, rows: int) -> None:
    """A block less is a block less; all rows at once are the script as it is."""
    other = blown(gpu)["other"]
    now = peak(script(gpu), gpu, "other")
    assert now - peak(in_blocks(script(gpu), other, rows), gpu, "other") == (2000 - rows) * other.row_bytes
    assert as_dot(script(gpu), other) is None


FORMS = Path(__file__).parents[1] / "scripts" / "products.py"


@cache
def forms() -> dict[str, str]:
    """The advice for each function of the script with sums of products: its expression."""
    flags = dict(os.environ, THEANO_FLAGS="floatX=float32")
    card = by_name("3 GiB")
    capture = run_script(FORMS, find("theano"), gpu=visible_gpu(card), env=flags, stdout=os.open(os.devnull, os.O_WRONLY))
    found = [f for f in compose.report(capture, card).findings if f.code == "TD320"]
    return {f.message.split(":")[0]: str(f.fix and f.fix.code) for f in found}


def test_a_gradient_that_divides_by_an_array_is_one_too() -> None:
    """Of the logarithm of distances: `2 * (x - y) / (1 + d)`, of which only the distances are in the script."""
    assert forms()["divided"].startswith("T.maximum((y ** 2).sum(1)[:, None] + (x ** 2).sum(1)[None, :] - 2 * T.dot(y, x.T), 0)")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("of_batches", "batched_dot(B.dimshuffle(2, 0, 1), A.dimshuffle(2, 1, 0)).dimshuffle(2, 1, 0)  # the sum over axis 2"),
        ("of_all", "tensordot(B, A, axes=[[1, 2], [1, 2]]).T  # the sum over axes 2, 3"),
        ("of_columns", "dot(x, z)  # the sum over axis 1"),
        ("weighed", "dot(v[None, :] * x, y.T)  # the sum over axis 2"),
        ("outer", "exp(w).sum(0) * u.sum(0)  # the sum over axes 0, 1"),
        ("repeated", "tanh(w).sum(0) * u.sum(0)  # the sum over axes 0, 1"),
        ("rows_first", "dot(x, y.sum(0))  # the sum over axes 1, 2"),
        ("squares", "dot(x ** 2, (y ** 2).sum(0))  # the sum of the squares over axes 1, 2"),
    ],
)
def test_a_sum_of_products_is_a_product_of_matrices(name: str, code: str) -> None:
    """In the names of the script; of a Jacobian only the gradient makes the squares."""
    assert forms()[name] == f"T.{code} of what is broadcast"


def test_a_term_without_an_axis_is_added_for_each_of_its_entries() -> None:
    """The squares of x are added for each row of y."""
    assert forms()["all_distances"].startswith("T.maximum(y.shape[0] * (x ** 2).sum((0, 1)) + x.shape[0] * (y ** 2).sum((0, 1)) - 2 *")
    assert forms()["means"].startswith("T.maximum(y.shape[0] * (x ** 2).sum(1) + (y ** 2).sum((0, 1))[None] - 2 * T.dot(x, y.sum(0)), 0)")


def test_the_products_are_the_same(tmp_path: Path) -> None:
    """As numbers, for each form, in Theano."""
    codes = tmp_path / "codes.json"
    codes.write_text(json.dumps(forms()), encoding="utf-8")
    program = FORMS.with_name("check_products.py")
    flags = dict(os.environ, THEANO_FLAGS=f"floatX=float32,cxx=,base_compiledir={tmp_path}")
    done = subprocess.run([find("theano"), str(program), str(codes)], env=flags, capture_output=True, text=True, check=True, timeout=600)
    differences = json.loads(done.stdout.splitlines()[-1])
    assert len(differences) == 12
    assert all(d is not None and d < 1e-5 for d in differences.values()), differences


def test_an_array_that_is_repeated_only_to_be_summed() -> None:
    """It is summed once, and times the number of rows."""
    code = "x = T.fvector('x')\nf = theano.function([x], T.sum(T.ones((20000, 500)) * T.exp(x)), name='f')\nf(np.zeros(500, 'float32'))\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ones.py"
        path.write_text("import numpy as np, theano, theano.tensor as T\n" + code, encoding="utf-8")
        card = by_name("3 GiB")
        capture = run_script(path, find("theano"), gpu=visible_gpu(card), stdout=os.open(os.devnull, os.O_WRONLY))
        (found,) = (f for f in compose.report(capture, card).findings if f.code == "TD320")
    assert str(found.fix and found.fix.code).startswith("20000 * x.sum(0)  # the sum over axes 0, 1 of what is broadcast; x: an array")
    assert found.after is not None
    assert found.after.live_peak_bytes < 1 << 16


@BOTH
def test_a_sum_over_all_axes_is_an_inner_product(gpu: bool, tmp_path: Path) -> None:
    """Each factor is summed over its own axis first; what is left of both is a vector, and its result has no axis."""
    lines = ["import numpy, theano, theano.tensor as T", "A, B = T.fmatrices('A', 'B')"]
    lines += ["f = theano.function([A, B], (A[:, :, None] * B[None, :, :]).sum(), name='f')"]
    lines += ["f(numpy.zeros((300, 64), 'float32'), numpy.zeros((64, 200), 'float32'))"]
    (tmp_path / "inner.py").write_text("\n".join(lines) + "\n")
    wanted = visible_gpu(by_name("6 GiB")) if gpu else None
    of = run_script(tmp_path / "inner.py", find("theano"), gpu=wanted).script
    call = next(event for event in of.events if isinstance(event, Call))
    (found,) = find_blown(of.functions[0].graph, call.shapes, 0)
    changed = as_dot(of, found)
    assert changed is not None
    assert peak(changed, gpu, "f") < peak(of, gpu, "f") / 10
