"""The documents: every command in them is one that the parser takes, and the reference pages are those that the code gives."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import shlex
import sys
from collections.abc import Iterator

import pytest

import theanodiag
from theanodiag.cli.parameters import parse
from theanodiag.errors import UsageError
from tools import cli_reference, json_reference, schemas

from ..interpreters import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from docs_site import for_site

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
MADE = ("docs/cli.md",)
"""Pages that have lines like commands which are none: those of usages."""
ENDS = re.compile(r"[|&;<>()]+")
"""What ends a command in a shell."""


API_CALLED = ("ChunkedShared", "check", "compare", "confirm", "estimate", "explain_log", "port", "read_debugprint", "read_graph", "scan")
"""What users call; all other public names are what is returned or raised."""


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """The lines of fenced and of indented blocks, with their numbers; a line that ends with a backslash comes with the next."""
    fenced, kept = "", ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"\s*(```+)", line)
        if fence and (not fenced or fence[1] == fenced):
            fenced = "" if fenced else fence[1]
            continue
        if not fenced and not line.startswith("    "):
            continue
        kept += line.strip()
        if kept.endswith("\\"):
            kept = kept[:-1]
            continue
        yield number, kept
        kept = ""


def called(line: str) -> Iterator[list[str]]:
    """The arguments of each call of theanodiag in a line for a shell; none in a line that is none."""
    for inner in re.findall(r"\$\((theanodiag [^)]*)\)", line):
        yield from called(inner)
    lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # prose, or a language that is no shell's
        return
    if words[:1] not in (["theanodiag"], ["unshare"]):
        return  # a sentence about it, or another program's
    while "theanodiag" in words:
        words = words[words.index("theanodiag") + 1 :]
        end = next((k for k, word in enumerate(words) if ENDS.fullmatch(word)), len(words))
        yield words[:end]
        words = words[end:]


def commands() -> Iterator[tuple[str, list[str]]]:
    """Place -> arguments, of every command in a block of a document."""
    for path in DOCUMENTS:
        name = path.relative_to(ROOT).as_posix()
        for number, line in [] if name in MADE else blocks(path.read_text(encoding="utf-8")):
            for words in called(line):
                yield f"{name}:{number}", words


def spans() -> Iterator[tuple[str, list[str]]]:
    """Place -> arguments, of every `theanodiag ...` within a sentence or a table."""
    for path in DOCUMENTS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for span in re.findall(r"(?<!`)`(theanodiag [^`]+)`", line):
                for words in called(span.translate({ord("["): None, ord("]"): None})):  # [--option]: it can be left out
                    yield f"{path.relative_to(ROOT).as_posix()}:{number}", words


def refused(words: list[str]) -> str:
    """Why the parser does not take a command; empty if it does."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # of --help
            parse(words)
    except UsageError as error:
        return str(error)
    except SystemExit as end:  # --help and --version
        return "" if end.code in (None, 0) else f"exit code {end.code}"
    return ""


def test_every_command_in_a_block_parses() -> None:
    """With all options that it names; there are many."""
    found = list(commands())
    assert len(found) > 40
    wrong = [f"{place}: theanodiag {shlex.join(words)}: {why}" for place, words in found if (why := refused(words))]
    assert wrong == []


def test_every_command_in_a_sentence_parses() -> None:
    """A sentence may leave out what a command works on, but names no option or command that does not exist."""
    found = list(spans())
    assert len(found) > 40
    wrong = [(place, words, why) for place, words in found if (why := refused(words)) and not re.match(r"missing |--\S+ is missing\n", why)]
    assert wrong == []


@pytest.mark.parametrize(
    "line",
    [
        "$ theanodiag check model.py --gpuu 4GiB",
        'eval "$(theanodiag completion csh)"',
        "theanodiag doctor | theanodiag chekc model.py",
        "unshare --net theanodiag config rewrite --too aesara   # a remark",
    ],
)
def test_a_wrong_command_is_found(line: str) -> None:
    """An unknown option, choice or command, in whatever stands around it."""
    assert any(refused(words) for words in called(line))


def test_the_remark_of_a_line_is_no_part_of_it() -> None:
    """Nor is what the shell does with the output."""
    assert list(called("theanodiag check model.py --verbose > log.txt   # says what is --reserved")) == [["check", "model.py", "--verbose"]]


def test_command_reference_is_current() -> None:
    """docs/cli.md is what the parsers give."""
    assert cli_reference.PAGE.read_text(encoding="utf-8") == cli_reference.page(), "run: python tools/cli_reference.py"


