"""Reads the context of a message: the node and its inputs, the user's source line, the storage map, flags, and the card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..units import GIB, KIB, MIB, TIB
from . import amounts
from .model import FailedRequest, LoggedMemory, Storage
from .patterns import STANDARD
from .statements import HEAD

if TYPE_CHECKING:
    from ..printed.failed import Failed

_STORAGE = re.compile(
    r"^\W{0,12}- (?P<name>.{1,400}?)(?P<kind>, Shared Input|, Input)?, Shape: \((?P<shape>[\d, ]*)\), ElemSize: \d+ Byte\(s\), "
    r"TotalSize: (?P<bytes>\d{1,18})",
    re.MULTILINE,
)
_KINDS = {", Shared Input": "shared", ", Input": "input"}
_FILE = re.compile(r"File \"?(?P<path>[^\"\n]{1,500}?)\"?, line (?P<line>\d{1,9})")
_MODULE = re.compile(r'File "(?P<path>[^"\n<]{1,500}\.py)", line \d{1,9}, in <module>')
_STARTED = re.compile(
    r"^(?:\++ |[\w@.~:/()\[\] -]{0,80}[$#%] )?(?:(?:srun|mpirun|mpiexec|time|nohup|exec|sudo) (?:-{1,2}[\w=-]{1,40} ){0,8})?"
    r"(?:[\w./~-]{1,200}/)?python[\d.]{0,5} (?:-[uO] ){0,2}(?P<path>[\w./~-]{1,300}\.py)(?= |$)",
    re.MULTILINE,
)
"""A line of a shell that starts a program; prose that names one begins otherwise."""
_ENDED = re.compile(
    r"(?:^|[ :])(?:\d{1,9}|zsh:|\[\d{1,4}\][ +-]{0,3}) ?(?:[Kk]illed|Segmentation fault|Aborted|Terminated|Bus error)"
    r"(?: {1,4}\(core dumped\))? {1,40}"
    r"(?:[\w./~-]{1,200}/)?python[\d.]{0,5} (?:-[uO] ){0,2}(?P<path>[\w./~-]{1,300}\.py)(?P<words>(?: [\w./=,:+@%-]{1,200}){0,60})[ \t]*$",
    re.MULTILINE,
)
"""The line of a shell about a program that a signal ended: `run.sh: line 7: 81 Killed   python fit.py 2000`."""
_IPYTHON = re.compile(r"^(?:File )?(?P<path>[~/.\w][^\n:]{0,400}\.py)(?::(?P<line>\d{1,9})| in )", re.MULTILINE)
_LIBRARY = re.compile(
    r"(?:site|dist)-packages|[/\\](?:theano|aesara|pytensor|jax|jaxlib|torch|numpy|pymc3?|pygpu)[/\\]|<frozen|<__array|"
    rf"{STANDARD}|"
    r"\.p(?:yx|xd|xi)$|[/\\]ipykernel|^(?:theano|aesara|pytensor|six)[/\\.]",
    re.IGNORECASE,
)
_FLAGS = re.compile(r"_FLAGS(?:(?<=THEANO_FLAGS)|(?<=AESARA_FLAGS)|(?<=PYTENSOR_FLAGS))[\"']?\]?\s*=\s*[\"']?(?P<value>[^\s\"']{1,2000})")
"""Begins with a literal, which is found at the speed of memory."""
_VARIABLES = re.compile(
    r"\b(?P<name>XLA_PYTHON_CLIENT_\w{1,30}|TF_GPU_ALLOCATOR|TF_FORCE_GPU_ALLOW_GROWTH|PYTORCH_CUDA_ALLOC_CONF|CUDA_LAUNCH_BLOCKING)"
    r"[\"']?\]?\s*=\s*[\"']?(?P<value>[\w.:,+-]{1,200})"
)
_RESERVED = re.compile(r"Preallocating (?P<mib>\d{1,9})/(?P<total>\d{1,9}) Mb \((?P<share>[\d.]{1,12})\) on (?P<device>\w{1,40})")
_NAME = r"(?P<name>[^\n(,]{1,80}(?:\(Pascal\))?)"
_MAPPED = re.compile(rf"Mapped name \w+ to device \w+: {_NAME}")
_USING = re.compile(
    rf"Using gpu device \d+: {_NAME}"
    r"(?: ?\(CNMeM is enabled with initial size: (?P<percent>\d{1,3}(?:\.\d{1,6})?)%)?"
)
_XLA_DEVICE = re.compile(rf"StreamExecutor device \(\d{{1,3}}\): {_NAME}, Compute Capability")
_TENSORFLOW_DEVICE = re.compile(
    rf"(?:physical GPU \(device: \d{{1,3}}, name: |Found device \d{{1,3}} with properties: *\n?(?:pciBusID: \S+ )?name: ){_NAME}"
    r"(?:, pci| major)"
)
_LISTED = re.compile(rf"^GPU \d{{1,3}}: {_NAME} \(UUID", re.MULTILINE)
_TABLE = re.compile(
    r"^\| {1,4}\d{1,2} {1,3}(?P<name>[A-Z][^|\n]{2,60}?) {1,30}(?:On|Off|WDDM|TCC|MCDM|N/A)? {1,8}\|[^\n]{1,100}\n"
    r"\|[^\n|]{1,60}\| {1,12}\d{1,7}MiB / {1,6}(?P<mib>\d{1,7})MiB",
    re.MULTILINE,
)
_STATS = re.compile(
    r"(?P<what>parameter|constant|maybe_live_out|preallocated temp|total) allocation:\s{1,20}"
    r"(?P<amount>\d{1,15}(?:\.\d{1,9})?)\d*(?P<unit>[KMGT]?i?B)"
)
_IN_USE = re.compile(r"InUse:\s{1,30}(?P<bytes>\d{1,18})")
_REGIONS = re.compile(r"total_region_allocated_bytes_?: (?P<bytes>\d{1,18})")
_UNITS = {"B": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB, "TiB": TIB}
_CARDS = (
    ("Mapped name", _MAPPED), ("Using gpu device", _USING), ("StreamExecutor device", _XLA_DEVICE), ("name: ", _TENSORFLOW_DEVICE),
    ("UUID", _LISTED),
)  # fmt: skip
"""A word of the message -> the message that names the card."""
_DTYPE = re.compile(r"^(?:Gpu)?AllocEmpty\{dtype='(?P<dtype>\w{1,20})'")
_MAX_NODE = 200_000
LONGEST = 4_000
"""Maximum number of characters of a command before the name of a script, and after it."""
COMMANDS = 200
"""Number of last places of a script's name at which the command that starts it is looked for."""


