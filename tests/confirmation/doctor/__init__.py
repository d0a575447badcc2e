"""Tests of what the doctor finds and says."""
