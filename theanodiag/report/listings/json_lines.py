"""A JSON object a finding, a line each, with the keys of `findings` in `theanodiag/report/v1`."""

from __future__ import annotations

import json

from ...escaping import visible_json
from ..v1.parts import builtins
from ..v1.report import FindingV1
from .model import Listing


def show(listing: Listing) -> str:
    """A line each."""
    return "".join(visible_json(json.dumps(builtins(FindingV1.of(f)))) + "\n" for f in listing.findings)
