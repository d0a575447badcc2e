"""The command line: one file for each command; the only place that prints."""
