"""Serves `theano.scan_module.scan_op` from pytensor.scan.op."""

from pytensor.scan.op import Scan
