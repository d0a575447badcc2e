"""Serves `theano.misc.cpucount`."""

import os


def cpuCount() -> int:
    """Number of logical processors; -1 where it is unknown."""
    return os.cpu_count() or -1
