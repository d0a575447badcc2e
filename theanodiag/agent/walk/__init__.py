"""Converts compiled functions to JSON: graphs, constants and the source lines of Variables."""
