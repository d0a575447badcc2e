"""`check --write [FILE]`: the recommended preallocation goes into an rc file, as `config set` would write it."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..flags.model import Dialect
from . import output
from .config_input import default_file

if TYPE_CHECKING:
    from ..report.model import Report


def write_preallocation(report: Report, path: str) -> None:
    """Sets `gpuarray.preallocate` in `path` (empty: the rc file that the framework reads); says so on stderr where there is none to set.

    Raises UsageError for a framework that has no such flag.
    """
    from . import config_set

    framework = report.target.framework
    dialect = Dialect(framework.name.partition("-")[0]) if framework else Dialect.THEANO
    if dialect is not Dialect.THEANO:
        raise UsageError(f"--write: {dialect.value} has no gpuarray.preallocate", help="it is a flag of Theano")
    if report.preallocation is None:
        output.note("no preallocation is recommended; nothing was written")
        return
    target = path or default_file(dialect) or os.path.expanduser("~/.theanorc")
    words = [f"gpuarray.preallocate={report.preallocation.value:g}", target]
    version = framework.version if framework else None
    asked = {"words": words, "from_report": None, "only": [], "dialect": dialect.value, "library_version": version}
    config_set.run(argparse.Namespace(**asked, diff=False, backup=os.path.exists(target)))
