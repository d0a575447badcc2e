"""Readers: build a FunctionGraph from a live compiled function or from its JSON form."""
