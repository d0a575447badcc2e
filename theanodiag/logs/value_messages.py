"""Messages about values: those that became NaN or infinite, starting points, and draws that did not converge."""

from __future__ import annotations

from .model import Cause, Weight, template

_NAN = r"\b(?:[Ll]oss|[Cc]ost|ELBO|elbo)(?:: | ?= ?| )nan(?![\w.])|^\s*\d{1,9} +\|? +nan +\|"
"""A loss, named or in the first column of nolearn's table."""
_CELL = r"(?:-?[\d.]+%?|nan)[ \t|]{1,20}"
_ROW = rf"^[ \t]*\d{{1,9}}[ \t|]{{1,20}}(?:{_CELL}){{0,12}}nan[ \t|]{{1,20}}(?:{_CELL}){{0,12}}[\d.na]+s?[ \t|]*$"
"""A row of a table of epochs that has such a loss."""

MESSAGES = (
    template(
        "NaN detected",
        r"^\W{0,8}NaN detected\W{0,8}(?:in (?:the )?(?:cost|loss))?\W{0,8}$",
        Cause.NOT_FINITE,
        "scripts that check their cost",
    ),
    template(
        "You can call `model.debug()` for more details", "", Cause.START_VALUES, "PyMC 5 and 6, model/core.py: the end of the message"
    ),
    *(
        template(anchor, _NAN, Cause.NOT_FINITE, "scripts and libraries that print their progress", weight=Weight.NOTE)
        for anchor in (" nan  |", *(f"{of}{sign}nan" for of in ("oss", "ost", "ELBO", "elbo") for sign in (": ", " = ", "=", " ")))
    ),
    template("  nan  ", rf"(?m){_ROW}\n{_ROW}", Cause.NOT_FINITE, "Lasagne's examples and nolearn: tables of epochs", weight=Weight.NOTE),
    template("Initialization between", r"failed after \d+ attempts", Cause.START_VALUES, "Stan, services/util/initialize.hpp"),
    template("panicked at", r"is_finite\(\)", Cause.NOT_FINITE, "nutpie, nuts-rs"),
    *(
        template(anchor, "", Cause.NOT_CONVERGED, "PyMC3 and PyMC, step_methods/hmc and stats/convergence.py", weight=Weight.NOTE)
        for anchor in (
            "chain contains only diverging samples",
            "divergences after tuning",
            "divergence after tuning",
            "reached the maximum tree depth",
            "rhat statistic is larger than",
            "gelman-rubin statistic is larger than",
            "effective sample size per chain is smaller than",
            "number of effective samples is smaller than",
        )
    ),
)
"""Seen in the named programs."""
