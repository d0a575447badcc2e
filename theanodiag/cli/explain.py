"""`theanodiag explain TD301`: prints the page of a rule."""

from __future__ import annotations

import argparse

from ..errors import ExitCode, UsageError
from ..rules.registry import all_rules
from . import output

HELP = "print the page of a rule"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("code", metavar="CODE", help="code or name of a rule, such as TD301")


def run(args: argparse.Namespace) -> ExitCode:
    """Prints the page; raises `UsageError` for a code that no rule has."""
    wanted = args.code.strip().lower()
    for rule in all_rules():
        if wanted in (rule.code.lower(), rule.name):
            output.show(rule.page.strip() + "\n")
            return ExitCode.CLEAN
    raise UsageError(f"no rule is called {args.code!r}", help="theanodiag rules lists them")
