"""Messages of Python, NumPy, numba and the operating system about a lack of host memory."""

from __future__ import annotations

from .model import Cause, Weight, template

_AMOUNT = r"(?P<amount>\d{1,15}(?:\.\d{0,9})? ?(?:[KMGTPE]i?B|[bB]ytes|B))"
_NO_MEMORY = (
    "无法分配内存", "無法配置記憶體", "Nicht genügend Hauptspeicher verfügbar", "No se puede asignar memoria",
    "No se pudo asignar memoria", "Ne peut allouer de la mémoire",
    "Impossible d'allouer de la mémoire", "Impossibile allocare memoria",
    "Não foi possível alocar memória", "Não é possível alocar memória",
    "Невозможно выделить память", "Не удалось выделить память", "メモリを確保できません", "메모리를 할당할 수 없습니다",
    "Nie można przydzielić pamięci",
)  # fmt: skip
"""What glibc says for ENOMEM in other languages."""
_BUT_COMPILERS = r"(?!(?:[\w./+-]{0,100}[/-])?(?:[gc]\+\+|gcc|cc|clang|clang\+\+|nvcc)[\d.-]{0,9}:)"
"""Compilers, by whatever path, target and version, are missing to a framework, which continues or says more."""
_CPU = "PyTorch, c10/core/impl/alloc_cpu.cpp"

NO_PROGRAM = template(
    "not found",
    rf"^(?:/bin/(?:ba|da)?sh|bash|sh|zsh|-bash)(?:: (?:line )?\d{{1,6}})?: {_BUT_COMPILERS}(?P<what>[\w./+-]{{1,100}}): "
    r"(?:command )?not found$|"
    rf"^(?:[\w./-]{{1,200}}: line \d{{1,6}}: )?{_BUT_COMPILERS}(?P<program>[\w./+-]{{1,100}}): command not found$",
    Cause.FILE_ACCESS,
    "the shell",
    weight=Weight.NOTE,
)
"""A shell did not find a program; the lines of the script that follow run nevertheless."""

_COPY = (
    "a child process (a chain of a sampler, a compiler) needs room for a copy of its parent: sample(cores=1) or mp_ctx='spawn', fewer "
    "Deterministics, functions compiled before data are loaded"
)

