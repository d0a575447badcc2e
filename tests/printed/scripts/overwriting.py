"""python overwriting.py PACKAGE_FOLDER FRAMEWORK: what Ops of linear algebra print and what they overwrite, as JSON by class."""

import importlib
import inspect
import itertools
import json
import pkgutil
import sys

NEEDED = {"b_ndim": 2, "transposed": False}
"""Parameters without a default."""
BESIDE = {"permute_l": (False, True)}
"""Other parameters that may change what is overwritten, and their values."""


def classes(package):
    """Ops of linear algebra with a parameter that lets them overwrite."""
    linalg = importlib.import_module(package + ".tensor.linalg")
    modules = [importlib.import_module(m.name) for m in pkgutil.walk_packages(linalg.__path__, linalg.__name__ + ".")]
    found = set(v for m in modules for v in vars(m).values() if inspect.isclass(v))
    kept = [c for c in found if any(str(p).startswith("overwrite_") for p in getattr(c, "__props__", None) or ())]
    return sorted(kept, key=lambda c: c.__name__)


def forms(kind):
    """All forms that the class allows."""
    said = kind.__props__
    flags = [name for name in said if name.startswith("overwrite_") or name in BESIDE]
    fixed = dict((k, v) for k, v in NEEDED.items() if k in said)
    for values in itertools.product(*[BESIDE.get(name, (False, True)) for name in flags]):
        try:
            yield kind(**dict(fixed, **dict(zip(flags, values))))
        except (ValueError, NotImplementedError):
            continue


def main(folder, package):
    """Class -> [text, destroy_map] of the Op itself and, where it can be batched, of a Blockwise of it."""
    blockwise, rows = importlib.import_module(package + ".tensor.blockwise").Blockwise, {}
    for kind in classes(package):
        ops = list(forms(kind))
        ops += [blockwise(op, destroy_map=dict(op.destroy_map)) for op in ops if hasattr(op, "gufunc_signature")]
        rows[kind.__name__] = [[str(op), {str(k): v for k, v in op.destroy_map.items()}] for op in ops]
    return rows


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2])))
