"""The text output of `theanodiag compare`, with and without `--density`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ..comparison.densities import DensityComparison, ModelPair, ModelsRun, title
from ..comparison.model import KINDS, Comparison, FunctionPair, NodeShown, Side
from ..escaping import visible
from ..porting.model import FileReport, Proof, Safety
from ..units import format_bytes

# The text that `theanodiag port` prints about the files.


def lines(report: FileReport, *, verbose: bool = False) -> Iterator[str]:
    """Yields the terminal lines about one ported file: unsafe changes, and changes that are left to make by hand; with `verbose` all
    changes.
    """
    if report.skipped is not None:
        yield visible(f"{report.path}: skipped: {report.skipped}")
        return
    if report.failure is not None:
        yield f"theanodiag: {report.failure}"
        return
    for change in report.changes:
        if verbose or change.safety is not Safety.SAFE:
            yield visible(f"{change.span}: {change.safety.value} {change.code}: {change.name}: {change.reason}")
            if change.advice:
                yield visible(f"    help: {change.advice}")


def counts(reports: Counts, *, written: bool) -> str:
    """Returns one line with the number of files and changes; `written` tells whether the changes were made or are only listed."""
    parts = [f"{reports.files} file{'s' * (reports.files != 1)}", f"{reports.changed} {'changed' if written else 'to change'}"]
    safe = f"safe change{'s' * (reports.by_safety[Safety.SAFE] != 1)}"
    names = {Safety.SAFE: safe, Safety.UNSAFE: "unsafe", Safety.BY_HAND: "by hand"}
    parts += [f"{reports.by_safety[s]} {name}" for s, name in names.items()]
    if reports.needing:
        verb, whom = ("imports", "it") if reports.needing == 1 else ("import", "them")
        parts.append(f"{reports.needing} {verb} theanodiag, which must be installed to run {whom}")
    if reports.failed:
        parts.append(f"{reports.failed} failed")
    if reports.skipped:
        parts.append(f"{reports.skipped} skipped")
    return ", ".join(parts)


class Counts:
    """Totals over ported files. Reports are added one by one, so that no report has to be kept in memory."""

    def __init__(self) -> None:
        self.files = self.changed = self.failed = self.skipped = self.needing = 0
        self.by_safety = dict.fromkeys(Safety, 0)

    def add(self, report: FileReport) -> None:
        """Adds one file to the totals."""
        self.files += report.skipped is None
        self.skipped += report.skipped is not None
        self.needing += report.needs_theanodiag
        self.changed += report.changed
        self.failed += report.failure is not None
        for change in report.changes:
            self.by_safety[change.safety] += 1


def proof_line(report: FileReport, proof: Proof) -> str:
    """Returns one line on a changed file: whether it was rewritten because old and new version computed the same values, or why
    it was not.
    """
    if not proof.proved:
        return visible(f"{report.path}: not written: {proof.reason}")
    by = ", ".join(os.path.basename(script) for script in proof.scripts)
    return visible(f"{report.path}: rewritten: {proof.values} values of {by} are the same")


def text(c: Comparison) -> str:
    """Returns the comparison as text: verdict, first difference, and a line for each function."""
    lines = [f"{side.path}  {side.framework}" for side in (c.old, c.new)]
    for name, side in (("old", c.old), ("new", c.new)):
        if side.ended:
            lines += [f"the {name} run of {side.path} ended early: {side.ended}", *_needs_theanodiag([side.ended])]
        lines += _lent(side)
    lines += ["", _verdict(c), *_node(c), ""]
    if c.old.functions != c.new.functions:
        lines.append(
            f"the old run compiled {c.old.functions} functions, the new one {c.new.functions}; they are paired by order of creation"
        )
    lines += [_line(f) for f in c.functions]
    lines += [line for f in c.functions for line in _other_draws(f, c)]
    if c.same_draws is not None:
        lines.append(f"{c.same_draws[0]} draws of the new run were those of the old one, {c.same_draws[1]} its own")
    return "".join(visible(line) + "\n" for line in lines)


def _verdict(c: Comparison) -> str:
    difference = c.first
    if difference is None:
        unread = "" if not any(f.unread for f in c.functions) else " except for elements that were not compared"
        return f"equal{unread}" if c.equal else _uneven(c)
    pair, first = difference
    where = f", element {list(first.at)}" if first.at else ""
    return f"not equal: {pair.names[0]}, call {first.call + 1}, {first.value}{where}: {first.why}"


def _uneven(c: Comparison) -> str:
    """Why two runs count as not equal although no compared value differs."""
    if not any(f.values for f in c.functions):
        empty = [name for name, side in (("old", c.old), ("new", c.new)) if not side.functions]
        if empty:
            return f"not compared: the {' and the '.join(empty)} run compiled no function"
        idle = [name for name, k in (("old", 0), ("new", 1)) if not any(f.calls[k] for f in c.functions)]
        if idle:
            return f"not compared: the {' and the '.join(idle)} run called no function"
        return "not compared: no call has a value to compare"
    if c.old.functions == c.new.functions and all(f.calls[0] == f.calls[1] for f in c.functions):
        if c.old.ended and c.new.ended:
            return "not known to be equal: both runs ended early; the values until then are equal"
        return f"not equal: the {'old' if c.old.ended else 'new'} run ended early"
    return "not equal: the runs did not call the same functions the same number of times"


def _needs_theanodiag(failures: Iterable[str]) -> list[str]:
    """The advice to install theanodiag, if one of the errors is that a ported script cannot import it; else empty."""
    if any("No module named 'theanodiag'" in failure for failure in failures):
        return ["  help: the ported script imports theanodiag: install it in that environment (pip install theanodiag)"]
    return []


def _lent(side: Side | ModelsRun) -> list[str]:
    """A line with the install command for a script that could import theanodiag only because this comparison put it on its path; else
    empty.
    """
    return [f"{side.path} imports theanodiag, which was lent for this comparison; {to_install(side.interpreter)}"] if side.lent else []


def to_install(interpreter: str) -> str:
    """Returns the text with the command that installs theanodiag in `interpreter`, for scripts that import it."""
    return f"to run it there: {interpreter} -m pip install theanodiag"


def _other_draws(f: FunctionPair, c: Comparison) -> list[str]:
    """One line if the two versions of a function use different random number generators, whose numbers differ by design; else empty."""
    if f.draws[0] == f.draws[1] or c.same_draws is not None:
        return []
    kinds = " / ".join(", ".join(KINDS[kind] for kind in side) or "none" for side in f.draws)
    return [f"{f.names[0]} draws from other generators, other numbers by design: {kinds}; --same-draws gives both the same"]


def _node(c: Comparison) -> list[str]:
    """Lines about the first node whose value differs: the node of the old run and that of the new run."""
    if c.node_unknown:
        return [f"the first node that differs was not found: {c.node_unknown}"]
    n = c.node
    if n is None:
        return []
    size = (
        ""
        if n.absolute is None
        else f", off by {n.absolute:.3g}" + (f", {n.relative:.3g} of the largest value" if n.relative is not None else "")
    )
    loops = "".join(f", in step {step + 1} of the loop" for step in n.steps)
    lines = [f"first node that differs, in call {n.call + 1} of {c.functions[n.function].names[0]}, behind {n.value}{loops}{size}:"]
    return lines + [line for name, side in (("old", n.old), ("new", n.new)) for line in _node_lines(name, side)]


def _node_lines(name: str, node: NodeShown | None) -> list[str]:
    if node is None:
        return [f"  {name}: no such node"]
    value = "" if node.dtype is None else f"  {node.dtype} {list(node.shape or ())}"
    lines = [f"  {name}: {node.text}{value}"]
    if node.site is not None:
        lines.append(f"       {node.site}" + (f": {node.site.code}" if node.site.code else ""))
    return lines


def _line(f: FunctionPair) -> str:
    name = f.names[0] if f.names[0] == f.names[1] else f"{f.names[0]} / {f.names[1]}"
    verdict = f"differs in call {f.first.call + 1}: {f.first.value}" if f.first else f"within {f.absolute:.2g}, relative {f.relative:.2g}"
    if f.rounding and not f.first:
        verdict += f"; rounding alone: {', '.join(f.rounding)}"
    if f.unread:
        verdict += f"; by dtype and shape alone: {', '.join(f.unread)}"
    seconds = f"{f.seconds[0]:.3g} / {f.seconds[1]:.3g} s"
    peaks = " / ".join("?" if peak is None else format_bytes(peak) for peak in f.peaks)
    counts = f"{f.calls[0]} / {f.calls[1]} calls, {f.values} values, {f.nodes[0]} / {f.nodes[1]} nodes"
    return f"{name}: {counts}, {seconds}, peak {peaks}: {verdict}"


SHOWN = 5
"""Maximum number of failed statements shown for a script."""


def density_text(c: DensityComparison) -> str:
    """Returns the comparison of densities as text: the verdict, and for each model what differs."""
    lines = [f"{side.path}  {side.library or 'no PyMC'}" for side in (c.old, c.new)]
    lines += ["", _density_verdict(c)]
    for side, other in ((c.old, "new"), (c.new, "old")):
        if side.unpaired:
            lines.append(f"{side.path}: without a counterpart in the {other} run, by the names of its variables:")
            lines += [f"  {model}" for model in side.unpaired[:SHOWN]]
            lines += [f"  and {len(side.unpaired) - SHOWN} more"] if len(side.unpaired) > SHOWN else []
    for side in (c.old, c.new):
        if side.ended:
            lines.append(f"the {'old' if side is c.old else 'new'} run of {side.path} ended early; later models are missing:")
            lines.append(f"  {side.ended}")
        if side.failed:
            number = "1 statement" if len(side.failed) == 1 else f"{len(side.failed)} statements"
            lines.append(f"{side.path}: {number} failed (draws are made up here, or it has an error), and the run went on:")
            lines += [f"  {failure}" for failure in side.failed[:SHOWN]]
            lines += [f"  and {len(side.failed) - SHOWN} more"] if len(side.failed) > SHOWN else []
        lines += [*_needs_theanodiag([*side.failed, side.ended or ""]), *_lent(side)]
    if c.draws:
        lines.append("the scripts read other draws:")
        lines += [f"  {one}" for one in c.draws[:SHOWN]]
        lines += [f"  and {len(c.draws) - SHOWN} more"] if len(c.draws) > SHOWN else []
    lines += [f"note: {one}" for one in c.notes[:SHOWN]]
    lines += [line for m in c.models for line in _model(m)]
    return "".join(visible(line) + "\n" for line in lines)


def _density_verdict(c: DensityComparison) -> str:
    if not c.models:
        return "not compared: no model was created in both runs"
    if c.same_models:
        noted = any(m.findings for m in c.models)
        number = "the model has" if len(c.models) == 1 else f"all {len(c.models)} models have"
        partly = " as far as the scripts ran" if any(s.ended or s.failed for s in (c.old, c.new)) else ""
        same = f"{number} the same posterior" + (", the log-density except for constants" if noted else " and log-density")
        return f"not equal: {same}, but the scripts read other draws" if c.draws else f"equal{partly}: {same}"
    different = sum(not m.equal for m in c.models)
    return f"not equal: {different} of {len(c.models)} models" if different else "not equal: models of one run are not in the other"


def _model(m: ModelPair) -> list[str]:
    gradient = "not compared" if m.gradient is None else f"within {m.gradient:.2g}"
    counted = f"{m.variables} variables, {m.terms} terms at {m.points} points, {m.alone} values of single variables"
    lines = [
        f"{title(m.index, m.name)}: {'equal' if m.equal else 'not equal'}; {counted}; terms within {m.largest:.2g}, gradients {gradient}"
    ]
    for f in m.findings:
        lines.append(f"  {f.name}: {f.text}" if f.name else f"  {f.text}")
        if f.reason:
            lines.append(f"    {f.reason}")
    return lines + [f"  note: {note}" for note in m.notes]