MESSAGES = (
    NO_PROGRAM,
    *(
        template(
            anchor,
            "",
            Cause.REFUSED,
            "Slurm, srun and sbatch",
            "correct the option that the message names (--account, --partition, --time, --mem, --cpus-per-task, --gres): no node, or none "
            "of this partition, has what is asked for; sinfo -o '%P %c %m %G %l' and sacctmgr show assoc list the valid values",
        )
        for anchor in ("Unable to allocate resources: ", "Batch job submission failed: ")
    ),
    template(
        "Unable to allocate",
        r"(?s)Unable to allocate (?:(?P<amount>\d+(?:\.\d*)?\s\w{1,5})\s(?:for\s)?(?:an\s)?)?"
        r"array\swith\sshape\s(?P<shape>\([\d,\s]{0,400}\))(?:\s{1,4}and\sdata\stype\s(?P<dtype>[<>|=]?\w+))?",
        Cause.HOST_MEMORY,
        "NumPy 1.17 and later, numpy/core/_exceptions.py",
    ),
    template("Unable to allocate", r"Unable to allocate " + _AMOUNT + r"(?! for an array)", Cause.HOST_MEMORY, "NumPy, Cython and others"),
    template(
        "MemoryError: (",
        r"MemoryError: \((?P<shape>\([\d, ]{0,400}\)), dtype\('(?P<dtype>[\w<>|]{1,20})'\)\)",
        Cause.HOST_MEMORY,
        "NumPy 1.17, numpy/core/_exceptions.py",
    ),
    template("Unable to allocate internal buffer", "", Cause.HOST_MEMORY, "NumPy, core/src/multiarray"),
    template("array is too big", r"array is too big[;.]", Cause.SIZE_OVERFLOW, "NumPy, core/src/multiarray/ctors.c"),
    template("dimensions are too large; arrays and shapes", "", Cause.SIZE_OVERFLOW, "NumPy 2, core/src/multiarray"),
    template("Maximum allowed ", r"Maximum allowed (?:dimension|size) exceeded", Cause.SIZE_OVERFLOW, "NumPy, core/src/multiarray"),
    template("is too large to be pickled", "", Cause.SIZE_OVERFLOW, "CPython, pickle"),
    template(
        "Variable ",
        r"ValueError: Variable \S{1,100} is too large",
        Cause.SIZE_OVERFLOW,
        "PyMC, sampling/parallel.py",
        "draw fewer samples at once",
    ),
    template("Allocation failed (probably too large)", "", Cause.HOST_MEMORY, "numba, core/runtime/nrt.py"),
    template(
        "LLVM ERROR: ",
        r"LLVM ERROR: .{0,60}[Oo]ut of memory|LLVM ERROR: Unable to allocate(?! memory for common symbols)",
        Cause.HOST_MEMORY,
        "LLVM, for numba and JAX",
    ),
    template(
        "LLVM ERROR: Unable to allocate memory for common symbols",
        "",
        Cause.LIBRARY_FAULT,
        "LLVM, for llvmlite 0.27 to 0.31, whatever memory is free",
        "delete numba's cache (NUMBA_CACHE_DIR, or __pycache__ beside the function), and install a newer numba and llvmlite",
    ),
    template(
        "MemoryError",
        r"^[\s>*`'\"]*(?:[\w.]{1,100}\.)?_?(?:Array)?MemoryError:?(?:\s*\(?['\"]?['\"]?,?\)?)?"
        r"[`'\"*\s]*(?: Traceback \(most recent call last\)|(?<=   )\w{3} \w{3} +\d.*)?\s*$",
        Cause.HOST_MEMORY,
        "CPython",
    ),
    template(
        "MemoryError: ",
        r"^[\s>]*(?:[\w.]+\.)?MemoryError: (?:(?P<op_output>[Ff]ailed to)|[Cc]ould not|Can't|"
        r"ConvTransp3D: |Conv3D: |ConvGrad3D: |ConnectionistT\w{1,40}: )(?: ?[Cc]ould not|[Ff]ailed to)? ?alloc"
        r"(?!.{0,300}(?:[Dd]evice|[Gg]pu|GPU|[Cc]uda|CUD|descriptor|ate R$))",
        Cause.HOST_MEMORY,
        "Theano, Aesara and PyTensor, tensor/blas.py and other C code",
    ),
    template(
        "MemoryError: ",
        r"^[\s>]*(?!pyopencl|pycuda|cupy|rmm|numba\.cuda)(?:[\w.]{1,100}\.)?MemoryError: (?!Could not allocate R\s*$)"
        r"(?!.{0,400}(?:[Dd]evice|[Gg]pu|GPU|[Cc]uda|CUD|CNMEM|descriptor|memset))(?P<op_output>[Ff]ailed to alloc)?",
        Cause.HOST_MEMORY,
        "CPython and its extensions",
    ),
    template(
        "enforce fail at", r"enforce fail at .{0,200}(?:CPUAllocator|alloc_cpu)\.cpp(?!.{0,200}tried to allocate)", Cause.HOST_MEMORY, _CPU
    ),
    template(
        "format requires",
        r"struct\.error: 'i' format requires",
        Cause.SIZE_OVERFLOW,
        "CPython before 3.8, multiprocessing/connection.py",
        "send less data between processes: use fewer draws, or no large constants in the model",
    ),
    template("annot serialize a", r"larger than [24] ?GiB", Cause.SIZE_OVERFLOW, "CPython, pickle"),
    template(
        "alloc failed", r"MemoryError: alloc failed", Cause.HOST_MEMORY, "Theano 1.0.5, tensor/basic.py and tensor/elemwise.py (C code)"
    ),
    template(
        "you might consider using 'theano.shared(..., borrow=True)'", "", Cause.HOST_MEMORY, "Theano 0.6 to 1.0.5, compile/sharedvalue.py"
    ),
    template("std::bad_alloc", r"^(?!.{0,900}(?:CUDA|cuda|out_of_memory))", Cause.HOST_MEMORY, "the C++ library"),
    template("bad_array_new_length", "", Cause.HOST_MEMORY, "the C++ library"),
    template(
        "annot allocate memory",
        r"(?:rrno 12\]|\(12\)|os error 12|fork|mmap|error|Error|failed).{0,200}[Cc]annot allocate memory|"
        r"[Cc]annot allocate memory\s*(?:\(12\)|$)",
        Cause.HOST_MEMORY,
        "Linux",
        _COPY,
    ),
    template("Errno 12]", "", Cause.HOST_MEMORY, "Linux, in any language", _COPY),
    *(template(text, "", Cause.HOST_MEMORY, "Linux, in another language") for text in _NO_MEMORY),
    template("paging file is too small", "", Cause.HOST_MEMORY, "Windows"),
    template("WinError 1455]", "", Cause.HOST_MEMORY, "Windows, in any language", "enlarge the paging file, or start fewer processes"),
    template("os error 1455", "", Cause.HOST_MEMORY, "Windows, in any language", "enlarge the paging file, or start fewer processes"),
    template("WinError 8]", r"WinError 8\]", Cause.HOST_MEMORY, "Windows"),
    template("WinError 1450]", "", Cause.HOST_MEMORY, "Windows"),
    template("DefaultCPUAllocator", r"(?s)tried\sto\sallocate (?P<bytes>\d{1,18})\sbytes", Cause.HOST_MEMORY, _CPU),
    template(
        "not enough memory: you tried to allocate",
        r"tried to allocate (?P<amount>\d{1,9} ?GB)",
        Cause.HOST_MEMORY,
        "PyTorch before 1.0, TH/THGeneral.c",
    ),
    template("unable to mmap", r"unable to mmap (?P<bytes>\d{1,18}) bytes", Cause.HOST_MEMORY, "PyTorch, ATen/MapAllocator.cpp"),
    template("Memory allocation still failed after", "", Cause.HOST_MEMORY, "OpenBLAS, driver/others/memory.c"),
    template(
        "could not allocate pinned host memory",
        r"of size: (?P<bytes>\d{1,18})",
        Cause.HOST_MEMORY,
        "XLA and TensorFlow",
        weight=Weight.NOTE,
    ),
    template(
        "exceeds 10% of",
        r"Allocation of (?P<bytes>\d{1,18}) exceeds 10% of (?:free )?system memory",
        Cause.HOST_MEMORY,
        "TensorFlow, cpu_allocator_impl.cc",
        weight=Weight.NOTE,
    ),
    template("compiler is out of heap space", "", Cause.HOST_MEMORY, "MSVC, C1002 and C1060"),
    template("ArrowMemoryError", "", Cause.HOST_MEMORY, "pyarrow"),
    template("malloc of size", r"malloc of size (?P<bytes>\d{1,18}) failed", Cause.HOST_MEMORY, "pyarrow, memory_pool.cc"),
    template("Unable to create group (", "Unable to allocate memory", Cause.HOST_MEMORY, "HDF5"),
)
"""From the named sources; other forms appeared in public threads."""
