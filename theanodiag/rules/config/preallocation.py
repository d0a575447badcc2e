"""TD2: memory reserved at the start."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Finding, Location, Severity
from ...flags.diagnose import ConfigSubject, about, finding, fix
from ...flags.model import Dialect
from ...flags.translations import special
from ..base import rule
from .examples import config


@rule(
    "TD234",
    "cnmem-ignored",
    fires=lambda: config("[global]\ndevice = cuda0\n[lib]\ncnmem = 0.8\n"),
    silent=lambda: config("[global]\ndevice = gpu0\n[lib]\ncnmem = 0.8\n", version="0.8.2"),
)
def cnmem_ignored(s: ConfigSubject) -> Iterator[Finding]:
    """TD234: lib.cnmem with the new back-end

    What it finds
        Finds `lib.cnmem` with Theano 1.0 and later, or together with `device=cuda*` in 0.9.

    Why it matters
        Theano silently ignores the flag, so nothing is reserved and memory fragments. `gpuarray.preallocate` replaced `lib.cnmem`.

    Example
        `[lib]` with `cnmem = 0.8`.

    What to do
        Write `gpuarray.preallocate` with the same number, but at most 0.95. Instead of `lib.cnmem=0`, which turned cnmem's pool off, write
        `gpuarray.preallocate=-1`: with 0 libgpuarray still uses a cache.

    Limits
        None known.
    """
    for w in s.written:
        ignored = w.flag is None or (s.text("device") or "").startswith("cuda")
        if w.name != "lib.cnmem" or not ignored or s.dialect is not Dialect.THEANO:
            continue
        move = special("lib.cnmem", w.value or "", s.table)
        code = "gpuarray.preallocate=" + move.writes[0][1] if move and move.writes else None
        message = "lib.cnmem has no effect on the gpuarray back-end" + (f": {code} is the equivalent" if code else "")
        yield finding("TD234", Severity.WARNING, w, message, fix(f"write {code or 'gpuarray.preallocate'}", code=code))


@rule(
    "TD235",
    "preallocate-one",
    fires=lambda: config(flags="gpuarray.preallocate=1"),
    silent=lambda: config(flags="gpuarray.preallocate=0.8"),
)
def preallocate_one(s: ConfigSubject) -> Iterator[Finding]:
    """TD235: gpuarray.preallocate=1 is 95 %, not 1 MB

    What it finds
        Finds `gpuarray.preallocate` set to exactly 1.

    Why it matters
        A value up to 1 is a fraction, limited to 0.95. With 1, Theano reserves nearly the whole card at the start, which fails if another
        process uses the card.

    Example
        `[gpuarray]` with `preallocate = 1`.

    What to do
        Write 0.9 for most of the card, or a number of MB above 1, such as 512.

    Limits
        None known.
    """
    if s.number("gpuarray.preallocate") == 1:
        message = "1 means 95 % of the GPU's memory, not 1 MB"
        advice = fix("write 0.9, or MB above 1", code="gpuarray.preallocate=0.9")
        yield about("TD235", Severity.WARNING, s, "gpuarray.preallocate", message, advice)


@rule(
    "TD236",
    "preallocate-percent",
    fires=lambda: config(flags="gpuarray.preallocate=90"),
    silent=lambda: config(flags="gpuarray.preallocate=900"),
)
def preallocate_percent(s: ConfigSubject) -> Iterator[Finding]:
    """TD236: gpuarray.preallocate looks like per cent

    What it finds
        Finds `gpuarray.preallocate` above 1 and up to 100.

    Why it matters
        Above 1 the number is in MB: `preallocate = 90` reserves 90 MB, not 90 %.

    Example
        `[gpuarray]` with `preallocate = 90`.

    What to do
        Write a fraction: `0.9`.

    Limits
        A preallocation of at most 100 MB may be intentional, but hardly helps.
    """
    share = s.number("gpuarray.preallocate")
    if share is not None and 1 < share <= 100:
        code = f"gpuarray.preallocate={min(share / 100, 0.95):g}"
        message = f"{share:g} means {share:g} MB, not {share:g} %"
        yield about("TD236", Severity.WARNING, s, "gpuarray.preallocate", message, fix(f"write {code}", code=code))


@rule(
    "TD237",
    "preallocate-high",
    fires=lambda: config(flags="gpuarray.preallocate=0.95"),
    silent=lambda: config(flags="gpuarray.preallocate=0.8"),
)
def preallocate_high(s: ConfigSubject) -> Iterator[Finding]:
    """TD237: the reserve leaves too little memory

    What it finds
        Finds `gpuarray.preallocate` above 0.9 and below 1 if cuDNN is not switched off. Before Theano 1.0 the rule checks `lib.cnmem`.

    Why it matters
        The CUDA context, cuBLAS and cuDNN need memory in addition to the reserve. cuDNN does not start with less than 75 MB free.

    Example
        `gpuarray.preallocate=0.95` with `dnn.enabled=True`.

    What to do
        Reserve 0.8 to 0.9. The reserve grows if necessary.

    Limits
        On a large card 5 % may be enough.
    """
    for name in ("gpuarray.preallocate", "lib.cnmem"):
        share = s.number(name)
        if share is not None and 0.9 < share <= 1 and (name != "gpuarray.preallocate" or share < 1) and s.text("dnn.enabled") != "False":
            message = f"{name} = {share:g} leaves little for the CUDA context, cuBLAS and cuDNN"
            yield about("TD237", Severity.INFO, s, name, message, fix("reserve 0.8", code=f"{name}=0.8"))


@rule(
    "TD238",
    "cache-off",
    fires=lambda: config(flags="gpuarray.preallocate=-1"),
    silent=lambda: config(flags="gpuarray.preallocate=0"),
)
def cache_off(s: ConfigSubject) -> Iterator[Finding]:
    """TD238: the allocation cache is off

    What it finds
        Finds a negative `gpuarray.preallocate`.

    Why it matters
        Every array is requested from the driver and returned to it. Without the cache the script needs the least memory, but each
        allocation waits for the GPU.

    Example
        `gpuarray.preallocate=-1`.

    What to do
        Keep the setting if memory is short. Otherwise write 0, which keeps a cache that grows, or a fraction, which reserves one block that
        does not fragment.

    Limits
        On OpenCL there is no cache.
    """
    share = s.number("gpuarray.preallocate")
    if share is not None and share < 0:
        message = "a negative value turns the allocation cache off: least memory, but slow"
        yield about("TD238", Severity.INFO, s, "gpuarray.preallocate", message, fix("keep the cache", code="gpuarray.preallocate=0"))


@rule(
    "TD266",
    "xla-fraction",
    fires=lambda: config(to=Dialect.PYTENSOR, env=(("XLA_PYTHON_CLIENT_MEM_FRACTION", ".8"), ("XLA_CLIENT_MEM_FRACTION", ".8"))),
    silent=lambda: config(to=Dialect.PYTENSOR, env=(("XLA_CLIENT_MEM_FRACTION", ".8"),)),
)
def xla_fraction(s: ConfigSubject) -> Iterator[Finding]:
    """TD266: XLA's memory share is set under its old name, or under both names

    What it finds
        Finds XLA_PYTHON_CLIENT_MEM_FRACTION, alone or together with XLA_CLIENT_MEM_FRACTION, with Aesara or PyTensor.

    Why it matters
        The old name is deprecated. If both variables are set, JAX stops with an error.

    Example
        `export XLA_PYTHON_CLIENT_MEM_FRACTION=.8`.

    What to do
        Set only XLA_CLIENT_MEM_FRACTION.

    Limits
        Old versions of JAX know only the old name.
    """
    old, new = s.env("XLA_PYTHON_CLIENT_MEM_FRACTION"), s.env("XLA_CLIENT_MEM_FRACTION")
    if s.dialect is Dialect.THEANO or old is None:
        return
    message = "JAX stops if this is set beside XLA_CLIENT_MEM_FRACTION" if new is not None else "this name is deprecated"
    severity = Severity.INFO if new is None else Severity.ERROR
    advice = fix("set XLA_CLIENT_MEM_FRACTION alone", code=f"export XLA_CLIENT_MEM_FRACTION={new or old}")
    yield Finding("TD266", severity, Confidence.DERIVED, message, Location("XLA_PYTHON_CLIENT_MEM_FRACTION"), advice)


@rule(
    "TD267",
    "xla-contradiction",
    fires=lambda: config(to=Dialect.PYTENSOR, env=(("XLA_CLIENT_MEM_FRACTION", ".9"), ("XLA_PYTHON_CLIENT_ALLOCATOR", "platform"))),
    silent=lambda: config(to=Dialect.PYTENSOR, env=(("XLA_CLIENT_MEM_FRACTION", ".9"),)),
)
def xla_contradiction(s: ConfigSubject) -> Iterator[Finding]:
    """TD267: XLA settings that contradict each other

    What it finds
        Finds XLA_CLIENT_MEM_FRACTION together with a variable that makes XLA reserve no memory, or use the driver's allocator.

    Why it matters
        With XLA_PYTHON_CLIENT_PREALLOCATE=false XLA reserves nothing at the start. With XLA_PYTHON_CLIENT_ALLOCATOR=platform XLA does not
        use the fraction at all.

    Example
        `XLA_CLIENT_MEM_FRACTION=.9` and `XLA_PYTHON_CLIENT_ALLOCATOR=platform`.

    What to do
        Remove one of the two variables.

    Limits
        With XLA_PYTHON_CLIENT_PREALLOCATE=false the fraction is still an upper limit, so XLA_CLIENT_MEM_FRACTION is not useless.
    """
    share = s.env("XLA_CLIENT_MEM_FRACTION") or s.env("XLA_PYTHON_CLIENT_MEM_FRACTION")
    pairs = (("XLA_PYTHON_CLIENT_PREALLOCATE", ("false", "0")), ("XLA_PYTHON_CLIENT_ALLOCATOR", ("platform",)))
    for name, texts in pairs:
        if share and (s.env(name) or "").lower() in texts and s.dialect is not Dialect.THEANO:
            message = f"{name}={s.env(name)}: the share of {share} is not reserved"
            yield Finding("TD267", Severity.INFO, Confidence.DERIVED, message, Location(name), fix("remove one of them"))
