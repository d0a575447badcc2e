"""Random requests to the real libgpuarray: `python fuzz.py COUNT SEED`, each trace on a context of its own."""

import ctypes
import random
import sys

import pygpu
from pygpu import gpuarray

driver = ctypes.CDLL("libcuda.so.1")
KINDS = ((0.3, (0, 1, 63, 64, 65, 4096)), (0.7, 200000), (0.95, 3 << 20), (1.0, 12 << 20))
CACHES = (None, None, None, 0, 16 << 20, 33 << 20)


def size(rng):
    """Small ones often, large ones seldom, and the edges of the rounding."""
    dice = rng.random()
    for share, kind in KINDS:
        if dice < share:
            return rng.choice(kind) if isinstance(kind, tuple) else rng.randrange(1, kind)


def trace(number, seed):
    """About a hundred requests and releases on a fresh context."""
    rng = random.Random(seed * 1000003 + number)
    cache, initial = rng.choice(CACHES), rng.choice((0, 0, 1, 5 << 20))
    initial = 0 if cache == 0 else initial
    driver.virtual_mark(f"trace {number} cache={cache} initial={initial}".encode())
    options = {} if cache is None else {"max_cache_size": cache}
    if initial:
        options["initial_cache_size"] = initial
    context = pygpu.init("cuda0", **options)
    held = []
    for _ in range(rng.randrange(20, 200)):
        if held and rng.random() < 0.48:
            held.pop(rng.randrange(len(held)))
            continue
        try:
            held.append(gpuarray.empty((size(rng),), dtype="int8", context=context))
        except (gpuarray.GpuArrayException, ValueError):
            del held[: len(held) // 2]
    driver.virtual_mark(b"done")


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        trace(number, int(sys.argv[2]))
