"""The test matrix: core without any framework, the API inside each framework, and all tests beside the real libraries."""

import datetime
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent))
from tests import environments, parts, surroundings

nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_external_run = True
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent
ENVIRONMENTS = ROOT / ".envs"
PYTEST = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
PROSE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs")
"""What people read on its own."""
LOCKED = ("-c", str(ROOT / "tools" / "constraints.txt"))
"""The versions of what is for development alone; frameworks have their own (`tests/environments.py`)."""
PASSED = ENVIRONMENTS / "passed"
"""The tests that passed where there is no framework; `frameworks` does not repeat them, if it comes after `core`."""
ON_WHEEL = {"THEANODIAG_CHECKOUT": str(ROOT)}
"""What tells the tests that they run on an installed wheel, and where the repository is."""
COUNTED = ENVIRONMENTS / "counted"
"""With THEANODIAG_COVERAGE=1: which lines and branches each process reached."""
COUNTED_INSIDE = ("aesara", "pytensor", "pytensor_new", "pymc", "pymc_jax", "jax", "torch", "suite")
"""The interpreters whose processes are counted, of those on Python 3.9 and later: every framework, sampler and back-end once."""
PASSED.unlink(missing_ok=True)


def _installed(python: str, extra: str, name: str) -> Path:
    """Installs the wheel of these files for `python`; returns the folder in which tests run on it."""
    tree = ENVIRONMENTS / "trees" / name
    command = [sys.executable, str(ROOT / "tools" / "distributions.py"), str(ENVIRONMENTS / "dist"), "--into", python, extra, str(tree)]
    subprocess.run(command, check=True)
    return tree


def _tested(session: nox.Session, *also: str) -> Path:
    """The folder in which the tests of a session run on the wheel, with what tests need and the requirements `also`."""
    tree = _installed(str(Path(session.bin, "python")), "test", session.name)
    if also:
        session.install(*LOCKED, *also)
    return tree


def _interpreters(*names: str) -> dict[str, str]:
    """Makes the environments with the real frameworks; returns the variables that name them to the tests."""
    command = [sys.executable, str(ROOT / "tests" / "environments.py"), str(ENVIRONMENTS), *names]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(line.split("=", 1) for line in made.split())


def _counting(what: str, *interpreters: str) -> dict[str, str]:
    """The variables by which processes of `interpreters` count the lines of ours that they reach; empty without THEANODIAG_COVERAGE=1."""
    if not os.environ.get("THEANODIAG_COVERAGE"):
        return {}
    COUNTED.mkdir(parents=True, exist_ok=True)
    for old in COUNTED.glob(f".coverage.{what}*"):
        old.unlink()
    interpreters = tuple(python for python in interpreters if environments.works(python, "import sys; sys.exit(sys.version_info < (3, 9))"))
    for python in interpreters:
        subprocess.run([python, "-m", "pip", "-q", "--disable-pip-version-check", "install", *LOCKED, "coverage"], check=True)
    settings, data = COUNTED / f"{what}.ini", COUNTED / f".coverage.{what}"
    # By place: the hook loads the files of the package under other names.
    settings.write_text(f"[run]\nbranch = true\nparallel = true\ndata_file = {data}\ninclude = */site-packages/theanodiag/*\n")
    return {"COVERAGE_FILE": str(data), "COVERAGE_PROCESS_START": str(settings)} if interpreters else {"COVERAGE_FILE": str(data)}


@nox.session
def core(session: nox.Session) -> None:
    """Everything that needs no framework, in an environment that has none; with THEANODIAG_COVERAGE=1 what the tests reach is counted."""
    counting = _counting("core")
    hostile = os.environ.get("THEANODIAG_HOSTILE", "1" if parts.is_hostile(datetime.date.today()) else "") == "1"
    env = {**ON_WHEEL, **(surroundings.HOSTILE if hostile else {}), **counting}
    session.log(f"{'a hostile' if hostile else 'an ordinary'} environment (THEANODIAG_HOSTILE=0 or 1 chooses)")
    tree = _tested(session, *(["pytest-cov"] if counting else []))
    cover = ["--cov", "--cov-config=pyproject.toml", "--cov-report=", "--cov-fail-under=0"] if counting else []
    with session.chdir(tree):
        session.run(*PYTEST, "-n", "2", "tests", "--ignore=tests/api", f"--passed={PASSED}", *cover, *session.posargs, env=env)


@nox.session(venv_backend="none")
@nox.parametrize("framework", ["pytensor", "aesara", "theano"])
def api(session: nox.Session, framework: str) -> None:
    """The in-process API, beside the framework in one environment."""
    made = _interpreters(f"{framework}_api").get(f"THEANODIAG_PY_{framework.upper()}_API")
    if made is None:
        session.skip(f"no environment with {framework} can be made here")
    counting = _counting(f"api_{framework}", made)
    documented = ("jobs/estimate.py", "readers.py", "api.py", "chunked")
    with session.chdir(_installed(made, "", f"{framework}_api")):
        session.run(
            made, *PYTEST[1:], "-n", "2", "--dist", "loadfile", "tests/api", "tests/chunked", "--ignore-glob=*/scripts/*",
            "--doctest-modules", *(f"theanodiag/{name}" for name in documented), env={**ON_WHEEL, **counting}, external=True,
        )  # fmt: skip


