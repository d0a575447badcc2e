"""Scripts that do not fit a card: what is offered first, applied to the script, and both beside the real Theano on a card of that size."""

from __future__ import annotations

import functools
import re
import shlex
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from tests.interpreters import find
from tests.memory.stand.predict import CONTEXT
from tests.memory.stand.run import HERE, environment, on_device
from theanodiag.capture.model import Capture
from theanodiag.capture.runner import run_script
from theanodiag.confirmation.simulated_cuda import DriverAlloc, DriverFree, VirtualDevice, read_trace
from theanodiag.devices import Context, DeviceProfile
from theanodiag.devices.cards import PCIE3_X16
from theanodiag.findings import Finding
from theanodiag.memory.settings import AddressPolicy, MemorySettings
from theanodiag.report.model import Report
from theanodiag.report.next_step import plan_of
from theanodiag.units import GIB
from theanodiag.workflows import compose

SCRIPTS = Path(__file__).parent / "judged"


@dataclass(frozen=True)
class Outcome:
    """One run on the simulated device."""

    fits: bool
    reserved: int
    """Most bytes taken from the driver."""
    error: str


@functools.cache
def captured(name: str, flags: str) -> Capture:
    """What a script does, seen without calling its functions on a card that is large enough."""
    env = environment(flags, VirtualDevice())
    return run_script(SCRIPTS / f"{name}.py", find("gpu"), env=env, stdout=2)


def card(available: int) -> DeviceProfile:
    """A card that has so many bytes for arrays."""
    return DeviceProfile("card", available + CONTEXT, Context(CONTEXT, "derived"), bus_bytes_per_second=PCIE3_X16)


def reported(name: str, flags: str, available: int | None) -> Report:
    """The report for a card of that size."""
    device = card(8 * GIB if available is None else available)
    return compose.report(captured(name, flags), device, adapt=_first_fit)


def _first_fit(settings: MemorySettings) -> MemorySettings:
    return replace(settings, address_policy=AddressPolicy.FIRST_FIT)


def offered(report: Report) -> Finding | None:
    """The advice that the plan of the report is; None where it has no plan."""
    plan = plan_of(report)
    return None if plan is None else plan.finding


def ran(folder: Path, script: Path, flags: str, available: int) -> Outcome:
    """The script on the real Theano and libgpuarray, on a simulated card of that size."""
    trace = folder / f"trace-{available}"
    device = VirtualDevice(available + CONTEXT, keep_contents=False, trace=trace)
    done = on_device(HERE / "marked.py", str(script), flags=flags, device=device)
    live = [e.live for e in read_trace(trace) if isinstance(e, (DriverAlloc, DriverFree))]
    trace.unlink()
    opened = "Could not initialize pygpu" not in done.stderr  # without a device Theano goes on without it
    return Outcome(done.returncode == 0 and opened, max(live, default=0), done.stderr[-8000:])


def applied(folder: Path, name: str, flags: str, finding: Finding) -> tuple[Path, str]:
    """A copy of the script, and the flags, with the plan followed."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPTS / "kit.py", folder)
    text, code = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8"), (finding.fix and finding.fix.code) or ""
    for line in re.findall(r"^(?:# with )?THEANO_FLAGS=(.*)", code, re.MULTILINE):
        flags = shlex.split(line, comments=True)[0]  # with those that were set before
    text = pasted(_constants(text, code), code)
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    return path, flags


def pasted(text: str, code: str) -> str:
    """The script with the statements that the code has for its lines, `# line 3`, and the code before each of them."""
    rows, before = text.splitlines(), list[str]()
    for row in code.splitlines():
        marked = re.fullmatch(r"(.*)  # line (\d+)", row)
        if marked is None:
            before.append(row)
            continue
        at = int(marked[2]) - 1
        indent = rows[at][: len(rows[at]) - len(rows[at].lstrip())]
        rows[at] = "\n".join(indent + line for line in (*before, marked[1]))
        before = []
    return "\n".join(rows) + "\n"


def _constants(text: str, code: str) -> str:
    """The constants of the script as the code has them."""
    for name, length, before in re.findall(r"^([\w.]+) = (\d+)  # was (\d+)", code, re.MULTILINE):
        own = next((n for n in (re.escape(name), r"\w+") if re.search(rf"\b{n} = {before}\b", text)), "batch_size")
        text = re.sub(rf"\b({own}) = {before}\b", rf"\g<1> = {length}", text, count=1)
    loops = re.findall(r"for first in range\(0, (\d+), (\d+)\)", code)
    if loops:
        text = re.sub(r"None$", loops[0][1], text, count=1, flags=re.MULTILINE)
    for rows, chunk in loops:
        text = re.sub(rf'(": ){rows}\b', rf"\g<1>{chunk}", text)
    switches = {
        "at_once": "at the start",
        "as_dot": "tensor.dot(",
        "by_sample": "words = theano",
        "as_bytes": 'astype("uint8")',
        "as_numbers": 'argmax(1).astype("int32")',
    }
    for switch, told in switches.items():
        text = text.replace(f"{switch} = False", f"{switch} = True") if told in code else text
    return text
