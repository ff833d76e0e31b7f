"""The text of the studio and its file: nothing is lost, nothing outside the folder is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

import eigenbody as eb
from eigenbody.pages.studio.document import Document, models_in, opened, within


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "m.yaml"
    path.write_text("eigenbody: 1\n")
    return path


def test_what_is_not_in_the_file_comes_back(file: Path) -> None:
    """A session that ends without writing (a crash) leaves a copy; the next one begins with it."""
    opened(file).change("eigenbody: 2\n")
    assert file.read_text() == "eigenbody: 1\n"
    again = opened(file)
    assert again.text == "eigenbody: 2\n"
    assert not again.is_saved
    assert again.step(-1)
    assert again.text == "eigenbody: 1\n"
    assert again.is_saved


def test_the_copy_goes_when_the_file_is_written(file: Path) -> None:
    document = opened(file)
    document.change("eigenbody: 3\n")
    assert document.copy is not None
    assert document.copy.exists()
    document.save()
    assert file.read_text() == "eigenbody: 3\n"
    assert not document.copy.exists()
    assert opened(file).note == ""


def test_undo_and_redo(file: Path) -> None:
    document = opened(file)
    for text in ("a", "b", "c"):
        document.change(text)
    assert [document.step(-1) and document.text for _ in range(3)] == ["b", "a", "eigenbody: 1\n"]
    assert not document.step(-1)
    assert document.step(1)
    document.change("d")
    assert not document.step(1)  # what was undone is gone when something else is written
    assert document.versions == ["eigenbody: 1\n", "a", "d"]


def test_two_who_write_at_once_both_keep_their_text(file: Path) -> None:
    document = opened(file)
    base = document.version
    assert document.change("first", base)
    assert not document.change("second", base)
    assert document.text == "first"
    assert document.step(-1)
    assert document.text == "second"


def test_a_change_of_the_file_by_another_program_is_seen(file: Path) -> None:
    document = opened(file)
    document.change("typed here")
    assert not document.look()  # the file is as it was
    file.write_text("written there")
    assert document.look()
    assert document.text == "written there"
    assert document.is_saved
    document.step(-1)
    assert document.text == "typed here"
    assert not document.look()


@pytest.mark.parametrize("name", ["../x.yaml", "/etc/passwd", "m.txt", "", "a\0.yaml", "sub/../../x.yaml", "link.yaml"])
def test_files_outside_the_folder_are_refused_in_the_same_words(tmp_path: Path, name: str) -> None:
    """Whether they are there is not told."""
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "x.yaml").write_text("eigenbody: 1\n")
    (folder / "link.yaml").symlink_to(tmp_path / "x.yaml")
    with pytest.raises(eb.InputError, match="no model file in the folder"):
        within(folder, name)


def test_models_are_listed_and_new_ones_do_not_replace_any(file: Path) -> None:
    (file.parent / "notes.yaml").write_text("a: 1\n")
    (file.parent / ".hidden.yaml").write_text("eigenbody: 1\n")
    below = file.parent / "sub"
    below.mkdir()
    (below / "n.yaml").write_text("eigenbody: 1\n")
    assert models_in(file.parent) == ["m.yaml", "sub/n.yaml"]
    with pytest.raises(eb.InputError, match="already"):
        within(file.parent, "m.yaml", must_exist=False)


def test_changes_of_one_step_are_one_in_the_history(tmp_path: Path) -> None:
    """A drag: many texts, one undo. Something else in between, or an undo, begins a new one."""
    found = Document(None, ["a"])
    for text in ("b", "c", "d"):
        found.change(text, step="drag 1")
    assert found.versions == ["a", "d"]
    found.change("e", step="drag 2")
    found.change("f")
    found.change("g", step="drag 2")
    assert found.versions == ["a", "d", "e", "f", "g"]
    found.step(-1)
    found.change("h", step="drag 2")
    assert found.versions == ["a", "d", "e", "f", "h"]
    assert found.version == 9
