"""Detects the kind of a file by its name and content."""

from __future__ import annotations

import enum
import functools
import re

from ..defaults import load_table, versions
from ..model import Dialect
from ..rcfile import DEFAULT_SECTION

RC_NAME = re.compile(r"^[._]?(theano|aesara|pytensor)rc(\..*)?$", re.IGNORECASE)


class FileKind(enum.Enum):
    """The kind of a file; the value is its name in messages."""

    RC = "an rc file"
    PYTHON = "a Python source"
    NOTEBOOK = "a notebook"
    SHELL = "a shell script"
    CSH = "a csh script"
    FISH = "a fish script"
    BATCH = "a batch file of Windows"
    POWERSHELL = "a PowerShell script"
    DOCKERFILE = "a Dockerfile"
    MAKEFILE = "a Makefile"
    YAML = "a YAML file"
    TOML = "a TOML file"
    JSON = "a JSON file"
    INI = "an INI file of another program"
    XML = "an XML file"
    PROSE = "a text document"
    OTHER = "a source in another language"
    BINARY = "a binary file"


_SUFFIXES = {
    "py": FileKind.PYTHON, "pyw": FileKind.PYTHON, "pyx": FileKind.PYTHON, "ipynb": FileKind.NOTEBOOK,
    "sh": FileKind.SHELL, "bash": FileKind.SHELL, "zsh": FileKind.SHELL, "ksh": FileKind.SHELL, "slurm": FileKind.SHELL,
    "sbatch": FileKind.SHELL, "pbs": FileKind.SHELL, "qsub": FileKind.SHELL, "sge": FileKind.SHELL, "lsf": FileKind.SHELL,
    "job": FileKind.SHELL, "env": FileKind.SHELL, "envrc": FileKind.SHELL, "def": FileKind.SHELL, "recipe": FileKind.SHELL,
    "command": FileKind.SHELL, "ebuild": FileKind.SHELL, "eclass": FileKind.SHELL,
    "csh": FileKind.CSH, "tcsh": FileKind.CSH, "fish": FileKind.FISH,
    "bat": FileKind.BATCH, "cmd": FileKind.BATCH, "ps1": FileKind.POWERSHELL, "psm1": FileKind.POWERSHELL,
    "dockerfile": FileKind.DOCKERFILE, "makefile": FileKind.MAKEFILE, "mk": FileKind.MAKEFILE, "mak": FileKind.MAKEFILE,
    "yml": FileKind.YAML, "yaml": FileKind.YAML, "toml": FileKind.TOML, "json": FileKind.JSON,
    "xml": FileKind.XML, "html": FileKind.XML, "svg": FileKind.XML, "md": FileKind.PROSE, "rst": FileKind.PROSE,
    "r": FileKind.OTHER, "jl": FileKind.OTHER, "js": FileKind.OTHER, "mjs": FileKind.OTHER, "cjs": FileKind.OTHER, "jsx": FileKind.OTHER,
    "ts": FileKind.OTHER, "tsx": FileKind.OTHER, "java": FileKind.OTHER, "kt": FileKind.OTHER, "scala": FileKind.OTHER,
    "cs": FileKind.OTHER, "swift": FileKind.OTHER, "php": FileKind.OTHER, "m": FileKind.OTHER, "go": FileKind.OTHER,
    "rb": FileKind.OTHER, "pl": FileKind.OTHER, "lua": FileKind.OTHER, "rs": FileKind.OTHER, "c": FileKind.OTHER, "cpp": FileKind.OTHER,
    "h": FileKind.OTHER, "groovy": FileKind.OTHER, "nix": FileKind.OTHER, "tf": FileKind.OTHER, "service": FileKind.OTHER,
    "nf": FileKind.OTHER, "smk": FileKind.OTHER, "sub": FileKind.OTHER, "wdl": FileKind.OTHER,
}  # fmt: skip
_NAMES = (
    (re.compile(r"^(Docker|Container)file", re.I), FileKind.DOCKERFILE),
    (re.compile(r"^(GNU)?makefile(\.|$)", re.I), FileKind.MAKEFILE),
    (re.compile(r"^\.?(bash|zsh|ksh)(rc|env|_profile|_login|_aliases)$|^\.?(z?profile|z?login|envrc|env)$|^\.env\.", re.I), FileKind.SHELL),
    (re.compile(r"^\.?t?cshrc$"), FileKind.CSH),
    (re.compile(r"^(?:(?:Jenkins|Vagrant|Snake)file|\.?justfile$)", re.I), FileKind.OTHER),
    (re.compile(r"^Singularity(\.|$)|^(?:PKG|APK)BUILD$", re.I), FileKind.SHELL),
)
_MAGIC = (
    b"\x7fELF", b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\x89PNG", b"\x89HDF", b"\x93NUMPY", b"%PDF", b"\xfd7zXZ", b"GIF8", b"\xff\xd8\xff",
    b"\xca\xfe\xba\xbe", b"MZ\x90",
)  # fmt: skip
_SHEBANG = re.compile(r"\A#!.*\b(python|t?csh|fish|pwsh|bash|dash|zsh|ksh|sh)[\d.]*\b")
_SCHEDULER = re.compile(r"^#(?:SBATCH|PBS|BSUB|\$) +-", re.M)
_FROM = re.compile(r"^[ \t]*FROM\s+(?:--\S+\s+)?[\w./:@${}-]+", re.M | re.I)
_INSTRUCTION = re.compile(r"^[ \t]*(RUN|ENV|COPY|ADD|CMD|ENTRYPOINT|WORKDIR|ARG|EXPOSE|USER|LABEL|MAINTAINER)\s+\S", re.M)
_SECTION = re.compile(r"^[ \t]*\[([^\]\r\n]+)\]", re.M)
_OPTION = re.compile(r"^[ \t]*([\w.]+)[ \t]*[=:]", re.M)
_CONTENT = (
    (FileKind.XML, re.compile(r"\A\s*<(\?xml|!DOCTYPE|html|svg|[a-z][\w:-]*(\s[^<>]*)?>)", re.I)),
    (FileKind.BATCH, re.compile(r"^@?echo off[ \t]*$|^[ \t]*(?:rem |setlocal\b|setx )", re.M | re.I)),
    (FileKind.POWERSHELL, re.compile(r"^[ \t]*\$env:\w+\s*=|^[ \t]*Write-(?:Host|Output)\b|^[ \t]*param[ \t]*\(", re.M | re.I)),
    (FileKind.FISH, re.compile(r"^[ \t]*set -(?:\w*x\w*|g|U)\b", re.M)),
    (FileKind.CSH, re.compile(r"^[ \t]*setenv \w+ ", re.M)),
    (FileKind.PYTHON, re.compile(
        r"^(?:import [\w., ]+$|from [\w.]+ import |def \w+\(.*\)(?: ->.*)?:|class \w+.*:$|if __name__ ==)|^[ \t]*os\.environ\b", re.M)),
    (FileKind.SHELL, re.compile(
        r"^[ \t]*(?:export \w+=|(?:fi|done|esac)\s*(?:$|[;|&)])|if \[|(?:sudo|source|apt-get|module load|pip|python\d?|conda) \S"
        r"|echo .*>>?|cat .*<<)", re.M)),
    (FileKind.SHELL, re.compile(r"^(?:THEANO|AESARA|PYTENSOR)_FLAGS=", re.M)),
    (FileKind.YAML, re.compile(r"\A---\s*$|^[\w-]+:\s*$\n(?:\s*#.*\n)*[ \t]+(?:- )?[\w-]+", re.M)),
    (FileKind.MAKEFILE, re.compile(r"^[\w./%-][ \w./%-]*:(?!=).*\n\t", re.M)),
    (FileKind.OTHER, re.compile(
        r"^[ \t]*(?:(?:[\d*/,-]+[ \t]+){5}|[\w-]+:[ \t]*)?(?:THEANO|AESARA|PYTENSOR)_FLAGS['\"\]]*[ \t]*:?=", re.M)),
)  # fmt: skip


