"""Tests of engines: which one runs a script, and what XLA needs."""
