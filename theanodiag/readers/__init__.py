"""Readers: from a live graph, its JSON form, or its printed text to a FunctionGraph."""
