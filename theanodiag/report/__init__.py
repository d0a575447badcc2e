"""Reports: one frozen model, and one module for each format that converts it to text. Nothing here prints."""
