"""`theanodiag rules`: lists the rules."""

from __future__ import annotations

from ..errors import ExitCode
from ..rules.registry import all_rules
from . import output, shared_options
from .parameters import Arguments, switch

PARAMETERS = (
    switch("--shapes", help="instead of the rules, list the Ops whose shapes theanodiag knows without a framework"),
    shared_options.format_option(),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Prints one line for each rule, ordered by code."""
    if args.shapes:
        return _shapes(args.format)
    rules = all_rules()
    if args.format == "json":
        from ..report.v1 import common, short  # msgspec is imported only where JSON is written

        output.write(common.text(short.RulesV1("theanodiag/rules/v1", [short.RuleV1(r.code, r.name, r.title) for r in rules])))
    else:
        output.show("".join(f"{r.code}  {r.name:<28} {r.title}\n" for r in rules))
    return ExitCode.CLEAN


def _shapes(format_: str) -> ExitCode:
    """Prints the class names of Ops with a shape rule; the Gpu form of each is meant too."""
    from ..ops.registry import with_shape_rule

    names = with_shape_rule()
    if format_ == "json":
        from ..report.v1 import common, short

        output.write(common.text(short.ShapeRulesV1("theanodiag/shape-rules/v1", list(names))))
    else:
        output.write("".join(f"{name}\n" for name in names))
    return ExitCode.CLEAN
