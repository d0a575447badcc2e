"""Two runs of a script side by side: what each call of its compiled functions returned and what it left in shared variables."""
