"""Theano's own tests, taken from the wheel of Theano 1.0.5, over the compat layer.

`python -m tests.compat.suite` (`make suite`) runs them all; `test_today.py` runs a twentieth, another one each day.
"""
