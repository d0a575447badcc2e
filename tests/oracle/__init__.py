"""What command lines print: a list of them, and their recorded answers, held against what they print now."""