@nox.session
def frameworks(session: nox.Session) -> None:
    """The tests that can reach a framework, with the interpreters that hold the real libraries: a part each day, with THEANODIAG_PART=all
    all of them."""
    tree = _tested(session)
    interpreters = _interpreters(*(session.posargs or ()))
    inside = [interpreters[key] for name in COUNTED_INSIDE if (key := f"THEANODIAG_PY_{name.upper()}") in interpreters]
    env = {**interpreters, **ON_WHEEL, **_counting("frameworks", *inside)}
    # By file: the tests of a file share what one start of an interpreter told them.
    but = [f"--but={PASSED}"] if PASSED.exists() else []
    part = os.environ.get("THEANODIAG_PART") or parts.todays(datetime.date.today())
    session.log(f"part {part} of the tests with frameworks (THEANODIAG_PART=all runs all)")
    but += [] if part == "all" else [f"--part={part}"]
    with session.chdir(tree):
        session.run(*PYTEST, "-n", "2", "--dist", "loadfile", "--durations=60", "--reaching", *but, "tests", "--ignore=tests/api", env=env)


@nox.session
def coverage(session: nox.Session) -> None:
    """What `core`, `api` and `frameworks` reached together with THEANODIAG_COVERAGE=1; below the floor in pyproject.toml it fails."""
    session.install(*LOCKED, "coverage")
    together = {"COVERAGE_FILE": str(COUNTED / ".coverage")}
    session.run("coverage", "combine", "-q", "--keep", str(COUNTED), env=together)
    session.run("coverage", "report", env=together)


@nox.session
def same(session: nox.Session) -> None:
    """Replays recorded scripts, texts and command lines: says what is not as it was (make same ARGS="--accept" keeps it)."""
    tree = _tested(session)
    env = _interpreters("theano", "aesara", "pytensor", "pytensor_new", "gpu", "gpu_keras") if "--record" in session.posargs else {}
    with session.chdir(tree):
        session.run("python", "-m", "tests.golden", *session.posargs, env={**env, **ON_WHEEL})
        session.run("python", "-m", "tests.oracle", *(["--accept"] if session.posargs else []), env=ON_WHEEL)
    for name in ("golden", "oracle") if session.posargs else ():  # what was recorded or accepted
        shutil.copytree(tree / "tests" / name, ROOT / "tests" / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


@nox.session
def lint(session: nox.Session) -> None:
    """ruff (rules and format), mypy --strict, words that readers have to guess at, and proselint over README and docs."""
    session.install(*LOCKED, "-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("python", "tools/plain_words.py")
    session.run("proselint", "check", "--config", "tools/proselint.json", *PROSE)


@nox.session(python=False)
def package(session: nox.Session) -> None:
    """Builds the wheel and the source archive, and tries the wheel in a bare environment of each CPython that is here."""
    command = (sys.executable, "tools/package_trial.py", *session.posargs)
    session.run(*command, external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Prints the benchmarks' ratios."""
    session.install(*LOCKED, "-e", ".[test]")
    session.run("python", "-m", "benchmarks", env=_interpreters("keras", "theano", "pytensor", "jax"))


@nox.session
def suite(session: nox.Session) -> None:
    """Theano's own tests over the compat layer, all of them (make suite ARGS="--update" writes the list of those that fail)."""
    session.install(*LOCKED, "-e", ".[test]")
    other = {"JAX": "suite_jax", "aesara": "suite_aesara"}
    names = (next((other[a] for a in session.posargs if a in other), "suite"), "theano")
    session.run("python", "-m", "tests.compat.suite", *session.posargs, env=_interpreters(*names))


@nox.session
def truth(session: nox.Session) -> None:
    """Writes docs/accuracy/truth.md: what is predicted beside what the real libgpuarray did on the simulated driver."""
    session.install(*LOCKED, "-e", ".[test]")
    session.run("python", "-m", "tools.truth", *session.posargs, env=_interpreters("gpu", "gpu_keras"))


@nox.session
def rules(session: nox.Session) -> None:
    """Writes docs/rules/: a page for each rule."""
    session.install(*LOCKED, "-e", ".")
    session.run("python", "tools/rule_pages.py")


@nox.session
def docs(session: nox.Session) -> None:
    """Writes the reference pages from the code, and the documents as a site to build/site; a warning fails."""
    session.install(*LOCKED, "-e", ".[docs]")
    session.run("python", "tools/cli_reference.py")
    session.run("python", "tools/schemas.py")
    session.run("python", "tools/json_reference.py")
    session.run("mkdocs", "build", "--strict", *session.posargs, env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session
def fuzz(session: nox.Session) -> None:
    """Throws damaged input at what reads input, ten minutes a target; FUZZ="--seconds 60 pastes" for less."""
    session.install(*LOCKED, "-e", ".[test]")
    session.run("python", "-m", "tools.fuzz", *session.posargs)
