"""explain-log starts fast: it imports nothing that predicts memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RUN = """
import sys
from theanodiag.cli.main import main
sys.argv = ["theanodiag", "explain-log", sys.argv[1]]
try:
    main()
finally:
    print(*sorted(name for name in sys.modules if name.startswith("theanodiag.")), sep="\\n", file=sys.stderr)
"""


def test_a_log_is_explained_without_what_predicts(tmp_path: Path) -> None:
    """What reads printed graphs is not imported either, where the log has none."""
    log = tmp_path / "job.log"
    log.write_text("MemoryError\n")
    ran = subprocess.run([sys.executable, "-c", RUN, str(log)], capture_output=True, text=True, timeout=60, check=False)
    imported = set(ran.stderr.split())
    assert "theanodiag.logs.remedies" in imported
    others = {
        "theanodiag.ops",
        "theanodiag.samplers",
        "theanodiag.capture",
        "theanodiag.confirmation",
        "theanodiag.printed",
        "theanodiag.ir",
    }
    assert imported & (others | {"theanodiag.devices"}) == set()
    assert len(imported) <= 60
