"""A function of a script, with its weights, as a file that runs without the framework."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters

from .run import theanodiag

MODEL = """
import numpy as np, theano, theano.tensor as T
rng = np.random.RandomState(0)
x, y = T.matrix('x'), T.lvector('y')
W, V = theano.shared(rng.randn(6, 8) * .5, 'W'), theano.shared(rng.randn(8, 3) * .5, 'V')
h, _ = theano.scan(lambda a: T.tanh(x.dot(W) + a / 2), outputs_info=T.zeros((x.shape[0], 8)), n_steps=2)
p = T.nnet.softmax(h[-1].reshape((x.shape[0], 2, -1)).flatten(2).dot(V))
p = p * theano.shared(rng.rand(5))[T.cast(abs(x[:, :3]), 'int64') % 5]
p = p * T.repeat(T.repeat(x.dimshuffle(0, 1, 'x') + W, 2, axis=1), 2, axis=2).max(axis=(1, 2)).dimshuffle(0, 'x')
cost = -T.log(p[T.arange(y.shape[0]), y]).mean()
train = theano.function([x, y], cost, updates=[(w, w - .1 * T.grad(cost, w)) for w in (W, V)])
predict = theano.function([x], [p, T.argmax(p, axis=1)])
train(rng.randn(20, 6), rng.randint(0, 3, 20))
probabilities, _ = predict(np.ones((4, 6)))
np.save('expected.npy', probabilities)
"""
LOADED = """
import numpy as np
from jax import export
exported = export.deserialize(bytearray(open("predict.stablehlo", "rb").read()))
print(float(abs(np.asarray(exported.call(np.ones((4, 6)))[0]) - np.load("expected.npy")).max()) < 1e-12)
"""


def exported(folder: Path, *words: str) -> tuple[int, str, str]:
    """(exit code, output, messages) of `theanodiag export` on MODEL, with JAX's interpreter."""
    (folder / "model.py").write_text(MODEL)
    command = ("export", "model.py", "--python", interpreters.find("jax"), "-o", "predict.stablehlo", *words)
    done = theanodiag(*command, cwd=str(folder))
    return done.returncode, done.stdout, done.stderr


