"""What two runs wrote of a model's log-density is judged: here a model of one normal variable and one datum, by its own formulas."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from theanodiag.agent.record.densities import DensityInstrument, KnownModel
from theanodiag.agent.record.density_model import ModelDensity
from theanodiag.comparison.densities import DensityComparison, DensityDifference, ModelPair, ModelsRun, pairs, unpaired
from theanodiag.report.compared import density_text
from theanodiag.report.v1.common import builtins
from theanodiag.report.v1.compare import CompareDensityV1

START = (0.0, 0.7, -1.3)
"""The points at which `x` is compared."""
ALONE = (-2.0, 2.0)
"""Values to which it is set by itself."""


def normal(x: float, mu: float = 0.0, sigma: float = 1.0) -> float:
    """The log-density of a normal distribution."""
    return -0.5 * ((x - mu) / sigma) ** 2 - math.log(sigma * math.sqrt(2 * math.pi))


def model(sigma: float = 1.0, datum: float = 1.5, kind: str = "Normal", **changed: Any) -> dict[str, Any]:
    """What a run writes of `x ~ Normal(0, sigma)`, `d ~ Normal(x, 1)` with d = `datum`, `twice = 2 x`."""
    points = []
    for x in START:
        terms = {"x": normal(x, sigma=sigma), "d": normal(datum, x)}
        gradient = {"x": -x / sigma**2 + datum - x}
        points.append(
            {"sampled": {"x": x}, "values": {"x": x}, "outside": [], "terms": terms, "bare": dict(terms), "gradient": gradient,
             "in_own_precision": {}, "computed": {"twice": [[], 2 * x]}, "raised": False}
        )  # fmt: skip
    alone = {"x": [[x, normal(x, sigma=sigma) + normal(datum, x)] for x in ALONE]}
    written: dict[str, Any] = {
        "name": "", "variable": "m", "failed": None, "variables": {"x": {"distribution": kind, "transform": None}}, "terms": ["x", "d"],
        "observed": {"d": [[], datum]}, "observed_kinds": {"d": "Normal"}, "gradient_failed": None, "single": [], "minibatches": [],
        "start": {"x": 0.0},
        "shapes": {"x": []}, "points": points, "alone": alone, "partner": 0,
    }  # fmt: skip
    return {**written, **changed}


def each(made: dict[str, Any], key: str, values: dict[str, Any], *, at: slice = slice(None)) -> dict[str, Any]:
    """`made` with other `values` in a part of its points."""
    for point in made["points"][at]:
        point[key] = {**point[key], **values}
    return made


def shifted(made: dict[str, Any], by: float) -> dict[str, Any]:
    """`made` with a constant more in the density of x."""
    for point in made["points"]:
        for key in ("terms", "bare"):
            point[key]["x"] += by
    made["alone"]["x"] = [[value, density + by] for value, density in made["alone"]["x"]]
    return made


def judged(old: dict[str, Any], new: dict[str, Any], relative: float | None = None, absolute: float = 0.0) -> ModelPair:
    """The comparison of two models."""
    (found,) = pairs([old], [new], relative, absolute)
    return found


def texts(found: ModelPair) -> list[tuple[str, str]]:
    """What was found, by variable."""
    return [(f.name, f.text) for f in found.findings]


def test_the_same_model_is_equal() -> None:
    """Everything in it is counted."""
    found = judged(model(), model())
    assert found == ModelPair(0, "m", 1, 2, 3, 2, 0.0, 0.0, (), ())
    assert found.equal


def test_another_scale_is_found_in_its_own_term() -> None:
    """With both densities at the start: log 2 apart."""
    found = judged(model(), model(sigma=2.0))
    assert texts(found) == [
        ("x", "its log-density is -0.9189385332 in the old model and -1.612085714 in the new one (at the start)"),
    ]
    assert not found.equal


def test_a_difference_within_the_tolerance_is_none() -> None:
    """And its size is told; a tolerance of zero finds it."""
    near = model(sigma=1 + 1e-10)
    found = judged(model(), near)
    assert found.equal
    assert 0 < found.largest < 1e-8
    assert not judged(model(), near, relative=0.0).equal
    assert judged(model(), near, relative=0.0, absolute=1e-6).equal


def test_single_precision_widens_the_tolerance_of_its_term_alone() -> None:
    """5e-7 is no difference there, and is one elsewhere."""
    near = model(sigma=1 + 5e-7)
    assert not judged(model(), near).equal
    found = judged(model(), {**near, "single": ["x"]})
    assert found.equal
    assert found.notes == ("computed in float32, and compared to 1e-06: x",)


def test_a_constant_of_single_precision_is_harmless() -> None:
    """If it is as small as rounding makes it, the same at all points, and the term has a part in single precision."""
    off = shifted(model(), 5e-3)
    found = judged(model(), {**off, "single": ["x"]})
    assert found.equal
    assert [(f.harmless, f.reason) for f in found.findings] == [(True, "a constant in it, such as log n!, is computed in float32")]
    assert not judged(model(), off).equal
    assert not judged(model(), {**off, "single": ["d"]}).equal
    assert not judged(model(), {**shifted(model(), 5e-2), "single": ["x"]}).equal
    assert not judged(model(), {**each(off, "bare", {"x": -0.5}, at=slice(0, 1)), "single": ["x"]}).equal


def test_what_the_library_samples_in_single_precision_is_judged() -> None:
    """An error that grows from point to point changes the posterior; one that is the same at all points is noted, a small one is not."""

    def sampled(*errors: float) -> ModelPair:
        made = model()
        for point, error in zip(made["points"], errors):
            point["in_own_precision"] = {"x": point["terms"]["x"] + error}
        return judged(model(), made)

    grown = sampled(0.25, 0.25, 0.5)
    assert not grown.equal
    assert texts(grown) == [
        ("x", "its log-density is -1.763938533 in the new model, but -1.263938533 where PyMC samples it (at point 2)"),
    ]
    same = sampled(0.25, 0.25, 0.25)
    assert same.equal
    (note,) = same.notes
    assert note.startswith("x: its log-density is -0.9189385332 in the new model, but -0.6689385332 where PyMC samples it (at the start)")
    assert sampled(0.001, -0.001, 0.001) == sampled(math.nan, math.nan, math.nan) == judged(model(), model())


def test_a_known_constant_is_harmless_and_another_is_not() -> None:
    """LKJ's normalisation is PyMC's own; one of a normal distribution is a mistake."""
    lkj = judged(model(kind="LKJCorr"), shifted(model(kind="LKJCorr"), 0.25))
    assert lkj.equal
    (finding,) = lkj.findings
    assert (finding.harmless, finding.reason) == (True, "PyMC uses a different normalizing constant for LKJ's density than PyMC3")
    assert ", by 0.25 at all points" in finding.text
    ours = judged(model(), shifted(model(), 0.25))
    assert not ours.equal
    assert ", by 0.25 at all points" in ours.findings[0].text


@pytest.mark.parametrize("density", [-math.inf, math.nan])
@pytest.mark.parametrize("points", [slice(None), slice(1, None)])
@pytest.mark.parametrize("turned", [False, True])
def test_no_density_is_no_constant(density: float, points: slice, turned: bool) -> None:
    """A density of zero in one of both models, at all points or at some, is not that of the other but for a constant."""
    sides = [model(kind="LKJCorr"), shifted(model(kind="LKJCorr"), 0.25)]
    for key in ("terms", "bare"):
        each(sides[0 if turned else 1], key, {"x": density}, at=points)
    found = judged(sides[0], sides[1])
    assert not found.equal
    assert [f.harmless for f in found.findings][:1] == [False]


def test_models_without_a_density_anywhere_are_not_equal() -> None:
    """Whatever the new one has: there was nothing to compare. One point with a density is enough."""
    sides = [each(each(model(), "terms", {"d": -math.inf}), "bare", {"d": -math.inf}) for _ in range(2)]
    for new in (sides[1], model()):
        found = judged(sides[0], new)
        assert texts(found) == [("", "was not compared: the old model has no density at any point")]
        assert (found.points, found.equal) == (0, False)
    for side in sides:
        each(each(side, "terms", {"d": -1.0}, at=slice(1)), "bare", {"d": -1.0}, at=slice(1))
    assert judged(*sides).equal


@pytest.mark.parametrize(("discrete", "expected"), [(True, -math.inf), (False, None)])
def test_an_index_without_an_element_is_no_density_of_a_discrete_variable(discrete: bool, expected: float | None) -> None:
    """A constant index that is out of range is an error of the model."""

    def raising(*_: object) -> None:
        raise IndexError("index 5 is out of bounds")

    density = ModelDensity()
    density.variables, density.terms = {"x": {"discrete": False}, "k": {"discrete": discrete}}, ["x"]
    density._total = density._all = raising
    if expected is not None:
        assert (density.total({}), density.figures({})) == (expected, None)
        return
    for computed in (density.total, density.figures):
        with pytest.raises(IndexError):
            computed({})


@pytest.mark.parametrize("error", [IndexError(), ValueError(), ZeroDivisionError(), AssertionError(), TypeError()])
def test_an_error_of_values_is_no_density_where_the_start_has_one(error: Exception) -> None:
    """A continuous variable that is rounded to an index, a matrix without a root; errors of another kind are the comparison's own."""

    def total(x: float) -> list[float]:
        if x:
            raise error
        return [1.0]

    density = ModelDensity()
    density.variables, density.free, density.start = {"x": {"discrete": False}}, [("x", None, None)], {"x": 0.0}
    density._total = total
    assert density.total({"x": 0.0}) == 1.0
    if isinstance(error, TypeError):
        with pytest.raises(TypeError):
            density.total({"x": 1.0})
    else:
        assert density.total({"x": 1.0}) == -math.inf


