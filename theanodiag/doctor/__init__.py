"""What to do about what this machine lacks."""
