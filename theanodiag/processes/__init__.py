"""Starts programs in process groups of their own, and knows interpreters."""
