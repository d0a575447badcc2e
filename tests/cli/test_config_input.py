"""What the configuration commands read: files with clear errors, and which library is meant."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from theanodiag.cli.config_input import THEANO, default_file, dialect_of, network_folders, read_bytes, table_of
from theanodiag.cli.parameters import parse
from theanodiag.errors import ExitCode, UnreadableError, UsageError
from theanodiag.flags.model import Dialect

from .run import theanodiag

NO_VARIABLES = {name: "" for d in Dialect for name in (d.flags_variable, d.rc_variable)}


class TestReading:
    """Bytes and documents."""

    def test_bytes_and_document(self, tmp_path: Path) -> None:
        """The document has the path as it was named."""
        path = tmp_path / "rc"
        path.write_bytes(b"[global]\r\nfloatX = float32\r\n")
        assert read_bytes(str(path)) == b"[global]\r\nfloatX = float32\r\n"

    @pytest.mark.parametrize(("name", "words"), [("", "a folder, not a file"), ("no", "no such file"), ("rc/no", "cannot be read")])
    def test_reason_in_plain_words(self, tmp_path: Path, name: str, words: str) -> None:
        """With the path, and the exit code of what cannot be read."""
        (tmp_path / "rc").touch()
        with pytest.raises(UnreadableError, match=words) as caught:
            read_bytes(str(tmp_path / name))
        assert caught.value.path == str(tmp_path / name)
        assert caught.value.exit_code is ExitCode.UNREADABLE


class TestDialect:
    """Which library is meant, and which version of it."""

    @pytest.mark.parametrize(
        ("chosen", "path", "wanted"),
        [
            ("pytensor", "/home/ann/.theanorc", Dialect.PYTENSOR),
            (None, "/home/ann/.aesararc", Dialect.AESARA),
            (None, "PyTensor.conf", Dialect.PYTENSOR),
            (None, "/opt/pytensor/settings.rc", Dialect.THEANO),
        ],
        ids=["chosen", "by name", "by name in other letters", "folders do not count"],
    )
    def test_choice_and_name(self, chosen: str | None, path: str, wanted: Dialect) -> None:
        """What was chosen goes before the name of the file, and that before anything else."""
        assert dialect_of(chosen, path) is wanted

    @pytest.mark.parametrize(
        ("variables", "wanted"),
        [
            ({}, "Theano"),
            ({"PYTENSOR_FLAGS": "floatX=float32"}, "PyTensor"),
            ({"AESARARC": "/dev/null"}, "Aesara"),
            ({"PYTENSOR_FLAGS": "x=1", "THEANO_FLAGS": "x=1"}, "Theano"),
            ({"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, "PyTensor"),
            ({"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "AESARA_FLAGS": "x=1"}, "Aesara"),
        ],
        ids=["none", "flags", "file", "two", "jax", "jax and flags"],
    )
    def test_variables_that_are_set(self, variables: dict[str, str], wanted: str, tmp_path: Path) -> None:
        """Without a file and a choice, the oldest library whose variable is set."""
        done = theanodiag("config", "check", env={**NO_VARIABLES, "HOME": str(tmp_path), **variables})
        assert done.stdout.splitlines()[-1].startswith(f"{wanted} ")

    @pytest.mark.parametrize(
        ("words", "dialect", "version"),
        [
            ([], Dialect.THEANO, THEANO),
            (["--version", "0.8.2"], Dialect.THEANO, "0.8.2"),
            (["--dialect", "aesara", "--version", "2.9.4"], Dialect.AESARA, "2.9.4"),
        ],
        ids=["default", "older", "other"],
    )
    def test_table(self, words: list[str], dialect: Dialect, version: str) -> None:
        """The options lead to the flags of that version."""
        _, args = parse(["config", "show", *words])
        table = table_of(args.dialect, args.library_version, ".theanorc")
        assert (table.dialect, table.version) == (dialect, version)

    def test_version_that_is_none(self) -> None:
        """A usage error, with an example."""
        with pytest.raises(UsageError, match="not a version: 'new'"):
            table_of(None, "new", ".theanorc")


class TestSurroundings:
    """The default file and the network disks."""

    @pytest.mark.parametrize(("named", "wanted"), [("a:b", "b"), ("a:missing", "a"), ("b:folder", "b"), ("missing:", None)])
    def test_last_file_that_exists(self, tmp_path: Path, named: str, wanted: str | None) -> None:
        """A later file has precedence; folders and empty names are none. The command says which file it took."""
        for name in ("a", "b"):
            (tmp_path / name).write_text("[nvcc]\nfastmath = True\n")
        (tmp_path / "folder").mkdir()
        paths = ":".join(str(tmp_path / name) if name else "" for name in named.split(":"))
        done = theanodiag("config", "rewrite", "--to", "theano-1.0", env={**NO_VARIABLES, "THEANORC": paths})
        assert (f"--- {tmp_path / wanted}" in done.stdout) if wanted else done.returncode == ExitCode.USAGE

    def test_default_file_of_this_machine(self) -> None:
        """It is a file, if there is one at all."""
        found = default_file(Dialect.PYTENSOR)
        assert found is None or os.path.isfile(found)

    def test_network_disks_are_mounted(self) -> None:
        """Whatever is named is a mount point of this machine."""
        assert all(os.path.isabs(folder) for folder in network_folders())
        assert "/proc" not in network_folders()
