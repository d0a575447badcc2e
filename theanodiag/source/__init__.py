"""What a script says, read without running it: the API table of names, and where a script uses them."""