LOOKED_AT = 1 << 16
"""Number of bytes at the beginning of a file that are used to detect its kind."""


def kind_of(name: str, data: bytes) -> FileKind:
    """Returns the kind of a file with this name (without folder) and content; an rc file if nothing indicates another kind."""
    if data.startswith(_MAGIC):
        return FileKind.BINARY
    text = data[:LOOKED_AT].decode("utf-8", "replace").lstrip("\ufeff")
    return _sure(text) or kind_by_name(name) or _by_content(text)


def kind_by_name(name: str) -> FileKind | None:
    """Returns the kind indicated by a file's name alone; None if the name does not indicate one."""
    if RC_NAME.match(name):
        return FileKind.RC
    named = next((kind for pattern, kind in _NAMES if pattern.search(name)), None)
    return named or _SUFFIXES.get(name.rpartition(".")[2].lower() if "." in name else "")


def _sure(text: str) -> FileKind | None:
    """The kind that the content proves, whatever the file's name: a `#!` line, a notebook, an XML declaration or a Dockerfile; None if it
    proves none.
    """
    shebang = _SHEBANG.match(text)
    if shebang:
        shells = {"csh": FileKind.CSH, "tcsh": FileKind.CSH, "fish": FileKind.FISH, "pwsh": FileKind.POWERSHELL, "python": FileKind.PYTHON}
        return shells.get(shebang[1], FileKind.SHELL)
    if text.lstrip()[:1] == "{" and '"cells"' in text and '"nbformat"' in text:
        return FileKind.NOTEBOOK
    if re.match(r"\s*<\?xml\b", text):
        return FileKind.XML
    if _FROM.search(text) and _INSTRUCTION.search(text) and not _SECTION.search(text.partition("\n")[0]):
        own = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        return FileKind.DOCKERFILE if own and re.match(r"\s*(FROM|ARG)\b", own[0], re.I) else None
    return None


