"""Messages of Python, NumPy, numba, the kernel and batch systems about host memory that ran out."""

from __future__ import annotations

from .model import Cause, template

_ENDED = "the kernel's log (dmesg) names the process and its size; in a batch system ask for more memory"

MESSAGES = (
    template(
        "Unable to allocate",
        r"Unable to allocate (?:(?P<amount>\d+(?:\.\d*)? \w{1,5}) for an )?array with shape (?P<shape>\([\d, ]{0,400}\)) "
        r"and data type (?P<dtype>\w+)",
        Cause.HOST_MEMORY,
        "NumPy 1.17 and later, numpy/core/_exceptions.py",
    ),
    template("array is too big; `arr.size", "", Cause.SIZE_OVERFLOW, "NumPy, core/src/multiarray/ctors.c"),
    template("Allocation failed (probably too large)", "", Cause.HOST_MEMORY, "numba, core/runtime/nrt.py"),
    template("MemoryError", r"^[\s>]*(?:[\w.]+\.)?MemoryError:?(?:\s*\(?['\"]?['\"]?\)?)?\s*$", Cause.HOST_MEMORY, "CPython"),
    template(
        "MemoryError: ",
        r"^[\s>]*(?:[\w.]+\.)?MemoryError: (?:[Ff]ailed to|[Cc]ould not) alloc"
        r"(?!.{0,300}(?:[Dd]evice|[Gg]pu|GPU|[Cc]uda|CUD|descriptor))",
        Cause.HOST_MEMORY,
        "Theano, Aesara and PyTensor, tensor/blas.py and other C code",
    ),
    template(
        "you might consider using 'theano.shared(..., borrow=True)'", "", Cause.HOST_MEMORY, "Theano 0.6 to 1.0.5, compile/sharedvalue.py"
    ),
    template("std::bad_alloc", "", Cause.HOST_MEMORY, "the C++ library"),
    template("Errno 12] Cannot allocate memory", "", Cause.HOST_MEMORY, "Linux", "a child process needs room for a copy of its parent"),
    template("paging file is too small", "", Cause.HOST_MEMORY, "Windows"),
    template(
        "DefaultCPUAllocator", r"tried to allocate (?P<bytes>\d{1,18}) bytes", Cause.HOST_MEMORY, "PyTorch, c10/core/impl/alloc_cpu.cpp"
    ),
    template(
        "Killed process",
        r"Killed process \d+(?: \((?P<what>[^)]{1,60})\))?(?:.{0,80}?anon-rss:(?P<kib>\d{1,15})kB)?",
        Cause.KILLED,
        "Linux, mm/oom_kill.c",
        _ENDED,
    ),
    template(
        "Out of memory: Kill process", r"Kill process \d+(?: \((?P<what>[^)]{1,60})\))?", Cause.KILLED, "Linux, mm/oom_kill.c", _ENDED
    ),
    template("terminated program", r"Killed signal terminated program (?P<what>\w{1,60})", Cause.KILLED, "gcc, gcc.c", _ENDED),
    template("internal compiler error: Killed", r"Killed \(program (?P<what>\w{1,60})\)", Cause.KILLED, "gcc before 9, gcc.c", _ENDED),
    template("Memory cgroup out of memory", "", Cause.KILLED, "Linux, mm/oom_kill.c", _ENDED),
    template("oom-kill event", "", Cause.KILLED, "Slurm", _ENDED),
    template("oom_kill event", "", Cause.KILLED, "Slurm", _ENDED),
    template(": Out Of Memory", r"error: .{1,200}: task.{1,200}: Out Of Memory", Cause.KILLED, "Slurm, srun", _ENDED),
    template("OUT_OF_MEMORY (exit code", "", Cause.KILLED, "Slurm", _ENDED),
    template("Exceeded job memory limit", "", Cause.KILLED, "Slurm", _ENDED),
    template("exceeded memory limit", "", Cause.KILLED, "batch systems", _ENDED),
    template("OOMKilled", "", Cause.KILLED, "Kubernetes and Docker", _ENDED),
    template("exit code 137", "", Cause.KILLED, "Docker, PyCharm: 128 + SIGKILL", _ENDED),
    template("died with <Signals.SIGKILL: 9>", "", Cause.KILLED, "CPython, subprocess", _ENDED),
    template("Killed", r"^(?:.{0,200}\d+ |\s*)Killed(?:: 9)?(?: {2,}.*| *python.*)?\s*$", Cause.KILLED, "the shell", _ENDED),
)
