"""Tests of what runs inside the user's interpreter."""
