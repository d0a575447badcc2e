"""Which shared variables can be cut into chunks, how large a chunk may be, what it costs, and the code."""
