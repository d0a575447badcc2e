"""The configuration: which file, what it may say, and the places of what is wrong."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.errors import TheanodiagError, UnreadableError, UsageError
from theanodiag.settings import KEYS, ValueKind, find_configuration, parse_toml, read_configuration, read_named, span_of, tomllib

from .interpreters import ROOT


def write(path: Path, text: str) -> Path:
    """The file, with the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_nearest_folder_decides(tmp_path: Path) -> None:
    """Upwards; our own file first; a project file without our table is no configuration."""
    write(tmp_path / "theanodiag.toml", 'gpu = "1GiB"')
    write(tmp_path / "a" / "pyproject.toml", '[tool.theanodiag]\ngpu = "2GiB"')
    write(tmp_path / "a" / "b" / "pyproject.toml", "[tool.other]\nx = 1")
    write(tmp_path / "a" / "c" / "pyproject.toml", '[tool.theanodiag]\ngpu = "3GiB"')
    write(tmp_path / "a" / "c" / "theanodiag.toml", 'gpu = "4GiB"')

    def gpu(folder: str) -> object:
        found = find_configuration(str(tmp_path / folder))
        return found and found.values["gpu"].value

    (tmp_path / "a" / "b" / "deep").mkdir()
    assert [gpu(f) for f in (".", "a", "a/b", "a/b/deep", "a/c")] == ["1GiB", "2GiB", "2GiB", "2GiB", "4GiB"]


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("gpu = 'x'\n\nselekt = ['TD5']\n", 3, 1, "there is no key 'selekt'"),
        ("[theanodiag]\ngpu = 'x'\n", 1, 2, "there is no key 'theanodiag'"),
        ("# gpu\n  gpu = 4\n", 2, 3, "gpu must be a string"),
        ("ignore = 'TD5'\n", 1, 1, "ignore must be an array of strings"),
        ("ignore = ['TD5',\n 5]\n", 1, 1, "ignore must be an array of strings"),
        ("max-calls = 0", 1, 1, "max-calls must be a whole number, 1 or more"),
        ("max-calls = true", 1, 1, "max-calls must be a whole number, 1 or more"),
        ("timeout = 'x'", 1, 1, "timeout must be a number above 0"),
        ("verbose = 1", 1, 1, "verbose must be true or false"),
        ('gpu = """\nverbose = 1\n"""\n[per-file-ignores]\nx = "TD5"\n', 4, 2, "per-file-ignores must be a table"),
    ],
)
def test_wrong_keys_and_values_have_a_place(tmp_path: Path, text: str, line: int, column: int, said: str) -> None:
    """Line and column of the key, also where the same word stands in comments and strings before."""
    path = write(tmp_path / "theanodiag.toml", text)
    with pytest.raises(UsageError, match=said) as caught:
        read_named(str(path))
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (line, column)
    assert caught.value.help


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = = 2\n", 2), ("a = [", 1), ("a = 1\na = 2\n", 2), ("\0", 1)])
def test_what_is_not_toml_is_unreadable(tmp_path: Path, text: str, line: int) -> None:
    """With the place where it ends to be TOML."""
    with pytest.raises(UnreadableError, match="not TOML") as caught:
        read_named(str(write(tmp_path / "theanodiag.toml", text)))
    assert caught.value.span is not None
    assert caught.value.span.line == line


def test_a_broken_project_file_that_is_none_of_ours_is_passed_over(tmp_path: Path) -> None:
    """Somebody else's file cannot stop a command."""
    write(tmp_path / "pyproject.toml", "= broken")
    assert read_configuration(str(tmp_path / "pyproject.toml")) is None


def test_a_file_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    """Unless it is named."""
    path = write(tmp_path / "theanodiag.toml", "python = 'x'")
    assert find_configuration(str(tmp_path)).trusted  # type: ignore[union-attr]
    os.chmod(path, 0o666)
    assert not find_configuration(str(tmp_path)).trusted  # type: ignore[union-attr]
    assert read_named(str(path)).trusted


@given(st.dictionaries(st.sampled_from(sorted(KEYS)), st.booleans(), min_size=1), st.text("ab#'\"\n=[] ", max_size=20))
def test_places_are_those_that_an_editor_would_show(values: dict[str, bool], noise: str) -> None:
    """Whatever stands before: where the text is TOML, the place of each key is where its line is."""
    text = noise + "\n" + "".join(f"{key} = {str(value).lower()}\n" for key, value in values.items())
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(UnreadableError):
            parse_toml(text, "x")
        return
    for number, key in enumerate(values, noise.count("\n") + 2):
        if key in found:
            span = span_of(text, "x", [key])
            assert (span.line, span.column, text[span.start : span.end]) == (number, 1, key)


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    """Are a configuration, or an error that a person can act on."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "theanodiag.toml")
        path.write_bytes(data)
        try:
            said = read_named(str(path)).path
        except TheanodiagError as error:
            said = error.help or ""
        assert said


def test_every_kind_of_value_takes_its_own_example() -> None:
    """And none but that, with a number that is whole apart from one that is not."""
    for kind in ValueKind:
        value = tomllib.loads(f"x = {kind.example}")["x"]
        assert [k for k in ValueKind if k.holds(value)][0:1] == [kind] or kind is ValueKind.NUMBER


def test_the_documents_name_every_key() -> None:
    """And no other."""
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    assert {name.strip(" `") for row in rows for name in row.split(",")} == set(KEYS)
