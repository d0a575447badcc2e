"""Run by an interpreter with PyMC: runs a script for real and prints, as JSON, how far memory rises during each call of `pymc.sample`.

    python measured.py SCRIPT

A row a call: `sampling` and `peak`, bytes above the resident size at which sampling began (all is compiled then), the first with what the
worker processes do not share. JAX compiles within the call: what the process grows by while it does is taken off.
"""

import ctypes
import json
import os
import re
import runpy
import sys
import threading
import time

import pymc.sampling.mcmc as mcmc


def resident(key, pid="self"):
    """Bytes that /proc/PID/status tells under `key`."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(rf"{key}:\s*(\d+)", file.read())[1]) << 10


def unshared(pid):
    """Bytes that only this process holds."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return int(re.search(r"Private_Dirty:\s*(\d+)", file.read())[1]) << 10
    except (OSError, TypeError):
        return 0


class Workers(threading.Thread):
    """Looks at the child processes every 50 ms; `highest` is the most that they held together."""

    def __init__(self):
        super().__init__(daemon=True)
        self.highest, self.over = 0, False

    def run(self):
        """Until `over`."""
        path = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
        while not self.over:
            with open(path) as file:
                self.highest = max(self.highest, sum(map(unshared, file.read().split())))
            time.sleep(0.05)


rows = []


def begins(own):
    """What samples, with the resident size before it as the row's zero."""

    def sampled(*args, **kwargs):
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        row = {"zero": resident("VmRSS")}
        rows.append(row)
        workers = Workers()
        workers.start()
        try:
            return own(*args, **kwargs)
        finally:
            workers.over = True
            row["sampling"] = resident("VmHWM") + workers.highest - row["zero"]

    return sampled


def ends(own):
    """What makes the result."""

    def returned(*args, **kwargs):
        found = own(*args, **kwargs)
        rows[-1]["peak"] = max(rows[-1]["sampling"], resident("VmHWM") - rows[-1]["zero"])
        return found

    return returned


def compiles(own):
    """What has XLA compile a program: the row's highest so far is kept, and its zero moves by what compiling left."""

    def compiled(*args, **kwargs):
        if rows and "zero" in rows[-1]:
            rows[-1]["peak"] = max(rows[-1].get("peak", 0), resident("VmHWM") - rows[-1]["zero"])
        before = settled()
        found = own(*args, **kwargs)
        if rows and "zero" in rows[-1]:
            rows[-1]["zero"] += settled() - before
        return found

    return compiled


def settled():
    """The resident size once what is free was given back; the highest begins anew."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return resident("VmRSS")


def external(own):
    """NUTS of another package: nutpie's begins once it has compiled, JAX's with the call."""

    def sampled(*args, **kwargs):
        rows.append({})
        if "nutpie" not in args and kwargs.get("sampler") != "nutpie":
            import jax._src.compiler as compiler
            import pymc.sampling.jax  # noqa: F401

            compiler.compile_or_get_cached = compiles(compiler.compile_or_get_cached)
            rows[-1]["zero"] = settled()
        else:
            import nutpie

            nutpie.sample = nutpie_begins(nutpie.sample)
        found = own(*args, **kwargs)
        row = rows[-1]
        row["peak"] = max(row.get("peak", 0), resident("VmHWM") - row["zero"])
        row["sampling"] = row.get("sampling", 0)
        return found

    return sampled


def nutpie_begins(own):
    """nutpie's part that draws."""

    def sampled(*args, **kwargs):
        rows[-1]["zero"] = settled()
        return own(*args, **kwargs)

    return sampled


def trimmed(array_bytes=0):
    """A row that begins now, without these bytes, which are there but were counted."""
    rows.append({"zero": settled() - array_bytes, "sampling": 0})
    return rows[-1]


def iterates(own):
    """What iterates a fit: from the first step on, which compiles where numba runs it; with the optimizer's arrays, which it touches."""

    def iterated(self, s, n, step, *args, **kwargs):
        kept = [v.get_value(borrow=True) for v in step.get_shared() if not any(v is p for p in self.approx.params)]
        kept = [a for a in kept if getattr(a, "nbytes", 0) >= 1 << 17 and not a.any()]
        before = settled()
        step()
        row = trimmed(sum(a.nbytes for a in kept))
        row["compiled"] = row["zero"] - before
        try:
            return own(self, s, n, step, *args, **kwargs)
        finally:
            row["peak"] = resident("VmHWM") - row["zero"]

    return iterated


def draws(own):
    """`Approximation.sample`: the function is compiled before."""

    def drawn(self, *args, **kwargs):
        self.sample_dict_fn(1)
        row = trimmed()
        found = own(self, *args, **kwargs)
        row["peak"] = resident("VmHWM") - row["zero"]
        return found

    return drawn


def minimizes(own):
    """scipy's part of `find_MAP`."""

    def minimized(*args, **kwargs):
        row = trimmed()
        found = own(*args, **kwargs)
        row["peak"] = resident("VmHWM") - row["zero"]
        return found

    return minimized


def fitting():
    """Everything that fits instead of sampling."""
    import pymc.tuning.starting as starting
    import pymc.variational.inference as inference
    import pymc.variational.opvi as opvi

    for name in ("_iterate_with_loss", "_iterate_without_loss"):
        setattr(inference.Inference, name, iterates(getattr(inference.Inference, name)))
    opvi.Approximation.sample = draws(opvi.Approximation.sample)
    if hasattr(starting, "minimize"):
        starting.minimize = minimizes(starting.minimize)
    else:
        import better_optimize

        better_optimize.minimize = minimizes(better_optimize.minimize)


fitting()
for name in ("_mp_sample", "_sample_many", "_sample_population"):
    setattr(mcmc, name, begins(getattr(mcmc, name)))
mcmc._sample_return = ends(mcmc._sample_return)
mcmc._sample_external_nuts = external(mcmc._sample_external_nuts)
runpy.run_path(sys.argv[1], run_name="__main__")
print(json.dumps(rows))
