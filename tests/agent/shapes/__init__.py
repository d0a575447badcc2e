"""Tests of the shapes in live graphs."""
