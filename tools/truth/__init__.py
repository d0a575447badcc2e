"""The table of truth: what is predicted beside what the real libgpuarray did on the simulated device."""
