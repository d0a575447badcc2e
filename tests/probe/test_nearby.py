"""Where interpreters are looked for."""

from __future__ import annotations

from pathlib import Path

from theanodiag.probe.frameworks import nearby


def program(path: Path) -> str:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(0o755)
    return str(path)


def environment(folder: Path) -> str:
    """A virtual environment; its interpreter."""
    python = program(folder / "bin" / "python")
    (folder / "pyvenv.cfg").touch()
    return python


def test_given_own_active_and_close_by(tmp_path: Path) -> None:
    """In this order, each once; what is deeper, or no environment, is left out."""
    own, active = program(tmp_path / "own"), environment(tmp_path / "active")
    venv, deep = environment(tmp_path / "project" / ".venv"), environment(tmp_path / "project" / ".envs" / "theano")
    environment(tmp_path / "project" / "a" / "b" / "c")
    program(tmp_path / "project" / "no_environment" / "bin" / "python")
    home = environment(tmp_path / "home" / ".virtualenvs" / "old")
    named = [program(tmp_path / "path" / n) for n in ("python2.7", "python3", "python3.11")]
    for name in ("python-config", "pythonw", "python3.11-config", "ipython"):
        program(tmp_path / "path" / name)
    env = {"PATH": f"{tmp_path}/path:/nowhere", "VIRTUAL_ENV": str(tmp_path / "active"), "HOME": str(tmp_path / "home")}
    found = nearby(["python3.8", own], own, env, tmp_path / "project")
    assert found == ("python3.8", own, active, deep, venv, home, *named)


def test_the_link_of_an_environment_is_not_followed(tmp_path: Path) -> None:
    """Two environments of one interpreter are two; one folder by two names is one."""
    base = program(tmp_path / "base")
    for name in ("a", "b"):
        (tmp_path / "p" / name / "bin").mkdir(parents=True)
        (tmp_path / "p" / name / "bin" / "python").symlink_to(base)
        (tmp_path / "p" / name / "pyvenv.cfg").touch()
    (tmp_path / "q").symlink_to(tmp_path / "p" / "a")
    found = nearby([f"{tmp_path}/q/bin/python"], base, {}, tmp_path / "p")
    assert found == (f"{tmp_path}/p/a/bin/python", base, f"{tmp_path}/p/b/bin/python")


def test_a_machine_with_nothing(tmp_path: Path) -> None:
    """Only our own."""
    assert nearby([], "/own/python", {"PATH": "/nowhere"}, tmp_path / "missing") == ("/own/python",)
