"""Tests of what measures runs."""
