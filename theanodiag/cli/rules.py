"""`theanodiag rules`: lists the rules."""

from __future__ import annotations

from ..errors import ExitCode
from ..rules.registry import all_rules
from . import options, output
from .parameters import Arguments, switch

PARAMETERS = (
    switch("--shapes", help="list the Ops whose shapes are known without a framework instead"),
    options.format_option(),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Prints one line a rule, in the order of their codes."""
    if args.shapes:
        return _shapes(args.format)
    rows = [{"code": r.code, "name": r.name, "title": r.title} for r in all_rules()]
    if args.format == "json":
        output.document({"schema": "theanodiag/rules/v1", "rules": rows})
    else:
        output.show("".join(f"{row['code']}  {row['name']:<28} {row['title']}\n" for row in rows))
    return ExitCode.CLEAN


def _shapes(format_: str) -> ExitCode:
    """Prints the class names of Ops with a shape rule; the Gpu form of each is meant too."""
    from ..shapes.all_rules import REGISTRY

    names = REGISTRY.names()
    if format_ == "json":
        output.document({"schema": "theanodiag/shape-rules/v1", "ops": list(names)})
    else:
        output.write("".join(f"{name}\n" for name in names))
    return ExitCode.CLEAN
