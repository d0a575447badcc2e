"""Runs every benchmark of this folder, or the ones named: `python -m benchmarks [NAME...]`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

from . import __path__ as folder


def main(names: list[str]) -> int:
    """Each benchmark is a module with `main()`, which prints its own lines; one that cannot run here says why."""
    for info in pkgutil.iter_modules(folder):
        if info.name.startswith("_") or (names and info.name not in names):
            continue
        print(f"== {info.name}", flush=True)
        importlib.import_module(f"{__package__}.{info.name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
