"""Tests of the lowering of host graphs to the GPU."""
