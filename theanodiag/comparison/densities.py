"""Compares the log-densities of the models of two runs, written by `agent/record/densities.py`, term by term, and explains differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RELATIVE = 1e-8
"""Tolerance of terms and gradients, relative to their magnitude if that is above 1."""
SINGLE = 1e-6
"""The tolerance if one of the runs computes something in float32: PyTensor takes the logarithm of an integer parameter in float32."""
FOLDED = 1e-5
"""The tolerance of a constant in a term computed in float32, if its error is above `SEEN`: log 9072! = 73606 is known to 0.004 there."""
SEEN = 0.01
"""Error of a log-density, from one point to another, from which on single precision changes a posterior visibly: one percent."""
ALIKE = 1e-6
"""Maximum relative difference between the unconstrained values of a variable for which two runs count as using the same transform."""
SUFFIXES = ("missing", "unobserved", "observed", "density", "bounds", "matrix")
"""Suffixes of variable names for the parts into which a library, or the PyMC3 layer, splits its density."""
CONSTANTS = {
    "_LKJCholeskyCov": "PyMC uses a different normalizing constant for LKJ's density than PyMC3",
    "LKJCorr": "PyMC uses a different normalizing constant for LKJ's density than PyMC3",
}
"""PyMC3 distributions whose density in PyMC differs by a constant, which does not change the posterior."""
_NARROW = "the library computes a part of it in float32 when it samples: write a large parameter as np.float64(1e6)"
_FOLDED = "a constant in it, such as log n!, is computed in float32"
_BOUND = "pm.Bound kept the density of the whole distribution; pm.Truncated divides it by the mass between the bounds"
_FIRST = "PyMC3 gives the first value no density; PyMC gives it init_dist, Normal(0, 100) unless it is named: init_dist=pm.Flat.dist()"
_ROWS = "it has a minibatch, and therefore other rows of the data in each run: compare the model with all data instead of pm.Minibatch"
CHANGED = {
    "EulerMaruyama": _FIRST,
    "GaussianRandomWalk": _FIRST,
    "MvGaussianRandomWalk": _FIRST,
    "MvStudentTRandomWalk": _FIRST,
    "AR": _FIRST,
    "AR1": "PyMC3's AR1 has the stationary distribution for its first value; PyMC's AR has init_dist",
    "GARCH11": "PyMC3's first value is part of the density",
}
"""PyMC3 distributions whose density in PyMC is different unless extra arguments are given."""


@dataclass(frozen=True)
class DensityDifference:
    """One difference between the two versions of a model."""

    name: str
    """The variable or term; empty for the model as a whole."""
    text: str
    """What differs, with both values."""
    reason: str = ""
    """The reason, if it is a known difference between PyMC3 and PyMC."""
    harmless: bool = False
    """Whether the posterior stays the same: the difference is a known constant."""


@dataclass(frozen=True)
class ModelPair:
    """A model in both runs. Models are paired by the names of their variables, or else by their place in the order of creation."""

    index: int
    """Position of the model in the old run, from 0."""
    name: str
    variables: int
    terms: int
    points: int
    """Number of points at which both densities are defined."""
    alone: int
    """Number of values to which single variables were set, all others being fixed."""
    largest: float
    """The largest relative difference of a term that still counts as equal."""
    gradient: float | None
    """The largest relative difference of the gradients; None if they were not compared."""
    findings: tuple[DensityDifference, ...]
    notes: tuple[str, ...]
    """Remarks that are not differences."""

    @property
    def equal(self) -> bool:
        """Whether the two models have the same posterior: no difference changes it, and both densities are defined at some point."""
        return self.points > 0 and all(f.harmless for f in self.findings)


@dataclass(frozen=True)
class ModelsRun:
    """The models that one of the two runs created, and how it ended."""

    path: str
    interpreter: str
    library: str
    """Name and version of the library; empty if the script imported none."""
    models: int
    ended: str
    """How the script ended, in words; empty if it finished normally."""
    failed: tuple[str, ...] = ()
    """Statements that raised an exception, each with its place and exception; the run continued after them."""
    unpaired: tuple[str, ...] = ()
    """Models without a counterpart in the other run, each with its place, name and variables, such as `model 2 (m): x, y`."""
    lent: bool = False
    """Whether the script imports theanodiag although its interpreter lacks it, so that this program's own was made importable for the
    run.
    """


@dataclass(frozen=True)
class DensityComparison:
    """The models of two runs side by side."""

    old: ModelsRun
    new: ModelsRun
    models: tuple[ModelPair, ...]
    draws: tuple[str, ...] = ()
    """Ranges of draws that only one of the scripts reads, or at more lines, each as a sentence."""
    notes: tuple[str, ...] = ()
    """Remarks on the draws that are no differences."""

    @property
    def same_models(self) -> bool:
        """Whether each model of both runs (at least one) has a counterpart with the same posterior."""
        return bool(self.models) and not self.old.unpaired and not self.new.unpaired and all(m.equal for m in self.models)

    @property
    def equal(self) -> bool:
        """Whether the models are the same, and both scripts read the same draws."""
        return self.same_models and not self.draws


Row = Mapping[str, Any]


def pairs(old: Sequence[Row], new: Sequence[Row], relative: float | None, absolute: float) -> tuple[ModelPair, ...]:
    """Compares the models of two runs, in the order of the old run. In a row of the new run, `partner` is the index of the old row."""
    paired = sorted((row["partner"], n) for n, row in enumerate(new) if row["partner"] is not None)
    return tuple(_Judge(index, old[index], new[n], relative, absolute).judged() for index, n in paired)


def unpaired(rows: Sequence[Row], paired: Collection[int]) -> tuple[str, ...]:
    """Returns texts about the models of a run that have no counterpart (their index is not in `paired`), in the form of
    `ModelsRun.unpaired`.
    """
    left = [(title(n, _name(row)), ", ".join(_variables(row)), row) for n, row in enumerate(rows) if n not in paired]
    return tuple(f"{name}: {names or 'its density could not be computed: ' + str(row.get('failed'))}" for name, names, row in left)


def title(index: int, name: str) -> str:
    """Returns the name of a model in messages: its position in its run, from 1, and its own name if it has one."""
    return f"model {index + 1}" + (f" ({name})" if name else "")


def _name(row: Row) -> str:
    """The name that the script gave a model, else the global variable that holds it; empty if it has neither."""
    return str(row.get("name") or row["variable"] or "")


def _variables(row: Row) -> list[str]:
    """Names of a model's variables and data; empty if its density could not be computed."""
    return list(dict.fromkeys(map(_own, (*row.get("variables", ()), *row.get("observed", ())))))


