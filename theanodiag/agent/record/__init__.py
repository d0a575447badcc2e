"""Records the values that a script computes, for a comparison with those of another run; has numpy."""
