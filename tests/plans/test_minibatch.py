"""A fitting step with a part of the rows: by hand on a product, and as real PyMC has it with `pm.Minibatch` in the script."""

from __future__ import annotations

from pathlib import Path

from tests.samplers.test_pymc import check
from theanodiag.memory.script import Call
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans.advice import step_bytes, with_rows
from theanodiag.rules.examples import dot_script

SETTINGS = MemorySettings(preallocate=-1.0)


def test_every_axis_of_so_many_rows_is_shortened() -> None:
    """A product of 4000 rows with 32 columns: its result and, as a copy, the rows that it is given."""
    script = dot_script(4000, 32, "float64")
    smaller = with_rows(script, 0, 4000, 200)
    rows = [e.shapes.shapes for e in smaller.events if isinstance(e, Call)]
    assert rows
    assert not any(4000 in shape for table in rows for shape in table.values() if isinstance(shape, tuple))
    figures = simulate(smaller, SETTINGS).functions[0].figures
    taken = [v.id for v in script.functions[0].graph.variables if v.owner is None]
    tables = [e.shapes for e in script.events if isinstance(e, Call)]
    copies = sum(200 * 8 * s[1] for v in taken if isinstance(s := tables[0].shape(v), tuple) and s[:1] == (4000,))
    assert copies > 0
    assert step_bytes(script, SETTINGS, 0, 4000, 200) == figures.live_peak_bytes - figures.live_before_bytes + copies


MODEL = """
import numpy as np
import pymc as pm

x = np.ones((6000, 4))
y = np.zeros(6000, "int32")
with pm.Model():
    {}
    w = pm.Normal("w", 0, 1, shape=(4, 8))
    pm.Categorical("y", logit_p=pm.math.dot(x, w), observed=y{})
    pm.fit(50, progressbar=False)
"""


def test_the_plan_is_near_what_a_minibatch_takes(tmp_path: Path) -> None:
    """The step of the script that takes 300 rows takes what the plan says, but for the rows' numbers; that script gets no such plan."""
    whole = check(tmp_path, "pymc", "", MODEL.format("pass", "")).sampling[0]
    (plan,) = [p for p in whole.plans if p.change.startswith("pm.Minibatch")]
    assert plan.change == "pm.Minibatch(..., batch_size=300) as observed, with total_size=6000"
    taken = check(tmp_path, "pymc", "", MODEL.format("x, y = pm.Minibatch(x, y, batch_size=300)", ", total_size=6000")).sampling[0]
    assert not [p for p in taken.plans if p.change.startswith("pm.Minibatch")]
    assert taken.profile.call.rows is None
    before, after, real = (p.stages[0].bytes for p in (whole.profile, plan.after, taken.profile))
    assert after < before
    assert abs(after - real) < 0.1 * (before - real)
