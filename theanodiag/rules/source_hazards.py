"""TD11: problems with memory, time or results that are visible in the source alone, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import files
from ..errors import UnreadableError, UsageError
from ..findings import Confidence, Finding, Fix, Location, Severity
from ..porting import model
from ..porting.model import PortOptions
from ..porting.notebook import Notebook
from ..porting.scopes import Names, Use
from ..porting.session import PortSession
from ..porting.source_port import open_session, rewrite_session
from ..porting.syntax import NAME, Node, arguments, keyword, symbols
from .base import rule

_DATA = re.compile(
    r"(?:train|test|valid|dev)\w*_(?:set|data|x|y|images|labels)|(?:set|data)_[xy]\b|\b(?:data|dataset|images|corpus)\b", re.IGNORECASE
)
"""Matches names of data sets that are common in public scripts."""
_SLICE = re.compile(r"\[[^\[\]]*[^\s\[\]:][^\[\]]*:[^\[\]]*\]|\[[^\[\]]*:\s*[^\s,\[\]][^\[\]]*\]")
"""Matches a slice of an array (`x[a:b]`, `x[:n]`), but not all of it (`x[:]`)."""
SWALLOWING = {
    "Bernoulli": "p logit_p", "Beta": "alpha beta mu sigma nu", "BetaBinomial": "alpha beta n", "Binomial": "n p logit_p",
    "Categorical": "p logit_p", "Cauchy": "alpha beta", "ChiSquared": "nu", "Dirichlet": "a", "DiscreteUniform": "lower upper",
    "Exponential": "lam scale", "Flat": "", "Gamma": "alpha beta mu sigma", "Geometric": "p", "Gumbel": "mu beta", "HalfFlat": "",
    "HalfNormal": "sigma tau", "HyperGeometric": "N k n", "Interpolated": "x_points pdf_points", "InverseGamma": "alpha beta mu sigma",
    "Laplace": "mu b", "LogNormal": "mu sigma tau", "Logistic": "mu s", "Lognormal": "mu sigma tau", "Moyal": "mu sigma",
    "Multinomial": "n p", "MvNormal": "mu cov tau chol lower", "NegativeBinomial": "mu alpha p n", "Normal": "mu sigma tau",
    "OrderedLogistic": "eta cutpoints compute_p", "OrderedProbit": "eta cutpoints sigma compute_p", "Pareto": "alpha m", "Poisson": "mu",
    "PolyaGamma": "h z", "Rice": "nu sigma b", "SkewNormal": "alpha mu sigma tau", "SkewStudentT": "a b mu sigma lam",
    "StickBreakingWeights": "alpha K", "StudentT": "nu mu sigma lam", "Triangular": "lower upper c",
    "TruncatedNormal": "mu sigma tau lower upper", "Uniform": "lower upper", "VonMises": "mu kappa", "Wald": "mu lam phi alpha",
}  # fmt: skip
"""PyMC distributions that silently ignore unknown arguments -> their parameters. (Tested with PyMC 6.4.0; 5.28.5 raises TypeError.)"""
TAKEN_BY_ALL = frozenset((
    "name", "rng", "dims", "initval", "observed", "total_size", "transform", "default_transform", "shape", "size", "dtype",
    "return_next_rng",
))  # fmt: skip
"""Arguments that every distribution accepts. (PyMC 6.4.0, distributions/distribution.py.)"""
RENAMED_ARGUMENTS = {"sd": "sigma", "testval": "initval"}
"""PyMC3 argument -> its name in PyMC."""


def _example(text: str) -> PortSession:
    return rewrite_session("import theano\nimport theano.tensor as T\n" + text, "model.py", PortOptions())


@rule(
    "TD111", "function-in-loop",
    fires=lambda: _example("for k in range(9):\n    f = theano.function([], k)\n"),
    silent=lambda: _example("f = theano.function([], 1)\nfor k in range(9):\n    f()\n"),
)  # fmt: skip
def function_in_loop(s: PortSession) -> Iterator[Finding]:
    """TD111: a function is compiled in a loop

    What it finds
        Finds a call of `theano.function` in the body of a `for` or `while` loop of the same Python function.

    Why it matters
        Each compilation takes seconds, and each compiled function holds its own memory as long as it exists.

    Example
        The loop `for rate in rates: train = theano.function([x], cost, updates=sgd(rate))` compiles a function for each rate.

    What to do
        Compile once, before the loop. Pass values that change as an input or a shared variable.

    Limits
        The rule judges from the source alone. The rule also reports intended loops, such as a loop that compiles and keeps one function for
        each layer.
    """
    for use in s.names.uses:
        if use.name.endswith(".function") and _is_called(use) and _in_loop(use.leaves[0]):
            message = "function() is called in a loop: each call compiles another function with its own memory"
            yield _finding(s, use.leaves[0], "TD111", message, "compile once before the loop, and pass values that change as an input")


@rule(
    "TD112", "value-read-in-loop",
    fires=lambda: _example("w = theano.shared(1)\nfor k in range(9):\n    print(w.get_value())\n"),
    silent=lambda: _example("ws = [theano.shared(1)]\nfor w in ws:\n    print(w.get_value())\n"),
)  # fmt: skip
def value_read_in_loop(s: PortSession) -> Iterator[Finding]:
    """TD112: the value of one shared variable is read in a loop

    What it finds
        Finds a call of `get_value` in a loop, on an object that is the same in every iteration.

    Why it matters
        On a GPU each call copies the whole value to the host and waits for the device.

    Example
        The loop `while cost > 0.1: cost = train(); print(W.get_value().mean())` copies W in every iteration.

    What to do
        Let the function return what you need, or read the value only every few steps.

    Limits
        The rule judges from the source alone: the number of iterations and the size of the value are unknown.
    """
    for leaf in s.tree.leaves if "get_value" in s.tree.text else ():
        if leaf.value == "get_value" and _is_method_call(leaf) and _in_loop(leaf) and not _is_loops_own(leaf):
            message = "get_value is called in a loop: each call copies the value from the device"
            yield _finding(s, leaf, "TD112", message, "let the function return what is needed, or read it less often")


@rule(
    "TD113", "data-in-shared",
    fires=lambda: _example("x = theano.shared(train_set_x)\n"),
    silent=lambda: _example("w = theano.shared(w_init)\n"),
)  # fmt: skip
def data_in_shared(s: PortSession) -> Iterator[Finding]:
    """TD113: a data set in a shared variable

    What it finds
        Finds a call of `theano.shared` whose first argument has a name typical of data sets (`train_set_x`, `data_y`, `images`).

    Why it matters
        The whole data set stays in the memory of the device. Theano's own tutorials keep MNIST in device memory, but larger data sets do
        not fit.

    Example
        `shared_x = theano.shared(numpy.asarray(data_x, dtype=theano.config.floatX), borrow=True)`.

    What to do
        Run `theanodiag check` to see how much memory the data set needs. `theanodiag.ChunkedShared` loads the data set in chunks.

    Limits
        The rule judges by the name alone. A finding does not mean that the data set is too large.
    """
    for use in s.names.uses:
        if use.name.endswith(".shared") and _is_called(use) and _names_data(s, use):
            message = "a data set is put into a shared variable: all of it stays in the memory of the device"
            advice = "theanodiag check shows how much it takes; theanodiag.ChunkedShared feeds it in chunks"
            yield _finding(s, use.leaves[0], "TD113", message, advice)


_PYMC = "import pymc as pm\n"


@rule(
    "TD114", "swallowed-argument",
    fires=lambda: rewrite_session(_PYMC + "pm.Normal('x', 0, sd=10)\n", "model.py", PortOptions()),
    silent=lambda: rewrite_session(_PYMC + "pm.Normal('x', 0, sigma=10)\n", "model.py", PortOptions()),
)  # fmt: skip
def swallowed_argument(s: PortSession) -> Iterator[Finding]:
    """TD114: an argument that a PyMC distribution silently ignores

    What it finds
        Finds a keyword argument that a PyMC distribution (or its `dist` method) does not have: `sd=`, `testval=`, a misspelling.

    Why it matters
        PyMC 6 silently ignores such arguments. With PyMC 6, `pm.Normal("x", 0, sd=10)` has a standard deviation of 1, and the posterior is
        different. PyMC 5.28 raises a TypeError instead.

    Example
        The script contains `pm.HalfNormal("s", sd=5)` and `pm.Normal("x", 0, 1, testval=0.1)`.

    What to do
        Write the argument's present name: Write `sigma=` in place of `sd=`, and `initval=` in place of `testval=`. `theanodiag compare
        --density` shows whether the model is the intended one.

    Limits
        The rule judges from the source alone. The rule does not see arguments passed with `**`, or distributions called through another
        name. Distributions that raise an error for such an argument are not reported.
    """
    if "pymc" not in s.tree.text:
        return
    names = s.once(_names_of_pymc)
    for use in names.uses:
        parts = use.name.split(".")
        if parts[-1] == "dist":
            parts.pop()
        takes = SWALLOWING.get(parts[-1])
        if takes is None or parts[0] != "pymc" or parts[1:-1] not in ([], ["distributions"]) or not _is_called(use):
            continue
        for argument in arguments(use.trailers[0]):
            given = keyword(argument)
            if given is None or given in ("*", "**") or given in TAKEN_BY_ALL or given in takes.split():
                continue
            message = f"{parts[-1]} has no {given}: PyMC 6 silently ignores it, and samples a different model"
            new = RENAMED_ARGUMENTS.get(given)
            known = new if new in TAKEN_BY_ALL or new in takes.split() else None
            advice = f"write {known}=" if known else f"it takes {', '.join(takes.split()) or 'no parameters'}"
            place = Location.of(s.tree.span(argument))
            yield Finding("TD114", Severity.ERROR, Confidence.DERIVED, message, place, Fix(advice))


def in_script(path: str) -> tuple[Finding, ...]:
    """Returns the TD114 findings in a script or notebook that was run; empty if it cannot be parsed or the parser is not installed."""
    data = files.read(path, files.TEXT)
    if b"pymc" not in data:
        return ()
    try:
        notebook = Notebook(data.decode("utf-8-sig", "replace"), path) if path.endswith(".ipynb") else None
        with open_session(notebook.source if notebook else model.read(data, path).text, path, PortOptions()) as session:
            return tuple(map(notebook.placed if notebook else lambda f: f, swallowed_argument.check(session)))
    except (UnreadableError, UsageError):
        return ()


def _names_of_pymc(s: PortSession) -> Names:
    """The uses of PyMC's names."""
    return Names(s.tree, ("pymc",), lambda _: SWALLOWING)


def _finding(session: PortSession, node: Node, code: str, message: str, advice: str) -> Finding:
    place = Location.of(session.tree.span(node))
    return Finding(code, Severity.INFO, Confidence.GUESSED, message, place, Fix(advice))


def _is_called(use: Use) -> bool:
    return bool(use.trailers) and use.trailers[0].children[:1] and use.trailers[0].children[0].value == "("


def _is_method_call(leaf: Node) -> bool:
    trailer = leaf.parent
    after = trailer.next_sibling if trailer is not None and trailer.type == symbols().trailer else None
    return after is not None and after.type == symbols().trailer and after.children[0].value == "("


def _in_loop(node: Node) -> bool:
    """Whether the node is in the body of a loop of the same function. The iterable of a `for` is computed once and does not count."""
    sym = symbols()
    child, parent = node, node.parent
    while parent is not None and parent.type not in (sym.funcdef, sym.lambdef, sym.classdef):
        if parent.type == sym.while_stmt or (parent.type == sym.for_stmt and child is not parent.children[3]):
            return True
        if parent.type == sym.comp_for or any(c.type == sym.comp_for for c in parent.children[1:2]):
            return child is parent.children[0] and parent.type != sym.comp_for
        child, parent = parent, parent.parent
    return False


def _is_loops_own(leaf: Node) -> bool:
    """Whether the object that is read is the loop's variable or selected by it. Each one is then read only once, as when parameters are
    saved.
    """
    sym = symbols()
    chain, bound, parent = leaf.parent.parent, set[str](), leaf.parent.parent
    while parent is not None and parent.type not in (sym.funcdef, sym.lambdef, sym.classdef):
        targets = parent.children[1:2] if parent.type == sym.for_stmt else []
        targets += [c.children[1] for c in parent.children if c.type == sym.comp_for]
        bound.update(name.value for target in targets for name in target.leaves() if name.type == NAME)
        parent = parent.parent
    return any(name.type == NAME and name.value in bound for name in chain.leaves())


def _names_data(session: PortSession, use: Use) -> bool:
    """Whether the first argument has a name common for data sets, and is not a slice."""
    given = arguments(use.trailers[0])
    text = session.tree.source(given[0]) if given else ""
    return _DATA.search(text) is not None and _SLICE.search(text) is None
