"""How much memory this machine has for a script."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from theanodiag.confirmation.host_memory import host_limit, memory_bytes, other_host, this_host
from theanodiag.units import MIB

from ..cli.run import theanodiag
from ..interpreters import find

OURS = "the control group of this process"


def limit(folder: Path, own: str, files: dict[str, str], env: dict[str, str] | None = None) -> tuple[int, str]:
    """The limit with control groups as these files say."""
    (folder / "own").write_text(own)
    for name, text in files.items():
        (folder / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "groups" / name).write_text(text, encoding="latin-1")
    found = host_limit(env or {}, folder / "groups", folder / "own")
    assert found is not None
    return found.bytes, found.source


@pytest.mark.parametrize(
    ("text", "limited"),
    [(f"{64 * MIB}\n", True), ("max\n", False), (f"{1 << 62}\n", False), ("", False), ("\xff", False)],
    ids=["a limit", "none", "more than there is", "an empty file", "no text"],
)
def test_a_container_may_have_less(tmp_path: Path, text: str, limited: bool) -> None:
    """The least of what the machine has and what its control group may have; a file that says nothing is none."""
    whole = limit(tmp_path, "0::/\n", {})
    assert whole[0] > 64 * MIB
    assert whole[1] == "physical memory"
    assert limit(tmp_path, "0::/\n", {"memory.max": text}) == ((64 * MIB, OURS) if limited else whole)


@pytest.mark.parametrize(
    ("own", "name"),
    [
        ("0::/job/step\n", "job/step/memory.max"),
        ("0::/job/step\n", "job/memory.max"),
        ("4:cpu:/\n5:memory,hugetlb:/slurm/job_7\n", "memory/slurm/job_7/memory.limit_in_bytes"),
        ("4:cpu:/\n5:memory:/slurm/job_7\n", "memory/slurm/memory.limit_in_bytes"),
    ],
)
def test_the_group_is_found_where_it_is(tmp_path: Path, own: str, name: str) -> None:
    """Its own or one above, of either version."""
    assert limit(tmp_path, own, {name: str(64 * MIB)}) == (64 * MIB, OURS)


def test_another_group_says_nothing(tmp_path: Path) -> None:
    """Nor does one beside."""
    assert limit(tmp_path, "0::/mine\n", {"yours/memory.max": str(64 * MIB)})[1] == "physical memory"


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"SLURM_MEM_PER_NODE": "64"}, (64 * MIB, "SLURM_MEM_PER_NODE")),
        ({"SLURM_MEM_PER_CPU": "32", "SLURM_CPUS_ON_NODE": "2"}, (64 * MIB, "SLURM_MEM_PER_CPU")),
    ],
)
def test_slurm_says_what_the_job_may_have(tmp_path: Path, env: dict[str, str], expected: tuple[int, str]) -> None:
    """In MiB."""
    assert limit(tmp_path, "0::/\n", {}, env) == expected


@pytest.mark.parametrize("env", [{"SLURM_MEM_PER_NODE": "0"}, {"SLURM_MEM_PER_NODE": "all"}, {"SLURM_MEM_PER_CPU": "32"}])
def test_slurm_without_a_limit(tmp_path: Path, env: dict[str, str]) -> None:
    """All that the node has, nonsense, and half of an answer."""
    assert limit(tmp_path, "0::/\n", {}, env)[1] == "physical memory"


def test_the_shell_may_limit_it() -> None:
    """`ulimit -v`, in KiB."""
    program = "import os; from theanodiag.confirmation.host_memory import host_limit; print(host_limit({}))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = ["/bin/sh", "-c", f"ulimit -v 2097152; exec {sys.executable} -c '{program}'"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "HostLimit(bytes=2147483648, source='ulimit -v')\n"


def test_the_host_has_that_much() -> None:
    """And is no device."""
    host = this_host()
    assert host.is_host
    assert host.available_bytes == memory_bytes()


def test_messages_say_whose_limit_it_is() -> None:
    """And none, where it is the machine's own memory."""
    assert other_host(4 * MIB).place == "in 4.0 MiB of host memory"


class TestOption:
    """`check --host-memory`."""

    def test_another_host(self, tmp_path: Path) -> None:
        """Is a question about the host, whatever GPU is here."""
        (tmp_path / "model.py").write_text("print(1)\n")
        done = theanodiag("check", "model.py", "--host-memory", "3potatoes", cwd=str(tmp_path))
        assert done.returncode == 2
        assert "--host-memory" in done.stderr
        done = theanodiag("check", "model.py", "--host-memory", "4GiB", "--gpu", "k80", cwd=str(tmp_path))
        assert done.returncode == 2
        assert "--host-memory applies to the host, but --gpu k80 is a device" in done.stderr

    SCRIPT = "import numpy, theano\nW = theano.shared(numpy.zeros((5000, 5000)), name='W')\ntheano.function([], (W * 2).sum())()\n"
    """190.7 MiB."""

    @pytest.mark.parametrize(
        ("more", "env", "code", "line"),
        [
            (("--host-memory", "100MiB"), {}, 53, "DOES NOT FIT in 100.0 MiB of host memory: needs 190.7 MiB of 100.0 MiB"),
            (("--gpu", "none", "--host-memory", "1GiB"), {}, 0, "fits in 1.0 GiB of host memory: needs 190.7 MiB of 1.0 GiB"),
            ((), {"SLURM_MEM_PER_NODE": "150"}, 53, "DOES NOT FIT in the memory that SLURM_MEM_PER_NODE allows here: needs 190.7 MiB of"),
            (("--host-memory", "1GiB"), {"SLURM_MEM_PER_NODE": "150"}, 0, "fits in 1.0 GiB of host memory"),
        ],
    )
    def test_the_verdict_is_about_it(self, tmp_path: Path, more: tuple[str, ...], env: dict[str, str], code: int, line: str) -> None:
        """On the command line, and by what the job may have here; nothing leads away from the question."""
        (tmp_path / "model.py").write_text(self.SCRIPT)
        wide = {"COLUMNS": "200", **env}
        done = theanodiag("check", "model.py", "--python", find("theano"), *more, cwd=str(tmp_path), env=wide)
        assert done.returncode == code, done.stdout
        assert line in done.stdout
        assert "--gpu" not in done.stdout