def storages(text: str) -> tuple[Storage, ...]:
    """Returns the entries of the log's storage map, largest first."""
    if ", ElemSize:" not in text:
        return ()
    cells = (
        Storage(m["name"], _KINDS.get(m["kind"], "intermediate"), amounts.shape(m["shape"]), int(m["bytes"]))
        for m in _STORAGE.finditer(text)
    )
    return tuple(sorted(cells, key=lambda s: -s.bytes))


def flags(text: str) -> dict[str, str]:
    """Returns the flags and environment variables that the log shows, each with its last value."""
    values: dict[str, str] = {}
    for match in _FLAGS.finditer(text) if "=" in text and "_FLAGS" in text else ():
        for part in match["value"].split(","):
            name, equals, value = part.partition("=")
            if equals and name:
                values[name] = value
    if "=" in text and any(
        name in text for name in ("XLA_PYTHON_CLIENT_", "TF_GPU_ALLO", "TF_FORCE_GPU", "CUDA_ALLOC_CONF", "CUDA_LAUNCH")
    ):
        values.update({m["name"]: m["value"] for m in _VARIABLES.finditer(text)})
    allocates = "allocati" in text
    reserved = _RESERVED.search(text) if allocates else None
    if reserved:
        values.setdefault("gpuarray.preallocate", reserved["share"].rstrip("0").rstrip(".") or "0")
    if allocates and "Disabling allocation cache" in text:
        values.setdefault("gpuarray.preallocate", "-1")
    used = _USING.search(text) if "Using gpu device" in text else None
    if used and used["percent"]:
        values.setdefault("lib.cnmem", f"{float(used['percent']) / 100:g}")
    return values


