"""TD2: modes, linkers and optimizers, and what they keep in memory."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.defaults import number
from ...flags.diagnose import ConfigSubject, about, finding, fix
from ...flags.model import Dialect
from ..base import rule
from .examples import config


@rule(
    "TD251",
    "gc-off",
    fires=lambda: config("[global]\nallow_gc = False\n"),
    silent=lambda: config("[global]\nallow_gc = True\n"),
)
def gc_off(s: ConfigSubject) -> Iterator[Finding]:
    """TD251: intermediate results are kept

    What it finds
        Finds `allow_gc=False`.

    Why it matters
        Every intermediate array of a function stays allocated between calls. Calls are slightly faster, but the memory of all functions
        adds up.

    Example
        `[global]` with `allow_gc = False`.

    What to do
        Set `allow_gc = True`, the default. With a preallocated cache, freeing the intermediates costs little time.

    Limits
        The rule does not know how many bytes are kept; `theanodiag check` shows how many bytes a script keeps.
    """
    if s.text("allow_gc") in ("False", "false", "0"):
        message = "allow_gc=False keeps every intermediate array between calls"
        yield about("TD251", Severity.WARNING, s, "allow_gc", message, fix("write allow_gc=True", code="allow_gc=True"))


@rule(
    "TD252",
    "scan-keeps",
    fires=lambda: config(flags="scan.allow_gc=False"),
    silent=lambda: config(flags="scan.allow_gc=True"),
)
def scan_keeps(s: ConfigSubject) -> Iterator[Finding]:
    """TD252: Scan keeps its intermediate results

    What it finds
        Finds `scan.allow_gc=False` if it is set explicitly, although False is the default.

    Why it matters
        Within a Scan the intermediates of a step stay allocated until the whole loop ends.

    Example
        `THEANO_FLAGS=scan.allow_gc=False`.

    What to do
        Set `scan.allow_gc=True` if memory is short. With `scan.allow_gc=True`, each step is a little slower.

    Limits
        The default itself is not reported.
    """
    if s.winner("scan.allow_gc") and s.text("scan.allow_gc") in ("False", "false", "0"):
        code = s.spell("scan.allow_gc", "True")
        message = "Scan keeps the intermediates of its steps until it ends"
        yield about("TD252", Severity.INFO, s, "scan.allow_gc", message, fix(f"write {code} where memory is short", code=code))


SAVING = ("low_memory", "inplace", "fusion", "inplace_opt")


@rule(
    "TD253",
    "low-memory-off",
    fires=lambda: config(flags="optimizer_excluding=low_memory"),
    silent=lambda: config(flags="optimizer_excluding=more_mem"),
)
def low_memory_off(s: ConfigSubject) -> Iterator[Finding]:
    """TD253: optimizations that save memory are excluded

    What it finds
        Finds `optimizer_excluding` with `low_memory`, `inplace`, `inplace_opt` or `fusion`.

    Why it matters
        Without `low_memory`, Theano does not order the nodes so that few arrays are live at a time. Without `inplace` and `fusion` every
        operation creates a new array.

    Example
        The file has `optimizer_excluding = low_memory`, copied from advice for speed.

    What to do
        Remove the name from the list.

    Limits
        Excluding `more_mem` saves memory and is not reported.
    """
    tags = [tag for tag in (s.text("optimizer_excluding") or "").strip("'\"").split(":") if tag.strip() in SAVING]
    if tags:
        message = f"{' and '.join(tags)} would save memory"
        yield about("TD253", Severity.WARNING, s, "optimizer_excluding", message, fix(f"take {' and '.join(tags)} out of the list"))


@rule(
    "TD254",
    "fast-compile",
    fires=lambda: config(flags="optimizer=fast_compile"),
    silent=lambda: config(flags="optimizer=fast_run"),
)
def fast_compile(s: ConfigSubject) -> Iterator[Finding]:
    """TD254: few optimizations are applied

    What it finds
        Finds `optimizer` set to `fast_compile`, `o1` or `merge`, or `mode=FAST_COMPILE`.

    Why it matters
        Functions compile faster, but run slower and need more memory. Theano fuses nothing, computes nothing in place, and leaves most work
        on the CPU even if the device is a GPU.

    Example
        The file still has `optimizer = fast_compile` from debugging.

    What to do
        Set `optimizer = fast_run`. (In Theano 1.0 and later the default is called `o4`; it is the same as `fast_run`.)

    Limits
        Functions that compile fast are useful while you develop a model.
    """
    for name, few, better in (("optimizer", ("fast_compile", "o1", "merge"), "fast_run"), ("mode", ("FAST_COMPILE",), "FAST_RUN")):
        if s.text(name) in few:
            message = f"{s.text(name)} leaves most optimizations out: slower, and more memory"
            yield about("TD254", Severity.INFO, s, name, message, fix(f"write {name}={better}", code=f"{name}={better}"))


@rule(
    "TD255",
    "no-optimizer",
    fires=lambda: config(flags="optimizer=None"),
    silent=lambda: config(flags="optimizer=fast_run"),
)
def no_optimizer(s: ConfigSubject) -> Iterator[Finding]:
    """TD255: no optimizations are applied

    What it finds
        Finds `optimizer=None`.

    Why it matters
        The whole job runs slowly on the CPU, because moving work to the GPU is an optimization too. Every operation creates a new array.

    Example
        The rc file of a container image has `optimizer = None`.

    What to do
        Set `optimizer = fast_run`. (In Theano 1.0 and later the default is called `o4`; it is the same as `fast_run`.)

    Limits
        A graph without optimizations is useful while you debug.
    """
    if s.text("optimizer") == "None":
        gpu = ", and nothing moves to the GPU" if s.on_gpu else ""
        message = f"optimizer=None: every operation runs as it is written{gpu}"
        advice = fix("write optimizer=fast_run", code="optimizer=fast_run")
        yield about("TD255", Severity.WARNING, s, "optimizer", message, advice)


CHANGES = ("optimizer_including", "optimizer_excluding", "optimizer_requiring")
"""Flags that add optimizations to a mode or remove some."""


OPTIMIZING = ("Mode", "ProfileMode", "DebugMode", "DEBUG_MODE", "NanGuardMode")
"""Modes that use the flag `optimizer`."""


@rule(
    "TD256",
    "named-mode",
    fires=lambda: config(flags="mode=FAST_RUN,optimizer=None"),
    silent=lambda: config(flags="mode=FAST_RUN,optimizer_excluding=fusion"),
)
def named_mode(s: ConfigSubject) -> Iterator[Finding]:
    """TD256: a named mode ignores other flags

    What it finds
        Finds a `mode` other than `Mode` together with flags that this mode ignores: `linker` and `optimizer`, and with PyTensor from 2.27
        on also `optimizer_including`, `optimizer_excluding` and `optimizer_requiring`.

    Why it matters
        A named mode brings its own linker and optimizer, so these flags have no effect.

    Example
        `mode=FAST_RUN,optimizer=None`.

    What to do
        Remove either the flags or `mode`. The default, `Mode`, is FAST_RUN with these flags.

    Limits
        For DebugMode and NanGuardMode the rule reports only `linker`, because these modes use the optimizer. From PyTensor 2.36 on,
        FAST_RUN uses the linker. Source: `get_mode` in Theano 0.6.0 and 1.0.5, Aesara 2.9.4, PyTensor 2.26.4, 2.27.1, 2.35.1,
        2.36.0 and 3.0.7 (compile/mode.py).
    """
    mode = s.text("mode")
    if mode in (None, "Mode") or s.clashes():
        return
    for name in overruled(s, mode):
        entry = s.winner(name)
        if entry and entry.value:
            message = f"{name} has no effect beside mode={mode}"
            yield finding("TD256", Severity.INFO, entry, message, fix(f"remove mode or {name}"))


def overruled(s: ConfigSubject, mode: str | None) -> tuple[str, ...]:
    """Returns the flags that the mode called `mode` ignores, in the subject's version of the library."""
    optimizer = () if mode in OPTIMIZING else ("optimizer",)
    version = number(s.table.version)
    if s.dialect is not Dialect.PYTENSOR or version < (2, 27):
        return () if mode == "ProfileMode" else ("linker", *optimizer)
    takes_linker = () if mode == "FAST_RUN" and version >= (2, 36) else ("linker",)
    return (*takes_linker, *optimizer, *(CHANGES if optimizer else ()))


