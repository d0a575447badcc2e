"""What the sources of a repository need from outside, and an environment in which `theanodiag run` runs them."""
