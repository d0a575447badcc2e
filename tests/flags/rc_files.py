"""Made-up rc files of all generations, with the slips that people make."""

from __future__ import annotations

from hypothesis import strategies as st

from theanodiag.flags.rcfile_text import parse_rc

NAMES = {
    "global": (
        "device",
        "floatX",
        "floatx",
        "allow_gc",
        "force_device",
        "mode",
        "linker",
        "optimizer",
        "optimizer_including",
        "warn_float64",
        "openmp",
        "root",
        "flaotX",
        "init_gpu_device",
        "contexts",
        "base",
        "base_compiledir",
        "exception_verbosity",
        "int_division",
        "gcc.cxxflags",
        "blas__ldflags",
        "OMP_NUM_THREADS",
        "profile",
        "cxx",
        "print_test_value",
    ),
    "lib": ("cnmem", "amdlibm", "amblibm", "allow_gc"),
    "nvcc": ("fastmath", "flags", "compiler_bindir", "optimizer_including"),
    "nvccs": ("fastmath",),
    "gpuarray": ("preallocate", "sync", "single_stream"),
    "dnn": ("enabled", "include_path", "conv.algo_fwd"),
    "dnn.conv": ("algo_fwd", "algo_bwd", "algo_bwd_data", "workmem"),
    "blas": ("ldflags", "nvcc.flags"),
    "scan": ("allow_gc", "allow_output_prealloc"),
    "cuda": ("root", "enabled"),
    "magma": ("magma.enabled",),
    "warn": ("round", "ignore_bug_before"),
    "DEFAULT": ("floatX", "base", "ldflags"),
}
"""Section -> options, right and wrong."""

VALUES = (
    "",
    "True",
    "False",
    "true",
    "yes",
    "0",
    "1",
    "0.8",
    ".9",
    "1.5",
    "90",
    "-1",
    "80%",
    "gpu",
    "gpu0",
    "cuda",
    "cuda1",
    "cuda*",
    "cpu",
    "GPU0",
    "float32",
    "float64",
    "32",
    "'float32'",
    '"cudnn"',
    "FAST_RUN",
    "ProfileMode",
    "fast_run",
    "None",
    "fast_compil",
    "cvm_nogc",
    "raise",
    "'raise'",
    "warn",
    "high",
    "-lopenblas",
    "-lblas # atlas",
    "cpu # none",
    "small",
    "time_once",
    "deterministic",
    "mkl",
    "-I/opt/x -L/opt/y -D_FORCE_INLINES",
    "%(base)s/x",
    "/tmp/%(USER)s",
    "50% off",
    "%%",
    "a->cuda0;b->cuda1",
    "~/x",
    "$HOME/x",
    "numpy+floatX",
)

COMMENTS = ("# a comment", "; another", "#[lib]", "#cnmem = 1", "#### Default device")
JUNK = ("words", "// words", "= 1", "// a = b")


def options(section: str) -> st.SearchStrategy[str]:
    """A line of that section."""
    delimiter = st.sampled_from(("=", " = ", ":", " =", "\t=\t"))
    return st.builds("{}{}{}".format, st.sampled_from(NAMES[section]), delimiter, st.sampled_from(VALUES))


@st.composite
def sections(draw: st.DrawFn, junk: bool) -> list[str]:
    """A header, mostly, and what is below it."""
    name = draw(st.sampled_from(tuple(NAMES)))
    header = draw(st.sampled_from((f"[{name}]",) * 8 + ("[mode]=FAST_RUN", f"[{name}] # why", *(("",) if junk else ()))))
    line = st.one_of(options(name), options(name), st.sampled_from(COMMENTS), st.just(""), *([st.sampled_from(JUNK)] if junk else []))
    indent = st.sampled_from(("",) * 12 + ("  ", "\t"))
    return [header, *(draw(indent) + text for text in draw(st.lists(line, max_size=5)))]


@st.composite
def rc_texts(draw: st.DrawFn, flawless: bool = False) -> str:
    """A whole file; with `flawless`, one that the parser does not refuse."""
    mark = "" if flawless else draw(st.sampled_from(("",) * 8 + ("\ufeff",)))
    newline = draw(st.sampled_from(("\n", "\n", "\r\n")))
    parts = draw(st.lists(sections(not flawless), max_size=5))
    text = mark + newline.join(line for part in parts for line in part) + draw(st.sampled_from(("", newline)))
    if flawless and parse_rc(text).flaws:
        return ""
    return text
