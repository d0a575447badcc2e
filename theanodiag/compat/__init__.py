"""Runs code that says `import theano` or `import aesara` where only Aesara or PyTensor is installed.

`install()` puts an import finder in front of Python's own, which serves the missing name as a tree of alias modules. A framework that is
installed under the name always wins. This folder runs in the user's interpreter: it is loaded by its path as well as by its name, and this
file can be read by CPython 2.7, on which there is no Aesara or PyTensor and so nothing to alias.
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
