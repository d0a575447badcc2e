"""Serves `theano.scan_module`: `scan` and the functions built on it."""

from .scan import scan
from .scan_checkpoints import scan_checkpoints
from .scan_utils import clone, until
from .scan_views import foldl, foldr, map, reduce
