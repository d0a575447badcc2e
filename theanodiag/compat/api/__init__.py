"""The legacy module tree, file by file: this file serves `theano` itself, `api/tensor/signal/pool.py` serves `theano.tensor.signal.pool`.

A file holds what differs from PyTensor in meaning, or what PyTensor lost; all other names are PyTensor's own (see modules.py). A name is
served if it is no module and no dunder, or if it stands in `__all__`. `AESARA` in a file: what differs for scripts that import aesara.
"""
