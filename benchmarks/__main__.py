"""Runs every benchmark of this folder, or the ones named: `python -m benchmarks [NAME...]`."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable

from . import __path__ as folder


def main(names: list[str]) -> int:
    """Each benchmark is a module with `main()`, which prints its own lines; one that cannot run here says why."""
    known = benchmarks()
    for name in names:
        if name not in known:
            print(f"no benchmark is called {name}: {', '.join(known)}", file=sys.stderr)
            return 2
    for name in names or known:
        print(f"== {name}", flush=True)
        known[name]()
    return 0


def benchmarks() -> dict[str, Callable[[], None]]:
    """The modules of this folder that have a `main()`; the others are what these share."""
    names = [info.name for info in pkgutil.iter_modules(folder) if not info.name.startswith("_")]
    modules = {name: importlib.import_module(f"{__package__}.{name}") for name in names}
    return {name: module.main for name, module in modules.items() if hasattr(module, "main")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
