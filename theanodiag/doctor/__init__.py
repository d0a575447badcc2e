"""Advice on what this machine lacks for running on a device."""
