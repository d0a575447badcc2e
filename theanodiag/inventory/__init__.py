"""What the files of a repository need, read without running anything: frameworks, releases, names that are gone, flags, known hazards."""
