"""The hook: watches a script from inside the interpreter that runs it."""
