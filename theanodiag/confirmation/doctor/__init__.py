"""What this machine can confirm a prediction with: interpreters, frameworks, devices, and what is missing."""

from ...probe.model import Ability, Driver, Found, FrameworkSeen, InterpreterSeen, LibrarySeen, SeenDevice

__all__ = ["Ability", "Driver", "Found", "FrameworkSeen", "InterpreterSeen", "LibrarySeen", "SeenDevice"]
