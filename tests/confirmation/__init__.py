"""Tests of runs on devices, real and simulated."""
