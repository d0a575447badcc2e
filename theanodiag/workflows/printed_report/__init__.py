"""Reports on printed graphs: from a graph without framework to shapes, the Script of one assumed call, and a Report."""

from .execution_variants import Dtypes, PrintedOutcome, dtypes_of, flags_of, outcome, script_of
from .report import report
from .shaping import Shaped, shaped

__all__ = ["Dtypes", "PrintedOutcome", "Shaped", "dtypes_of", "flags_of", "outcome", "report", "script_of", "shaped"]
