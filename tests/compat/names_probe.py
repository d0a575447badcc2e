"""Asks the layer for every name that a release of Theano or Aesara had, and prints what became of each.

Runs where PyTensor is, after install(). LEGACY_NAMES is the folder of the names: theanodiag/compat/names/legacy.
"""

import importlib
import json
import os
import warnings

warnings.simplefilter("ignore")


def outcome(module, name):
    """`served`, or the text of the error."""
    try:
        getattr(importlib.import_module(module), name)
        return "served"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def outcomes(folder):
    """What became of each full name."""
    found = {}
    for root in ("theano", "aesara"):
        with open(os.path.join(folder, root + ".txt")) as file:
            for line in file:
                module, _, *names = line.split()
                full = root if module == "." else root + "." + module
                for name in names:
                    if not name.startswith("<"):
                        name = name.partition("=")[0]
                        found[full + "." + name] = outcome(full, name)
    return found


if __name__ == "__main__":
    print(json.dumps(outcomes(os.environ["LEGACY_NAMES"])))
