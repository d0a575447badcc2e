"""Convolutions: shapes, arithmetic in numpy, and the Ops."""