def test_schemas_are_current() -> None:
    """The JSON Schemas in the package are what the types of the documents give."""
    made = schemas.files()
    assert {name: (schemas.FOLDER / name).read_text(encoding="utf-8") for name in made} == made, "run: python tools/schemas.py"


def test_json_reference_is_current() -> None:
    """docs/json.md is what the schemas give."""
    assert json_reference.PAGE.read_text(encoding="utf-8") == json_reference.page(), "run: python tools/json_reference.py"


def test_api_reference_has_every_public_name() -> None:
    """Once each, and no other."""
    named = re.findall(r"^::: theanodiag\.(\w+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(set(theanodiag.__all__) - {"__version__"})


def test_every_link_leads_to_a_file() -> None:
    """Of the repository; anchors are looked at when the site is built."""
    links = [(path, link) for path in DOCUMENTS for link in re.findall(r"\]\((?![a-z]+:|#)([^)#\s]+)", path.read_text(encoding="utf-8"))]
    assert len(links) > 200
    assert [(path.name, link) for path, link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_every_file_that_contributors_are_sent_to_exists(page: str) -> None:
    """Files are named with their folder, from the top, from the package, or from one of its rooms."""
    roots = [ROOT, ROOT / "theanodiag", ROOT / "theanodiag" / "compat", ROOT / "theanodiag" / "confirmation"]
    named = set(re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.py)`", (ROOT / page).read_text(encoding="utf-8")))
    assert len(named) > 5
    assert sorted(name for name in named if not any((root / name).exists() for root in roots)) == []


def test_the_worked_examples_for_contributors_are_in_the_code() -> None:
    """Each added line of a `diff` block is a line of a module of Ops, or of a script of the shape tests."""
    sources = [*(ROOT / "theanodiag" / "ops").glob("*.py"), *(ROOT / "tests" / "shapes" / "scripts").glob("*.py")]
    lines = {line.rstrip() for path in sources for line in path.read_text(encoding="utf-8").splitlines()}
    fenced = re.findall(r"^```diff\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    added = [line[1:].rstrip() for block in fenced for line in block.splitlines() if line.startswith("+")]
    assert len(added) > 20
    assert [line for line in added if line not in lines] == []


def test_every_page_is_on_the_site() -> None:
    """In its navigation, but for the pages of rules, to which their index leads."""
    told = re.findall(r"^ +- (?:[\w ]+: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob("**/*.md")}
    outside = {"index.md", "contributing.md", "security.md", "changelog.md"}
    assert set(told) == outside | {page for page in pages if not page.startswith("rules/TD")}


@pytest.mark.parametrize(
    ("page", "link", "there"),
    [
        ("index.md", "[a](docs/run.md#b)", "[a](run.md#b)"),
        ("how-to/in-ci.md", "[a](../../SECURITY.md)", "[a](../security.md)"),
        ("how-to/in-ci.md", "[a](../rules/TD301.md)", "[a](../rules/TD301.md)"),
        ("tutorial.md", "[a](../examples/mlp_sgd.py)", "[a](examples/mlp_sgd.py)"),
        ("json.md", "[a](../theanodiag/report/schemas/rules-v1.json)", "[a](schemas/rules-v1.json)"),
        ("run.md", "[a](../tests/compat/suite/failing.txt)", "a (`tests/compat/suite/failing.txt`)"),
        ("run.md", "[a](https://pre-commit.com) [b](#c) [d](nowhere.md)", "[a](https://pre-commit.com) [b](#c) [d](nowhere.md)"),
    ],
)
def test_links_on_the_site(page: str, link: str, there: str) -> None:
    """A link that holds in the repository, and the one that the site has in its place."""
    assert for_site(link, page) == there


@pytest.mark.parametrize("name", API_CALLED)
def test_every_parameter_is_documented(name: str) -> None:
    """One by one below `Args:`, in the order of the signature, and what comes back below `Returns:` or `Yields:`."""
    callable_ = getattr(theanodiag, name)
    said = inspect.getdoc(callable_) or ""
    section = re.search(r"^Args:\n((?:    .*\n?|\n)+)", said, re.MULTILINE)
    assert section is not None
    assert re.findall(r"^    (\w+): \S", section[1], re.MULTILINE) == list(inspect.signature(callable_).parameters)
    assert inspect.isclass(callable_) or re.search(r"^(Returns|Yields):\n    \S", said, re.MULTILINE)
