"""The rules: one file a rule, each a pure generator of Findings with a page of its own and two examples."""
