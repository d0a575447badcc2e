"""Fuzzing targets."""
