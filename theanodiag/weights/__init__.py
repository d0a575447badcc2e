"""Arrays in pickles of old models, read without running anything of the file."""
