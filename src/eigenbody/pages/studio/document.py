"""The text of the model that is worked on: its versions, its file, and a copy of what the file does not have yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.present.export import write_atomically

VERSIONS = 500  # kept for undo
FOLDERS = 500  # that are looked into for models
ENDINGS = (".yaml", ".yml", ".json")


@dataclass
class Document:
    """A text with its history. `path` is None while it has no file.

    What the file does not have stands beside it, in `.NAME.studio`, from the first keystroke until the file is
    written: a crash of page, server or machine loses nothing.
    """

    path: Path | None
    versions: list[str] = field(default_factory=lambda: [""])
    place: int = 0  # of the version that is shown
    version: int = 1  # counts every change, undo included
    on_disk: str | None = None  # what the file was last seen to hold
    note: str = ""  # what the page should say about it
    last_step: str = ""  # what the last change belongs to

    @property
    def text(self) -> str:
        """The text now."""
        return self.versions[self.place]

    @property
    def is_saved(self) -> bool:
        """Whether the file holds the text."""
        return self.on_disk == self.text

    @property
    def copy(self) -> Path | None:
        """Where text that is not in the file is kept."""
        return None if self.path is None else self.path.with_name(f".{self.path.name}.studio")

    def change(self, text: str, base: int | None = None, step: str = "") -> bool:
        """Another text. One that was made from an older version is kept in the history but does not replace the
        text: False. Changes of the same `step` that follow each other are one in the history."""
        if text == self.text:
            return True
        own = self.text
        del self.versions[self.place + 1 :]
        if step and step == self.last_step:
            self.versions.pop()
        self.last_step = step
        self.versions.append(text)
        is_late = base is not None and base != self.version
        if is_late:
            self.versions.append(own)
            self.note = "The text was changed elsewhere at the same time. Undo brings this page's text back."
        else:
            self.note = ""
        del self.versions[:-VERSIONS]
        self.place = len(self.versions) - 1
        self.version += 1
        self._keep()
        return not is_late

    def step(self, by: int) -> bool:
        """Undo (-1) or redo (1); False where there is nothing to."""
        if not 0 <= self.place + by < len(self.versions):
            return False
        self.place += by
        self.last_step = ""
        self.version += 1
        self.note = ""
        self._keep()
        return True

    def save(self) -> None:
        """Write the text to the file."""
        if self.path is None:
            raise InputError(Fault("file", "the model has no file yet.", "Choose a name for it under New."))
        write_atomically(self.path, lambda stream: stream.write(self.text.encode()))
        self.on_disk = self.text
        self._drop()

    def look(self) -> bool:
        """Whether the file was changed by someone else; then its text is the newest version."""
        found = _content(self.path) if self.path is not None else None
        if found is None or found == self.on_disk:
            return False
        self.on_disk = found
        if found == self.text:
            self._drop()
            return False
        unsaved = self.text
        self.change(found)
        self.note = "The file was changed by another program."
        if unsaved != found:
            self.note += " Undo brings back what was here."
        self._drop()
        return True

    def _keep(self) -> None:
        if self.copy is None:
            return
        if self.is_saved:
            self._drop()
        else:
            write_atomically(self.copy, lambda stream: stream.write(self.text.encode()))

    def _drop(self) -> None:
        if self.copy is not None:
            self.copy.unlink(missing_ok=True)


def opened(path: Path) -> Document:
    """The document of a file, with the text that a session before it could not write."""
    text = _content(path)
    if text is None:
        raise InputError(Fault(str(path), "the file cannot be read."))
    found = Document(path, [text], on_disk=text)
    left = _content(found.copy) if found.copy is not None else None
    if left is not None and left != text:
        found.change(left)
        found.note = "Text that was not in the file when the studio ended is back. Undo shows the file."
    return found


def _content(path: Path | None) -> str | None:
    try:
        return None if path is None else path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def within(folder: Path, name: str, must_exist: bool = True) -> Path:
    """The file of a name in the folder or below; links are followed. Of files elsewhere nothing is said."""
    what = f'"{name}" is no model file in the folder of the studio.'
    fault = Fault("path", what, f"Names end in {', '.join(ENDINGS)} and lie below the folder where it was started.")
    if "\0" in name or not name.strip():
        raise InputError(fault)
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or path.suffix.lower() not in ENDINGS:
        raise InputError(fault)
    if path.is_file() != must_exist:
        raise InputError(
            fault if must_exist else Fault("path", f'there is a file "{name}" already.', "Choose another.")
        )
    return path


def models_in(folder: Path, most: int = 300) -> list[str]:
    """Model files in the folder and below, hidden ones left out."""
    found: list[str] = []
    pending, seen = [folder], 0
    while pending and len(found) < most and seen < FOLDERS:
        here, seen = pending.pop(0), seen + 1
        try:
            entries = sorted(here.iterdir())
        except OSError:
            continue
        for path in entries:
            if path.name.startswith((".", "_")) or path.is_symlink():
                continue
            if path.is_dir() and len(path.relative_to(folder).parts) <= 3:
                pending.append(path)
            elif path.suffix.lower() in (".yaml", ".yml") and _is_model(path):
                found.append(path.relative_to(folder).as_posix())
    return found[:most]


def _is_model(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b"eigenbody:" in file.read(4000)
    except OSError:
        return False
