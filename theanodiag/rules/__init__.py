"""The rules: each a pure generator of Findings, with a documentation page and two examples."""
