"""Benchmarks: each prints ratios against something run beside it. `make bench` runs them all."""
