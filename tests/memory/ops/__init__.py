"""Tests of what each op family does to memory."""
