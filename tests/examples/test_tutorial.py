"""docs/tutorial.md, done as it says, on the real PyTensor."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from ..cli.run import theanodiag
from ..interpreters import ROOT, find

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def shown() -> list[tuple[list[str], list[str]]]:
    """The arguments of each command whose output the tutorial shows, and the lines of that output."""
    found = []
    for block in re.findall(r"```console\n\$ (.*?)```", TUTORIAL, re.DOTALL):
        command, *lines = block.splitlines()
        found.append((shlex.split(command)[1:], [line for line in lines if line != "..."]))
    return found


def in_order(lines: list[str], text: str) -> list[str]:
    """The lines that the text does not have after those before them."""
    rest = iter(text.splitlines())
    return [line for line in lines if line not in rest]


def test_the_script_does_not_fit_is_fixed_and_runs(tmp_path: Path) -> None:
    """Both reports have the lines that the page shows, with the exit codes that it names; at the end the costs fall."""
    model = tmp_path / "model.py"
    old, new = re.findall(r"sed 's/(.*)/(.*)/' examples/mlp_sgd.py > model.py", TUTORIAL)[0]
    source = (ROOT / "examples" / "mlp_sgd.py").read_text(encoding="utf-8")
    assert old in source
    source = source.replace(old, new)
    (line,) = re.findall(r"```python\n(.*)\n```", TUTORIAL)
    fixed = source.replace("floatX = theano.config.floatX\n", f"{line}\nfloatX = theano.config.floatX\n")
    assert fixed != source
    python = ["--python", find("pytensor_new")]
    before, after = shown()
    for text, (command, lines), code in ((source, before, 53), (fixed, after, 0)):
        model.write_text(text, encoding="utf-8")
        done = theanodiag(*command, *python, cwd=str(tmp_path), env={"COLUMNS": "80"})
        assert in_order(lines, done.stdout) == [], done.stdout + done.stderr
        assert done.returncode == code
    model.write_text(fixed.replace(new, old), encoding="utf-8")  # the width of the original: compiling and computing take seconds
    ran = theanodiag("run", *python, "model.py", cwd=str(tmp_path))
    costs = [float(cost) for cost in re.findall(r"cost (\d+\.\d+)", ran.stdout)]
    assert len(costs) == 3, ran.stderr
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[2] > 0
