"""Runs a script in the user's own interpreter under a hook, and turns the hook's events into a Capture."""
