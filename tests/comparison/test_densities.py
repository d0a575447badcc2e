"""`compare --density`: models of PyMC3 3.11.5 and what a port made of them in PyMC 6.4, most with a change of meaning."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import interpreters
from tests.cli.run import theanodiag

SCRIPTS = Path(__file__).parent / "scripts"
PLANTED = {
    "tau_for_sigma": ("s", "-0.2257913526 in the old model and -2.305232894 in the new one (at the start)"),
    "tau_for_sigma_of_data": ("d", "its log-density is"),
    "bound_dropped": ("x", "can be -0.0137 in the new model, and not in the old one; _ContinuousBounded / Normal"),
    "bound_of_counts_dropped": ("x", "can be 8 in the new model, and not in the old one"),
    "bound_moved": ("x", "can be 4.3 in the new model, and not in the old one"),
    "bound_became_truncated": ("x", "its log-density is"),
    "default_of_sigma": ("x", "its log-density is"),
    "sd_swallowed": ("x", "-3.221523626 in the old model and -0.9189385332 in the new one"),
    "walk_begins_elsewhere": ("x", "its log-density is"),
    "precision_by_position": ("x", "its log-density is"),
    "gamma_scale_for_rate": ("x", "its log-density is"),
    "zero_inflation_turned": ("z", "its log-density is"),
    "other_data": ("d", "its data differ"),
    "data_missing": ("d", "is a variable of only the new model"),
    "lost_potential": ("extra", "is a term of only the old model"),
    "lost_scale": ("d", "its log-density is"),
    "other_index": ("d", "its log-density is"),
    "other_expression": ("odds", "has other values, computed from the same variables"),
    "scalar_for_vector": ("x", "has shape [2] in the old model, [] in the new one"),
    "one_sigma_more": ("s", "its log-density is"),
    "laplace_of_rate": ("x", "its log-density is"),
    "upper_of_uniform": ("x", "its log-density is"),
    "order_dropped": ("x", "in the new model, and not in the old one"),
    "covariance_for_precision": ("x", "its log-density is"),
    "weights_in_another_order": ("x", "its log-density is"),
    "mean_for_shape": ("x", "its log-density is"),
    "one_trial_less": ("d", "its log-density is"),
    "intercept_dropped": ("d", "its log-density is"),
    "branches_turned": ("d", "its log-density is"),
    "first_datum_lost": ("d", "its data differ: shape [4] in the old run, [3] in the new one"),
    "precision_of_student": ("x", "its log-density is"),
    "dispersion_for_mean": ("x", "its log-density is"),
    "computed_by_another_function": ("d", "its log-density is"),
    "other_degrees": ("x", "its log-density is"),
    "cauchy_became_normal": ("s", "its log-density is"),
    "half_student_of_other_degrees": ("s", "its log-density is"),
    "other_link": ("d", "its log-density is"),
    "logits_for_probabilities": ("d", "its log-density is"),
    "truncated_became_censored": ("d", "its log-density is"),
    "size_for_mean": ("d", "its log-density is"),
    "other_tail": ("above", "its log-density is"),
    "scale_for_rate": ("x", "its log-density is"),
    "mean_for_first_shape": ("x", "its log-density is"),
    "parameters_turned": ("x", "its log-density is"),
    "precision_of_lognormal": ("x", "its log-density is"),
    "sign_of_skewness": ("x", "its log-density is"),
    "weights_became_ones": ("x", "its log-density is"),
    "factor_transposed": ("x", "its log-density is"),
    "other_axis": ("d", "its log-density is"),
    "standardised_otherwise": ("d", "its log-density is"),
    "level_cut": ("x", "its log-density is"),
    "one_scale_for_all": ("d", "its log-density is"),
    "amplitude_not_squared": ("d", "its log-density is"),
}
"""Model of `models_pymc3.py` -> the variable or term that `models_pymc.py` changed, and what is said of it."""
REASONS = {
    "bound_became_truncated": "pm.Truncated divides it by the mass",
    "walk_begins_elsewhere": "init_dist=pm.Flat.dist()",
    "lkj": "a different normalizing constant",
}


@cache
def compared() -> Any:
    """The comparison of both scripts, as JSON."""
    old, new = (interpreters.find(name) for name in ("pymc3", "pymc"))
    paths = [str(SCRIPTS / name) for name in ("models_pymc3.py", "models_pymc.py")]
    done = theanodiag(
        "compare", "--density", *paths, "--python", old, "--against", new, "--timeout", "1500", "--format", "json", "-q", timeout=3000
    )
    assert done.returncode == 1, done.stderr
    return json.loads(done.stdout)


def model(name: str) -> Any:
    """The comparison of one model."""
    return next(row for row in compared()["models"] if row["name"] == name)


@pytest.mark.parametrize("name", PLANTED)
def test_a_change_of_meaning_is_found(name: str) -> None:
    """At the variable that it changed, and at no other."""
    variable, text = PLANTED[name]
    row = model(name)
    assert not row["equal"]
    found = [f for f in row["findings"] if not f["harmless"]]
    assert {f["name"] for f in found} == {variable}, found
    assert text in found[0]["text"]
    assert REASONS.get(name, "") in (found[0]["reason"] or "")


SAME = ("same", "same_transforms", "empty", "choice", "rounded_choice", "correlation", "computed")
"""Models that mean the same; in the last four an index is chosen or computed, a root does not always exist, and data are computed."""


@pytest.mark.parametrize("name", SAME)
def test_a_model_that_means_the_same_is_equal(name: str) -> None:
    """Terms to 1e-8 but for what PyMC computes in float32, gradients to 1e-8; missing data and a bound by a transform included."""
    row = model(name)
    assert (row["equal"], row["findings"], row["points"]) == (True, [], 21)
    assert row["largest_relative"] < 1e-7
    assert name == "same_transforms" or row["gradient_largest_relative"] < 1e-8


def test_a_constant_that_changes_no_posterior_is_told() -> None:
    """LKJ is normalised otherwise."""
    row = model("lkj")
    assert row["equal"]
    assert [f["harmless"] for f in row["findings"]] == [True]
    assert REASONS["lkj"] in row["findings"][0]["reason"]


def test_each_model_is_in_the_table() -> None:
    """No model is left out of the assertions, and both runs made them all."""
    found = compared()
    assert {row["name"] for row in found["models"]} == {*PLANTED, *SAME, "lkj"}
    assert [found[side]["ended"] for side in ("old", "new")] == [None, None]
    assert [found[side]["library"] for side in ("old", "new")] == ["PyMC3 3.11.5", "PyMC 6.4.0"]


@pytest.mark.parametrize("options", [("--calls", "3"), ("--same-draws",), ("--no-node",), ("--stop-after", "9")])
def test_options_about_functions_have_no_effect_on_models(options: tuple[str, ...]) -> None:
    """And are refused."""
    done = theanodiag("compare", "--density", "a.py", "--python", "python3", "--against", "python3", *options)
    assert done.returncode == 2
    assert f"{options[0]} has no effect with --density" in done.stderr
