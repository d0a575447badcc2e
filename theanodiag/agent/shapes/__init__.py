"""Shapes in a live graph, by the framework's own rules and ours."""
