"""`theanodiag export SCRIPT --function NAME -o FILE`: exports a function of a script, with its weights, as StableHLO or ONNX."""

from __future__ import annotations

import json
import os
import sys

import click

from ..errors import ExitCode, UnreadableError, UsageError
from ..processes import group, interpreter
from . import output
from .atomic_write import require_absent, require_writable, write_atomically
from .parameters import Argument, Arguments, Option, switch
from .run import COMPAT, source, surroundings

PARAMETERS = (
    Argument("script", metavar="SCRIPT", help="the script that trains or loads the model; its arguments come after --"),
    Option("--function", metavar="NAME", required=True,
        help="the compiled function: a variable of the script (net.predict), or its name in theano.function"),
    Option("-o", "output", metavar="FILE", required=True,
        help="the file to write, which must not exist; a name ending in .onnx gives ONNX, any other StableHLO"),
    Option("--shape", metavar="INPUT=N,N...", multiple=True,
        help="shape of an input, by name or number, if the script never calls the function; a word means a variable length: x=batch,784"),
    Option("--mode", default="c", type=click.Choice(("c", "numba", "jax")), help="what runs the script's compiled functions (default: c)"),
    Option("--python", metavar="INTERPRETER", help="interpreter that has PyTensor and JAX (default: the one that runs theanodiag)"),
    switch("--python2", help="treat the script as Python 2, where 7 / 2 is 3, even if Python 3 can read it"),
    switch("--fix-numpy", help="restore names that newer NumPy and Python removed"),
)  # fmt: skip
TRAITS = {"takes_script": True}


def _shapes(words: list[str]) -> dict[str, list[str]]:
    """Lengths by input. Raises UsageError where a word is no `INPUT=N,N...`."""
    shapes = {}
    for word in words:
        name, mark, lengths = word.partition("=")
        parts = [part.strip() for part in lengths.split(",")] if lengths else []
        if not mark or not name or not all(part.isdigit() or part.isidentifier() for part in parts):
            raise UsageError(f"--shape {word}: not an input and its lengths", help="as in --shape x=batch,784")
        shapes[name] = parts
    return shapes


OTHER_FORMATS = (".pb", ".pt", ".pth", ".h5", ".hdf5", ".keras", ".tflite", ".safetensors", ".npz", ".pkl")
"""Endings of formats that a reader of the file would take it for."""


def run(args: Arguments) -> ExitCode:
    """Runs the script, writes the file, and prints a summary of its contents."""
    require_absent(args.output, "-o")
    require_writable(args.output)
    if args.output.lower().endswith(OTHER_FORMATS):
        raise UsageError(f"-o {args.output}: only StableHLO and ONNX are written", help="name the file x.stablehlo or x.onnx")
    shapes = _shapes(args.shape)
    file = source(args.script, "")
    if file is None:
        raise UnreadableError("no script", path=args.script, help="name a source file")
    python = interpreter.find(args.python, os.environ).path if args.python else sys.executable
    with group.temporary() as folder:
        exported, report = folder / "exported", folder / "report.json"
        form = "onnx" if args.output.lower().endswith(".onnx") else "stablehlo"
        request = {"function": args.function, "format": form, "shapes": shapes, "output": str(exported), "report": str(report)}
        _, env = surroundings(file, None, args.python2, mode=args.mode, fix_numpy=args.fix_numpy, explain=False, export=request)
        command = [python, str(COMPAT / "running" / "script.py"), args.script, *args.script_args]
        code = group.run(command, env, None, stdout=2).returncode
        if not report.is_file():
            raise UnreadableError(f"the script failed before anything could be exported (exit code {code})", path=args.script)
        summary = json.loads(report.read_text())
        if "error" in summary:
            raise UnreadableError(summary["error"] + "; nothing was written", path=args.script, help=summary["advice"] or None)
        write_atomically(args.output, exported.read_bytes(), before=None)
    output.write("\n".join(_lines(args.output, args.function, summary)) + "\n")
    return ExitCode.CLEAN


def _lines(path: str, function: str, summary: dict[str, object]) -> list[str]:
    """Lines that summarise the exported file and its comparison with the original function."""
    inputs, outputs, batches = (list(map(str, summary[key])) for key in ("inputs", "outputs", "batches"))  # type: ignore[call-overload]
    sizes = f" (batches of {', '.join(batches)})" if batches else ""
    name, runtime = os.path.basename(path), summary["runtime"]
    rows = [
        f"{path}: {function}, {summary['form']}, {summary['bytes']} bytes",
        *(f"  takes {one}" for one in inputs),
        *(f"  gives {one}" for one in outputs),
        f"  compared with the script's function on random inputs{sizes}, by {runtime} alone: "
        f"differs by {summary['difference']:.1e} at most",
    ]
    if runtime == "ONNX Runtime":
        rows.append(f"  use: import onnxruntime; onnxruntime.InferenceSession({name!r}).run(None, {{name: array}})")
    else:
        rows.append(f"  use: import jax; jax.export.deserialize(bytearray(open({name!r}, 'rb').read())).call(...)")
        if any("64[" in one for one in (*inputs, *outputs)):
            rows.append("  set JAX_ENABLE_X64=1 there: otherwise JAX converts 64-bit numbers to 32 bits, which this function rejects")
    return rows + ([f"  note: {summary['note']}"] if summary["note"] else [])