def card(text: str) -> LoggedMemory:
    """Returns the card that a start message or nvidia-smi names, with its total memory if that is printed."""
    match = next((m for anchor, p in _CARDS if anchor in text and (m := p.search(text))), None)
    name = match["name"].strip() if match else None
    reserved = _RESERVED.search(text) if "Preallocating" in text else None
    rows = {(m["name"], m["mib"]) for m in _TABLE.finditer(text)} if "MiB / " in text else set()
    row, mib = rows.pop() if len(rows) == 1 else (None, None)  # of several cards the log does not say which one is meant
    total = int(reserved["total"]) if reserved else int(mib) if mib else None
    return LoggedMemory(None, None if total is None else total * MIB, name or row)


def script(text: str) -> str | None:
    """Returns the path of the program that ran. It is taken from the last traceback with a module-level frame of the user's; if there is
    none, from the last shell line that starts Python (`+ srun python fit.py`) or reports its end (`Killed   python fit.py`); else None.

    If the program failed while it imported a module, the traceback has frames of both; the program's comes first.
    """
    modules = [m for m in _MODULE.finditer(text) if not _LIBRARY.search(m["path"])] if ", in <module>" in text else []
    if not modules:
        started = [*_STARTED.finditer(text), *_ENDED.finditer(text)] if "python" in text else []
        return max(started, key=re.Match.start)["path"] if started else None
    began = text.rfind(HEAD, 0, modules[-1].start())
    return next((m["path"] for m in modules if m.start() > began), None)


def arguments(text: str, script: str) -> tuple[str, ...]:
    """Returns the options with which a shell line in the log starts the program `script` (`python train.py --epochs 60`); empty if no line
    does.

    Unless a shell reports the end of the program, only words that begin like an option are returned, because prose that names the program
    is not a command.
    """
    ended = [m for m in _ENDED.finditer(text) if m["path"] == script] if "python" in text else []
    if ended:
        return tuple(ended[-1]["words"].split())
    name = script.replace("\\", "/").rpartition("/")[2]
    started = re.compile(rf"\bpython[\d.]{{0,5}} (?:-\w )?(?:[^\s\"']{{1,400}}/)?{re.escape(name)}((?: [\w./=,:+@%-]{{1,200}}){{1,60}}) *$")
    at = len(text)
    for _ in range(COMMANDS):  # from the end: the last command is meant
        at = text.rfind(f"{name} ", 0, at)
        if at < 0:
            break
        before, after = text[max(0, at - LONGEST) : at].rpartition("\n")[2], text[at : at + LONGEST].partition("\n")[0]
        command = started.search(before + after)
        if command:
            words = tuple(command[1].split())
            return words if words[0].startswith("-") else ()
    return ()


def compiler_parts(text: str) -> dict[str, int]:
    """Returns a mapping: part -> bytes, as XLA's BufferAssignment prints them (rounded)."""
    if "BufferAssignment" not in text:
        return {}
    return {m["what"]: round(float(m["amount"]) * _UNITS[m["unit"]]) for m in _STATS.finditer(text) if m["unit"] in _UNITS}


def unused(text: str, at: int) -> int | None:
    """Returns the bytes that the allocator of TensorFlow and XLA held without an array using them, from its summary near offset `at`; None
    if there is no summary.
    """
    near = text[max(0, at - _MAX_NODE) : at + _MAX_NODE] if "InUse:" in text else ""
    regions, used = _REGIONS.search(near), _IN_USE.search(near)
    return max(0, int(regions["bytes"]) - int(used["bytes"])) if regions and used else None


