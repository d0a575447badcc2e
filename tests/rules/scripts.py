"""What the tests of rules about scripts share: scripts with places, and the one finding of a rule."""

from __future__ import annotations

import dataclasses

from theanodiag.findings import Finding
from theanodiag.ir import Site
from theanodiag.memory.script import Script
from theanodiag.rules.registry import SCRIPT_RULES
from theanodiag.rules.subject import ScriptSubject

BY_CODE = {rule.code: rule for rule in SCRIPT_RULES}
START = 4 << 20
"""Bytes of the first block of libgpuarray's cache, taken when the context starts; small arrays lie in it."""


def findings(code: str, subject: ScriptSubject) -> list[Finding]:
    """What one rule finds."""
    return list(BY_CODE[code].check(subject))


def only(code: str, subject: ScriptSubject) -> Finding:
    """The one finding of a rule."""
    (found,) = findings(code, subject)
    return found


def placed(script: Script, *, function: Site | None = None, shared: Site | None = None) -> Script:
    """The script with the places of its function and of its shared variable."""
    functions = tuple(dataclasses.replace(f, site=function) for f in script.functions)
    variables = {i: dataclasses.replace(v, site=shared) for i, v in script.shared.items()}
    return dataclasses.replace(script, functions=functions, shared=variables)
