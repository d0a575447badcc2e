"""Functions that XLA compiles in one piece: what its compiler says they need, an upper bound where nobody asked it, and the process."""
