"""Text that is safe to show, and small pieces of HTML for notebooks: tables, sentences and lists.

Names and cells may hold anything. Characters that nobody sees but that steer a terminal, turn a line around
or break it are written out, and HTML is escaped. Nothing has a colour of its own: what a notebook uses, light
or dark, stays readable.
"""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from unicodedata import category

CELL = "text-align:left;overflow-wrap:anywhere"  # long names break instead of widening the page
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # controls, marks of direction, halves of characters, line ends
BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")
JOINERS = "\u200c\u200d"  # some scripts need them


def html_text(text: object) -> str:
    """
    >>> html_text("<b>pay</b>"), html_text("abc\u202edef")
    ('&lt;b&gt;pay&lt;/b&gt;', 'abc\\\\u202edef')
    """
    return escape(visible_text(text))


def visible_text(text: object) -> str:
    r"""Text for terminals, and for templates that escape by themselves.

    >>> print(visible_text("pay\x1b[2J"), visible_text("two\nlines"))
    pay\u001b[2J two\u000alines
    """
    said = str(text)
    return said if said.isprintable() else "".join(map(_visible, said))


def visible_json(text: str) -> str:
    r"""The same of JSON, which means what it meant before.

    >>> print(visible_json(json.dumps({"a": "\u202e\x85"}, ensure_ascii=False)))
    {"a": "\u202e\u0085"}
    """
    return BEYOND_ASCII.sub(lambda found: _in_json(found[0]), text)


def html_table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """
    >>> html_table(["a"], [[1]]).count("<tr>")
    2
    """
    lines = "".join(_line(row, "td") for row in rows)
    return f"<table><thead>{_line(head, 'th')}</thead><tbody>{lines}</tbody></table>"


def html_sentence(mark: object, text: object) -> str:
    """
    >>> html_sentence("holds", "2 < 3")
    '<p><strong>holds</strong> 2 &lt; 3</p>'
    """
    return f"<p><strong>{html_text(mark)}</strong> {html_text(text)}</p>"


def html_list(title: object, items: Iterable[object]) -> str:
    """What a list is about, and its items; nothing if there are none.

    >>> html_list("limits", ["one"])
    '<p><strong>limits</strong></p><ul><li>one</li></ul>'
    """
    lines = "".join(f"<li>{html_text(item)}</li>" for item in items)
    return f"<p><strong>{html_text(title)}</strong></p><ul>{lines}</ul>" if lines else ""


def html_note(text: object) -> str:
    """A paragraph in small letters, escaped."""
    return f"<p><small>{html_text(text)}</small></p>"


def _line(cells: Sequence[object], tag: str) -> str:
    return "<tr>" + "".join(f'<{tag} style="{CELL}">{html_text(cell)}</{tag}>' for cell in cells) + "</tr>"


def _visible(character: str) -> str:
    if not _is_hidden(character):
        return character
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _in_json(character: str) -> str:
    return json.dumps(character)[1:-1] if _is_hidden(character) else character


def _is_hidden(character: str) -> bool:
    return category(character) in HIDDEN and character not in JOINERS


def sized(count: int) -> str:
    """
    >>> sized(999), sized(1_500_000), sized(2_000_000_000)
    ('999 bytes', '1.5 MB', '2 GB')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
