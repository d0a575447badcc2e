"""Tests of the stand-in for pygpu."""
