"""Tests of our own configuration."""
