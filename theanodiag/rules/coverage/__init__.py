"""TD0: what could not be looked at."""
