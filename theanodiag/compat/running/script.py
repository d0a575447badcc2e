"""Runs a script as the main program, after sitecustomize has installed the layer: `python script.py SCRIPT [ARG...]`.

Used for scripts in Python 2, which are translated, for scripts whose generators or arithmetic are changed, for notebooks, and for scripts
of which a function is exported at the end.
"""

import ast
import importlib
import json
import linecache
import os
import re
import sys
from types import ModuleType
from typing import Any, Iterator, Tuple


def parts(path: str) -> Iterator[Tuple[str, bytes]]:
    """Yields (name in tracebacks, source) of the file itself, or of each code cell of a notebook."""
    with open(path, "rb") as file:
        data = file.read()
    if not path.endswith(".ipynb"):
        yield path, data
        return
    notebook = importlib.import_module("_theanodiag_compat.running.notebook")
    for cell in notebook.cells(data.decode("utf-8")):
        name = notebook.cell_name(path, cell.number)
        linecache.cache[name] = (len(cell.code), None, [line + "\n" for line in cell.code.split("\n")], name)
        yield name, cell.code.encode("utf-8")


_SILENT = re.compile(rb";\s*(?:#[^\n]*)?\s*\Z")
"""The end of a cell whose last value Jupyter does not show."""


def show_last(cell: ast.Module) -> None:
    """Makes the last statement of a cell, if it is an expression, print its value as the interactive interpreter does."""
    last = cell.body[-1] if cell.body else None
    if isinstance(last, ast.Expr):
        call = ast.parse("__import__('sys').displayhook(0)", mode="eval").body
        for node in ast.walk(call):
            ast.copy_location(node, last)
        call.args[:] = [last.value]  # type: ignore[attr-defined]
        last.value = call


def main() -> None:
    """Runs the script named by the first argument; prints an exception as Python does and exits with status 1."""
    del sys.argv[0]
    path = sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    module: Any = ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__, __spec__=None, __cached__=None)
    settings = json.loads(os.environ["THEANODIAG_RUN"])
    sys.modules["__main__"] = module
    if path.endswith(".ipynb"):
        module.__dict__["display"] = print  # as IPython gives it to every cell
    python2: Any = sys.modules["_theanodiag_compat.running.python2"]
    old = bool(settings.get("python2"))
    try:
        codes = []
        for name, data in parts(path):
            change = show_last if path.endswith(".ipynb") and not _SILENT.search(data) else None
            codes.append(
                python2.compiled(data, name, True, change=change)
                if old
                else python2.python3_code(ast.parse(data, name), data, name, change)
            )
    except SyntaxError as error:
        sys.excepthook(type(error), error.with_traceback(None), None)  # its place is in the script, as Python prints it
        sys.exit(1)
    if old:
        python2.prepare(module.__dict__)
    request = settings.get("export")
    exporting = importlib.import_module("_theanodiag_compat.running.exporting") if request else None
    if exporting:
        exporting.record_calls()
    try:
        for code in codes:
            exec(code, module.__dict__)
    except SystemExit as ended:
        if not exporting or ended.code not in (None, 0):
            raise
    except Exception as error:
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next  # from the script on, as Python prints it
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)
    if exporting:
        exporting.export(module.__dict__, request)


if __name__ == "__main__":
    main()
