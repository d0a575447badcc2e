"""What this machine can confirm a prediction with: interpreters, frameworks, devices, and what is missing."""

from ...probe.model import Ability, FrameworkSeen, InterpreterSeen, LibrarySeen, NvidiaDriver, ProbeResult, SeenDevice

__all__ = ["Ability", "NvidiaDriver", "ProbeResult", "FrameworkSeen", "InterpreterSeen", "LibrarySeen", "SeenDevice"]