def test_a_trained_function_runs_without_its_framework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file takes any batch, gives what the function gave, and needs JAX alone."""
    code, out, said = exported(tmp_path, "--function", "predict")
    assert code == 0, said
    assert [line.split(": ")[1] for line in out.splitlines()[1:4]] == ["float64[batch, 6]", "float64[batch, 3]", "int64[batch]"]
    assert "set JAX_ENABLE_X64=1 there" in out
    assert "(batches of 5, 1, 2), by JAX alone: differs by" in out
    monkeypatch.chdir(tmp_path)
    assert interpreters.python("jax", "-c", LOADED, env={"JAX_ENABLE_X64": "1"}).stdout == "True\n"
    before = (tmp_path / "predict.stablehlo").read_bytes()
    code, _, said = exported(tmp_path, "--function", "predict")
    assert (code, "the file exists; nothing was written" in said) == (3, True)
    assert (tmp_path / "predict.stablehlo").read_bytes() == before


@pytest.mark.parametrize(("words", "why"), [
    (["--function", "train"], "the function changes W, V, and a file cannot"),
    (["--function", "predict", "--shape", "x=6"], "x has 2 axes, and --shape gives 1 lengths"),
])  # fmt: skip
def test_what_cannot_be_exported_is_told(tmp_path: Path, words: list[str], why: str) -> None:
    """And no file is written."""
    code, out, said = exported(tmp_path, *words)
    assert (code, out) == (3, "")
    assert why in said
    assert not (tmp_path / "predict.stablehlo").exists()


def test_what_is_missing_is_told_once(tmp_path: Path) -> None:
    """Without JAX the script is not run, so it did not fail."""
    (tmp_path / "model.py").write_text(MODEL)
    command = ("export", "model.py", "--function", "predict", "-o", "out", "--python", interpreters.find("pytensor"))
    done = theanodiag(*command, cwd=str(tmp_path))
    assert done.returncode == 3
    assert done.stderr.splitlines()[-2].startswith("theanodiag: model.py: export needs PyTensor, jax and flatbuffers, which ")
    assert "install jax and flatbuffers there" in done.stderr.splitlines()[-1]


def test_a_shape_that_is_none(tmp_path: Path) -> None:
    """Is told before anything runs."""
    (tmp_path / "model.py").write_text(MODEL)
    done = theanodiag("export", "model.py", "--function", "predict", "-o", "out", "--shape", "x", cwd=str(tmp_path))
    assert done.returncode == 2
    assert "as in --shape x=batch,784" in done.stderr


def test_a_file_that_cannot_be_written_is_named_before_the_script_runs(tmp_path: Path) -> None:
    """A script may train for hours."""
    (tmp_path / "model.py").write_text("open('ran', 'w')\n")
    done = theanodiag("export", "model.py", "--function", "f", "-o", "missing/f.stablehlo", cwd=str(tmp_path))
    assert (done.returncode, done.stderr.startswith("theanodiag: missing/f.stablehlo: cannot be written")) == (3, True), done.stderr
    assert not (tmp_path / "ran").exists()


def test_another_format_is_not_promised(tmp_path: Path) -> None:
    """A file named x.pt would hold StableHLO."""
    done = theanodiag("export", str(tmp_path / "no.py"), "--function", "f", "-o", str(tmp_path / "x.pt"))
    assert (done.returncode, "only StableHLO and ONNX are written" in done.stderr) == (2, True), done.stderr


IMAGES = """
import numpy as np, theano, theano.tensor as T
from theano.tensor.signal import pool
rng = np.random.RandomState(0)
x, n = T.ftensor4("x"), T.imatrix("n")
W, E = (theano.shared(rng.randn(*shape).astype("float32")) for shape in ((4, 1, 3, 3), (50, 3)))
h = T.nnet.relu(pool.pool_2d(T.nnet.conv2d(x, W), (2, 2), ignore_border=True)).flatten(2)
classify = theano.function([x, n], T.nnet.softmax(h[:, :3] + E[n].mean(axis=1)), allow_input_downcast=True)
given = rng.randn(4, 1, 12, 12).astype("float32"), np.ones((4, 5), "int32")
np.savez("expected.npz", classify(*given), *given)
"""
IN_ONNX_RUNTIME = """
import numpy as np, onnxruntime, sys
session = onnxruntime.InferenceSession("classify.onnx")
expected, x, n = np.load("expected.npz").values()
(found,) = session.run(None, {"x": x, "n": n})
print(found.dtype, float(abs(found - expected).max()) < 1e-6, "jax" in sys.modules, [one.name for one in session.get_inputs()])
"""


def test_a_function_in_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Convolution, pooling, rows of a table: ONNX Runtime computes what the script did, without JAX."""
    (tmp_path / "model.py").write_text(IMAGES)
    command = ("export", "model.py", "--function", "classify", "-o", "classify.onnx", "--python", interpreters.find("onnx"))
    done = theanodiag(*command, cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("classify.onnx: classify, ONNX, opset ")
    assert "by ONNX Runtime alone: differs by" in done.stdout
    monkeypatch.chdir(tmp_path)
    assert interpreters.python("onnx", "-c", IN_ONNX_RUNTIME).stdout == "float32 True False ['x', 'n']\n"


def test_onnx_needs_packages_of_its_own(tmp_path: Path) -> None:
    """Told before the script runs."""
    (tmp_path / "model.py").write_text("open('ran', 'w')\n")
    done = theanodiag("export", "model.py", "--function", "f", "-o", "f.onnx", "--python", interpreters.find("jax"), cwd=str(tmp_path))
    assert (done.returncode, "install jax2onnx and onnxruntime there" in done.stderr) == (3, True), done.stderr
    assert not (tmp_path / "ran").exists()
