"""Tests of processes and interpreters."""