@rule(
    "TD257",
    "mode-and-linker",
    fires=lambda: config(flags="mode=FAST_RUN,linker=jax", to=Dialect.PYTENSOR),
    silent=lambda: config(flags="mode=JAX", to=Dialect.PYTENSOR),
)
def mode_and_linker(s: ConfigSubject) -> Iterator[Finding]:
    """TD257: a mode that cannot have this linker

    What it finds
        Finds `mode=FAST_RUN` or `FAST_COMPILE` with `linker=jax`, `numba` or a similar linker in PyTensor.

    Why it matters
        Compiling the first function fails with a KeyError that does not name the cause.

    Example
        `PYTENSOR_FLAGS=mode=FAST_RUN,linker=jax`.

    What to do
        Set only `mode=JAX` (or NUMBA, PYTORCH, MLX), without `linker`.

    Limits
        The error was observed in PyTensor 2 and 3.
    """
    if s.clashes():
        linker = s.text("linker") or ""
        message = f"mode={s.text('mode')} has no linker {linker}: a bare KeyError when a function is compiled"
        yield about("TD257", Severity.ERROR, s, "linker", message, fix(f"write mode={linker.upper()} alone", code=f"mode={linker.upper()}"))


@rule(
    "TD258",
    "nogc-linker",
    fires=lambda: config(flags="linker=cvm_nogc"),
    silent=lambda: config(flags="linker=cvm"),
)
def nogc_linker(s: ConfigSubject) -> Iterator[Finding]:
    """TD258: a linker without garbage collection

    What it finds
        Finds a `linker` with `_nogc` in its name.

    Why it matters
        Intermediate arrays stay allocated between calls, as with `allow_gc=False`, although the flag `allow_gc` still says True.

    Example
        `linker = cvm_nogc`.

    What to do
        Set `linker = cvm`.

    Limits
        None known.
    """
    linker = s.text("linker") or ""
    if linker.endswith("_nogc"):
        code = f"linker={linker[:-5]}"
        yield about("TD258", Severity.WARNING, s, "linker", f"{linker} keeps every intermediate array", fix(f"write {code}", code=code))


