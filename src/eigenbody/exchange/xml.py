"""XML of unknown origin, read with the lines of its elements. Document types and entities are refused: nothing is
expanded, no other file or address is opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from eigenbody.base.errors import Fault, InputError

DEEPEST = 100  # levels of elements
MOST = 500_000  # elements
ENCODING = 'The file is not UTF-8: save it so, or begin it with <?xml version="1.0" encoding="ISO-8859-1"?>.'


@dataclass(slots=True, eq=False)
class Element:
    """An element with its attributes, the line it begins in, the elements and the text that it holds."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list[Element]:
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[Element]:
        """The element and all below it."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class _Refused(Exception):
    """Something that is not read; the message says what."""


def parse(content: bytes, label: str) -> Element:
    """The root element of a document."""
    parser = expat.ParserCreate()
    open_elements: list[Element] = []
    roots: list[Element] = []
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MOST or len(open_elements) >= DEEPEST:
            raise _Refused(f"it has more than {MOST} elements or {DEEPEST} levels of them")
        element = Element(tag, attributes, parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    def end(tag: str) -> None:
        open_elements.pop()

    def text(data: str) -> None:
        if open_elements and data.strip():
            open_elements[-1].text += data

    def refuse(*_: object) -> None:
        raise _Refused("document types (DTD) and entities are not read")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse  # type: ignore[assignment]
    try:
        parser.Parse(content, True)
    except _Refused as refused:
        where = f"{label}, line {parser.CurrentLineNumber}"
        raise InputError(Fault(where, f"{refused}.", "Give a plain XML file.")) from None
    except expat.ExpatError as problem:
        where = f"{label}, line {problem.lineno}, column {problem.offset + 1}"
        what = f"XML syntax: {expat.ErrorString(problem.code)}."
        raise InputError(Fault(where, what, "" if _is_utf8(content) else ENCODING)) from problem
    except (ValueError, LookupError) as problem:  # an encoding that nobody knows
        raise InputError(Fault(label, f"the file cannot be read as XML: {problem}.")) from problem
    return roots[0]
