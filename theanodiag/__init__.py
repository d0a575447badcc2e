"""theanodiag predicts the memory that the compiled functions of Theano, Aesara and PyTensor code need, before the job runs.

`check(path)` runs a script without computing anything, and reports the memory that its functions need. `estimate(fn, shapes)` does the same
for one compiled function or a PyMC model. `read_graph(fn)` returns the graph of a function. `ChunkedShared(source, budget=...)` loads data
that is too large for the device chunk by chunk. Names are imported when they are first used.
"""

import os
import sys

_COMMAND = sys.argv[:1] == ["-m"] and getattr(sys, "orig_argv", sys.argv)[-len(sys.argv)] == "theanodiag"
try:
    _FOLDER = os.getcwd()
except OSError:  # it was deleted: Python has put nothing on the path
    _FOLDER = ""
if _COMMAND and _FOLDER and sys.path[:1] == [_FOLDER]:
    # `python -m theanodiag` has the working folder first on its path: a file there that is called as a module of the standard library
    # would be run in its place. Python has already imported `os` and `sys`; all else is imported below.
    del sys.path[0]

from .version import VERSION as __version__  # noqa: E402

TYPE_CHECKING = False
"""A copy of `typing.TYPE_CHECKING`, so that `typing` need not be imported."""
if TYPE_CHECKING:
    from .api import check, compare
    from .chunked import ChunkedShared
    from .errors import TheanodiagError, UnreadableError, UsageError
    from .ir import FunctionGraph, Unknown
    from .jobs.estimate import ModelEstimate, estimate
    from .jobs.estimate_function import Estimate, confirm
    from .logs import Diagnosis, explain_log
    from .printed import read_debugprint
    from .readers import read_graph
    from .report.model import Report
    from .workflows.port_files import port
    from .workflows.scan_repository import scan

_WHERE = {
    "ChunkedShared": "chunked",
    "Estimate": "jobs.estimate_function",
    "FunctionGraph": "ir",
    "Report": "report.model",
    "TheanodiagError": "errors",
    "Unknown": "ir",
    "UnreadableError": "errors",
    "UsageError": "errors",
    "check": "api",
    "Diagnosis": "logs",
    "explain_log": "logs",
    "compare": "api",
    "load_ipython_extension": "cli.cell_magic",
    "confirm": "jobs.estimate_function",
    "estimate": "jobs.estimate",
    "ModelEstimate": "jobs.estimate",
    "port": "workflows.port_files",
    "read_debugprint": "printed",
    "read_graph": "readers",
    "scan": "workflows.scan_repository",
}

__all__ = [
    "ChunkedShared", "Diagnosis", "Estimate", "FunctionGraph", "ModelEstimate", "Report", "TheanodiagError", "Unknown", "UnreadableError",
    "UsageError",
    "__version__", "check", "compare", "confirm", "estimate", "explain_log", "port", "read_debugprint", "read_graph", "scan",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Imports a public name from the module that defines it, when it is first used."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
