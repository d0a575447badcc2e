"""The files around the package: what a release carries, and what forges read."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from theanodiag.version import VERSION
from tools.readme_links import outside

from ..interpreters import ROOT


def read(name: str) -> Any:
    """A YAML file of the repository."""
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def described(repository: str) -> str:
    """The long description, as setup.py makes it."""
    assert '"readme_links.py"))["outside"]' in (ROOT / "setup.py").read_text(encoding="utf-8")
    return outside((ROOT / "README.md").read_text(encoding="utf-8"), repository)


def test_links_of_the_readme_hold_outside() -> None:
    """With a repository they lead there; without one they are names of files, each of which is there."""
    there = described("https://forge.example/o/p")
    assert "](https://forge.example/o/p/blob/main/docs/check.md)" in there
    assert "](https://forge.example/o/p/raw/main/docs/images/check.png)" in there
    assert not re.search(r"\]\((?!https?:)", there)
    bare = described("")
    assert not re.search(r"\]\((?!https?:)", bare)
    assert "![" not in bare
    names = re.findall(r"\(`([^`]+[.]md)`\)", bare)
    assert len(names) > 5
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_the_manifest_names_what_is_there() -> None:
    """Folders and files of the source archive."""
    rows = [line.split() for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()]
    named = [name for row in rows if row[0] in ("include", "graft") for name in row[1:]]
    assert [name for name in named if not any(ROOT.glob(name))] == []


def test_the_citation_is_of_this_version() -> None:
    """With the licence that setup.py names."""
    found = read("CITATION.cff")
    assert (found["version"], found["license"]) == (VERSION, "MIT")
    assert 'license_expression="MIT"' in (ROOT / "setup.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["bug", "legacy-code", "wrong-figure"])
def test_issue_forms(name: str) -> None:
    """Each has what the forge asks for: a name, a description, and fields with ids of their own."""
    form = read(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert form["name"]
    assert form["description"]
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids)) > 0
    assert all(field["attributes"]["label"] for field in form["body"])


def test_the_workflow_does_what_a_submission_must_pass() -> None:
    """And builds for every Python that setup.py names."""
    jobs = read(".github/workflows/ci.yml")["jobs"]
    assert ".ci/run" in [step.get("run") for step in jobs["test"]["steps"]]
    assert jobs["package"]["strategy"]["matrix"]["python"] == [f"3.{minor}" for minor in range(9, 15)]
    assert "range(9, 15)" in (ROOT / "setup.py").read_text(encoding="utf-8")


def test_what_ci_takes_from_others() -> None:
    """Actions by the hash of their commit, which nobody can move; no credentials are left for what runs afterwards."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
    assert workflows
    for path in workflows:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert document["permissions"] == {"contents": "read"}
        for job in document["jobs"].values():
            for step in job["steps"]:
                if "uses" in step:
                    assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", step["uses"])
                    assert "checkout@" not in step["uses"] or step["with"]["persist-credentials"] is False
