"""Runs a Python 2 script as the main program, after sitecustomize has installed the layer: `python script.py SCRIPT [ARG...]`."""

import os
import sys
from types import ModuleType
from typing import Any


def main() -> None:
    """Runs the script named by the first argument; prints an exception as Python does and exits with 1."""
    del sys.argv[0]
    path = sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    module: Any = ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__, __spec__=None, __cached__=None)
    python2 = sys.modules["_theanodiag_compat.running.python2"]
    sys.modules["__main__"] = module
    with open(path, "rb") as file:
        code = python2.compiled(file.read(), path, True)
    python2.prepare(module.__dict__)
    try:
        exec(code, module.__dict__)
    except Exception as error:
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next  # from the script on, as Python prints it
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


if __name__ == "__main__":
    main()