SWITCHES = (
    ("mode", ("DebugMode", "DEBUG_MODE"), "computes everything several times and compares"),
    ("mode", ("NanGuardMode",), "looks at every value of every array"),
    ("profile", ("True", "true", "1"), "times every operation"),
    ("compute_test_value", ("warn", "raise", "pdb", "ignore"), "computes and keeps a value for every variable"),
    ("nocleanup", ("True", "true", "1"), "leaves the files of failed compilations"),
)  # fmt: skip


@rule(
    "TD260",
    "debug-leftover",
    fires=lambda: config(flags="mode=DebugMode"),
    silent=lambda: config(flags="mode=FAST_RUN"),
)
def debug_leftover(s: ConfigSubject) -> Iterator[Finding]:
    """TD260: a switch for debugging is on

    What it finds
        Finds `mode=DebugMode`, `DEBUG_MODE` or `NanGuardMode`, and the flags `profile`, `compute_test_value` and `nocleanup`.

    Why it matters
        DebugMode computes everything several times. `compute_test_value` needs as much memory as a second run. `nocleanup` fills the disk.

    Example
        A file that is used for training has `compute_test_value = warn`.

    What to do
        Remove the setting.

    Limits
        Such switches are useful while you debug.
    """
    for name, on, effect in SWITCHES:
        if s.text(name) in on:
            yield about("TD260", Severity.INFO, s, name, f"{name}={s.text(name)} {effect}", fix("remove it"))


@rule(
    "TD269",
    "compiled-linker",
    fires=lambda: config("[global]\ncxx =\nlinker = cvm\n"),
    silent=lambda: config("[global]\ncxx =\nlinker = py\n"),
)
def compiled_linker(s: ConfigSubject) -> Iterator[Finding]:
    """TD269: a linker of C code without a compiler

    What it finds
        Finds `linker=cvm`, `c` or `c|py` together with an empty `cxx`.

    Why it matters
        Without a compiler these linkers are not valid values, and the library does not start.

    Example
        The file has `cxx =` and `linker = cvm`.

    What to do
        Install g++, or remove the linker setting.

    Limits
        PyTensor accepts these linkers and falls back to another one, so the rule reports nothing for PyTensor.
    """
    written = s.winner("linker") and s.winner("cxx") and s.dialect is not Dialect.PYTENSOR
    if written and not s.text("cxx") and s.text("linker") in ("c", "c|py", "c|py_nogc", "cvm", "cvm_nogc"):
        message = f"linker={s.text('linker')} needs a C++ compiler: {s.library} will not start"
        yield about("TD269", Severity.ERROR, s, "linker", message, fix("install g++, or remove the linker"))
