"""Starts, watches and ends other processes."""
