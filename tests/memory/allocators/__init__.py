"""Tests of the allocators."""
