"""The rules, each a pure generator of Findings with a page of its own and two examples."""
