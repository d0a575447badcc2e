"""Engines: what runs a graph, and whose allocator serves it. `choose` picks the one for a script."""

from .kinds import ENGINES, Engine, ask, choose, engine_of, has_device_graph, settings_for

__all__ = ["ENGINES", "Engine", "ask", "choose", "engine_of", "has_device_graph", "settings_for"]