class _Judge:
    """Compares one model."""

    def __init__(self, index: int, old: Row, new: Row, relative: float | None, absolute: float) -> None:
        self.index, self.old, self.new, self.relative, self.absolute = index, old, new, relative, absolute
        self.findings: list[DensityDifference] = []
        self.notes: list[str] = []
        self.largest = 0.0
        self.gradient: float | None = None

    def judged(self) -> ModelPair:
        """Compares both versions of the model. Returns the comparison with all findings."""
        both = self._both()
        if both:
            self._compare(both)
        alone = sum(len(v) for v in self.new.get("alone", {}).values()) if both else 0
        name, variables, terms = _name(self.old), len(self.old.get("variables", ())), len(self.old.get("terms", ()))
        return ModelPair(
            self.index, name, variables, terms, len(both), alone, self.largest, self.gradient, tuple(self.findings), tuple(self.notes)
        )  # fmt: skip

    def _find(self, name: str, text: str, reason: str = "", *, harmless: bool = False) -> None:
        self.findings.append(DensityDifference(name, text, reason, harmless))

    def _both(self) -> list[tuple[Row, Row]]:
        """The points at which both models have a density; empty, with a finding, where the models cannot be compared."""
        for side, which in ((self.old, "old"), (self.new, "new")):
            if side.get("failed"):
                self._find("", f"the density of the {which} model could not be computed: {side['failed']}")
                return []
        ours, theirs = ({_own(n) for n in side.get("variables", ())} for side in (self.old, self.new))
        for which, names in (("old", sorted(ours - theirs)), ("new", sorted(theirs - ours))):
            for name in names:
                self._find(name, f"is a variable of only the {which} model")
        for name in sorted(ours & theirs):
            shapes = [_named(side.get("shapes", {}), name) for side in (self.old, self.new)]
            if shapes[0] != shapes[1]:
                self._find(name, f"has shape {shapes[0]} in the old model, {shapes[1]} in the new one")
        if self.findings or not self.new.get("points"):
            if not self.findings:
                self._find("", "no point of the old model could be evaluated in the new one")
            return []
        if not any(all(map(math.isfinite, point["terms"].values())) for point in self.old["points"]):
            self._find("", "was not compared: the old model has no density at any point")
            return []
        pairs = []
        outside: dict[str, tuple[int, Any]] = {}
        for number, (a, b) in enumerate(zip(self.old["points"], self.new["points"])):
            for name in b["outside"]:
                outside.setdefault(_own(name), (number, b["values"][name]))
            if not b["outside"] and not _without_density(a, b):
                pairs.append((a, b))
        for name, (number, value) in outside.items():
            self._find(name, f"can be {_short(value)} in the old model ({_at(number)}), and not in the new one{self._classes(name)}")
        return pairs

    def _compare(self, both: Sequence[tuple[Row, Row]]) -> None:
        self._data()
        alike = self._transforms(both)
        owners = _owners(self.old["terms"], self.new["terms"])
        single = {owners[t] for side in (self.old, self.new) for t in side.get("single", ())}
        offsets = 0.0
        terms = list(dict.fromkeys(owners.values()))
        for term in terms:
            left, right = ([_sum(p["bare"], owners, term) for p in side] for side in zip(*both))
            offset = self._term(term, left, right, term in single, owners)
            offsets = math.nan if offset is None else offsets + offset
            if offset is not None and alike.get(term, True):
                whole = [[_sum(p["terms"], owners, term) - _sum(p["bare"], owners, term) for p in side] for side in zip(*both)]
                where = _first(whole[0], whole[1], max(SINGLE, self._tolerance(term in single)), self.absolute)
                if where is not None:
                    a, b = whole[0][where], whole[1][where]
                    self._find(
                        term, f"the Jacobian of its transform is {a:.10g} in the old model and {b:.10g} in the new one ({_at(where)})"
                    )
        if all(f.harmless for f in self.findings):
            self._gradients(both, alike, self._tolerance(bool(single)))
        self._as_sampled(both)
        self._computed(both)
        self._alone(self._tolerance(bool(single)), None if math.isnan(offsets) else offsets)
        self._turned(self._tolerance(bool(single)), None if math.isnan(offsets) else offsets)
        if single:
            self.notes.append(f"computed in float32, and compared to {SINGLE:g}: {', '.join(sorted(single))}")

    def _tolerance(self, single: bool) -> float:
        return self.relative if self.relative is not None else SINGLE if single else RELATIVE

    def _data(self) -> None:
        for name in sorted({_own(n) for side in (self.old, self.new) for n in side["observed"]}):
            a, b = (_named(side["observed"], name) for side in (self.old, self.new))
            in_part = any(_named(side["variables"], f"{name}_missing") is not None for side in (self.old, self.new))
            if a is not None and b is not None and not in_part and (a[0] != b[0] or not _near(a[1], b[1], RELATIVE, 0.0)):
                shapes = f": shape {a[0]} in the old run, {b[0]} in the new one" if a[0] != b[0] else ""
                self._find(name, f"its data differ{shapes}")

    def _transforms(self, both: Sequence[tuple[Row, Row]]) -> dict[str, bool]:
        """For each variable, whether both models sample it with the same transform."""
        alike = {}
        for name, row in self.old["variables"].items():
            other = _named(self.new["variables"], _own(name)) or {}
            values = [(_named(a["sampled"], _own(name)), _named(b["sampled"], _own(name))) for a, b in both]
            alike[_own(name)] = all(_alike(a, b) for a, b in values)
            if not alike[_own(name)]:
                kinds = [str(r.get("transform") or "itself") for r in (row, other)]
                self.notes.append(
                    f"{name} is sampled by other transforms ({' / '.join(kinds)}), which does not change the posterior by itself"
                )
        starts = [name for name in alike if not _alike(_start(self.old, name), _start(self.new, name))]
        if starts:
            self.notes.append(f"sampling starts elsewhere: {', '.join(starts)}")
        return alike

    def _term(self, term: str, left: Sequence[float], right: Sequence[float], single: bool, owners: Mapping[str, str]) -> float | None:
        """Compares one term of the log-density at all points; returns the constant by which the new model's term is larger, None if the
        difference is not constant.
        """
        where = _first(left, right, self._tolerance(single), self.absolute)
        if where is None:
            sizes = [abs(a - b) / max(1.0, abs(a)) for a, b in zip(left, right) if math.isfinite(a) and math.isfinite(b)]
            self.largest = max([self.largest, *sizes])
            return 0.0
        sides = [any(owners[t] == term for t in side["terms"]) for side in (self.old, self.new)]
        if not all(sides):
            self._find(term, f"is a term of only the {'old' if sides[0] else 'new'} model")
            return None
        text = f"its log-density is {left[where]:.10g} in the old model and {right[where]:.10g} in the new one ({_at(where)})"
        apart = [b - a for a, b in zip(left, right) if math.isfinite(a) or math.isfinite(b)]
        kinds = self._kinds(term)
        is_constant = len(apart) > 1 and all(map(math.isfinite, apart))
        is_constant = is_constant and all(
            _near(d, apart[0], 1e-6, 1e-9 * max(1.0, *(abs(a) for a in left if math.isfinite(a)))) for d in apart
        )
        if is_constant and single and self.relative is None and _near(left[where], right[where], FOLDED, SEEN):
            self._find(term, f"{text}, by {apart[0]:.3g} at all points", _FOLDED, harmless=True)
            return apart[0]
        if is_constant and self.old["variables"].get(term) is not None:
            known = CONSTANTS.get(kinds[0], "")
            self._find(term, f"{text}, by {apart[0]:.6g} at all points{self._classes(term)}", known or _reason(self.old, term, kinds),
                       harmless=bool(known))  # fmt: skip
            return apart[0]
        self._find(term, text + self._classes(term), _ROWS if self._has_minibatch(term, owners) else _reason(self.old, term, kinds))
        return None

    def _as_sampled(self, both: Sequence[tuple[Row, Row]]) -> None:
        """Compares what the new library computes in single precision when it samples with the terms, which are in double precision."""
        points = [b for _, b in both]
        for name in dict.fromkeys(n for point in points for n in point["in_own_precision"]):
            known = [p for p in points if math.isfinite(p["terms"][name]) and math.isfinite(p["in_own_precision"].get(name, math.nan))]
            errors = [p["in_own_precision"][name] - p["terms"][name] for p in known]
            if not errors:
                continue
            worst = max(range(len(errors)), key=lambda n: abs(errors[n] - errors[0]))
            own, term = known[worst]["in_own_precision"][name], known[worst]["terms"][name]
            where = _at(points.index(known[worst]))
            text = f"its log-density is {term:.10g} in the new model, but {own:.10g} where PyMC samples it ({where})"
            if abs(errors[worst] - errors[0]) > SEEN:
                self._find(_own(name), text, _NARROW)
            elif abs(errors[worst]) > SEEN:
                self.notes.append(f"{_own(name)}: {text}: {_NARROW}; the difference is the same at all points and changes no posterior")

    def _kinds(self, term: str) -> tuple[str, str]:
        rows = [_named(side["variables"], term) or {"distribution": _named(side["observed_kinds"], term)} for side in (self.old, self.new)]
        return str(rows[0]["distribution"] or ""), str(rows[1]["distribution"] or "")

    def _has_minibatch(self, term: str, owners: Mapping[str, str]) -> bool:
        """Whether random rows of the data make a part of the term."""
        return any(owners[name] == term for name in self.new["minibatches"])

    def _classes(self, term: str) -> str:
        old, new = self._kinds(term)
        return f"; {old or '?'} / {new or '?'}" if (old or new) and old != new else ""

    def _gradients(self, both: Sequence[tuple[Row, Row]], alike: Mapping[str, bool], relative: float) -> None:
        """Compares the gradients with respect to the sampled variables, where both models use the same transform."""
        for side, which in ((self.old, "old"), (self.new, "new")):
            if side["gradient_failed"]:
                self.notes.append(f"gradients were not compared: the {which} model has none ({side['gradient_failed']})")
                return
        others = sorted(name for name, is_alike in alike.items() if not is_alike)
        if others:
            self.notes.append(f"gradients were not compared: the sampled (transformed) variables differ for {', '.join(others)}")
            return
        for number, (a, b) in enumerate(both):
            for name, value in a["gradient"].items() if b["gradient"] else ():  # none where the density raises, as PyMC's may
                one, two = _flat(value), _flat(_named(b["gradient"], _own(name)))
                size = max([1.0, *(abs(x) for x in one if math.isfinite(x))])
                apart = max((_apart(x, y) for x, y in zip(one, two)), default=0.0)
                if len(one) != len(two) or apart > max(relative * 10 * size, self.absolute):
                    self._find(name, f"its gradient is {_short(one)} in the old model and {_short(two)} in the new one ({_at(number)})")
                    return
                self.gradient = max(self.gradient or 0.0, apart / size)

    def _computed(self, both: Sequence[tuple[Row, Row]]) -> None:
        """Compares the values that the models compute, such as Deterministics, by name."""
        for name in both[0][0]["computed"]:
            for number, (a, b) in enumerate(both):
                one, two = a["computed"].get(name), b["computed"].get(name)
                if one is None or two is None:  # another name, or the density raises at this point
                    continue
                if one[0] != two[0]:
                    self._find(name, f"is computed with shape {one[0]} in the old model, {two[0]} in the new one")
                    break
                if not _near(one[1], two[1], SINGLE, 1e-8):
                    self._find(name, f"has other values, computed from the same variables ({_at(number)})")
                    break

    def _alone(self, relative: float, offset: float | None) -> None:
        """Compares the log-density at points where one variable has a value that some prior excludes."""
        for name, rows in self.old["alone"].items():
            others = _named(self.new["alone"], _own(name))
            for (value, a), (_, b) in zip(rows, others or ()):
                if math.isfinite(a) != math.isfinite(b):
                    can, cannot = ("old", "new") if math.isfinite(a) else ("new", "old")
                    kinds = self._kinds(_own(name))
                    self._find(name, f"can be {value:g} in the {can} model, and not in the {cannot} one{self._classes(_own(name))}",
                               _reason(self.old, _own(name), kinds))  # fmt: skip
                    break
                if math.isfinite(a) and offset is not None and not _near(a + offset, b, max(relative, SINGLE), 1e-6):
                    self._find(name, f"at {value:g} the log-density is {a:.10g} in the old model and {b:.10g} in the new one")
                    break

    def _turned(self, relative: float, offset: float | None) -> None:
        """Compares the log-density at points where the elements of one vector are in reverse order, which a transform to ordered values
        excludes.
        """
        for name, (value, a) in self.old.get("turned", {}).items():
            b = (_named(self.new.get("turned", {}), _own(name)) or (None, a))[1]
            if math.isfinite(a) != math.isfinite(b):
                can, cannot = ("old", "new") if math.isfinite(a) else ("new", "old")
                self._find(name, f"can be {_short(value)} in the {can} model, and not in the {cannot} one{self._classes(_own(name))}")
            elif math.isfinite(a) and offset is not None and not _near(a + offset, b, max(relative, SINGLE), 1e-6):
                self._find(name, f"at {_short(value)} the log-density is {a:.10g} in the old model and {b:.10g} in the new one")


