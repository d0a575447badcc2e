"""A JSON object a finding, a line each, with the keys of `findings` in `theanodiag/report/v1`."""

from __future__ import annotations

import json

from ...escaping import visible_json
from ..json_v1 import finding
from .model import Listing


def show(listing: Listing) -> str:
    """A line each."""
    return "".join(visible_json(json.dumps(finding(f))) + "\n" for f in listing.findings)
