"""Runs code with `import theano` or `import aesara` where only Aesara or PyTensor is installed.

`install()` inserts an import finder before Python's own, which serves the missing package as a tree of alias modules. An installed
framework of that name always takes precedence. This folder runs in the user's interpreter and is loaded by its path or by its name. CPython
2.7 can read this file; it has no Aesara or PyTensor, so nothing is aliased there.
"""

import os
import sys

if sys.version_info >= (3, 5):
    # Loaded by path, by a loader that does not register the module first: relative imports need it.
    if __name__ not in sys.modules:
        import types

        _self = types.ModuleType(__name__)
        _self.__dict__.update(globals())
        _self.__path__ = [os.path.dirname(os.path.abspath(__file__))]
        sys.modules[__name__] = _self
    from .install import install
else:
    install = lambda preferred=None: {"aliases": {}, "flags": {}, "dropped": []}  # noqa: E731

__all__ = ["install"]
