"""theanodiag's own configuration: `theanodiag.toml`, or `[tool.theanodiag]` in `pyproject.toml`."""
