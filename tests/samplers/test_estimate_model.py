"""`estimate` of a model: the stages of sampling, and the process; a budget in pytest."""

from __future__ import annotations

import os
import site
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import theanodiag
from tests.interpreters import ROOT, python
from theanodiag.errors import UsageError
from theanodiag.jobs.estimate import _lengths

SCRIPT = """
import sys
sys.path += {paths!r}
import numpy as np
import pymc as pm
import theanodiag
from theanodiag.pytest_plugin import _advice

with pm.Model() as model:
    a = pm.Normal("a", 0, 1, shape=3)
    pm.Deterministic("mu", a.sum() * np.ones(2000))
    pm.Normal("y", a[0] * pm.Data("x", np.ones(7)), 1, observed=np.zeros(7))
    found = theanodiag.estimate(draws=3000, tune=20, chains=2, cores=1, host_memory="64MiB")
assert found.call.profile.call.draws == 3000
assert found.stages[-1].name == "result" and found.sampling_bytes > 2 * 3000 * 2000 * 8
assert found.peak_bytes > found.sampling_bytes + (100 << 20)
assert "convergence checks" in repr(found) and "for the whole process" in repr(found), repr(found)
assert " at " not in repr(found).partition("\\n")[0], "the line of a file that is gone"
assert [str(f.location) for f in found.report.findings if f.code == "TD340"] == ["model"], found.report.findings
assert "model.py" not in str(found.report), "the file that is gone"
assert any("with var_names=['a']: without mu" in line for line in _advice(found)), list(_advice(found))
kept = theanodiag.estimate(model, draws=3000, tune=20, chains=2, cores=1, var_names=["a"], idata_kwargs={{"log_likelihood": True}})
assert kept.stages[0].bytes < found.stages[0].bytes / 10 and "log-likelihood" in [s.name for s in kept.stages], repr(kept)
try:
    theanodiag.estimate(model, var_names=["a", "b"])
except theanodiag.UsageError as error:
    print(error)
density = model.compile_logp()
one = theanodiag.estimate(density, model.initial_point())
assert one.peak_bytes == theanodiag.estimate(density.f, {{"a": (3,)}}).peak_bytes
try:
    theanodiag.estimate(model, {{"a": (3,)}})
except theanodiag.UsageError as error:
    print(error)
try:
    theanodiag.estimate(model, nuts_sampler="numpyro")
except theanodiag.UnreadableError as error:
    print(error)
"""


def test_a_model_and_its_functions(tmp_path: Path) -> None:
    """Within `with model:` nothing is named; a PointFunc takes the model's own point."""
    script = tmp_path / "model.py"
    script.write_text(SCRIPT.format(paths=[str(ROOT), *site.getsitepackages()]))
    done = python("pymc", str(script))
    assert done.returncode == 0, done.stderr
    assert "var_names: the model has no variable 'b'" in done.stdout
    assert "shapes applies only to a compiled function" in done.stdout
    assert (
        "PyMC failed before it sampled from the model: ModuleNotFoundError: No module named 'jax'\nhelp: install the module jax"
        in done.stdout
    )


def test_values_are_as_good_as_shapes() -> None:
    """Arrays have a shape, numbers none; integers are values too."""
    given = {"a": np.zeros((2, 3)), "n": np.int64(4), "k": 5, "x": 1.5, "s": (7, 8)}
    assert _lengths(given) == ({"a": (2, 3), "n": (), "k": (), "x": (), "s": (7, 8)}, {"n": 4, "k": 5})


@pytest.mark.parametrize("length", [-1, 12.5, None])
def test_a_length_is_a_whole_number(length: object) -> None:
    """Nothing is rounded in silence, and no array has less than no rows."""
    graph = theanodiag.read_debugprint("Exp [id A] <Vector(float64, shape=(?,))> 0\n └─ x [id B] <Vector(float64, shape=(?,))>\n")
    assert isinstance(theanodiag.estimate(graph, {"x": (np.int64(0),)}), theanodiag.Estimate)
    with pytest.raises(UsageError, match="a length is a whole number, 0 or more"):
        theanodiag.estimate(graph, {"x": (length,)})


def test_without_a_model_around() -> None:
    """One sentence says what is missing."""
    with pytest.raises(UsageError, match="no model around"):
        theanodiag.estimate()


def test_a_budget_of_memory(tmp_path: Path) -> None:
    """A test that is over it fails with the estimate, and so does one that estimates nothing."""
    (tmp_path / "test_budget.py").write_text(
        "import pytest, theanodiag, unittest\n"
        "GRAPH = '''Dot22 [id A] <Matrix(float64, shape=(100, 100))> 0\\n ├─ x [id B] <Matrix(float64, shape=(100, 50))>\\n"
        " └─ y [id C] <Matrix(float64, shape=(50, 100))>\\n'''\n"
        "def one():\n    return theanodiag.estimate(theanodiag.read_debugprint(GRAPH))\n"
        "@pytest.mark.memory('1 MiB')\ndef test_within(): one()\n"
        "@pytest.mark.memory('1 KiB')\ndef test_over(): one()\n"
        "@pytest.mark.memory('1 KiB')\ndef test_nothing(): pass\n"
        "@pytest.mark.memory('lots')\ndef test_no_budget(): one()\n"
        "def test_unmarked(): one()\n"
        "class TestMethod(unittest.TestCase):\n"
        "    @pytest.mark.memory('1 KiB')\n    def test_method_over(self): one()\n"
        "    @pytest.mark.memory('1 MiB')\n    def test_method_within(self): one()\n"
        "    @pytest.mark.memory('1 MiB')\n    def test_method_fails_by_itself(self): self.fail('its own')\n"
        "OPEN = '''Exp [id A] <Vector(float64, shape=(?,))> 0\\n └─ x [id B] <Vector(float64, shape=(?,))>\\n'''\n"
        "@pytest.mark.memory('1 MiB')\ndef test_bound(): theanodiag.estimate(theanodiag.read_debugprint(OPEN))\n"
        "@pytest.mark.memory('1 MiB')\ndef test_skipped(): pytest.skip('not here')\n"
    )
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # where it is installed, pytest loads it by itself
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "theanodiag.pytest_plugin", "--strict-markers", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120, env=env)
    assert "6 failed, 3 passed, 1 skipped" in done.stdout, done.stdout
    assert "its own" in done.stdout
    assert "it is not known whether the budget is enough: the size of Exp, x is unknown" in done.stdout, done.stdout
    assert "are more than the budget of 1.0 KiB" in done.stdout
    assert "made no estimate" in done.stdout
    assert "the marker's budget is not a size in bytes: 'lots'" in done.stdout


@pytest.mark.parametrize(("name", "count"), [("draws", -1), ("draws", 0), ("chains", 0), ("tune", -5)])
def test_counts_that_pymc_refuses(name: str, count: int) -> None:
    """They are refused before anything is built, not estimated."""
    model = type("Model", (), {"__module__": "pymc.model.core"})()
    with pytest.raises(UsageError, match=f"{name} must be [01] or more, not {count}"):
        theanodiag.estimate(model, **{name: count})  # type: ignore[arg-type]
