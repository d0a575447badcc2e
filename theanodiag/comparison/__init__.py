"""Compares two runs of a script: what each call of its compiled functions returned and stored in shared variables."""
