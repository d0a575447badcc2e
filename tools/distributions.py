"""Builds the source archive and, out of it, the wheel: once for each state of the files.

    python tools/distributions.py FOLDER                              prints the two paths, the wheel's first
    python tools/distributions.py FOLDER --into PYTHON [EXTRA]        installs the wheel, with an extra of setup.py
    python tools/distributions.py FOLDER --into PYTHON EXTRA TREE     and makes the folder TREE, in which tests run on it

What is built is a copy of the files that git tracks or would track, so that nothing else can be in it; FOLDER/STATE/ holds it, where STATE
is a digest of all of them. A tracked file that the archive lacks, or one of the package that the wheel lacks, is an error.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "theanodiag"
CONSTRAINTS = ROOT / "tools" / "constraints.txt"
"""The versions of what development needs."""
NOT_OURS = ("build", "dist", "__pycache__")
"""Folders that are left out where there is no git; so are hidden ones, but for `HIDDEN`."""
HIDDEN = (".ci", ".github", ".gitignore", ".pre-commit-hooks.yaml")
FIRST_OF_1980 = "315532800"
"""The time of all files in the wheel: the same files make the same wheel."""


@dataclass(frozen=True)
class Distributions:
    """What is published."""

    wheel: Path
    archive: Path


def tracked(root: Path) -> list[str]:
    """The files below `root` that git tracks or would track and that are there, sorted; without git, those that are no by-products."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False) if (root / ".git").exists() else None
    if listed is not None and listed.returncode == 0:
        return sorted({name for name in listed.stdout.split("\0") if name and (root / name).is_file()})
    files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in files if not any(_by_product(part) for part in path.parts))


def _by_product(part: str) -> bool:
    return part in NOT_OURS or part.endswith((".egg-info", ".pyc", ".so")) or (part.startswith(".") and part not in HIDDEN)


def state(root: Path, names: Iterable[str]) -> str:
    """A digest of names, rights and contents."""
    found = hashlib.sha256()
    for name in names:
        path = root / name
        found.update(f"{name}\0{os.access(path, os.X_OK)}\0{path.stat().st_size}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def in_wheel(wheel: Path) -> set[str]:
    """The files of the package in a wheel."""
    with zipfile.ZipFile(wheel) as opened:
        return {name for name in opened.namelist() if name.startswith(f"{PACKAGE}/") and not name.endswith("/")}


def in_archive(archive: Path) -> set[str]:
    """The files in a source archive, as they are named in the repository, without those that setuptools adds."""
    with tarfile.open(archive) as opened:
        names = {member.name.partition("/")[2] for member in opened.getmembers() if member.isfile()}
    return {name for name in names if name not in ("PKG-INFO", "setup.cfg") and not name.startswith(f"{PACKAGE}.egg-info/")}


def differences(made: Distributions, names: Iterable[str]) -> list[str]:
    """A line for each file that a distribution lacks or has beside `names`, the files of the repository."""
    wanted = set(names)
    package = {name for name in wanted if name.startswith(f"{PACKAGE}/")}
    pairs = ((made.archive, in_archive(made.archive), wanted), (made.wheel, in_wheel(made.wheel), package))
    lacks = [f"{path.name} lacks {name}" for path, has, should in pairs for name in sorted(should - has)]
    return lacks + [f"{path.name} has {name}" for path, has, should in pairs for name in sorted(has - should)]


def built(folder: Path, root: Path = ROOT) -> Distributions:
    """The distributions of the files below `root`, in `folder`, which keeps them until a file changes. What differs ends the program."""
    names = tracked(root)
    where = folder / state(root, names)
    if not where.is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as copy:
            for name in names:
                target = Path(copy, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, target)
            build(Path(copy), folder / "made")
        (folder / "made").rename(where)
    (wheel,), (archive,) = where.glob("*.whl"), where.glob("*.tar.gz")
    made = Distributions(wheel, archive)
    wrong = differences(made, names)
    if wrong:
        sys.exit("\n".join(wrong))
    return made


def build(sources: Path, to: Path, *options: str) -> None:
    """What `python -m build` makes of the folder `sources`, put into `to`; if that fails, what it said ends the program."""
    with tempfile.TemporaryDirectory() as tools:
        python = str(Path(tools, "bin", "python"))
        subprocess.run([sys.executable, "-m", "venv", tools], check=True)
        subprocess.run([python, "-m", "pip", "-q", "--disable-pip-version-check", "install", "-c", str(CONSTRAINTS), "build"], check=True)
        env = {**os.environ, "SOURCE_DATE_EPOCH": FIRST_OF_1980}
        done = subprocess.run(
            [python, "-m", "build", *options, "-o", str(to), str(sources)], env=env, capture_output=True, text=True, check=False
        )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def install(python: str, wheel: Path, extra: str = "") -> None:
    """Installs a wheel for the interpreter of a virtual environment, in the place of another one; does nothing where it is installed."""
    stamp = Path(python).parents[1] / "theanodiag-installed"
    locked = ["-c", str(CONSTRAINTS)] if extra else []  # beside a framework its own versions count
    wanted = f"{hashlib.sha256(wheel.read_bytes() + CONSTRAINTS.read_bytes()).hexdigest()} {extra}"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    pip = (python, "-m", "pip", "-q", "--disable-pip-version-check")
    stamp.unlink(missing_ok=True)
    subprocess.run([*pip, "uninstall", "-y", PACKAGE], stderr=subprocess.DEVNULL, check=True)
    subprocess.run([*pip, "install", *locked, f"{wheel}[{extra}]" if extra else str(wheel)], check=True)
    stamp.write_text(wanted)


def test_tree(python: str, archive: Path, folder: Path) -> None:
    """Makes `folder`: the source archive, in which `theanodiag` is a link to the package that is installed for `python`.

    Tests run there cannot reach the sources of the checkout, also where they look for a file of the package by its place.
    """
    stamp = folder.with_name(f"{folder.name}.unpacked")
    wanted = f"{archive.parent.name} {python}"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name, tarfile.open(archive) as opened:
        opened.extractall(name)
        (sources,) = Path(name).iterdir()
        shutil.rmtree(sources / PACKAGE)
        sources.rename(folder)
    said = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-I", "-c", said], capture_output=True, text=True, check=True).stdout.strip()
    (folder / PACKAGE).symlink_to(Path(site, PACKAGE))
    stamp.write_text(wanted)


def main(folder: str, into: str = "", python: str = "", extra: str = "", tree: str = "") -> None:
    """Does what the command line asks for."""
    made = built(Path(folder).resolve())
    if into != "--into":
        print(made.wheel, made.archive, sep="\n")
        return
    install(os.path.abspath(python), made.wheel, extra)
    if tree:
        test_tree(os.path.abspath(python), made.archive, Path(tree).resolve())


if __name__ == "__main__":
    main(*sys.argv[1:])
