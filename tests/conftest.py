"""Settings of all tests: random examples are the same in every run, unless thoroughness is asked for."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, database=None)
if not os.environ.get("THEANODIAG_THOROUGH"):
    settings.load_profile("repeatable")