@pytest.mark.parametrize("other", [-1.0, -math.inf])
def test_a_point_where_a_density_raises(other: float) -> None:
    """Is left out where the other model has no density either, whichever term says so; else it is a difference."""
    raising, new = model(), each(model(), "terms", {"d": other}, at=slice(1, 2))
    each(new, "bare", {"d": other}, at=slice(1, 2))
    nothing = {"terms": dict.fromkeys(("x", "d"), -math.inf), "bare": dict.fromkeys(("x", "d"), -math.inf), "gradient": {}, "computed": {}}
    raising["points"][1].update(nothing, raised=True)
    for found in (judged(raising, new), judged(new, raising)):
        assert (found.equal, found.points) == ((True, 2) if other == -math.inf else (False, 3))


@pytest.mark.parametrize("at", [0, 1])
def test_a_gradient_that_is_no_number_is_found(at: int) -> None:
    """Wherever it stands among those that are equal."""
    old, new = model(), model()
    for side in (old, new):
        each(side, "gradient", {"x": [0.5, 0.5]})
    new["points"][1]["gradient"]["x"][at] = math.nan
    found = judged(old, new)
    assert not found.equal
    assert found.findings[0].text.startswith("its gradient is [0.5, 0.5] in the old model and [")


def test_another_gradient_is_found_at_its_point() -> None:
    """Densities alike: a derivative of the user's own."""
    found = judged(model(), each(model(), "gradient", {"x": 7.0}, at=slice(2, 3)))
    assert texts(found) == [("x", "its gradient is 4.1 in the old model and 7 in the new one (at point 2)")]


