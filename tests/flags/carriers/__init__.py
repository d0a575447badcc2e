"""Flags in files that are no rc files."""
