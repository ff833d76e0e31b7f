"""Docstrings as Markdown, for the pages of the Python reference.

Docstrings here are plain text: sentences, rows of a name and what it means in aligned columns, and examples with `>>>`.
Rows become tables, examples code, and signs that Markdown would take for its own are kept. A comment behind a field is
its description.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ROW = re.compile(r"^(\S.*?\S|\S)(\s{2,})(?=\S)")
CODE = re.compile(r"(``?[^`]+``?)")


class DocstringMarkdown(griffe.Extension):
    """Gives every object of the package a docstring that Markdown understands."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called by griffe for each object when it has been read."""
        if obj.docstring is not None:
            obj.docstring.value = typed(obj) + as_markdown(obj.docstring.value)
        elif isinstance(obj, griffe.Attribute) and (text := typed(obj) + escaped(comment(obj))):
            obj.docstring = griffe.Docstring(text, parent=obj)


def typed(obj: griffe.Object) -> str:
    """The type of an attribute, to stand before its description; nothing where the class describes it itself."""
    if not isinstance(obj, griffe.Attribute) or obj.parent is None or not obj.parent.is_class or obj.annotation is None:
        return ""
    described = obj.parent.docstring.value if obj.parent.docstring else ""
    known = obj.docstring is None and not comment(obj) and re.search(rf"\b{obj.name}\b", described)
    return "" if known else f"`{obj.annotation}` "


def comment(field: griffe.Object) -> str:
    """What stands behind a field on its line."""
    _, mark, text = field.source.partition("  # ")
    return text.strip() if mark and not text.startswith(("type:", "noqa")) else ""


def as_markdown(text: str) -> str:
    """One docstring."""
    return "\n\n".join(paragraph(part) for part in re.split(r"\n\s*\n", text.strip("\n")))


def paragraph(text: str) -> str:
    """An example, a table or sentences."""
    lines = text.splitlines()
    if lines[0].startswith(">>>"):
        return "\n".join(["```pycon", *lines, "```"])
    first = ROW.match(lines[0])
    if first is None:
        return escaped(text)
    return table(rows(lines, first.end()))


def rows(lines: list[str], column: int) -> list[tuple[str, str]]:
    """Names and meanings of lines aligned at a column; a line that starts blank goes on with the one before."""
    found: list[tuple[str, str]] = []
    for line in lines:
        wide = ROW.match(line)
        if line[:1].isspace():
            name, meaning = found.pop()
            found.append((name, f"{meaning} {line.strip()}"))
        elif line[column - 1 : column].isspace():
            found.append((line[:column].strip(), line[column:].strip()))
        elif wide is not None:
            found.append((wide[1], line[wide.end() :]))
        else:
            found.append(("", line))
    return found


def table(entries: list[tuple[str, str]]) -> str:
    """A table without a head."""
    body = [f"| {names(name)} | {escaped(meaning)} |" for name, meaning in entries]
    return "\n".join(["| | |", "|---|---|", *body])


def names(text: str) -> str:
    """Names as code, the commas between them as they are."""
    return ", ".join(f"`{name}`" for name in text.split(", ") if name)


def escaped(text: str) -> str:
    """Text in which `*`, `<`, `|` and `[` mean themselves, but for code."""
    parts = CODE.split(text)
    parts[::2] = [re.sub(r"([*<|\[])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [part.replace("|", "\\|") for part in parts[1::2]]
    return "".join(parts)
