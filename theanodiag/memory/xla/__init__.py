"""Memory of functions that XLA compiles as a whole: the compiler's figures, an upper bound where there are none, and the simulated
process."""
