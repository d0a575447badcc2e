"""The commands grouped by task, and the help that lists them; it imports nothing."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from . import output

COMPLETION = "_THEANODIAG_COMPLETE"
"""The environment variable with which a shell asks for completions."""
Table = Mapping[str, tuple[str, str]]
"""Name of a command -> (module of this package, one-line help)."""

TASKS: Mapping[str, Table] = {
    "Check and run": {
        "check": ("check", "run a script without computing anything and report the memory that its functions need"),
        "run": ("run", "run a script written for Theano, Aesara or PyMC3 on the PyTensor or PyMC that is installed"),
        "compare": ("compare", "run a script, or a script and its port, in two interpreters and compare what their functions compute"),
        "graph": ("graph", "report the memory that a printed graph (debugprint) needs"),
        "diff": ("diff", "compare two JSON reports, and show what grew and which line caused it"),
    },
    "Understand a failure": {
        "explain-log": ("explain_log", "explain a crash from its log"),
        "explain": ("explain", "describe a rule, a flag or an exit code of theanodiag: TD301, allow_gc, 53"),
        "rules": ("rules", "list the rules"),
    },
    "Move code and models": {
        "port": ("port", "port sources written for Theano, Aesara or PyMC3 to PyTensor, Aesara or PyMC"),
        "scan": ("scan", "show what a repository needs: frameworks, releases, removed names, flags, hazards"),
        "weights": ("weights", "list and convert the arrays in the file of an old model, without running any code in it"),
        "export": ("export", "write a function of a script, with its weights, as StableHLO or ONNX, which run without Theano and PyTensor"),
    },
    "Set up": {
        "doctor": ("doctor", "list interpreters, frameworks and devices, what each can confirm, and how to install missing parts"),
        "config": ("config", "read, check and rewrite the flags of Theano, Aesara and PyTensor"),
        "completion": ("completion", "print the completion script of a shell"),
    },
}
"""The commands, in the order of the help. A command's module is imported only when it is used."""

COMMANDS: Table = {name: row for table in TASKS.values() for name, row in table.items()}

CONFIG: Mapping[str, Table] = {
    "Commands": {
        "show": ("config_show", "show the value and the origin of each flag"),
        "check": ("config_check", "check flags by the rules TD201 to TD272"),
        "rewrite": ("config_rewrite", "rewrite flags for another version or library"),
        "set": ("config_set", "set flags in an rc file"),
    }
}
"""The commands of `theanodiag config`."""


def listing(path: str = "theanodiag") -> str:
    """Returns the help of `theanodiag`, or of `theanodiag config`: the commands by task."""
    tasks, options, about = CONFIG, "", COMMANDS["config"][1]
    if path == "theanodiag":
        tasks, options, about = (
            TASKS,
            "[--version] ",
            "Diagnoses, runs and ports code written with Theano, Aesara, PyTensor, PyMC3 and PyMC",
        )
    lines = [f"Usage: {path} {options}[--help] COMMAND [OPTIONS]", "", f"{about[0].upper()}{about[1:]}.", ""]
    for title, table in tasks.items():
        lines.append(f"{title}:")
        for name, (_, summary) in table.items():
            lines += textwrap.wrap(summary, output.width(), initial_indent=f"  {name:<13}", subsequent_indent=" " * 15)
        lines.append("")
    return "\n".join([*lines, f"{path} COMMAND --help lists the options of a command.\n"])
