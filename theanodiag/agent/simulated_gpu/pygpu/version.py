"""The version that Theano checks: 0.7 with API 2 since Theano 0.10, 0.6 with API 1 before (theano/gpuarray/__init__.py: init_dev)."""

import sys


def is_old() -> bool:
    """Whether the Theano that is importing pygpu is older than 0.10."""
    version = str(getattr(sys.modules.get("theano.version"), "version", "1.0"))
    return version.startswith("0.") and not version.startswith("0.10")


major, minor, patch = (0, 6, 9) if is_old() else (0, 7, 6)
fullversion = "%d.%d.%d" % (major, minor, patch)
API = (1, 9999) if is_old() else (2, 9999)
ABI = API
