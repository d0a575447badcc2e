"""Tests of the HTML report: as text, and in a browser."""
