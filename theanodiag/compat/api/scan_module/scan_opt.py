"""Serves `theano.scan_module.scan_opt` from pytensor.scan.rewriting."""

from pytensor.scan.rewriting.inplace import ScanInplaceOptimizer
from pytensor.scan.rewriting.merge import ScanMerge, has_duplicates, make_equiv, scan_merge_inouts
