"""The line of everything in a TOML text, held against a writer that counts its own lines."""

import json
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colonnade.runs.toml_lines import lines_of

NASTY = '''# [not.a.table]
a = 1 # b = 2
"quoted.key" = "# no comment [" # one
'literal "key"' = 'C:\\no\\escape'
"esc\\u0061ped\\"" = "\\"]\\\\"
many = """
  x = 1
  \\"""
  ends with two""""" # [
date = 1979-05-27 07:32:00
literal = \'\'\'
it's ''two'' [c]\'\'\'
empty = ""
list = [ # comment ]
  1, [2, 3], "]", # 4,

  {x = [5,
  6], y.z = 7},
]
inline = { a = "}", b.c = 1, d = {} }
dotted . "k" = 1

[ b . "c d" ]   # heading
e = 1
[[t]]
f = 1
[t.u]
g = 2
[[t.v]]
[[t.v]]
h = 3
[[t]]
[t.u]
i.j = [[], [[]]]
[[t.v]]
'''

PLACES = {
    ("a",): 2,
    ("quoted.key",): 3,
    ('literal "key"',): 4,
    ('escaped"',): 5,
    ("many",): 6,
    ("date",): 10,
    ("literal",): 11,
    ("empty",): 13,
    ("list",): 14,
    ("list", 1): 15,
    ("list", 1, 1): 15,
    ("list", 2): 15,
    ("list", 3): 17,
    ("list", 3, "x", 0): 17,
    ("list", 3, "x", 1): 18,
    ("list", 3, "y"): 18,
    ("list", 3, "y", "z"): 18,
    ("inline", "b", "c"): 20,
    ("inline", "d"): 20,
    ("dotted", "k"): 21,
    ("b", "c d"): 23,
    ("b", "c d", "e"): 24,
    ("t",): 25,
    ("t", 0, "f"): 26,
    ("t", 0, "u", "g"): 28,
    ("t", 0, "v", 0): 29,
    ("t", 0, "v", 1): 30,
    ("t", 0, "v", 1, "h"): 31,
    ("t", 1): 32,
    ("t", 1, "u"): 33,
    ("t", 1, "u", "i", "j", 1, 0): 34,
    ("t", 1, "v", 0): 35,
}


def paths(value, path=()):
    """Everything that is in a value."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from paths(part, (*path, name))


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_nasty_text(ends):
    text = NASTY.replace("  6], y.z = 7},", "6], y.z = 7},").replace("{x = [5,\n", "{x = [5,\n  ")
    found = lines_of(text.replace("\n", ends))
    assert {path: found[path] for path in PLACES} == PLACES
    assert set(found) | {()} == set(paths(tomllib.loads(text)))


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


class Writer:
    """Writes TOML and notes the line on which each thing begins."""

    def __init__(self, choose):
        self.text, self.lines, self.choose = "", {}, choose

    def put(self, *texts):
        self.text += self.choose(texts)

    def note(self, path):
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def key(self, path):
        self.note(path)
        name = path[-1]
        bare = [name] if name and name.isascii() and name.isalnum() else []
        literal = [f"'{name}'"] if "'" not in name and "\n" not in name else []
        self.put(quoted(name), *bare, *literal)

    def value(self, value, path):
        if isinstance(value, dict):
            self.put("{", "{ ")
            for i, (name, part) in enumerate(value.items()):
                self.text += ", " if i else ""
                self.pair(name, part, path)
            self.put("}", " }")
        elif isinstance(value, list):
            self.put("[", "[ ", "[\n", "[ # ]\n\n")
            for i, part in enumerate(value):
                self.note((*path, i))
                self.value(part, (*path, i))
                self.put(",", ", ", ",\n", " , # [,\n")
            self.put("]", "\n]")
        elif isinstance(value, str):
            over_lines = [] if "\\" in value else ['"""\n' + quoted(value)[1:-1].replace("\\n", "\n") + '"""']
            self.put(quoted(value), *over_lines)
        else:
            self.text += json.dumps(value)

    def pair(self, name, value, path):
        if isinstance(value, dict) and len(value) == 1 and self.choose((False, True)):
            self.key((*path, name))
            self.put(".", " . ")
            self.pair(*next(iter(value.items())), (*path, name))
            return
        self.key((*path, name))
        self.put("=", " = ")
        self.value(value, (*path, name))

    def table(self, table, path=()):
        plain = {n: v for n, v in table.items() if not isinstance(v, dict) or self.choose((True, False))}
        for name, value in plain.items():
            self.pair(name, value, path)
            self.put("\n", " # c = 1\n", "\n\n")
        for name, value in table.items():
            if name not in plain:
                self.heading((*path, name))
                self.table(value, (*path, name))

    def heading(self, path):
        self.text += "["
        for i in range(len(path)):
            self.text += " . " if i else ""
            self.key(path[: i + 1])
        self.put("]\n", " ] # [d]\n")


CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], include_characters="\n")
TRICKY = st.sampled_from(["a", "b", "c d", "#", "[", '"', "'", "=", "\n", '"""', "\\", ""])
WORDS = st.text(CHARACTERS, max_size=6) | TRICKY
SCALARS = st.integers(-9, 9) | st.booleans() | st.floats(-9, 9, width=16) | WORDS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3)
)


@settings(max_examples=200, deadline=None)
@given(table=st.dictionaries(WORDS, VALUES, max_size=4), data=st.data())
def test_whatever_is_written_stands_where_it_was_written(table, data):
    writer = Writer(lambda choices: data.draw(st.sampled_from(choices)))
    writer.table(table)
    assert tomllib.loads(writer.text) == table
    assert lines_of(writer.text) == writer.lines
