"""Tests of what a scan reads in files."""
