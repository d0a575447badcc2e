"""Finds what this machine has: interpreters, frameworks, libraries, GPUs."""
