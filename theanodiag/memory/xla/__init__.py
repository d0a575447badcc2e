"""Memory of functions that XLA compiles as a whole: the compiler's figures, an upper bound if it was not asked, and the simulated
process."""
