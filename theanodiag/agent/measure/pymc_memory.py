"""Runs a script for real and measures how far resident memory rises during each call of a PyMC sampler. Output: one JSON line for each
call.

Usage: python pymc_memory.py OUT LENGTHS SCRIPT [ARGUMENT...]

LENGTHS is a JSON list with [draws, tune] for each call of `pymc.sample` in the script's order, which replace the call's own; null leaves a
call unchanged. A line in the file OUT has `kind`, and `sampling` and `peak`: bytes above the resident size when sampling began, after
compilation; `sampling` includes the unshared memory of worker processes. JAX compiles during the call: the growth of the process during
compilation is subtracted. `failed` names the exception that ended a call.
"""

import functools
import importlib
import inspect
import json
import os
import re
import runpy
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def resident(key: str) -> int:
    """Returns the bytes under `key`, such as `VmRSS`, in this process's /proc/self/status."""
    with open("/proc/self/status") as file:
        match = re.search(r"%s:\s*(\d+)" % key, file.read())
    return 0 if match is None else int(match.group(1)) << 10


def unshared(pid: str) -> int:
    """Returns the bytes of process `pid` that it shares with no other process."""
    try:
        with open("/proc/%s/smaps_rollup" % pid) as file:
            match = re.search(r"Private_Dirty:\s*(\d+)", file.read())
        return 0 if match is None else int(match.group(1)) << 10
    except (IOError, OSError):
        return 0


def release_and_reset() -> int:
    """Returns free memory to the system and resets the peak. Returns the resident size in bytes."""
    import ctypes

    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return resident("VmRSS")


def wait_for_jax() -> None:
    """Waits for all pending JAX computations."""
    for array in importlib.import_module("jax").live_arrays():
        array.block_until_ready()


class ChildProcesses(threading.Thread):
    """Measures the child processes every 50 ms; `highest` is the peak of their total unshared bytes."""

    def __init__(self) -> None:
        threading.Thread.__init__(self)
        self.daemon = True
        self.highest, self.over = 0, False

    def run(self) -> None:
        """Measures until `over` is set."""
        path = "/proc/%d/task/%d/children" % (os.getpid(), os.getpid())
        while not self.over:
            with open(path) as file:
                self.highest = max(self.highest, sum(map(unshared, file.read().split())))
            time.sleep(0.05)


class Rows(object):
    """The measured calls, one row for each, which are written to a file when they are finished."""

    def __init__(self, path: str, lengths: "Live") -> None:
        self.path, self.lengths, self.rows = path, lengths, []  # type: ignore[var-annotated]
        self.seen = 0  # calls of pymc.sample
        self.within = 0  # nesting of calls that form one row

    def start_row(self, kind: str, counted: int = 0) -> "dict[str, Live]":
        """Starts the row of a call now. `counted`: bytes already allocated that belong to it."""
        row = {"kind": kind, "zero": release_and_reset() - counted, "sampling": 0, "peak": 0}
        self.rows.append(row)
        return row

    def update_peak(self, row: "dict[str, Live]") -> None:
        """Updates the peak in the row of a call."""
        row["peak"] = max(row["peak"], row["sampling"], resident("VmHWM") - row["zero"])

    def write(self, row: "dict[str, Live]") -> None:
        """Writes the finished row of a call to the file."""
        with open(self.path, "a") as file:
            file.write(json.dumps(row) + "\n")

    def measured(self, kind: str, own: "Live") -> "Live":
        """Wraps `own`: each call is measured as one row, including the sampler calls inside it."""

        def call(*args: "Live", **kwargs: "Live") -> "Live":
            if self.within:
                return own(*args, **kwargs)
            self.within += 1
            row = self.start_row(kind)
            try:
                return own(*args, **kwargs)
            except BaseException as error:
                row["failed"] = type(error).__name__
                raise
            finally:
                self.within -= 1
                self.update_peak(row)
                self.write(row)

        return functools.wraps(own)(call)


