"""Formulas of the documentation as MathML, which browsers show without any script and without fetching one."""

from __future__ import annotations

import html
import re
import unicodedata

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
PRIMED_POWER = re.compile(r"('+)\^(\{[^{}]*\}|\w)")  # B''^T, which the converter takes for two superscripts
BOLD = re.compile(r'<m([in]) mathvariant="(bold|bold-italic)">(.)</m\1>')


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace what pymdownx.arithmatex has marked."""
    return FORMULA.sub(lambda m: mathml(html.unescape(m[2]), block=m[1] == "div"), content)


def mathml(latex: str, block: bool) -> str:
    """One formula; a command that the converter does not know ends the build."""
    text = PRIMED_POWER.sub(lambda m: "^{" + r"\prime" * len(m[1]) + " " + m[2] + "}", latex.strip())
    text = re.sub(r"\\arg\b", r"\\operatorname{arg}", text)
    made = html.unescape(convert(text, display="block" if block else "inline").replace("&lt;", "&amp;lt;"))
    if "\\" in made:
        raise ValueError(f"latex2mathml does not know a command of the formula {latex!r}")
    return BOLD.sub(lambda m: f"<m{m[1]}>{lettered(m[3], m[2])}</m{m[1]}>", made)


def lettered(sign: str, style: str) -> str:
    """A letter or digit as the bold sign that Unicode has for it: browsers ignore the style that MathML once had."""
    name = unicodedata.name(sign).replace("LATIN ", "").replace("GREEK ", "").replace("LETTER ", "")
    family = "BOLD" if sign.isdigit() else style.upper().replace("-", " ")
    return unicodedata.lookup(f"MATHEMATICAL {family} {name}")
