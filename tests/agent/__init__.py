"""Tests of what runs in the user's interpreter: the files themselves, here or, loaded by path, beside the real frameworks."""