def _by_content(text: str) -> FileKind:
    """The kind that the content suggests if the name indicates none; an rc file if no pattern matches."""
    if _is_rc(text):
        return FileKind.RC
    if re.match(r"\s*(?:\{\s*\"|\[\s*[{\"])", text):
        return FileKind.JSON
    if _SCHEDULER.search(text):
        return FileKind.SHELL
    if _INSTRUCTION.search(text) and not _SECTION.search(text):
        return FileKind.DOCKERFILE
    if _SECTION.search(text):
        return _toml_or_ini(text)
    return next((kind for kind, pattern in _CONTENT if pattern.search(text)), FileKind.RC)


def _is_rc(text: str) -> bool:
    """Whether the text has a section or an option that only the libraries' rc files have, and does not begin like JSON or XML."""
    sections, options = set(_SECTION.findall(text)), {name.lower() for name in _OPTION.findall(text)}
    return bool(sections & known_sections() or options & _OWN_OPTIONS) and not text.lstrip().startswith(("{", "<"))


@functools.cache
def known_sections() -> frozenset[str]:
    """Returns the sections of rc files of any library and version."""
    tables = (load_table(d, v) for d in Dialect for v in versions(d))
    return frozenset({flag.section for table in tables for flag in table.flags} | {"nvcc", "lib", "global"}) - {DEFAULT_SECTION}


def _toml_or_ini(text: str) -> FileKind:
    """TOML if a header fills its line and some value is quoted or a list; else INI, or an rc file if the text has no option."""
    if re.search(r"^[ \t]*\[\[?[\w.\"-]+\]?\]\s*$", text, re.M) and re.search(r"^[ \t]*[\w.-]+\s*=\s*(?:\[|\"|')", text, re.M):
        return FileKind.TOML
    return FileKind.INI if _OPTION.search(text) else FileKind.RC


_OWN_OPTIONS = frozenset({
    "floatx", "allow_gc", "cnmem", "ldflags", "base_compiledir", "compiledir_format", "optimizer_including", "optimizer_excluding",
    "warn_float64", "fastmath", "cast_policy", "exception_verbosity", "init_gpu_device", "force_device", "compute_test_value", "cxxflags",
})  # fmt: skip
"""Options that only an rc file has: a file with one of them is an rc file, whatever its sections are called."""

CARRIERS = frozenset(FileKind) - {FileKind.RC, FileKind.BINARY, FileKind.PROSE}
"""Kinds of files that `reading.read` searches for flags."""


def rc_dialect(path: str) -> Dialect:
    """Returns the library whose rc file's name, such as `aesararc`, occurs in `path`; Theano if none does."""
    return next((d for d in Dialect if f"{d.value}rc" in path.lower()), Dialect.THEANO)
