"""Arrays in pickles of old models, read without running any code from the file."""
