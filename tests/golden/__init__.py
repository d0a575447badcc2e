"""Figures that a pure move must not change: recorded captures and printed texts, replayed without any framework (`make same`)."""