def node_request(text: str, at: int) -> FailedRequest:
    """Returns the Apply node named near the message at `at`, and the size of its output according to its inputs."""
    failed = _failed(text[at : at + _MAX_NODE]) or _failed(text[max(0, at - _MAX_NODE) : at])
    if failed is None:
        return FailedRequest(site=site(text, at))
    output = _output(failed)
    shapes = tuple(None if s is None else tuple(int(d) for d in s if isinstance(d, int)) for s in failed.shapes)
    dims, kind = output if output else (None, None)
    size = amounts.nbytes(dims, kind) if dims is not None and kind else None
    return FailedRequest(size, False, dims, kind, failed.text, shapes, site(text, at))


def _failed(text: str) -> Failed | None:
    """The node that an error message in `text` names; None if none does."""
    if "Apply node that caused" not in text:
        return None
    from ..printed.failed import read_failed  # few logs name a node: the readers of printed graphs are many modules

    return read_failed(text)


def _output(failed: Failed) -> tuple[tuple[int, ...], str] | None:
    """Shape and dtype of the node's first output, inferred by its Op's shape rule from the printed inputs; None if these are incomplete.

    None too where types and shapes disagree: for a function compiled as one piece by numba or JAX, PyTensor (3.3.7, link/basic.py) names
    one node and lists the inputs of the whole function.
    """
    from ..ir import Unknown
    from ..ir.shape import is_exact
    from ..printed import read_debugprint
    from ..shapes import infer

    name, types, shapes = _op_of(failed.text), failed.types, failed.shapes
    arrays = [t for t, s in zip(types, shapes) if t.has_shape and s is not None]
    if not name or not arrays or len(types) != len(shapes) or any(s is not None and t.ndim != len(s) for t, s in zip(types, shapes)):
        return None
    widest = max(arrays, key=lambda t: t.ndim)
    named = _DTYPE.search(name)
    shown = "\n".join(f" |in{k} [id {_label(k + 1)}] <{t.text}>" for k, t in enumerate(types))
    graph = read_debugprint(f"{name} [id A] ''\n{shown}\n").graph
    if len(graph.applies) != 1:
        return None
    inputs = {f"in{k}": k for k in range(len(types))}
    ids = {v.id: inputs[v.name] for v in graph.variables if v.owner is None and v.name in inputs}
    known = {v: s for v, k in ids.items() if (s := shapes[k]) is not None}
    values = {v: n for v, k in ids.items() if k < len(failed.values) and (n := failed.values[k]) is not None}
    shape = infer(graph, known, values).shape(graph.applies[0].outputs[0])
    kind = named["dtype"] if named else widest.dtype
    if isinstance(shape, Unknown) or not is_exact(shape) or kind is None or amounts.dtype(kind) is None:
        return None
    return tuple(d for d in shape if isinstance(d, int)), kind


def _op_of(text: str) -> str:
    """The Op in `Op{params}(input, ...)`: the text before the last pair of parentheses."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth == 0 and text[at] == "(":
            return text[:at]
    return ""


def _label(number: int) -> str:
    """The label that debugprint gives a number: A, B ... Z, BA ..."""
    letters = ""
    while True:
        number, rest = divmod(number, 26)
        letters = chr(65 + rest) + letters
        if not number:
            return letters


def site(text: str, at: int) -> tuple[str, int] | None:
    """Returns (path, line) of the user's code, from the stack that created the failing node, or else from the traceback; None if there is
    neither.
    """
    created = text.find("Backtrace when the", at, at + _MAX_NODE)
    if created >= 0:
        place = _last(text[created : created + _MAX_NODE // 4])
        if place:
            return place
    return _last(text[max(0, at - _MAX_NODE // 4) : at]) or _last(text[at : at + _MAX_NODE // 4])


def _last(text: str) -> tuple[str, int] | None:
    own = [m for m in _frames(text) if not _LIBRARY.search(m["path"])]
    return (own[-1]["path"], int(own[-1]["line"])) if own else None


def _frames(text: str) -> Iterator[re.Match[str]]:
    yield from _FILE.finditer(text)
    yield from (m for m in _IPYTHON.finditer(text) if m["line"])
