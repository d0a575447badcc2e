"""`theanodiag weights FILE`: lists the arrays in the pickle of an old model, and writes them as npz or safetensors."""

from __future__ import annotations

import argparse
import os

from .. import files
from ..errors import ExitCode, UnreadableError
from ..escaping import visible
from ..weights import containers, unpickler
from ..weights.collect import Weight
from ..weights.write import FORMATS, encoded
from . import options, output
from .atomic import write_atomically

HELP = "list the arrays in the pickle of an old model, without running anything of it, and convert them"
SCHEMA = "theanodiag/weights/v1"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("file", metavar="FILE", help="a pickle of Python 2 or 3, also one that gzip or bzip2 packed; HDF5; npz")
    parser.add_argument("--to", choices=FORMATS, help="write the arrays in this format")
    parser.add_argument("--into", metavar="PATH", help="the file to write (default: FILE with the format's suffix); it must not exist")
    options.add_format(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Lists, and converts where it was asked for."""
    data = files.read(args.file, unpickler.MOST, help="name a file that pickle wrote")
    try:
        weights = containers.weights(data, args.file)
    except ValueError as error:
        raise UnreadableError(f"a damaged pickle: {error}", path=args.file, help="fetch it once more") from None
    written = _write(args, weights) if args.to else None
    if args.format == "json":
        output.document(document(args.file, weights, written))
    else:
        output.write("".join(f"{visible(line)}\n" for line in lines(weights)))
    if written:
        output.note(f"{written}: written, {len(weights)} arrays")
    return ExitCode.CLEAN


def _write(args: argparse.Namespace, weights: tuple[Weight, ...]) -> str:
    path: str = args.into or f"{args.file}.{args.to}"
    if os.path.lexists(path):
        raise UnreadableError("the file exists; nothing was written", path=path, help="name another one with --into")
    write_atomically(path, encoded(weights, args.to), before=None)
    return path


def lines(weights: tuple[Weight, ...]) -> list[str]:
    """A line an array, with its notes below."""
    if not weights:
        return ["no arrays"]
    width = max(len(w.name) for w in weights)
    found = []
    for w in weights:
        found.append(f"{w.name:<{width}}  {w.array.dtype!s:<8} {_shape(w):<20} {w.origin}".rstrip())
        found += [f"    {w.note}"] if w.note else []
    return found


def _shape(w: Weight) -> str:
    return "x".join(map(str, w.array.shape)) or "scalar"


def document(path: str, weights: tuple[Weight, ...], written: str | None) -> dict[str, object]:
    """The arrays as plain data."""
    return {"schema": SCHEMA, "path": path, "written": written, "weights": [_row(w) for w in weights]}


def _row(w: Weight) -> dict[str, object]:
    shape = list(w.array.shape)
    return {"name": w.name, "path": w.path, "origin": w.origin, "dtype": str(w.array.dtype), "shape": shape, "note": w.note or None}
