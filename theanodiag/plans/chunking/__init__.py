"""Splits shared variables into chunks: which can be split, the chunk size, its cost, and code that does it."""
