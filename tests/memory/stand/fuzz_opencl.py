"""Random requests to the real libgpuarray on an OpenCL device: `python fuzz_opencl.py COUNT SEED`."""

import random
import sys

import pygpu
from marks import mark
from pygpu import gpuarray

EDGES = (0, 1, 2, 63, 64, 65, 127, 4095, 4096, 4097)


def size(rng):
    """The edges of what is often rounded, small ones, and now and then a large one."""
    dice = rng.random()
    if dice < 0.4:
        return rng.choice(EDGES)
    return rng.randrange(1, 50000 if dice < 0.95 else 3 << 20)


def trace(number, seed, context):
    """About fifty requests and releases."""
    rng = random.Random(seed * 1000003 + number)
    mark(f"trace {number}")
    held = []
    for _ in range(rng.randrange(20, 80)):
        if held and rng.random() < 0.48:
            held.pop(rng.randrange(len(held)))
            continue
        held.append(gpuarray.empty((size(rng),), dtype=rng.choice(("int8", "float32", "float64")), context=context))
    del held
    mark("done")


if __name__ == "__main__":
    context = pygpu.init("opencl0:0")
    for number in range(int(sys.argv[1])):
        trace(number, int(sys.argv[2]), context)
