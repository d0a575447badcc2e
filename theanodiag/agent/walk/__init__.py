"""Compiled functions as JSON: their graphs, constants and source lines."""
