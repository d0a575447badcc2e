"""Serves `theano.tensor.raw_random` from this layer's random/raw.py."""

import sys

if "theano" in sys.modules:
    import theano
    from theano import tensor
else:  # a moved source imports this piece without the layer, or beside another copy of it that waits for `import theano`
    import pytensor as theano
    from pytensor import tensor

from ...random import raw
from ...random.raw import *
from ...random.raw import _generate_broadcasting_indices, _infer_ndim_bcast

__all__ = [name for name in vars(raw) if not name.startswith("_")] + ["tensor", "theano"]
