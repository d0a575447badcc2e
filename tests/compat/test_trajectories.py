"""Whole scripts learn the same thing over PyTensor as on Theano: the loss of each step is the same."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from tests import interpreters

from .conftest import START

SCRIPTS = Path(__file__).resolve().parent / "scripts"
FLAGS = "floatX=float32"


@functools.cache
def wanted(script: str) -> tuple[float, ...]:
    """The losses on Theano 1.0.5 with its C code."""
    if "signal import downsample" in (SCRIPTS / script).read_text():  # a module that Theano itself renamed before 1.0.5
        program = "import sys, theano.tensor.signal.pool as p, types; m = types.ModuleType('theano.tensor.signal.downsample'); "
        program += "m.max_pool_2d = lambda input, ds, ignore_border: p.pool_2d(input, ds, ignore_border=ignore_border); "
        program += "import theano.tensor.signal as s; s.downsample = m; sys.modules[m.__name__] = m\n"
    else:
        program = ""
    return losses("theano", program, script, "")


def losses(name: str, before: str, script: str, mode: str) -> tuple[float, ...]:
    """What the script prints in one interpreter."""
    program = f"{before}\nexec(compile(open({str(SCRIPTS / script)!r}).read(), {script!r}, 'exec'))\n"
    flags = FLAGS + (f",mode={mode}" if mode else "")
    done = interpreters.python(name, "-c", program, env={"THEANO_FLAGS": flags, "PYTENSOR_FLAGS": flags}, timeout=600)
    assert done.returncode == 0, done.stderr
    return tuple(map(float, done.stdout.split()))


@pytest.mark.parametrize("script", interpreters.first(("lenet.py",), ("lenet.py", "text_cnn.py")))
@pytest.mark.parametrize(("name", "mode"), [("pytensor", "FAST_RUN"), ("jax", "JAX")])
def test_each_loss_is_theanos(name: str, mode: str, script: str) -> None:
    """The loss of each of 20 steps is Theano's, and it moves."""
    interpreters.find(name)
    reference = wanted(script)
    assert len(reference) == 20
    assert abs(reference[-1] - reference[0]) > 0.01 * reference[0]
    assert losses(name, START, script, mode) == pytest.approx(reference, rel=1e-4)
