"""Facts about a script without running it: the framework names that it uses and where, and the API table of what these are called today."""
