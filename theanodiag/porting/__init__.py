"""Ports a script's source to Aesara or PyTensor: edits of its text, each with a safety level, and the changes left to be made by hand."""
