"""Engines: what runs a graph, and which allocator serves it. `choose` selects the engine of a script."""

from .kinds import ENGINES, Engine, ask, choose, engine_of, has_device_graph, settings_for

__all__ = ["ENGINES", "Engine", "ask", "choose", "engine_of", "has_device_graph", "settings_for"]
