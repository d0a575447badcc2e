"""Traces that are saved, in PyMC3's own formats: PyMC3 3.11.5 reads what this layer writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import interpreters
from tests.compat.pymc3.test_models import answers

EXPECTED = {
    "texts": ["x__0_0,x__0_1,x__1_0,x__1_1,s_log__,k,s", 31],
    "read": True,
    "integers": "i",
    "loaded": True,
    "statistics": [40],
    "in memory": 30,
    "files": ["metadata.json", "samples.npz"],
    "errors": ["none is not a trace directory", "Cautiously refusing to overwrite the already "],
}
IN_PYMC3 = """
import os, sys
import numpy as np
import pymc3 as pm
os.chdir(sys.argv[1])
with pm.Model():
    pm.Normal("x", 0, 1, shape=(2, 2)), pm.HalfNormal("s", 1), pm.Poisson("k", 3)
    trace = pm.load_trace("saved")
    pm.save_trace(trace, "again")
print(trace.chains, len(trace), trace["x"].shape, trace["diverging"].dtype)
np.save("x.npy", trace["x"])
"""
AGAIN = """
import os, sys
import numpy as np
from theanodiag.compat import pymc3 as pm
os.chdir(sys.argv[1])
assert np.array_equal(pm.load_trace("again")["x"], np.load("x.npy"))
"""


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_traces_are_saved_as_by_pymc3(name: str, tmp_path: Path) -> None:
    """And loaded by it, and what it saves by this layer."""
    script = Path(__file__).parent / "saved.py"
    command = [sys.executable, "-m", "theanodiag", "run", "--python", interpreters.find(name), str(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert answers(done.stdout, done.stderr) == EXPECTED
    said = interpreters.python("pymc3", "-c", IN_PYMC3, str(tmp_path), timeout=900).stdout
    assert said.splitlines()[-1] == "[0, 1] 20 (40, 2, 2) bool"
    env = {"PYTHONPATH": str(interpreters.ROOT), "PYTENSOR_FLAGS": "cxx="}
    assert interpreters.python(name, "-c", AGAIN, str(tmp_path), env=env, timeout=900).returncode == 0
