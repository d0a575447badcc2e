"""`model.logp_dlogp_function()`, derivatives, unusual densities and the names of sampled values, beside PyMC3 3.11.5."""

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
import theano.tensor as tt
from theano.graph.basic import Apply


class Longer(tt.Op):  # its output has the type of its input, but more elements
    def make_node(self, x):
        x = tt.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = np.arange(3.0) * inputs[0][0]

    def grad(self, inputs, gradients):
        return [tt.zeros_like(inputs[0])]


with pm.Model() as model:
    a, s, u = pm.Normal("a", 0, 2, shape=2), pm.HalfNormal("s", sd=3), pm.Uniform("u", 0, 5)
    pm.Normal("y", a[0] + u, s, observed=np.array([1.0, 2.0, 4.0]))
    pm.Multinomial("z", n=6, p=[u, s, 1.0], observed=np.array([1, 2, 3]))
    pm.Normal("w", Longer()(a), 1.0, observed=np.array([0.5, 1.0, 2.0]))
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
point["u_interval__"] = np.array(0.3)
scaling = pm.tuning.scaling
for vars in ([s, u], [u], [a, s], [a]):  # variables on their own scale
    numbers += [*np.ravel(pm.find_hessian(point, vars=vars, model=model)), *np.ravel(model.fastdlogp(vars)(point))]
numbers += [*np.ravel(pm.find_hessian(point, model=model)), *scaling.find_hessian_diag(point, vars=[a], model=model)]
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
