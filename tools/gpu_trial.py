"""Confirms predictions on the devices of this machine and writes receipts: one call does all of it.

    python tools/gpu_trial.py [--device KIND]... [--bring FOLDER] [--python INTERPRETER]... [--minutes N] [--large]
                               [--jobs N] [--match TEXT] [--without TEXT]

Without --device: cuda, jax and torch where a GPU is seen. With --jobs N, N scripts run at once on the one card: each counts its own
bytes, and what the driver counts for the whole card is left out; for JAX set XLA_PYTHON_CLIENT_PREALLOCATE=false. `--bring` names a
folder that `gpu_pack.py` made; what lies in it is unpacked into a temporary folder first. Receipts go below benchmarks/receipts/, the
table into docs/accuracy/receipts.md (--out for another root).
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
if "--bring" in sys.argv[:-1]:  # what theanodiag itself imports may have to be brought too
    sys.path.append(str(Path(sys.argv[sys.argv.index("--bring") + 1], "ours")))

from benchmarks import receipt as receipts  # noqa: E402
from benchmarks.receipt import Receipt, Run  # noqa: E402
from benchmarks.receipt_table import page  # noqa: E402
from theanodiag import check  # noqa: E402
from theanodiag.confirmation import KINDS, calibration  # noqa: E402
from theanodiag.confirmation.available import abilities  # noqa: E402
from theanodiag.doctor import advise, best_of  # noqa: E402
from theanodiag.engines import PREALLOCATE  # noqa: E402
from theanodiag.errors import TheanodiagError  # noqa: E402
from theanodiag.probe.cuda import links, make_links  # noqa: E402
from theanodiag.probe.frameworks import probe_machine  # noqa: E402
from theanodiag.probe.model import InterpreterSeen, ProbeResult  # noqa: E402
from theanodiag.version import VERSION  # noqa: E402
from tools.gpu_bring import bring_up  # noqa: E402

GPU_KINDS = ("cuda", "jax", "torch")
PROOF = "tests/memory/models"
LARGE = ("vgg16.py",)
COMPILED = {"jax": ("tests/confirmation/compiled/scripts/jax_models.py",), "torch": ("tests/confirmation/compiled/scripts/torch_model.py",)}
FLAGS = "floatX=float32"
"""In front of the user's own flags, for every framework."""
FLAG_VARIABLES = ("THEANO_FLAGS", "AESARA_FLAGS", "PYTENSOR_FLAGS")
ONE_RUN = 240.0
"""Seconds that one script may take."""
OF_THE_CARD = ("context_bytes", "driver_bytes")
"""Figures for which the driver is asked what is free on the card: they count whatever else runs there."""


def models(kind: str, large: bool) -> list[str]:
    """The scripts for a kind of device, as paths below the project's folder."""
    examples = [f"examples/{p.name}" for p in sorted((ROOT / "examples").glob("*.py"))]
    if kind in COMPILED:
        return [*examples, *COMPILED[kind]]
    proof = [f"{PROOF}/{p.name}" for p in sorted((ROOT / PROOF).glob("*.py")) if large or p.name not in LARGE]
    return examples + proof


