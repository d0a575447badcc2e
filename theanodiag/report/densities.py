"""What `theanodiag compare --density` says: for people."""

from __future__ import annotations

from ..comparison.densities import DensityComparison, ModelPair
from ..escaping import visible


def text(c: DensityComparison) -> str:
    """The verdict, and for each model what differs."""
    lines = [f"{side.path}  {side.library or 'no PyMC'}" for side in (c.old, c.new)]
    lines += ["", _verdict(c)]
    if c.old.models != c.new.models:
        lines.append(f"the old run made {c.old.models} models, the new one {c.new.models}; pairs are by order")
    for side in (c.old, c.new):
        if side.ended:
            lines.append(f"{side.path} ended early, for lack of draws or by a fault of its own; models behind that line are missing:")
            lines.append(f"  {side.ended}")
    lines += [line for m in c.models for line in _model(m)]
    return "".join(visible(line) + "\n" for line in lines)


def _verdict(c: DensityComparison) -> str:
    if not c.models:
        return "not equal: no model was made in both runs"
    if c.equal:
        noted = any(m.findings for m in c.models)
        number = "the model has" if len(c.models) == 1 else f"all {len(c.models)} models have"
        return f"equal: {number} the same posterior" + (", the log-density but for constants" if noted else " and log-density")
    different = sum(not m.equal for m in c.models)
    return f"not equal: {different} of {len(c.models)} models" if different else "not equal: models are missing in one run"


def _model(m: ModelPair) -> list[str]:
    name = f"model {m.index + 1}" + (f" ({m.name})" if m.name else "")
    gradient = "not compared" if m.gradient is None else f"within {m.gradient:.2g}"
    counted = f"{m.variables} variables, {m.terms} terms at {m.points} points, {m.alone} values of single variables"
    lines = [f"{name}: {'equal' if m.equal else 'not equal'}; {counted}; terms within {m.largest:.2g}, gradients {gradient}"]
    for f in m.findings:
        lines.append(f"  {f.name}: {f.text}" if f.name else f"  {f.text}")
        if f.reason:
            lines.append(f"    {f.reason}")
    return lines + [f"  note: {note}" for note in m.notes]
