"""The hook: records what a script does, from inside the interpreter that runs it."""