def test_what_has_no_gradient_is_said() -> None:
    """And is no difference."""
    found = judged(model(), model(gradient_failed="NotImplementedError: round"))
    assert (found.equal, found.gradient) == (True, None)
    assert found.notes == ("gradients were not compared: the new model has none (NotImplementedError: round)",)


def test_variables_of_one_model_alone() -> None:
    """Each is named with its side, and nothing else is compared."""
    new = model(variables={"y": {"distribution": "Normal", "transform": None}}, shapes={"y": []})
    found = judged(model(), new)
    assert texts(found) == [("x", "is a variable of only the old model"), ("y", "is a variable of only the new model")]
    assert (found.points, found.equal) == (0, False)


def test_shapes_data_and_failures() -> None:
    """What keeps models from being compared is said."""
    assert texts(judged(model(), model(shapes={"x": [2]}))) == [("x", "has shape [] in the old model, [2] in the new one")]
    assert texts(judged(model(), model(points=[]))) == [("", "no point of the old model could be evaluated in the new one")]
    failed = judged(model(failed="ValueError: no"), model())
    assert texts(failed) == [("", "the density of the old model could not be computed: ValueError: no")]
    assert not failed.equal


def test_other_data_are_found() -> None:
    """By value, and by shape."""
    found = texts(judged(model(), model(datum=1.25)))
    assert found[0] == ("d", "its data differ")
    assert found[1][0] == "d"
    assert texts(judged(model(), model(observed={"d": [[2], 1.5]})))[0] == (
        "d",
        "its data differ: shape [] in the old run, [2] in the new one",
    )


