"""Probes this machine for interpreters, frameworks, libraries and GPUs."""