def sampling(rows: "Rows", mcmc: "Live") -> None:
    """Wraps `pymc.sample`, so that it is measured from the first draw on."""

    def sample(own: "Live") -> "Live":
        def sampled(*args: "Live", **kwargs: "Live") -> "Live":
            bound = inspect.signature(own).bind(*args, **kwargs)
            length = rows.lengths[rows.seen] if rows.seen < len(rows.lengths) else None
            rows.seen += 1
            if length is not None:
                bound.arguments.update(draws=length[0], tune=length[1])
            before = len(rows.rows)
            rows.within += 1
            try:
                return own(*bound.args, **bound.kwargs)
            except BaseException as error:
                if len(rows.rows) == before:
                    rows.start_row("sample")
                rows.rows[-1]["failed"] = type(error).__name__
                raise
            finally:
                rows.within -= 1
                if len(rows.rows) > before:
                    rows.write(rows.rows[-1])

        return functools.wraps(own)(sampled)

    def begins(own: "Live") -> "Live":
        def sampled(*args: "Live", **kwargs: "Live") -> "Live":
            row, workers = rows.start_row("sample"), ChildProcesses()
            workers.start()
            try:
                return own(*args, **kwargs)
            finally:
                workers.over = True
                row["sampling"] = resident("VmHWM") + workers.highest - row["zero"]
                row["workers"] = workers.highest

        return sampled

    def ends(own: "Live") -> "Live":
        def returned(*args: "Live", **kwargs: "Live") -> "Live":
            result = own(*args, **kwargs)
            rows.update_peak(rows.rows[-1])
            return result

        return returned

    for name in ("_mp_sample", "_sample_many", "_sample_population"):
        if hasattr(mcmc, name):
            setattr(mcmc, name, begins(getattr(mcmc, name)))
    mcmc._sample_return = ends(mcmc._sample_return)
    if hasattr(mcmc, "_sample_external_nuts"):
        mcmc._sample_external_nuts = external(rows, mcmc._sample_external_nuts)
    own, counted = mcmc.sample, sample(mcmc.sample)
    for name in ("pymc", "pymc.sampling", "pymc.sampling.mcmc"):
        if getattr(sys.modules.get(name), "sample", None) is own:
            sys.modules[name].sample = counted  # type: ignore[attr-defined]


def external(rows: "Rows", own: "Live") -> "Live":
    """Wraps the function `own`, which runs external NUTS samplers, so that it is measured from the first draw on. nutpie has compiled
    before that; JAX compiles while it samples.
    """

    def compiles(compile_: "Live") -> "Live":
        def compiled(*args: "Live", **kwargs: "Live") -> "Live":
            row = rows.rows[-1] if rows.within and rows.rows else None
            if row is None:
                return compile_(*args, **kwargs)
            wait_for_jax()  # JAX computes while it compiles what comes next
            rows.update_peak(row)
            before = release_and_reset()
            executable = compile_(*args, **kwargs)
            row["zero"] += release_and_reset() - before
            return executable

        return compiled

    def begins(draw: "Live") -> "Live":
        def drawn(*args: "Live", **kwargs: "Live") -> "Live":
            rows.rows[-1].update(zero=release_and_reset(), peak=0)
            return draw(*args, **kwargs)

        return drawn

    def sampled(*args: "Live", **kwargs: "Live") -> "Live":
        name = next(n for n in ("nutpie", "numpyro", "blackjax") if n in args or n == kwargs.get("sampler"))
        places = [(importlib.import_module(name), "sample", begins)]  # type: list[tuple[Live, str, Live]]
        if name != "nutpie":  # initial points are compiled before it draws, its programs within
            jax = importlib.import_module("pymc.sampling.jax")
            places = [(jax, "_sample_%s_nuts" % name, begins)]
            places.append((importlib.import_module("jax._src.compiler"), "compile_or_get_cached", compiles))
        before = [getattr(module, part) for module, part, _ in places]
        for (module, part, change), own_part in zip(places, before):
            setattr(module, part, change(own_part))
        row = rows.start_row("sample")
        try:
            return own(*args, **kwargs)
        finally:
            if name != "nutpie":
                wait_for_jax()
            for (module, part, _), own_part in zip(places, before):
                setattr(module, part, own_part)
            rows.update_peak(row)

    return sampled


