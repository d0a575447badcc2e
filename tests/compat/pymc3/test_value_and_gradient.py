"""`model.logp_dlogp_function()` and the names of sampled values, beside PyMC3 3.11.5."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import interpreters

from .test_models import answers, run

SCRIPT = """
import json
import numpy as np
import pymc3 as pm

with pm.Model() as model:
    a, s, u = pm.Normal("a", 0, 2, shape=2), pm.HalfNormal("s", sd=3), pm.Uniform("u", 0, 5)
    pm.Normal("y", a[0] + u, s, observed=np.array([1.0, 2.0, 4.0]))
names = [model.named_vars["s_log__"].name, model["u_interval__"].name, model.s_log__.name]
function, at = model.logp_dlogp_function([a, model.free_RVs[1]]), np.array([0.1, 0.2, 0.4])
try:
    function(at)
except ValueError as error:
    names.append(str(error))
function.set_extra_values({"u_interval__": np.array(0.3)})
value, gradient = function(at)
written = np.empty(3)
again = function(at, written)
point = function.array_to_dict(at)
names += [sorted(point), sorted(function.array_to_full_dict(at)), function.size, "x_log__" in model.named_vars]
numbers = [value, *gradient, again, *written, *function.dict_to_array(point), point["s_log__"]]
print("ANSWERS " + json.dumps([names, [round(float(x), 9) for x in numbers]]))
"""


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_a_function_of_one_vector_is_that_of_pymc3(name: str, tmp_path: Path) -> None:
    """It asks for the other values first, as PyMC3's does."""
    script = tmp_path / "vector.py"
    script.write_text(SCRIPT)
    old, done = interpreters.python("pymc3", str(script), timeout=900), run(script, name)
    expected = answers(old.stdout, old.stderr)
    assert answers(done.stdout, done.stderr) == expected
    assert expected[0][3] == "Extra values are not set.", json.dumps(expected)
