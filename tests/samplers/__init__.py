"""Samplers: predicted host memory, by hand and beside real runs."""