def fitting(rows: "Rows") -> None:
    """Wraps the functions that fit instead of sampling, so that they are measured."""
    starting = importlib.import_module("pymc.tuning.starting")  # type: Live
    inference = importlib.import_module("pymc.variational.inference")  # type: Live
    opvi = importlib.import_module("pymc.variational.opvi")  # type: Live

    def iterates(own: "Live") -> "Live":
        """Wraps the iteration, so that it is measured after the first step, which compiles with numba. The optimizer allocates its arrays
        in that step; they are added.
        """

        def iterated(self: "Live", s: int, n: int, step: "Live", *args: "Live", **kwargs: "Live") -> "Live":
            if rows.within:
                return own(self, s, n, step, *args, **kwargs)
            kept = [v.get_value(borrow=True) for v in step.get_shared() if not any(v is p for p in self.approx.params)]
            kept = [a for a in kept if getattr(a, "nbytes", 0) >= 1 << 17 and not a.any()]
            step()
            row = rows.start_row("fit", sum(a.nbytes for a in kept))
            try:
                return own(self, s, n, step, *args, **kwargs)
            finally:
                rows.update_peak(row)
                rows.write(row)

        return iterated

    def draws(own: "Live") -> "Live":
        """Wraps the drawing of samples, so that it is measured. The function that draws is compiled before."""

        def drawn(self: "Live", *args: "Live", **kwargs: "Live") -> "Live":
            self.sample_dict_fn(1)
            return rows.measured("Approximation.sample", own)(self, *args, **kwargs)

        return drawn

    def optimizes(own: "Live") -> "Live":
        """Wraps `find_MAP`, so that it is measured. Like PyMC 6, it imports the optimizers only when it is called."""

        def optimized(*args: "Live", **kwargs: "Live") -> "Live":
            module = importlib.import_module("better_optimize")  # type: Live
            before = module.minimize
            module.minimize = rows.measured("find_MAP", before)
            try:
                return own(*args, **kwargs)
            finally:
                module.minimize = before

        return optimized

    for name in ("_iterate_with_loss", "_iterate_without_loss"):
        setattr(inference.Inference, name, iterates(getattr(inference.Inference, name)))
    opvi.Approximation.sample = draws(opvi.Approximation.sample)
    if hasattr(starting, "minimize"):  # PyMC 5
        starting.minimize = rows.measured("find_MAP", starting.minimize)
    elif hasattr(starting, "_fit_MAP"):
        starting._fit_MAP = optimizes(starting._fit_MAP)


def entries(rows: "Rows") -> None:
    """Wraps nutpie's own `sample`, which draws immediately, and PyMC's `sample_smc`, which compiles first, so that they are measured."""
    smc = importlib.import_module("pymc.smc.sampling")  # type: Live
    own = smc.sample_smc

    def drawn(name: str) -> "Live":
        part = getattr(smc, name)

        def draws(*args: "Live", **kwargs: "Live") -> "Live":
            rows.rows[-1].update(zero=release_and_reset(), peak=0)
            return part(*args, **kwargs)

        return functools.wraps(part)(draws)

    for name in ("_sample_smc_sequentially", "ParallelSMCSampler"):
        setattr(smc, name, drawn(name))
    for name in ("pymc", "pymc.smc", "pymc.smc.sampling"):
        if getattr(sys.modules.get(name), "sample_smc", None) is own:
            sys.modules[name].sample_smc = rows.measured("sample_smc", own)  # type: ignore[attr-defined]
    try:
        nutpie = importlib.import_module("nutpie")  # type: Live
    except ImportError:
        return
    nutpie.sample = rows.measured("sample", nutpie.sample)


def main(argv: "list[str]") -> None:
    """Runs the script as `__main__` with its own arguments."""
    out, lengths, script = argv[1:4]
    rows = Rows(out, json.loads(lengths))
    sampling(rows, importlib.import_module("pymc.sampling.mcmc"))
    fitting(rows)
    entries(rows)
    sys.argv[:] = argv[3:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv)
