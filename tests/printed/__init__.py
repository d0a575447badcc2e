"""Tests of the reader of printed graphs."""
