"""Configurations as people write them, and worse."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from theanodiag.flags.defaults import load_table
from theanodiag.flags.model import Dialect, Flag, FlagKind

ODD = (
    "", " ", "yes", "no", "on", "TRUE", "FALSE", "True", "False", "true", "false", "0", "1", "-1", "2", "5", "007", "+3", "1_000",
    "0x10", "1e3", ".5", "0.95", "1.5", "-0", "nan", "inf", "-Infinity", "None", "none", "\uff11", "80%", "100%%", "%", "%(USER)s",
    "%(user)s/x", "%(TMPDIR)s", "%(TMP)s", "%(PID)s", "%(NOPE)s", "%(self)s", "a%(floatx)sb", "%(", "%%(USER)s", "~", "~/x",
    "~nobody_here/x", "~root/x", "$HOME/x", "a//b/./c", "../up", "'float32'", '"float32"', "float32 # why", "float32 ; why", "float32;",
    "32",
    "64", "16", "float32,", "Float32", "gpu", "gpu0", "cuda", "cuda0", "cuda1", "opencl0:0", "cpu", "CPU", "a->cuda0",
    "a->cuda0;b->cuda1", "a->", "cpu->cuda0", "a", "x y", "-O3 -march=native", "-L/opt/lib -lopenblas", "-DX=1,-DY", "random",
    "initial:ALL", "initial:x", "FAST_RUN", "FAST_COMPILE", "Mode", "JAX", "NUMBA", "fast_compile", "all", "0.10", "0.8.2", "raise",
    "warn", "a\\b", "caf\u00e9", "\u2028x",
)  # fmt: skip
STRAY_NAMES = (
    "lib.cnmem", "nvcc.fastmath", "nvcc.flags", "cuda.root", "flaotX", "floatx", "FLOATX", "blas.ldflasg", "optimizer_incuding",
    "gpuarray__preallocate", "a.b.c", "x", "", "compiledir", "base_compiledir",
)  # fmt: skip
SECTIONS = (
    "global", "Global", " global", "lib", "nvcc", "blas", "gpuarray", "dnn", "dnn.conv", "dnn__conv", "mode", "DEFAULT", "default",
    "a]b", "gcc", "warn", "scan",
)  # fmt: skip
JUNK = (
    "# comment", "; comment", "  # indented", "", "   ", "\t", "// not a comment", "word", "= 3", ": 3", "[", "[]", "[open",
    "[mode]=FAST_RUN", "[x] # y", "key", "rem x",
)  # fmt: skip


@dataclass(frozen=True)
class Configuration:
    """What stands in an environment."""

    files: tuple[bytes, ...]
    """rc files, in the order in which the variable names them."""
    flags: str | None
    environ: tuple[tuple[str, str], ...] = ()


def names(dialect: Dialect, version: str) -> st.SearchStrategy[Flag]:
    """A flag of the table."""
    return st.sampled_from(load_table(dialect, version).flags)


@st.composite
def values(draw: st.DrawFn, flag: Flag) -> str:
    """A text for a flag: mostly a valid one."""
    kinds = {
        FlagKind.BOOL: st.sampled_from(["True", "False", "0", "1", "true"]),
        FlagKind.INT: st.integers(-3, 2000).map(str),
        FlagKind.FLOAT: st.sampled_from(["0.5", ".9", "0", "1", "-1", "1024"]),
        FlagKind.LAZY: st.sampled_from(["True", "False", "None"]),
        FlagKind.DEVICE: st.sampled_from(["cpu", "cuda", "cuda0", "opencl0:0"]),
    }
    usual = st.sampled_from(flag.choices or ODD)
    valid = kinds.get(flag.kind, usual)
    if flag.kind is FlagKind.COMPILEDIR:
        return draw(st.sampled_from(["~/made", "made/here", "~/made/./x"]))
    return draw(st.sampled_from([valid] * 9 + [st.sampled_from(ODD)]).flatmap(lambda which: which))


@st.composite
def flag_strings(draw: st.DrawFn, dialect: Dialect, version: str) -> str:
    """The value of the flags variable."""
    words = []
    for _ in range(draw(st.integers(0, 5))):
        flag = draw(names(dialect, version))
        key = draw(st.sampled_from([flag.name, flag.name, flag.name, flag.name, flag.dotted, draw(st.sampled_from(STRAY_NAMES))]))
        value = draw(values(flag))
        quoted = draw(st.sampled_from(["{}"] * 12 + ["'{}'", '"{}"', "{}#", "{}\\,x", "'{}"]))
        equals = draw(st.sampled_from(["="] * 9 + [" = ", "", "=="]))
        words.append(draw(st.sampled_from(["", "", " ", "\n"])) + key + equals + quoted.format(value))
    return ",".join(words) + draw(st.sampled_from(["", "", "", ",", ", ", ",,", ";", "\n"]))


@st.composite
def rc_texts(draw: st.DrawFn, dialect: Dialect, version: str) -> str:
    """The text of an rc file: options under their sections, in between what people leave lying about."""
    lines: list[str] = draw(st.sampled_from([[]] * 12 + [["# mine"], ["floatX = float32"]]))[:]
    chosen = draw(st.lists(names(dialect, version), max_size=6, unique_by=lambda flag: flag.name))
    for flag in sorted(chosen, key=lambda f: f.section):
        section = draw(st.sampled_from([flag.section] * 12 + list(SECTIONS)))
        if f"[{section}]" not in lines or draw(st.integers(0, 40)) == 0:
            lines.append(f"[{section}]")
        option = draw(st.sampled_from([flag.option] * 8 + [flag.option.upper(), flag.dotted, f"  {flag.option}", "user"]))
        delimiter = draw(st.sampled_from([" = ", "="] * 12 + [": ", ":", " =", "\t=\t"]))
        lines.append(option + delimiter + draw(values(flag)))
        if draw(st.integers(0, 12)) == 0:
            lines.append(draw(st.sampled_from(["", "  ", "    "])) + draw(st.sampled_from(JUNK + ODD)))
    end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]))
    return end.join(lines) + draw(st.sampled_from([end, ""]))


@st.composite
def rc_bytes(draw: st.DrawFn, dialect: Dialect, version: str) -> bytes:
    """The bytes of an rc file, in UTF-8 but for some."""
    text = draw(rc_texts(dialect, version))
    encode = draw(st.sampled_from(["utf-8"] * 40 + ["utf-8-sig", "utf-16", "latin-1", "raw"]))
    return text.encode("utf-8") + b"\xff" if encode == "raw" else text.encode(encode, "replace")


@st.composite
def configurations(draw: st.DrawFn, dialect: Dialect, version: str) -> Configuration:
    """A whole environment."""
    files = tuple(draw(st.lists(rc_bytes(dialect, version), min_size=1, max_size=draw(st.sampled_from([1, 1, 1, 3])))))
    names_of = st.sampled_from(["USER", "TMPDIR", "TMP", "LSCRATCH", "CUDA_ROOT", "CUDA_PATH"])
    environ = draw(st.dictionaries(names_of, st.sampled_from(["ann", "", "/tmp/x", "%(TMP)s", "a%b"]), max_size=3))
    environ.update(draw(st.sampled_from([{}] * 60 + [{"OMP_NUM_THREADS": n} for n in ("4", "", "1", "4,2", "all")])))
    flags = draw(st.one_of(st.none(), flag_strings(dialect, version), flag_strings(dialect, version)))
    return Configuration(files, flags, tuple(sorted(environ.items())))
