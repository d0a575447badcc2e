"""Tests of what is measured where JAX or torch compiles a function in one piece."""
