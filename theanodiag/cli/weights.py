"""`theanodiag weights FILE`: lists the arrays in the file of an old model, and converts them to npz or safetensors."""

from __future__ import annotations

import os

import click

from .. import files
from ..errors import ExitCode, UnreadableError
from ..escaping import visible
from ..findings import Finding, Severity
from ..processes.forked import forked
from ..rules.pickles import pickle_runs
from ..weights import objects
from ..weights.collect import Contents, LeftOut
from ..weights.file_formats import HEAD, may_be_weights, weights
from ..weights.write import FORMATS, encoded, stored_names
from . import output, shared_options
from .atomic_write import require_absent, write_atomically
from .parameters import Argument, Arguments, Option

KINDS = "a pickle of Python 2 or 3, npz, npy, HDF5 or joblib file, or a zip or tar archive of these, optionally compressed"
LISTED = 20
"""Maximum number of lines about objects left out."""
SECONDS = 60
"""Limit of processor time in seconds for any file; `SECONDS_A_MIB` is added for each MiB of the file."""
SECONDS_A_MIB = 4
BASE = 2 << 30
"""Address space in bytes for numpy and h5py; a multiple of the unpacked size of the file is added."""


PARAMETERS = (
    Argument("file", metavar="FILE", help=KINDS),
    Option("--to", type=click.Choice(FORMATS), help="write the arrays in this format"),
    Option("--into", metavar="PATH", help="the file to write (default: FILE with the format's suffix); it must not exist"),
    shared_options.format_option(),
    shared_options.fail_on(),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Lists the arrays, and converts them if requested, in a separate process."""
    shared_options.only_with(args, args.to is not None, "--to", "into")
    try:
        size = os.path.getsize(args.file)
    except (OSError, ValueError):
        size = 0  # what reads it says why
    size = min(size, objects.MOST)
    seconds = SECONDS + SECONDS_A_MIB * (size >> 20)
    return ExitCode(forked(lambda: _run(args), seconds, BASE + 4 * objects.Budget(size).most, args.file))


def _run(args: Arguments) -> ExitCode:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing is computed: its threads would take address space alone
    if args.to:
        require_absent(_target(args), "--into")
    data = _content(args.file)
    folder = os.path.dirname(os.path.abspath(args.file))
    contents = weights(data, args.file, lambda name: files.read(os.path.join(folder, name), objects.MOST))
    del data
    findings = tuple(pickle_runs.check((args.file, contents.calls)))
    if not contents.weights:
        raise UnreadableError(_nothing(contents, findings), path=args.file, help="name a file that contains numeric arrays")
    names = stored_names(contents.weights, args.to) if args.to else {}
    if args.to:
        write_atomically(_target(args), encoded(contents.weights, args.to, names), before=None)
    if args.format == "json":
        from ..report.v1 import common, short  # msgspec is imported only where JSON is written

        rows = [short.WeightV1.of(w, names.get(w.name)) for w in contents.weights]
        left_out = [common.from_attributes(short.LeftOutV1, one) for one in contents.left_out]
        descriptions = [common.DescribedV1(**common.described(f)) for f in findings]
        written = _target(args) if args.to else None
        output.write(common.text(short.WeightsV1("theanodiag/weights/v1", args.file, written, rows, left_out, descriptions)))
    else:
        output.write("".join(f"{visible(line)}\n" for line in lines(contents, findings, names)))
    if args.to:
        left = f"; {len(contents.left_out)} left out, listed above" if contents.left_out else ""
        output.note(f"{_target(args)}: written, {len(contents.weights)} arrays, read back and compared{left}")
    bad = any(f.severity >= Severity[args.fail_on.upper()] for f in findings)
    return ExitCode.FINDINGS if bad else ExitCode.CLEAN


def _content(path: str) -> bytes:
    """The bytes of the file; only its beginning if that shows that it is of no format, however large it is."""
    try:
        head = files.head(path, HEAD)
    except OSError:
        head = b""  # what reads all of it says why
    return head if head and not may_be_weights(head) else files.read(path, objects.MOST, help=f"name {KINDS}")


def _target(args: Arguments) -> str:
    return args.into or f"{args.file}.{args.to}"


def _nothing(contents: Contents, findings: tuple[Finding, ...]) -> str:
    """The message for a file without arrays: the objects left out, and code that loading it would run."""
    left = "; ".join(f"{one.name}: {one.reason}" for one in contents.left_out[:5])
    more = f" and {len(contents.left_out) - 5} more" if len(contents.left_out) > 5 else ""
    return (
        "it contains no numeric arrays" + (f" (left out: {left}{more})" if left else "") + "".join(f"; {f.message}" for f in findings[:5])
    )


def lines(contents: Contents, findings: tuple[Finding, ...], names: dict[str, str]) -> list[str]:
    """Returns one line for each array, with its notes below; then lines for the objects left out, and the findings."""
    width = min(60, max(len(w.name) for w in contents.weights))
    rows: list[str] = []
    for w in contents.weights:
        variable = f" {w.variable}" if w.variable and w.variable != w.name else ""
        shape = "x".join(map(str, w.array.shape)) or "scalar"
        rows.append(f"{w.name:<{width}}  {w.array.dtype!s:<8} {shape:<20} {w.origin}{variable}".rstrip())
        path = w.path if w.path != w.name else ""
        stored = names.get(w.name, w.name)
        also = f"also at {', '.join(w.also)}" if w.also else ""
        notes = (w.note, path and f"found at {path}", also, f"written as {stored}" if stored != w.name else "")
        rows += [f"    {note}" for note in notes if note]
    rows += _left_out(contents.left_out)
    for f in findings:
        rows += [f"{f.location}: {f.kind}: {f.message}"] + ([f"    help: {f.fix.title}"] if f.fix else [])
    return rows


def _left_out(left: tuple[LeftOut, ...]) -> list[str]:
    rows = [f"left out: {one.name}: {one.reason}" for one in left[:LISTED]]
    return rows + ([f"left out: {len(left) - LISTED} more (--format json has all)"] if len(left) > LISTED else [])