def _reason(old: Row, term: str, kinds: tuple[str, str]) -> str:
    row = _named(old["variables"], term) or {}
    if row.get("bounded"):
        return _BOUND if kinds[1].startswith("Truncated") else "it is bounded by pm.Bound in the old model"
    return CHANGED.get(kinds[0], "")


def _owners(old: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Term of the log-density -> the term that it is a part of, or itself."""
    names = {*old, *new}
    owners = {}
    for name in dict.fromkeys((*old, *new)):
        base, _, last = name.rpartition("_")
        apart = (name in old) != (name in new) or (base in names and last in ("missing", "unobserved", "observed"))
        owners[name] = base if base and last in SUFFIXES and apart else name
    return owners


def _own(name: str) -> str:
    """The name under which both libraries' variables are compared: `x_observed` -> `x`, `x_unobserved` -> `x_missing`."""
    base, _, last = name.rpartition("_")
    return f"{base}_missing" if base and last == "unobserved" else base if base and last == "observed" else name


def _named(rows: Mapping[str, Any], name: str) -> Any:
    """The entry in `rows` of the variable whose name for the comparison is `name`; None if there is none."""
    return next((row for key, row in rows.items() if _own(key) == name), None)


def _without_density(a: Row, b: Row) -> bool:
    """Whether both models have no density at a point, and one of them raises there, so that its terms cannot be told apart."""
    return bool(a["raised"] or b["raised"]) and not any(all(map(math.isfinite, side["terms"].values())) for side in (a, b))


def _start(side: Row, name: str) -> Any:
    return _named(side["start"], name)


def _sum(terms: Mapping[str, float], owners: Mapping[str, str], term: str) -> float:
    return math.fsum(v for k, v in terms.items() if owners[k] == term) if all(map(math.isfinite, terms.values())) else _loose(
        terms, owners, term
    )  # fmt: skip


def _loose(terms: Mapping[str, float], owners: Mapping[str, str], term: str) -> float:
    """The sum of a term's parts; -inf if a part is not finite, since "no density" may be computed as inf, -inf or nan."""
    values = [v for k, v in terms.items() if owners[k] == term]
    return math.fsum(values) if all(map(math.isfinite, values)) else -math.inf


def _first(left: Sequence[float], right: Sequence[float], relative: float, absolute: float) -> int | None:
    """The first place at which two rows of figures differ; None if they do not."""
    return next((n for n, (a, b) in enumerate(zip(left, right)) if not _near(a, b, relative, absolute)), None)


def _near(a: float, b: float, relative: float, absolute: float) -> bool:
    apart = _apart(a, b)
    return apart == 0 or (math.isfinite(apart) and apart <= max(absolute, relative * max(1.0, abs(a), abs(b))))


def _apart(a: float, b: float) -> float:
    """The distance of two figures; infinite where one of them alone is finite, 0 where none is."""
    if math.isfinite(a) and math.isfinite(b):
        return abs(a - b)
    return 0.0 if math.isfinite(a) == math.isfinite(b) else math.inf


def _alike(a: Any, b: Any) -> bool:
    one, two = _flat(a), _flat(b)
    return len(one) == len(two) and all(_near(x, y, ALIKE, 1e-9) for x, y in zip(one, two))


def _flat(value: Any) -> list[float]:
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in _flat(part)]
    return [] if value is None else [float(value)]


def _short(value: Any) -> str:
    flat = _flat(value)
    text = ", ".join(f"{x:.6g}" for x in flat[:3])
    return text if len(flat) == 1 else f"[{text}{', ...' if len(flat) > 3 else ''}]"


def _at(number: int) -> str:
    return "at the start" if number == 0 else f"at point {number}"
