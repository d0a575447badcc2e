"""Tests of `comparison/`: two runs of a script side by side."""
