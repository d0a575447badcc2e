"""Messages about a process that ended (of shells, kernels, batch systems, containers, notebooks, process pools), and about full disks."""

from __future__ import annotations

import re

from .model import Cause, Weight, template


def _status(numbers: str) -> str:
    """A pattern of the exit status of a process: 128 + a signal, or what Python makes of the signal."""
    return (
        r"(?i:exit(?:ed)?[ _]?(?:with |from |in )?(?:an? |non-zero )?(?:error )?(?:exit )?(?:code|status|value)?)"
        rf"[\"']?[:=\s]*\(?(?:is |of |code |status )*(?:{numbers})\b(?![.\d])"
    )


JOB = r"^[^\n]{1,200}: \D{0,10}\d{1,6}\D{0,3}: +\d{1,9} +"
"""How bash begins what it says of a script's command that a signal ended: the script, its line, the process."""
_SHELL = (
    rf"{JOB}Killed\b|"
    r"^(?:.{0,200}\d+ |\[\d{1,4}\][+-]? {1,4}|(?:\w{1,10}: )?[\s>`*]*)[Kk]illed"
    r"(?:: 9)?(?: {2,}.*| *\(?core dumped\)?| *\S{0,200}python.*)?[\s`*]*$"
)
_KILLED = ("已杀死", "已砍掉", "Getötet", "Убито", "強制終了", "죽었음", "Terminado (killed)", "Processus arrêté", "Ucciso", "Matado")
"""What shells print for SIGKILL in other languages."""
_CRASHED = (
    "Segmentation fault", "segmentation fault", "Speicherzugriffsfehler", "Erreur de segmentation", "Violación de segmento",
    "Errore di segmentazione", "Falha de segmentação", "Ошибка сегментирования", "段错误", "core dumped", "Bus error",
    "double free or corruption", "free(): invalid pointer", "free(): invalid size", "munmap_chunk(): invalid pointer", "malloc(): ",
    "realloc(): ", "corrupted double-linked list", "zsh: abort ", "zsh: bus error", "zsh: illegal hardware instruction",
    "zsh: trace trap", "objc_initializeAfterForkError", "corrupted size vs. prev_size", "pointer being freed was not allocated",
    "Fatal Python error:", "Windows fatal exception:", "Abort trap: 6", "0xC0000005", "0xC0000409", "0xC0000374", "0xC00000FD",
    "Illegal instruction", "terminate called after throwing", "libc++abi: terminating", "Trace/BPT trap", "exit code -10737",
    "(interrupted by signal 11: SIGSEGV)", "Signals.SIGSEGV",
    "Signals.SIGABRT", "*** stack smashing detected ***", "Segfault encountered", "SIGSEGV received", "signal: Segmentation fault",
)  # fmt: skip
"""What systems, shells and Python say of a process that crashed."""


def _stated(words: str) -> str:
    """A pattern for lines that state this of a process, and do not speak of it: "this may cause ...", "... is often due to".

    A word of a sentence has blanks on both sides: a user may be called "can", and a folder "fix".
    """
    said = re.escape(words)
    speaks = r"(?<!\S)(?:may|might|could|can|would|[Ii]f|[Ff]ix(?:e[sd])?|[Aa]voids?|[Pp]revents?|[Ww]ithout)[ \t]"
    return (
        rf"^(?![^\n]{{0,300}}{speaks}[^\n]{{0,80}}{said})"
        rf"[^\n]{{0,900}}?{said}(?! (?:is|are|may|might|can|could|means?|usually|often|happens?)\b)"
    )


