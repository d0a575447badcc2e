"""TD3: allocator settings: preallocation, fragmentation, the cache, and other allocators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...engines import Client
from ...findings import Confidence, Cost, Figures, Finding, Fix, FlagChange, Saving, Severity
from ...memory.profile import Origin, most_scattered
from ...memory.settings import AllocatorKind
from ...memory.simulate import simulate, simulate_figures
from ...plans.memory_flags import PreallocationPlan, is_off, with_collection
from ...units import MIB, format_bytes
from ..base import rule
from ..examples import device, dot_script, larger_value_script, more_rows_script, subject
from ..impact import change, confidence_of, figures, saving, severity
from ..subject import ScriptSubject


@rule(
    "TD310",
    "preallocate",
    fires=lambda: subject(dot_script(1000, 8000), device(1_000_000_000)),
    silent=lambda: subject(dot_script(10, 100), device(1_000_000_000)),
)
def preallocate(s: ScriptSubject) -> Iterator[Finding]:
    """TD310: a preallocation would avoid driver requests, and may save memory

    What it finds
        Finds the smallest `gpuarray.preallocate` with which the whole script runs in one block of memory. The rule applies if the
        allocation cache would otherwise have to grow while the script runs, or if the script does not fit with the present value of the
        flag. For the GPU back-end before Theano 1.0 the flag is `lib.cnmem`.

    Why it matters
        Each time the cache grows, it calls the driver, which is slow and synchronises the device. The cache also fragments, because free
        memory in different blocks is never joined. A single block allocated at the start avoids both.

    Example
        `THEANO_FLAGS=gpuarray.preallocate=812` reserves 812 MB at the start, instead of 57 requests that add up to 1.1 GB.

    What to do
        Set the flag as shown. The flag sets an initial size, not a limit: the cache still grows if a later call needs more.

    Limits
        The rule applies only to libgpuarray on CUDA, and to the shapes of the recorded calls. The rule reports nothing for scripts that
        reserve less than 64 MiB in total, or if a preallocation would save neither memory nor a request. The value is rounded up to whole
        MB. If the script already fits, 50 MiB are kept free, because with less Theano warns that cuDNN and cuBLAS may lack memory.
    """
    plan = s.preallocation
    if plan is None or not plan.recommended:
        return
    without, with_ = plan.before.reserved_peak_bytes, plan.after.reserved_peak_bytes
    flag = f"{plan.flag}={plan.megabytes}"
    reserved = f"{format_bytes(with_)} reserved, {format_bytes(without)} without it"
    message = f"{flag} serves the whole script with one request to the driver: {reserved}"
    fix = Fix("preallocate", code=s.flags_variable.line(flag), changes=FlagChange.parse(flag))
    level = Severity.WARNING if plan.cures else Severity.INFO
    notes = (*_price(plan), *_collection(s))
    gained = saving(s, plan.after) if without > with_ else None
    yield Finding("TD310", level, confidence_of(plan.after), message, s.place(None), fix, figures(plan.after), gained, notes, cost=Cost())


def _price(plan: PreallocationPlan) -> Iterator[str]:
    """Yields a note on the additional bytes of the plan, if it needs more memory and saves driver requests."""
    more = plan.after.reserved_peak_bytes - plan.before.reserved_peak_bytes
    if more > 0 and plan.spared_requests > 0:
        n = plan.spared_requests
        yield f"it takes {format_bytes(more)} more, and spares {n} request{'s' * (n > 1)} to the driver, each of which stops the device"


def _collection(s: ScriptSubject) -> Iterator[str]:
    """Yields a note on the bytes that `allow_gc=False` would add, for a script that fits."""
    if s.process.fits is not True or is_off(s.script, s.settings):
        return
    kept = with_collection(s.script, s.settings, False)
    more = kept.live_peak_bytes - s.process.live_peak_bytes
    yield f"allow_gc=False would {'fit' if kept.fits is True else 'not fit'}: {format_bytes(max(0, more))} more live at the peak"


WORTH_IT = 16 * MIB
"""Smaller losses in bytes are not reported."""
SHARE = 20
"""Losses below 1 / this of the reserved bytes are not reported."""


@rule(
    "TD312",
    "fragmentation",
    fires=lambda: subject(more_rows_script(10_000, 15_000, 20_000), device(1_000_000_000)),
    silent=lambda: subject(more_rows_script(20_000, 15_000, 10_000), device(1_000_000_000)),
)
def fragmentation(s: ScriptSubject) -> Iterator[Finding]:
    """TD312: memory is lost to fragmentation

    What it finds
        Finds scripts that take clearly more memory from the driver than they would with a preallocation, because no free block in the
        allocation cache is large enough. theanodiag simulates the script with the present flags, and with the preallocation that TD310
        suggests.

    Why it matters
        libgpuarray's cache never returns a block to the driver, and never joins free memory of two blocks. If no single free block is large
        enough for a request, the cache takes a new block, even if enough memory is free in total. The script runs out of memory without a
        visible cause, after the tenth batch or when a second function is called. A single block taken at the start does not fragment in
        this way.

    Example
        For batches that grow from call to call, the finding says `347.3 MiB are taken from the driver, 160.0 MiB with
        gpuarray.preallocate=156`.

    What to do
        Set the flag as shown. You can also call the function with the largest batch first, so that later batches find sufficiently large
        blocks.

    Limits
        The rule applies only to libgpuarray on CUDA, and to the shapes of the recorded calls. The rule does not report losses below 16 MiB,
        or below a twentieth of the reserved memory. NVIDIA does not document where its driver places blocks; if the placement matters, the
        finding gives a range. Source: libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c (`find_best`, `allocate`, `cuda_free`).
    """
    plan = s.preallocation
    if plan is None:
        return
    without, with_ = plan.before.reserved_peak_bytes, plan.after.reserved_peak_bytes
    lost = without - with_
    if lost < WORTH_IT or lost * SHARE < without:
        return
    flag = f"gpuarray.preallocate={plan.megabytes}"
    message = (
        f"{format_bytes(without)} are taken from the driver, {format_bytes(with_)} with {flag}: fragmentation loses {format_bytes(lost)}"
    )
    saved = plan.before.fits is False and plan.after.fits is True
    severity = Severity.WARNING if saved else Severity.INFO
    fix = Fix("allocate one block at the start", code=s.flags_variable.line(flag))
    peak = max((p.figures for p in plan.after.functions.values()), key=lambda f: f.live_peak_bytes)
    after = Figures(peak.live_before_bytes, peak.live_peak_bytes, peak.live_after_bytes, with_)
    notes = (*_worst(s), *_range(s))
    yield Finding("TD312", severity, confidence_of(plan.before), message, s.place(None), fix, after, Saving(lost), notes)


def _worst(s: ScriptSubject) -> Iterator[str]:
    """Yields a note on the step with the most free bytes outside the largest free block."""
    steps = [(step, f.name) for f, p in s.profiled() for step in (most_scattered(p.timeline),) if step and step.scattered_bytes]
    if steps:
        step, name = max(steps, key=lambda pair: pair[0].scattered_bytes)
        free, largest = format_bytes(step.free_bytes), format_bytes(step.largest_free_bytes)
        yield f"{name}, step {step.step}: {free} free, the largest piece {largest} ({step.fragmentation:.0%} scattered)"


def _range(s: ScriptSubject) -> Iterator[str]:
    """Yields a note on the range of the figures, if they depend on where the driver places its blocks."""
    low, high = s.reserved_range
    if low != high:
        yield f"between {format_bytes(low)} and {format_bytes(high)}, depending on where the driver places its blocks"


HEADROOM = 1.1
"""The recommended limit as a multiple of the live peak."""


def _smallest_share(s: ScriptSubject, total: int) -> float | None:
    """The smallest whole percentage of the device, as a fraction, with which no request fails in the simulation; None if there is none.

    XLA's allocator splits a free chunk only if the rest is half of it or 128 MiB, so a pool of the size of the peak may be too small
    (XLA, tsl/framework/bfc_allocator.cc, `FindChunkPtr`).
    """
    first = -(-s.process.reserved_peak_bytes * 100 // total)
    for percent in range(first, (total - s.device.context.bytes) * 100 // total + 1):
        if simulate_figures(s.script, replace(s.settings, free_bytes=Client(percent / 100).pool(total))).failure is None:
            return percent / 100
    return None


def _share(s: ScriptSubject, total: int) -> Iterator[Finding]:
    """Yields the finding with the smallest share of the device with which the simulated XLA pool refuses no request."""
    need = s.process.reserved_peak_bytes
    exact = all(p.origin is Origin.DERIVED for p in s.process.functions.values())
    confidence = Confidence.DERIVED if exact else Confidence.BOUNDED
    if not s.settings.xla_pool:
        return
    what = f"the script uses up to {format_bytes(need)} ({need} bytes) of XLA's pool"
    share = _smallest_share(s, total)
    if share is None:
        return  # no share is enough: TD301
    cap = "XLA reserves its pool when it starts" if s.settings.xla_preallocate else "the pool never grows beyond that"
    message = f"{what}: a pool of {share:g} of the device is enough; {cap}"
    fix = Fix("set the environment variable", code=f"XLA_CLIENT_MEM_FRACTION={share:g}  # XLA_PYTHON_CLIENT_MEM_FRACTION for older JAX")
    short = s.process.failure is not None  # of an upper bound too: with that share it is certain to fit
    severity = Severity.WARNING if short else Severity.INFO
    yield Finding("TD313", severity, confidence, message, s.place(None), fix, cures=short)


def _by_jax() -> ScriptSubject:
    script = dot_script(1000, 1000)
    return subject(replace(script, functions=tuple(replace(f, linker="jax") for f in script.functions)), device(100_000_000))


@rule(
    "TD313",
    "other-allocators",
    fires=_by_jax,
    silent=lambda: subject(dot_script(1000, 1000), device(100_000_000)),
)
def other_allocators(s: ScriptSubject) -> Iterator[Finding]:
    """TD313: how large a share of the memory JAX or PyTorch needs

    What it finds
        Finds functions that run through JAX or PyTorch (the linkers `jax` and `pytorch`) on a device, and the share of the device's memory
        that they need.

    Why it matters
        XLA reserves three quarters of the device at its start and never exceeds this share: `XLA_CLIENT_MEM_FRACTION` is a limit, and a
        script that needs more fails although memory is free. Theano's `gpuarray.preallocate`, in contrast, is only an initial size, beyond
        which the cache grows. PyTorch reserves nothing at the start; it allocates on demand, in segments that `PYTORCH_CUDA_ALLOC_CONF`
        controls, and has no limit by default.

    Example
        For a live peak of 5.1 GiB on a device of 12 GiB, the finding suggests `XLA_CLIENT_MEM_FRACTION=0.46`.

    What to do
        Set the variable in the environment before the framework is imported.

    Limits
        For XLA, the figure comes from XLA's own compiler if that could be run; otherwise it is an upper bound. PyTorch fuses and orders
        operations itself, so the figure for PyTorch is the most that the intermediates of the captured graph can need; the real peak may be
        lower. Sources: JAX's documentation, "GPU memory allocation" (the variable was called XLA_PYTHON_CLIENT_MEM_FRACTION until 2025);
        PyTorch's documentation, "CUDA semantics, optimizing memory usage".
    """
    total, live = s.device.total_bytes, s.process.live_peak_bytes
    linkers = {s.script.functions[f].linker for f in s.process.functions}
    if not total or not live:  # a script that failed before its first function needs nothing yet
        return
    if any(profile.unknown for profile in s.process.functions.values()):  # no share is enough for a lower bound
        return
    share = min(0.95, -(-live * HEADROOM * 100 // total) / 100)
    if s.samples_there:
        pass  # the pool has to hold their arrays too, and what XLA takes beside those is not known
    elif s.settings.allocator is AllocatorKind.XLA:
        yield from _share(s, total)
    elif "jax" in linkers:
        message = f"XLA needs at most {share:g} of the device, for a live peak of {format_bytes(live)}"
        fix = Fix("set the environment variable", code=f"XLA_CLIENT_MEM_FRACTION={share:g}  # XLA_PYTHON_CLIENT_MEM_FRACTION for older JAX")
        yield Finding("TD313", Severity.INFO, Confidence.GUESSED, message, s.place(None), fix)
    if "pytorch" in linkers:
        message = f"PyTorch takes what it needs, here about {format_bytes(live)}; expandable segments fragment less"
        fix = Fix("set the environment variable", code="PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")
        yield Finding("TD313", Severity.INFO, Confidence.GUESSED, message, s.place(None), fix)


@rule(
    "TD314",
    "without-cache",
    fires=lambda: subject(larger_value_script(2000, 2400), device(40_000_000)),
    silent=lambda: subject(larger_value_script(2000, 2400), device(80_000_000)),
)
def without_cache(s: ScriptSubject) -> Iterator[Finding]:
    """TD314: the script fits without the allocation cache

    What it finds
        Finds a script that does not fit because of libgpuarray's allocation cache, and would fit if each array were a separate block. The
        cache requests at least 4 MiB at a time and returns nothing to the driver.

    Why it matters
        The live arrays fit, but the cache also holds free pieces of memory, which it does not return to the driver.

    Example
        With `gpuarray.preallocate=-1` the script needs 3.8 GiB instead of 4.3 GiB.

    What to do
        Prefer a preallocation (TD310) if one fits, because it costs no time. Without the cache each array is a request to the driver, which
        synchronises the device: expect clearly slower steps.

    Limits
        The rule reports nothing if a preallocation makes the script fit. The driver rounds blocks up in undocumented ways, so leave some
        room. Source: libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c (`cuda_alloc`, `GA_CTX_DISABLE_ALLOCATION_CACHE`).
    """
    after, plan = s.advice.uncached, s.preallocation
    if after is None or (plan is not None and plan.after.fits is True):
        return
    message = f"without the allocation cache the script fits, slower: {change(s, after)}"
    fix = Fix("no cache", code=s.flags_variable.line("gpuarray.preallocate=-1"), changes=(FlagChange("gpuarray.preallocate", "-1"),))
    cost = Cost(work="each array is a request to the driver, which stops the device")
    yield Finding("TD314", severity(s), Confidence.BOUNDED, message, s.place(None), fix, figures(after), saving(s, after), cost=cost)


@rule(
    "TD315",
    "two-processes",
    fires=lambda: _reserving(0.9),
    silent=lambda: _reserving(0.4),
)
def two_processes(s: ScriptSubject) -> Iterator[Finding]:
    """TD315: the reservation leaves no room for a second process

    What it finds
        Finds a script that fits, but whose `gpuarray.preallocate` leaves no room on the card for a second process of the same script. The
        rule reports this only if several processes would fit without the reservation.

    Why it matters
        Theano reserves the memory when the process starts, whatever the script needs. If the reservation of a second process fails (another
        fold, a notebook that is still open, a web server's worker), Theano prints one line of warning and continues on the CPU.

    Example
        A script needs 0.5 GiB of a card with 4 GiB: with `gpuarray.preallocate=0.9` one process fits, without the flag five fit.

    What to do
        Remove the flag, or set it to a share for each process, such as 0.4 for two.

    Limits
        The rule applies only to libgpuarray on CUDA. The figures include a CUDA context for each process, and assume that the other
        processes need as much memory as this one. Source: Theano 1.0.5, gpuarray/__init__.py (`init_dev`).
    """
    available, own = s.device.available_bytes, s.device.context.bytes
    if s.settings.allocator is not AllocatorKind.GPUARRAY or s.settings.preallocate <= 0 or s.process.fits is not True or available is None:
        return
    if _processes(available, own, s.process.reserved_peak_bytes) > 1:
        return
    after = simulate_figures(s.script, replace(s.settings, preallocate=0.0))
    many = _processes(available, own, after.reserved_peak_bytes)
    if many < 2:
        return
    now, then = format_bytes(s.process.reserved_peak_bytes), format_bytes(after.reserved_peak_bytes)
    message = f"gpuarray.preallocate={s.settings.preallocate:g} takes {now}, which leaves no room for a second process; "
    message += f"without it each takes {then}, and {many} fit on the device"
    fix = Fix("reserve nothing", code=s.flags_variable.line("gpuarray.preallocate=0"), changes=(FlagChange("gpuarray.preallocate", "0"),))
    cost = Cost(work="requests to the driver while the cache grows")
    yield Finding(
        "TD315", Severity.INFO, confidence_of(after), message, s.place(None), fix, figures(after), saving(s, after), cost=cost
    )  # fmt: skip


def _processes(available: int, context: int, reserved: int) -> int:
    """Number of processes that fit, each with `reserved` bytes and a context of `context` bytes; `available`: bytes that the first one has
    for arrays.
    """
    return (available + context) // max(1, reserved + context)


def _reserving(share: float) -> ScriptSubject:
    """A script that needs 12 MB, on a device of 4 GB of which `share` is preallocated."""
    s = subject(dot_script(1000, 1000), device(4_000_000_000))
    settings = replace(s.settings, preallocate=share)
    return replace(s, settings=settings, process=simulate(s.script, settings))
