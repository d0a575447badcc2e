"""`theanodiag.legacy`: what moved sources import."""

from __future__ import annotations

from ..interpreters import ROOT, python

NOTHING = """
for text in ("from theanodiag.legacy import nothing", "import theanodiag.legacy.nothing", "from theanodiag.legacy.tensor import nothing"):
    try:
        exec(text)
    except ImportError as error:
        assert "nothing" in str(error), error
    else:
        raise AssertionError(text)
"""
"""The end of each script: what is not there is an ImportError that names it."""
SCRIPT = """
import sys
from theanodiag import legacy
from theanodiag.legacy import divide, flags_for_pytensor, adapters
assert divide(7, 2) == 3 and flags_for_pytensor("device=gpu,floatX=float32") == "floatX=float32"
from theanodiag.legacy.tensor.signal import pool
from theanodiag.legacy.tensor import nnet as legacy_nnet
import theanodiag.legacy.tensor.nnet
import theanodiag.compat.api.tensor.signal.pool as same
assert pool is same and legacy_nnet is sys.modules["theanodiag.compat.api.tensor.nnet"] is theanodiag.legacy.tensor.nnet
assert adapters is sys.modules["theanodiag.compat.adapters"] is legacy.adapters
from theanodiag.compat.adapters import stack
assert adapters.stack is stack and legacy.In is legacy.In and issubclass(legacy.ThunkOp, __import__("pytensor").graph.op.Op)
"""


def test_names_and_modules_are_those_of_compat() -> None:
    """Each once, under a second name; what is not there is told as Python tells it."""
    done = python("pytensor", "-c", SCRIPT + NOTHING + "print('done')\n", env={"PYTHONPATH": str(ROOT), "PYTENSOR_FLAGS": "cxx="})
    assert done.stdout == "done\n", done.stderr[-2000:]


def test_flags_are_translated_before_the_framework_is_loaded() -> None:
    """Importing the translation imports no framework."""
    text = "import sys\nfrom theanodiag.legacy import flags_for_pytensor\nprint('pytensor' in sys.modules, 'numpy' in sys.modules)\n"
    assert python("pytensor", "-c", text, env={"PYTHONPATH": str(ROOT)}).stdout == "False False\n"


NAMES_ALONE = """
import numpy as np, pytensor.tensor as pt
from theanodiag import legacy
from theanodiag.legacy.tensor import nnet
import theanodiag.legacy.tensor.nnet as again
assert again is nnet is legacy.tensor.nnet
print(nnet.softmax(pt.as_tensor(np.zeros((2, 2)))).eval().tolist(), nnet.sigmoid(pt.as_tensor(0.0)).eval(), legacy.divide(7, 2))
"""


def test_names_are_there_for_the_pytensor_of_pymc_5() -> None:
    """Which is older than 3: a ported model of PyMC3 has `nnet.softmax` too."""
    done = python("pymc5", "-c", NAMES_ALONE + NOTHING, env={"PYTHONPATH": str(ROOT), "PYTENSOR_FLAGS": "cxx="})
    assert done.stdout == "[[0.5, 0.5], [0.5, 0.5]] 0.5 3\n", done.stderr[-2000:]