MESSAGES = (
    template(
        "Killed process",
        r"Killed process \d+(?: \((?P<what>[^)]{1,60})\))?(?:.{0,500}?anon-rss:(?P<own_kib>\d{1,15})kB)?",
        Cause.KILLED,
        "Linux, mm/oom_kill.c",
    ),
    template("Out of memory: Kill process", r"Kill process \d+(?: \((?P<what>[^)]{1,60})\))?", Cause.KILLED, "Linux, mm/oom_kill.c"),
    template("invoked oom-killer", "", Cause.KILLED, "Linux, mm/oom_kill.c"),
    template("oom-kill:constraint=", r"(?:,task=(?P<what>[^,]{1,60}))?", Cause.KILLED, "Linux, mm/oom_kill.c"),
    template("oom_reaper: reaped process", "", Cause.KILLED, "Linux, mm/oom_kill.c"),
    template("Memory cgroup out of memory", "", Cause.KILLED, "Linux, mm/oom_kill.c"),
    template("Failed with result 'oom-kill'", "", Cause.KILLED, "systemd"),
    template("status=9/KILL", "", Cause.KILLED, "systemd"),
    template("systemd-oomd", r"systemd-oomd.{0,60}[Kk]illed", Cause.KILLED, "systemd-oomd"),
    template("terminated program", r"Killed signal terminated program (?P<what>\w{1,60})", Cause.KILLED, "gcc, gcc.c"),
    template("internal compiler error: Killed", r"Killed \(program (?P<what>\w{1,60})\)", Cause.KILLED, "gcc before 9, gcc.c"),
    *(
        template(text, "", Cause.KILLED, "Slurm")
        for text in (
            "oom-kill event",
            "oom_kill event",
            "OUT_OF_MEMORY (exit code",
            "State: OUT_OF_MEMORY",
            "Exceeded job memory limit",
            "Exceeded step memory limit",
            "hit memory limit at least once",
            "hit memory+swap limit at least once",
            "cgroup out-of-memory handler",
        )
    ),
    *(
        template(f": {word}", rf"error: .{{1,200}}: task.{{1,200}}: {word}\s*$", Cause.KILLED, "Slurm, srun")
        for word in ("Out Of Memory", "Killed")
    ),
    template("OUT_OF_ME", r"(?:^|\s)OUT_OF_ME(?:\+|MORY)?\s+\d+:\d+", Cause.KILLED, "Slurm, sacct"),
    template("exceeded memory limit", r"exceeded memory limit(?! for color)", Cause.KILLED, "batch systems"),
    *(
        template(
            anchor,
            r"(?i)(?:job|process|task|step|container|program)[^\n]{0,80}(?:exceed|over|reach|kill)[^\n]{0,60}memory[^\n]{0,20}limit",
            Cause.KILLED,
            "batch systems",
        )
        for anchor in ("memory limit", "memory resource limit", "memory usage limit")
    ),
    template("TERM_MEMLIMIT", "", Cause.KILLED, "LSF"),
    template("PBS: job killed: ", r"job killed: (?:v?mem|pmem|pvmem)", Cause.KILLED, "PBS"),
    template("OOMKilled", r"OOMKilled(?!\"?\s*[:=]\s*[Ff]alse)", Cause.KILLED, "Kubernetes and Docker"),
    template("was low on resource: memory", "", Cause.KILLED, "Kubernetes"),
    template("OutOfMemoryError: Container killed", "", Cause.KILLED, "Amazon ECS and Batch"),
    template("ran out of memory and was killed", "", Cause.KILLED, "batch systems"),
    template("Exited (137)", "", Cause.KILLED, "Docker: 128 + SIGKILL"),
    *(
        template(anchor, _status(numbers), cause, "shells, batch and workflow systems: an exception before says why", weight=Weight.NOTE)
        for numbers, cause in (("-2|-15|130|143", Cause.STOPPED), ("-[4678]|-11|13[24569]", Cause.PROCESS_LOST))
        for anchor in ("xit code", "xit status", "xitcode")
    ),
    *(
        template(anchor, _status("-9|137|247"), Cause.KILLED, "shells, containers, batch systems: 128 + SIGKILL")
        for anchor in (
            "xit code",
            "xit status",
            "xitcode",
            "xitCode",
            "xit Code",
            "EXIT CODE",
            "exit_code",
            "xited with",
            "xit value",
        )
    ),
    template("non-zero code", r"non-zero code:? 137\b", Cause.KILLED, "Docker"),
    template("ignal 9", r"(?i:(?:by|on|with|to|received|caught) signal 9\b)", Cause.KILLED, "the system"),
    template("signal: killed", "", Cause.KILLED, "programs in Go"),
    *(
        template(text, "", Cause.KILLED, source)
        for text, source in (
            ("KilledWorker", "Dask"),
            ("95% memory budget. Restarting", "Dask"),
            ("gone over memory limit", "HTCondor"),
            ("over its memory limit", "batch systems"),
            ("xceeded its memory limit", "batch systems"),
            ("killed because it exceeded", "batch systems"),
            ("low memory killer", "Android"),
            ("run out of application memory", "macOS"),
            ("ran out of memory and has restarted", "notebook servers"),
        )
    ),
    template("SIGNAL: 9", "KILLED BY SIGNAL: 9", Cause.KILLED, "MPICH"),
    template(
        "SIGKILL",
        r"(?i:exit|signal|status|terminated|killed|died|received|code|sent|sending|worker)[^\n]{0,120}\bSIGKILL\b|SIGKILL\(-9\)",
        Cause.KILLED,
        "CPython, joblib and others",
    ),
    template("is killed by signal: Killed", "", Cause.KILLED, "PyTorch, utils/data/_utils/signal_handling.py"),
    template("rashed after using all available RAM", "", Cause.KILLED, "Google Colab"),
    template("tried to allocate more memory than is available", "", Cause.KILLED, "Kaggle"),
    *(template(anchor, _SHELL, Cause.KILLED, "the shell") for anchor in ("Killed", "killed")),
    *(template(word, rf"^(?:.{{0,200}}\d+ |\s*){re.escape(word)}(?: {{2,}}.*)?\s*$", Cause.KILLED, "the shell") for word in _KILLED),
    *(template(text, _stated(text), Cause.PROCESS_LOST, "the system", weight=Weight.NOTE) for text in _CRASHED),
    template("exit_status", r"^\s*exit_status +(?:137|139|134|135)\b", Cause.PROCESS_LOST, "Grid Engine, qacct", weight=Weight.NOTE),
    *(
        template(name, rf"{JOB}{name}\b", Cause.PROCESS_LOST, "bash", weight=Weight.NOTE)
        for name in ("Aborted", "Broken pipe", "Floating point exception", "Trace/breakpoint trap")
    ),
    template("(interrupted by signal ", r"signal (?!2:|9:|15:)\d{1,2}: ?SIG", Cause.PROCESS_LOST, "PyCharm", weight=Weight.NOTE),
    template("Aborted", r"^\W{0,3}Aborted\W{0,3}(?:\(core dumped\))?\s*$", Cause.PROCESS_LOST, "the shell", weight=Weight.NOTE),
    *(
        template(text, "", Cause.PROCESS_LOST, "Jupyter, IPython and Spyder", weight=Weight.NOTE)
        for text in (
            "ernel appears to have died",
            "ernel died",
            "ernel Died",
            "ernel crashed while executing code",
            "KernelRestarter: restarting kernel",
            "KernelRestarter: restart failed",
            "DeadKernelError",
            "Dead kernel",
            "r session crashed for an unknown reason",
            "ernel restarted",
            "ernel is dead",
            "Your session crashed. Automatically restarting",
        )
    ),
    template("Error: Can't get attribute", "", Cause.PICKLING, "CPython, multiprocessing/spawn.py"),
    *(
        template(text, "", Cause.PROCESS_LOST, "CPython, multiprocessing", weight=Weight.NOTE)
        for text in (
            "BrokenPipeError",
            "] Broken pipe",
            "[WinError 109]",
            "[WinError 232]",
            "BrokenProcessPool",
            "TerminatedWorkerError",
            "has finished its bootstrapping phase",
            "process in the process pool was terminated abruptly",
            "pipe between the main process and its spawned children is broken",
        )
    ),
    template(
        "#0  0x",
        r"^#0  0x[0-9a-f]{4,16} in (?!\w*(?:wait|poll|select|futex|sleep|read|recv|lock))",
        Cause.PROCESS_LOST,
        "gdb: the C functions of a process that it does not show waiting",
        weight=Weight.NOTE,
    ),
    template(
        "context has already been set",
        "",
        Cause.PROCESS_LOST,
        "CPython, multiprocessing/context.py: a child ran the script's main part again",
        weight=Weight.NOTE,
    ),
    template(
        "multiprocessing",
        r"(?s)multiprocessing[\\/]\w{1,30}\.py.{0,1500}?\n\s{0,8}(?:EOFError\s|ConnectionResetError)",
        Cause.PROCESS_LOST,
        "CPython, multiprocessing",
        weight=Weight.NOTE,
    ),
    template(
        "Connection",
        r"(?s)^\s{0,4}Connection(?:Reset|Aborted)Error\s{2,}Traceback.{0,1900}?(?:pm\.sample|sampling|multiprocessing)",
        Cause.PROCESS_LOST,
        "PyMC, sampling/parallel.py, as IPython shows it",
        weight=Weight.NOTE,
    ),
    template(" restarted", r"kernel [0-9a-f]{8}-[0-9a-f-]{27} restarted", Cause.PROCESS_LOST, "Jupyter", weight=Weight.NOTE),
    template(
        "insufficient shared memory (shm)", "", Cause.HOST_MEMORY, "PyTorch, utils/data", "docker run --shm-size=8g, or num_workers=0"
    ),
    template(
        "DataLoader worker (pid",
        r"DataLoader worker \(pid(?:\(s\))? [\d, ]+\) (?:exited unexpectedly|is killed by signal: (?!Killed))",
        Cause.PROCESS_LOST,
        "PyTorch, utils/data/dataloader.py",
        "give containers more shared memory (docker run --shm-size), or num_workers=0",
        weight=Weight.NOTE,
    ),
    *(
        template(anchor, "", Cause.DISK_FULL, "the system", weight=Weight.NOTE)
        for anchor in (
            "No space left on device",
            "Errno 28]",
            "Disk quota exceeded",
            "There is not enough space on the disk",
            "Errno 122]",
            "low on resource: ephemeral-storage",
            "ephemeral local storage usage exceeds",
        )
    ),
    template("KeyboardInterrupt", r"^[\s>|]{0,20}KeyboardInterrupt\b", Cause.STOPPED, "CPython", weight=Weight.NOTE),
    template("Not enough samples to build a trace", "", Cause.STOPPED, "PyMC3 and PyMC: interrupted while it tuned", weight=Weight.NOTE),
    *(
        template(anchor, "", Cause.STOPPED, source)
        for anchor, source in (
            ("DUE TO TIME LIMIT", "Slurm"),
            ("PBS: job killed: walltime", "PBS"),
            ("PBS: job killed: cput", "PBS"),
            ("TERM_RUNLIMIT", "LSF"),
            ("TERM_CPULIMIT", "LSF"),
            ("exceeded hard wallclock time", "Grid Engine, execd"),
            ("exceeded soft wallclock time", "Grid Engine, execd"),
            ("exceeded wallclock limit", "Moab"),
            ("exceeded its walltime limit", "PBS"),
            ("was active longer than specified deadline", "Kubernetes"),
            ("exceeded the max allowed execution duration", "Kaggle"),
        )
    ),
    template("error: ***", r"CANCELLED AT \S+ (?:\*\*\*|DUE TO)", Cause.STOPPED, "Slurm", weight=Weight.NOTE),
)
"""Seen in the named programs."""
