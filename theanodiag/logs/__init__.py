"""Explains the log of a job that crashed: what failed, why, and what to do."""

from __future__ import annotations

from .diagnose import explain_log
from .model import Cause, Diagnosis

__all__ = ["Cause", "Diagnosis", "explain_log"]
