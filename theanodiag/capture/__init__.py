"""Starts the user's own interpreter with a hook in front of the script and reads what the hook recorded."""
