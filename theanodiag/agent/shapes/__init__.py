"""Infers shapes in a live graph, by the framework's own rules and additional ones."""
