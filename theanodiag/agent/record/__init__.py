"""Records the values that a script computes, so that two runs can be compared. Needs numpy in the script's interpreter."""
