"""Moves the source of a script to Aesara or PyTensor: edits of its text, each with how safe it is, and what is left to do by hand."""
