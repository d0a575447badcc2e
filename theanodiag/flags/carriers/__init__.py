"""Flags in files that are no rc files: scripts, container files, notebooks, settings of build systems. Each value keeps its place."""
