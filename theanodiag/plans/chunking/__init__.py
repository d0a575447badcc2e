"""Cuts shared variables into chunks: which can be cut, how large a chunk may be, what it costs, and code that does it."""
