"""Serves `theano.tensor.raw_random` from random/raw.py of this layer."""

import sys

if "theano" in sys.modules:
    import theano
    from theano import tensor
else:  # a ported source imports this file without the layer, or beside a copy of the layer that is not yet active
    import pytensor as theano
    from pytensor import tensor

from ...random import raw
from ...random.raw import *
from ...random.raw import _generate_broadcasting_indices, _infer_ndim_bcast

__all__ = [name for name in vars(raw) if not name.startswith("_")] + ["tensor", "theano"]
