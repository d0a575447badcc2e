"""Analyses the files of a repository without running anything: frameworks, releases, removed names, flags, known hazards."""
