"""Calls that the script did not make: for functions it never called, with the shapes that the user gave or that the graph states."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .session import Session


def assume(session: "Session") -> None:
    """Writes an assumed call for each function that was never called."""
