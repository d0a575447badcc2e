"""theano.misc.cpucount."""

import os


def cpuCount() -> int:
    """Number of processors."""
    return os.cpu_count() or -1
