"""`theanodiag config`: reads, checks and rewrites the flags of Theano, Aesara and PyTensor."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ..collector import no_collections
from ..errors import ExitCode
from . import output
from .main import Parser, load

HELP = "read, check and rewrite the flags"

SUBCOMMANDS: dict[str, tuple[str, str]] = {
    "show": ("config_show", "show the values of the flags and where each comes from"),
    "check": ("config_check", "say what is wrong with the flags, by the rules TD2xx"),
    "rewrite": ("config_rewrite", "rewrite flags for another version or library"),
    "set": ("config_set", "set flags in an rc file"),
}
"""Name -> (module of this package, one-line help)."""


class _LazyParser(Parser):
    """A parser that asks its subcommand's module for the arguments once they are needed, so that the others are not imported."""

    module: str = ""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Fills itself in, then parses."""
        module, self.module = self.module, ""
        if module:
            load(module).prepare(self)
            output.add_options(self)
        return super().parse_known_args(args, namespace)


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands."""
    subcommands = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND", required=True, parser_class=_LazyParser)
    for name, (module, summary) in SUBCOMMANDS.items():
        sub = subcommands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        sub.module = module


def run(args: argparse.Namespace) -> ExitCode:
    """Runs the subcommand."""
    with no_collections():
        return load(SUBCOMMANDS[args.subcommand][0]).run(args)
