"""The hook's main program in the user's interpreter: `python hook.py FD SCRIPT [ARG...]`. Descriptor FD delivers the
JSON of `options.py`."""

import sys

HERE = sys.path.pop(0) if sys.path and sys.path[0] and __file__.startswith(sys.path[0]) else ""
"""The folder of this file if Python put it on sys.path, from which it is removed; empty under `python -P`."""

import importlib  # noqa: E402
import os  # noqa: E402
import types  # noqa: E402

PACKAGE = "_theanodiag_agent"
"""Name under which our folder `agent` is imported as a package."""


def package(name: str, folder: str) -> None:
    """Registers an empty package `name` whose submodules are the files of `folder`; the name is one that scripts do not use."""
    module = types.ModuleType(name)
    module.__path__ = [folder]
    sys.modules[name] = module


def main() -> int:
    """Loads the hook's modules without writing bytecode files, then runs the script. Returns the exit code."""
    agent = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    package(PACKAGE, agent)
    package("_theanodiag_compat", os.path.join(os.path.dirname(agent), "compat"))
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    session = importlib.import_module(PACKAGE + ".hook.session")
    sys.dont_write_bytecode = keep
    with os.fdopen(int(sys.argv[1])) as file:  # not in the command line, which everybody can read
        options = file.read()
    code = session.run(options, sys.argv[2], sys.argv[3:], not HERE)  # type: int
    return code


if __name__ == "__main__":
    sys.exit(main())
