"""Models of Keras 2.3.1 and Lasagne 0.1 learn the same over PyTensor as on Theano 1.0.5, step by step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import interpreters
from tests.interpreters import ROOT

SCRIPTS = Path(__file__).parent / "scripts"
START = f"""
import sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {str(ROOT)!r})
from theanodiag.compat import install
from theanodiag.compat.libraries.removed_names import give_back
give_back()
install("pytensor")
import runpy
runpy.run_path(sys.argv[1], run_name="__main__")
"""
REFERENCE = """
import sys, types
import theano.tensor.signal.pool as pool
# Lasagne 0.1 asks for a module that Theano lost before 1.0.5; its pooling is that of `pool`.
downsample = types.ModuleType("theano.tensor.signal.downsample")
downsample.max_pool_2d = lambda input, ds, ignore_border, st=None, padding=(0, 0), mode="max": pool.pool_2d(
    input, ws=ds, ignore_border=ignore_border, stride=st, pad=padding, mode=mode)
sys.modules[downsample.__name__] = sys.modules["theano.tensor.signal"].downsample = downsample
import runpy
runpy.run_path(sys.argv[1], run_name="__main__")
"""
FLAGS = "floatX=float32,optimizer=fast_compile"


def losses(interpreter: str, *command: str) -> list[float]:
    """What a script prints last."""
    env = {"THEANO_FLAGS": FLAGS, "PYTENSOR_FLAGS": "", "KERAS_BACKEND": "theano"}
    done = interpreters.python(interpreter, "-W", "ignore", *command, env=env, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize(("name", "reference"), [("keras_net.py", "keras"), ("lasagne_net.py", "gpu_keras")], ids=["keras", "lasagne"])
def test_the_same_loss_at_each_step(name: str, reference: str) -> None:
    """Twenty steps from the same weights, in float32; the loss moves by more than a hundredth."""
    script = str(SCRIPTS / name)
    expected = losses(reference, "-c", REFERENCE, script)
    found = losses("libraries", "-c", START, script)
    assert len(found) == 20
    assert abs(expected[-1] - expected[0]) > 0.01 * abs(expected[0])
    assert found == pytest.approx(expected, rel=1e-4)


def test_names_of_back_rooms_and_layers_for_cudnn() -> None:
    """`lasagne.layers.dnn` is imported on a CPU and computes there; the rest as Theano 1.0.5 prints it."""
    interpreters.find("libraries")
    script = str(ROOT / "tests" / "compat" / "scripts" / "old_places.py")
    done = interpreters.python("libraries", "-c", START, script, "lasagne", env={"THEANO_FLAGS": "floatX=float32,mode=FAST_COMPILE"})
    assert done.returncode == 0, done.stderr
    theanos = ["TensorConstant TensorVariable ScalarVariable", "3.0", "True"]
    assert done.stdout.splitlines() == [*theanos, "True (2, 4, 3, 3) False cpu", str([8.0] * 8), "[True, True]", "True"]
