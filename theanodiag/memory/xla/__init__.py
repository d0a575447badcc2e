"""Memory of functions that XLA compiles as a whole: its compiler's figures, an upper bound where it was not asked, and the process."""