def found_here(pythons: list[str], scratch: Path) -> ProbeResult:
    """What the machine has; links for libgpuarray are made where it would not find its libraries."""
    found = probe_machine(pythons, ROOT, scratch)
    if found.driver is None or advise(found).complete or not best_of(found):
        return found
    make_links(scratch / "links", links(best_of(found)))
    path = [str(scratch / "links"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(path)
    return probe_machine(pythons, ROOT, scratch)


def one_run(kind: str, model: str, python: str, device: str | None, alone: bool) -> tuple[Run, dict[str, object] | None]:
    """One script on one kind of device, and the device as the report has it; `alone`: whether no other script runs on the card."""
    started = time.monotonic()
    with open(os.devnull, "wb") as nowhere:
        try:
            report = check(ROOT / model, python=python, device=device, confirm=kind, timeout=ONE_RUN, stdout=nowhere.fileno())
        except TheanodiagError as error:
            return Run(model, time.monotonic() - started, None, error.message), None
    seconds, found = time.monotonic() - started, report.confirmation
    if found is None:
        return Run(model, seconds, None, "it compiled nothing that ran"), None
    if found.device.kind != kind:
        return Run(model, seconds, None, f"it ran on {found.device.kind}: {dict(found.device.instead_of).get(kind)}"), None
    document = found.to_dict()
    spec, figures = document.pop("device"), document["process"]
    assert isinstance(spec, dict)
    assert isinstance(figures, list)
    functions = document["functions"]
    assert isinstance(functions, list)
    for function in functions:  # Theano names a function by the place where it was compiled
        function["name"] = str(function["name"]).removeprefix(f"{ROOT}{os.sep}")
    document["process"] = [figure for figure in figures if alone or figure["name"] not in OF_THE_CARD]
    return Run(model, seconds, document, "; ".join(found.notes) or None), spec


def trial(kind: str, found: ProbeResult, args: argparse.Namespace, deadline: float, scratch: Path) -> Iterator[Receipt]:
    """The receipt of one kind of device after each script, so that a trial that is cut off leaves one; none without such a device."""
    ability = next(a for a in abilities(found) if a.kind == kind)
    if not ability.ready or ability.interpreter is None:
        print(f"{kind}: not here: {ability.line}", file=sys.stderr)
        return
    interpreter = next(i for i in found.interpreters if i.path == ability.interpreter)
    overhead = calibrated(interpreter.path, scratch) if kind == "cuda" else None
    driver = dataclasses.asdict(found.driver) if found.driver is not None else None
    rows: list[tuple[Run, dict[str, object] | None]] = []
    for row in runs(kind, interpreter.path, args, deadline):
        rows.append(row)
        device = next((spec for _, spec in rows if spec is not None), {})
        real = kind == "cuda" or (kind in GPU_KINDS and device.get("total_bytes") is not None)
        today, done = datetime.date.today().isoformat(), tuple(sorted((run for run, _ in rows), key=lambda run: run.model))
        yield Receipt(today, kind, real, device, driver, versions(interpreter), overhead, done)


def runs(kind: str, python: str, args: argparse.Namespace, deadline: float) -> Iterator[tuple[Run, dict[str, object] | None]]:
    """The runs that the time allows, told as they come."""
    device = {"cuda": None, "virtual": args.gpu}.get(kind, None if kind in GPU_KINDS else "none" if kind == "cpu" else args.gpu)
    scripts = [m for m in models(kind, args.large) if args.match in m and not (args.without and args.without in m)]
    with ProcessPoolExecutor(args.jobs, initializer=apart) as pool:
        for done in as_completed([pool.submit(in_time, deadline, kind, m, python, device, args.jobs == 1) for m in scripts]):
            row = done.result()
            if row is not None:
                run = row[0]
                print(f"{kind} {run.model}: {receipts.summary([run])}, {run.seconds:.1f} s {run.reason or ''}", file=sys.stderr)
                yield row


def apart() -> None:
    """Sets up a process that runs scripts: a folder of its own for compiled modules, since Theano would wait for another's lock."""
    folder = tempfile.mkdtemp(prefix="theanodiag-compiled-")
    for name in FLAG_VARIABLES:
        os.environ[name] = f"{os.environ[name]},base_compiledir={folder}"


def in_time(
    deadline: float, kind: str, model: str, python: str, device: str | None, alone: bool
) -> tuple[Run, dict[str, object] | None] | None:
    """One script, unless `deadline` (of time.monotonic, which all processes share) is over."""
    return one_run(kind, model, python, device, alone) if time.monotonic() < deadline else None


def calibrated(python: str, scratch: Path) -> dict[str, object] | None:
    """The overhead of the GPU; what goes wrong is told, and the trial goes on."""
    try:
        return dataclasses.asdict(calibration.measured(python, "cuda0", os.environ, scratch))
    except TheanodiagError as error:
        print(f"cuda: {error.message}", file=sys.stderr)
        return None


def versions(interpreter: InterpreterSeen) -> dict[str, str]:
    """Of all that took part."""
    parts = {f.name: f.version or "?" for f in interpreter.frameworks if f.error is None}
    pool = {name: os.environ[name] for name in (PREALLOCATE,) if name in os.environ and "jax" in parts}
    return {"theanodiag": VERSION, "python": interpreter.version, **parts, "flags": FLAGS, **pool}


def main(argv: list[str]) -> int:
    """Runs the trials; 0 where each kind that was asked for has a receipt."""
    args = arguments(argv)
    for name in FLAG_VARIABLES:
        off = "dnn.enabled=False" if name == "THEANO_FLAGS" else ""  # cuDNN of today is not that of Theano 1.0.5
        os.environ[name] = ",".join(filter(None, (FLAGS, off, os.environ.get(name))))
    deadline = time.monotonic() + args.minutes * 60
    out = Path(args.out)
    with tempfile.TemporaryDirectory(prefix="theanodiag-") as folder:
        scratch = Path(folder)
        brought = bring_up(Path(args.bring), scratch / "brought") if args.bring else []
        found = found_here([*args.python, *brought], scratch)
        kinds = args.device or list(GPU_KINDS)
        written = {}
        for kind in kinds:
            for receipt in trial(kind, found, args, deadline, scratch):
                name = f"{kind}-{args.name or ('gpu' if receipt.real_gpu else 'no-gpu')}"
                written[kind] = receipts.write(receipt, out / "benchmarks" / "receipts", name)
    print(*written.values(), sep="\n")
    (out / "docs" / "accuracy").mkdir(exist_ok=True, parents=True)
    (out / "docs" / "accuracy" / "receipts.md").write_text(page(receipts.read_all(out / "benchmarks" / "receipts")), encoding="utf-8")
    return 0 if len(written) == len(kinds) else 1


def arguments(argv: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", action="append", choices=KINDS, default=[])
    parser.add_argument("--bring", metavar="FOLDER", help="what gpu_pack.py made")
    parser.add_argument("--python", metavar="INTERPRETER", action="append", default=[], help="one that has a framework")
    parser.add_argument("--gpu", metavar="CARD", default="4GiB", help="the device that `virtual` simulates (default: 4GiB)")
    parser.add_argument("--minutes", type=float, default=20.0, help="start no run after this time (default: 20)")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="scripts that run at once (default: 1)")
    parser.add_argument("--match", metavar="TEXT", default="", help="only scripts whose path has it")
    parser.add_argument("--without", metavar="TEXT", default="", help="no script whose path has it")
    parser.add_argument("--large", action="store_true", help="VGG16 too")
    parser.add_argument("--name", help="the receipts are called KIND-NAME.json")
    parser.add_argument("--out", default=str(ROOT), help="the folder with benchmarks/ and docs/ (default: this project)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
