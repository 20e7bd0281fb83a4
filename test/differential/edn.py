"""A reader of EDN, as far as logs use it. Keywords keep their colon; tags are passed over."""
import re

from model import Malformed, Number

SPACE = re.compile(r'(?:[\s,]+|;[^\n]*)*')
WORD = re.compile(r'[^\s,;"()\[\]{}\\]+')
INTEGER = re.compile(r'([+-]?\d+)N?', re.ASCII)
FLOAT = re.compile(r'[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?M?', re.ASCII)
ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\\': '\\', 'b': '\b', 'f': '\f'}
CLOSING = {'(': ')', '[': ']', '{': '}', '#{': '}'}


class Word(str):
    """A keyword, with its colon, or a symbol."""


class Set(list):
    """#{...}, in the order of the file."""


class Map(dict):
    """{...}; `keys_read` are all of them, as often as they stand there."""

    def __init__(self, pairs):
        pairs = list(pairs)
        super().__init__((repr(key) if isinstance(key, (list, dict)) else key, value)
                         for key, value in pairs)
        self.keys_read = [key for key, _ in pairs]


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        """Over white space, comments and discarded forms; whether something is left."""
        while True:
            self.at = SPACE.match(self.text, self.at).end()
            if not self.text.startswith('#_', self.at):
                return self.at < len(self.text)
            self.at += 2
            self.form()

    def fail(self):
        raise Malformed(f'EDN @{self.at}: {self.text[self.at:self.at + 20]!r}')

    def form(self):
        if not self.skip():
            self.fail()
        first = self.text[self.at]
        if first in '([{':
            return self.collection(first)
        if self.text.startswith('#{', self.at):
            return self.collection('#{')
        if first == '#':
            self.at += 1
            self.word()
            return self.form()
        if first == '"':
            return self.string()
        if first == '\\':
            self.at += 2
            rest = WORD.match(self.text, self.at)
            self.at = rest.end() if rest else self.at
            return Word('\\')
        return self.scalar(self.word())

    def collection(self, opening):
        self.at += len(opening)
        found = []
        while True:
            if not self.skip():
                self.fail()
            if self.text[self.at] == CLOSING[opening]:
                self.at += 1
                break
            found.append(self.form())
        if opening != '{':
            return Set(found) if opening == '#{' else found
        if len(found) % 2:
            self.fail()
        return Map(zip(found[::2], found[1::2]))

    def word(self):
        match = WORD.match(self.text, self.at)
        if not match:
            self.fail()
        self.at = match.end()
        return match.group()

    def scalar(self, word):
        constants = {'nil': None, 'true': True, 'false': False}
        if word in constants:
            return constants[word]
        integer = INTEGER.fullmatch(word)
        if integer:
            return int(integer.group(1))
        return Number(word) if FLOAT.fullmatch(word) else Word(word)

    def string(self):
        out, at = [], self.at + 1
        while True:
            if at >= len(self.text):
                self.fail()
            char = self.text[at]
            at += 1
            if char == '"':
                self.at = at
                return ''.join(out)
            if char == '\\':
                escape = self.text[at:at + 1]
                at += 1
                if escape == 'u':
                    out.append(chr(int(self.text[at:at + 4], 16)))
                    at += 4
                elif escape in ESCAPES and escape:
                    out.append(ESCAPES[escape])
                else:
                    self.fail()
            else:
                out.append(char)


def forms(text):
    """All forms of a file, one after the other."""
    reader = Reader(text)
    while reader.skip():
        yield reader.form()
