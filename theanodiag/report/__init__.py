"""Reports: one frozen model, and a file per format that turns it into text. Nothing here prints."""
