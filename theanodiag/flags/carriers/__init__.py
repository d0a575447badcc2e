"""Flags in files that are not rc files: scripts, container files, notebooks, build configurations. Each value keeps its place in the
file."""