def test_missing_data_have_other_names() -> None:
    """`d_missing` of PyMC3 is `d_unobserved` of PyMC, `d` is `d_observed`."""

    def renamed(made: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
        for point in made["points"]:
            for key in ("sampled", "values", "terms", "bare", "gradient"):
                point[key] = {names.get(name, name): value for name, value in point[key].items()}
        for key in ("variables", "observed", "observed_kinds", "start", "shapes", "alone"):
            made[key] = {names.get(name, name): value for name, value in made[key].items()}
        made["terms"] = [names.get(name, name) for name in made["terms"]]
        return made

    old, new = renamed(model(), {"x": "d_missing"}), renamed(model(), {"x": "d_unobserved", "d": "d_observed"})
    found = judged(old, new)
    assert (found.equal, texts(found)) == (True, [])


def test_a_term_of_one_model_alone() -> None:
    """A potential that was lost."""
    old = model(terms=["x", "d", "extra"])
    for key in ("terms", "bare"):
        each(old, key, {"extra": -1.0})
    found = judged(old, model())
    assert texts(found) == [("extra", "is a term of only the old model")]


def test_a_point_outside_of_the_new_support() -> None:
    """Is told once a variable, with the classes; the other points are compared."""
    new = model(kind="HalfNormal")
    for point in new["points"]:
        point["outside"] = ["x"] if point["values"]["x"] < 0 else []
    found = judged(model(), new)
    assert texts(found) == [("x", "can be -1.3 in the old model (at point 2), and not in the new one; Normal / HalfNormal")]
    assert found.points == 2


def test_other_transforms_are_no_difference() -> None:
    """They are noted, and gradients by other variables are not compared; a Jacobian is, where the transform is the same."""
    new = each(model(variables={"x": {"distribution": "Normal", "transform": "log"}}), "sampled", {"x": 9.0})
    found = judged(model(), new)
    assert (found.equal, found.gradient) == (True, None)
    assert found.notes == (
        "x is sampled by other transforms (itself / log), which does not change the posterior by itself",
        "gradients were not compared: the sampled (transformed) variables differ for x",
    )
    jacobian = each(model(), "terms", {"x": 3.0}, at=slice(0, 1))
    assert texts(judged(model(), jacobian)) == [
        ("x", "the Jacobian of its transform is 0 in the old model and 3.918938533 in the new one (at the start)"),
    ]


def test_another_start_is_noted() -> None:
    """It changes no posterior."""
    found = judged(model(), model(start={"x": 0.5}))
    assert (found.equal, found.notes) == (True, ("sampling starts elsewhere: x",))


def test_a_bound_is_seen_where_a_variable_is_set_alone() -> None:
    """A value that one model allows and the other excludes, with the reason where it is known."""
    old = model(kind="_ContinuousBounded", alone={"x": [[-2.0, -math.inf], [2.0, -4.0]]})
    old["variables"]["x"]["bounded"] = True
    (finding,) = judged(old, model(alone={"x": [[-2.0, -4.0], [2.0, -4.0]]})).findings
    assert finding == DensityDifference(
        "x", "can be -2 in the new model, and not in the old one; _ContinuousBounded / Normal", "it is bounded by pm.Bound in the old model"
    )
    kept = judged(old, model(kind="TruncatedNormal", alone={"x": [[-2.0, -4.0], [2.0, -4.0]]})).findings[0]
    assert kept.reason.startswith("pm.Bound kept the density of the whole distribution")
    lower = judged(model(), model(alone={"x": [[-2.0, -1.0], [2.0, -1.0]]})).findings[0]
    assert lower.text == "at -2 the log-density is -9.962877066 in the old model and -1 in the new one"


def test_a_lost_order_is_seen_where_a_vector_is_turned_round() -> None:
    """One model allows the values and the other does not, or both do and differ."""
    old = model(turned={"x": [[2.0, -1.0, 0.5, 4.0], -math.inf]})
    found = judged(old, model(turned={"x": [[2.0, -1.0, 0.5, 4.0], -4.0]}))
    assert texts(found) == [("x", "can be [2, -1, 0.5, ...] in the new model, and not in the old one")]
    assert judged(old, old).equal
    assert judged(old, model()).equal
    apart = [model(turned={"x": [[2.0, -1.0], density]}) for density in (-4.0, -5.0)]
    assert texts(judged(*apart)) == [("x", "at [2, -1] the log-density is -4 in the old model and -5 in the new one")]


def test_what_is_computed_is_compared() -> None:
    """Values and shapes of deterministic variables; one that is gone is none of the posterior's."""
    assert texts(judged(model(), each(model(), "computed", {"twice": [[], 5.0]}))) == [
        ("twice", "has other values, computed from the same variables (at the start)"),
    ]
    assert texts(judged(model(), each(model(), "computed", {"twice": [[1], 0.0]}))) == [
        ("twice", "is computed with shape [] in the old model, [1] in the new one"),
    ]
    new = model()
    for point in new["points"]:
        point["computed"] = {}
    assert judged(model(), new).equal


def test_known_changes_of_distributions_are_explained() -> None:
    """PyMC3's random walks have no density of their first value; a minibatch has other rows in each run."""
    for kind in ("GaussianRandomWalk", "EulerMaruyama"):
        (finding,) = judged(model(kind=kind), model(sigma=2.0, kind=kind)).findings
        assert "init_dist=pm.Flat.dist()" in finding.reason
    (finding,) = judged(model(), model(sigma=2.0, minibatches=["x"])).findings
    assert (finding.harmless, "other rows of the data" in finding.reason) == (False, True)


def comparison(*found: ModelPair, lonely: tuple[str, ...] = (), ended: str = "") -> DensityComparison:
    """Of two runs with these models; the second has `lonely` ones besides."""
    old = ModelsRun("a.py", "python3", "PyMC3 3.11.5", len(found), ended)
    new = ModelsRun("b.py", "python3", "PyMC 6.4.0", len(found) + len(lonely), ended, unpaired=lonely)
    return DensityComparison(old, new, found)


class Named:
    """A model or a variable, as far as pairing looks at it."""

    parent = None

    def __init__(self, name: str = "", free: Sequence[str] = (), data: Sequence[str] = ()) -> None:
        self.name, self.potentials = name, ()
        self.free_RVs, self.observed_RVs = [Named(n) for n in free], [Named(n) for n in data]


@pytest.mark.parametrize(
    ("old", "new", "partners"),
    [
        (["a y", "b z"], ["a y", "b z"], [0, 1]),
        (["a y", "b z"], ["a y", "c w", "b z"], [0, None, 1]),
        (["a y", "a b y2", "a b c y3"], ["a b y2", "a b c y3"], [1, 2]),
        (["x", "x d"], ["x d", "x d"], [0, 1]),
        (["x_missing y", "b"], ["x_unobserved y", "b"], [0, 1]),
        (["a y", "a y", "a y"], ["a y", "a y"], [0, 1]),
        ([""], ["a y"], [0]),
    ],
    ids=["the same", "one more", "one less", "a variable more", "parts", "the same names", "failed"],
)
def test_models_are_paired_by_their_names(old: list[str], new: list[str], partners: list[int | None], tmp_path: Path) -> None:
    """A model more or less in one run leaves the others in place; a changed one stays where it is."""
    rows = [{"variables": dict.fromkeys(row.split()), "observed": {}, "failed": None if row else "KeyError"} for row in old]
    records = [{**row, "variable": None} for row in rows]
    (tmp_path / "old.json").write_text(json.dumps({"models": records}), "utf-8")
    instrument = DensityInstrument(lambda **_: None, {"points": str(tmp_path / "old.json"), "seed": 1}, list)
    instrument.models = [KnownModel(Named(free=row.split()), None) for row in new]
    for index, (known, row) in enumerate(zip(instrument.models, new)):
        instrument._partner(known, index, {"variables": dict.fromkeys(row.split()), "observed": {}})
    assert [known.partner for known in instrument.models] == partners


@pytest.mark.parametrize(
    ("old", "new", "partners"),
    [
        (["b y", "b y", "b c y"], ["b y", "b y", "b c y"], [0, 1, 2]),
        (["b y", "b c y"], ["b w y", "b c y", "b y"], [0, 1, None]),
        (["b y", "b c y"], ["b c y", "b y"], [1, 0]),
    ],
    ids=["the same", "one more", "another order"],
)
def test_models_held_by_one_variable_in_turn_are_told_apart(
    old: list[str], new: list[str], partners: list[int | None], tmp_path: Path
) -> None:
    """A notebook calls each of its models `model`: their variables decide, then their order."""
    records = [{"variables": dict.fromkeys(row.split()), "observed": {}, "failed": None, "variable": "model"} for row in old]
    (tmp_path / "old.json").write_text(json.dumps({"models": records}), "utf-8")
    instrument = DensityInstrument(lambda **_: None, {"points": str(tmp_path / "old.json"), "seed": 1}, list)
    for index, row in enumerate(new):
        known = KnownModel(Named(free=row.split()), None)
        known.variable = "model"
        instrument.models.append(known)
        instrument._partner(known, index, {"variables": dict.fromkeys(row.split()), "observed": {}})
    assert [known.partner for known in instrument.models] == partners


def test_copies_that_pymc_makes_are_left_out() -> None:
    """For the log-likelihood, say; not the result of `pymc.observe`, in which other variables are free."""

    def model_from_fgraph(*model: Sequence[str]) -> KnownModel:
        return KnownModel(Named("", *model), None)

    instrument = DensityInstrument(lambda **_: None, {"seed": 1}, list)
    own, copy, observed = KnownModel(Named("", "a", "y"), None), model_from_fgraph("a", "y"), model_from_fgraph("", "ay")
    instrument.models = [own, copy, observed]
    assert instrument._compared() == [own, observed]


def test_the_verdict_says_what_is_the_same() -> None:
    """Of all models; constants, missing models and early ends are named."""
    same, other, constant = judged(model(), model()), judged(model(), model(sigma=2.0)), judged(
        model(kind="LKJCorr"), shifted(model(kind="LKJCorr"), 0.25)
    )  # fmt: skip
    lines = density_text(comparison(same)).splitlines()
    assert lines[3] == "equal: the model has the same posterior and log-density"
    assert lines[4] == (
        "model 1 (m): equal; 1 variables, 2 terms at 3 points, 2 values of single variables; terms within 0, gradients within 0"
    )
    assert "equal: all 2 models have the same posterior, the log-density except for constants\n" in density_text(comparison(same, constant))
    assert "not equal: 1 of 2 models\n" in density_text(comparison(same, other))
    assert "not compared: no model was created in both runs\n" in density_text(comparison())
    missing = density_text(comparison(same, lonely=("model 2 (n): y",), ended="ValueError: x"))
    said = "not equal: models of one run are not in the other\nb.py: without a counterpart in the old run, by the names of its variables:\n"
    assert said + "  model 2 (n): y\n" in missing
    assert "the old run of a.py ended early; later models are missing" in missing
    assert "  ValueError: x\n" in missing


def test_the_document_has_the_same() -> None:
    """As plain data."""
    found = builtins(CompareDensityV1.of(comparison(judged(model(), model(sigma=2.0)))))
    assert (found["schema"], found["equal"]) == ("theanodiag/compare-density/v1", False)
    (row,) = found["models"]
    assert (row["name"], row["points"], row["findings"][0]["name"]) == ("m", 3, "x")


def test_a_model_whose_density_failed_says_why() -> None:
    """Where it has a counterpart, and where it has none: its variables are then unknown."""
    failed = {"failed": "KeyError: 'x'", "variable": "m", "partner": 0}
    (finding,) = judged(model(), failed).findings
    assert finding.text == "the density of the new model could not be computed: KeyError: 'x'"
    assert unpaired([model(), failed], [0]) == ("model 2 (m): its density could not be computed: KeyError: 'x'",)
