"""Tests of what measures inside of the user's interpreter."""
