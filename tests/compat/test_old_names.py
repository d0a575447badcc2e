"""Names that Theano lost since 0.6, given back on Theano 1.0.5 itself: for `run`, and for `check` on CPython 2.7 too."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import pytest

from tests import interpreters
from tests.capture.running import framework
from theanodiag.compat import old_names

SCRIPT = """
from __future__ import print_function
import numpy, theano, theano.tensor as T
from theano.tensor.signal import downsample
from theano.tensor.signal.downsample import max_pool_2d, DownsampleFactorMax
from theano.compat.python2x import OrderedDict, any
from theano.gof.python25 import partial
from theano.compat import six
from theano.compat.six.moves import xrange
from theano import Param
from theano.tensor.randomstreams import RandomStreams
from theano.sandbox.linalg.kron import kron
from theano.updates import Updates
import theano.sandbox.cuda
from theano.sandbox.cuda.dnn import dnn_available
from theano.sandbox.cuda.type import CudaNdarrayType
from theano.sandbox.cuda.var import CudaNdarraySharedVariable
from theano.tensor.nnet import conv3D
from theano.tensor.nnet.ConvTransp3D import convTransp3D
numbers = numpy.random.RandomState(3).uniform(size=(1, 3, 3, 3, 2)).astype(theano.config.floatX)
w = T.shared(numbers[0, 0, 0, :, 0], name='w')
x, s = T.matrix('x'), T.scalar('s')
pooled = [downsample.max_pool_2d(x, (2, 2), ignore_border=True), DownsampleFactorMax((2, 2))(x), max_pool_2d(x, (2, 2), False) * s]
f = theano.function([x, Param(s, default=2.0)], pooled + [kron(x, w)], updates=Updates([(w, w + 1)]), mode='FAST_COMPILE')
print([v.tolist() for v in f(numbers[0, 0, :, :, 0])], w.get_value().tolist())
print(DownsampleFactorMax.out_shape((5, 4), (2, 2)), theano.sandbox.cuda.cuda_available, dnn_available())
print(isinstance(x.type, (CudaNdarrayType, CudaNdarraySharedVariable)), CudaNdarrayType is theano.sandbox.cuda.CudaNdarrayType)
print(list(six.iteritems(OrderedDict([(1, 2)]))), list(xrange(2)), partial(max, 1)(2), any([0, 1]))
print(theano.function([], RandomStreams(5).uniform((2,)), mode='FAST_COMPILE')().tolist())
"""
CONV3D = """
V = T.TensorType(theano.config.floatX, (False,) * 5)('V')
out = conv3D(V, numbers[:, :2, :2, :2], numpy.ones(1, dtype=theano.config.floatX), (1, 1, 1))
back = convTransp3D(numbers[:, :2, :2, :2], numpy.zeros(2, dtype=theano.config.floatX), (1, 1, 1), out)
print(['%.10f' % number for number in theano.function([V], back)(numbers).ravel()])
"""

CUDNN = """
import numpy
from scipy.signal import convolve2d, correlate2d
import theano
from theano.sandbox.cuda.dnn import dnn_conv, dnn_pool
image, kernel = numpy.random.RandomState(1).uniform(size=(5, 5)), numpy.random.RandomState(2).uniform(size=(3, 3))
x, w = theano.shared(image[None, None]), theano.shared(kernel[None, None])
windows = numpy.lib.stride_tricks.sliding_window_view
print(numpy.allclose(dnn_conv(x, w).eval()[0, 0], convolve2d(image, kernel, 'valid')))
print(numpy.allclose(dnn_conv(x, w, 'full', (1, 1), 'cross', algo='small').eval()[0, 0], correlate2d(image, kernel, 'full')))
print(numpy.allclose(dnn_pool(x, (2, 3)).eval()[0, 0], windows(image, (2, 3)).max((2, 3))))
print(numpy.allclose(dnn_pool(x, (2, 2), mode='average', pad=(1, 1)).eval()[0, 0], windows(numpy.pad(image, 1), (2, 2)).mean((2, 3))))
print(dnn_pool(x, (2, 2), (2, 2)).eval().shape)
"""


def run(tmp_path: Path, name: str, text: str) -> list[str]:
    """What the script prints under `theanodiag run`."""
    path = tmp_path / "old.py"
    path.write_text(text)
    command = [sys.executable, "-m", "theanodiag", "run", "--python", interpreters.find(name), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_script_runs_on_theano_as_over_pytensor(tmp_path: Path) -> None:
    """Both print the same, to the last digit; conv3D too."""
    on_theano = run(tmp_path, "theano", SCRIPT + CONV3D)
    assert len(on_theano) == 6
    assert on_theano == run(tmp_path, "pytensor", SCRIPT + CONV3D)


def test_a_cast_is_printed_as_on_theano(tmp_path: Path) -> None:
    """Libraries look for "Cast" in the name of an Op."""
    script = "import theano.tensor as T; print(T.cast(T.fvector(), 'float64').owner.op, T.cast(T.ivector(), 'float32').owner.op)"
    assert run(tmp_path, "pytensor", script) == run(tmp_path, "theano", script) == ["Elemwise{Cast{float64}} Elemwise{Cast{float32}}"]


def test_the_functions_of_cudnn_compute_without_it(tmp_path: Path) -> None:
    """`dnn_conv` flips its filters unless told not to; `dnn_pool` moves by one unless told to, and an "average" counts padding."""
    *sums, images = run(tmp_path, "pytensor", CUDNN)
    assert sums == ["True", "True", "True", "True"]
    assert images == "(1, 1, 2, 2)"


@pytest.mark.parametrize("name", ["theano", "theano27"])
def test_it_can_be_checked(tmp_path: Path, name: str) -> None:
    """The script comes to its end, and its functions are looked at."""
    capture = framework(tmp_path, name, SCRIPT)
    assert capture.end.reason is None
    assert len(capture.script.functions) == 2


def test_only_what_is_gone_is_given_back() -> None:
    """Theano 1.0.5 has none of the modules, and lacks each name that is added."""
    program = """
import importlib, json, sys
import theano
def there(name):
    try:
        importlib.import_module(name)
        return True
    except Exception:
        return False
print(json.dumps([[n for n in sys.argv[1].split() if there(n)], hasattr(theano.tensor, 'shared'), hasattr(theano.tensor.nnet, 'conv3D')]))
"""
    done = interpreters.python("theano", "-c", program, " ".join([*old_names.MODULES, "theano.compat.six"]))
    assert done.stdout.splitlines()[-1] == "[[], false, false]", done.stderr


def test_an_older_theano_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Theano is 0.9 the modules are its own."""
    theano = types.ModuleType("theano")
    monkeypatch.setitem(sys.modules, "theano", theano)
    finder = old_names.OldNames()
    for version, gone in (("0.9.0", False), ("0.10.0beta4", True), ("1.0.5", True)):
        theano.__version__ = version  # type: ignore[attr-defined]
        assert finder.gone("theano.sandbox.cuda") is gone
    assert finder.find_spec("theano.tensor.signal.pool") is None
