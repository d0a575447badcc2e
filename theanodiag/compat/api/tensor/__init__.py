"""Serves `theano.tensor`: the names of its modules, as Theano's `__init__` imported them."""

from typing import Any

from ..gradient import Lop, Rop, consider_constant, grad, verify_grad
from .basic import *
from .basic import LAZY, __getattr__, _allclose, _dot, _get_atol_rtol, _pack
from .extra_ops import diff, repeat, unravel_index
from .io import LoadFromDisk, load, mpi_enabled
from .sort import ArgSortOp, SortOp, TopKOp, argsort, argtopk, topk, topk_and_argtopk
from .sort import sort as _sort
from .subtensor import *

sort: Any = _sort
