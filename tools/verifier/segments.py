"""Verifies segments, by docs/formats/segments.md: a history holds at a level with real time or the order of
sessions, shown by the order in which its transactions took effect."""
import re

from verifier.levels import DAY, LEVELS, Bad, demand, need
from verifier.values import Object, decode, is_int, scalar, value
from verifier.xxh3 import xxh3

SEAL = ',"chain":"'
MENTIONS = {'strict-serializable': 1, 'strong-snapshot-isolation': 2, 'strong-prefix-consistency': 2,
            'strong-session-serializable': 1, 'strong-session-snapshot-isolation': 2,
            'strong-session-prefix-consistency': 2}
SELECTIONS = {'select', 'count', 'exists', 'sum', 'min', 'max'}
NUMBERS = 2**62
UNKNOWN = object()  # what a register held at the start, until somebody reads it


def is_segments(text):
    """Whether a file is one of segments."""
    return text.startswith('{"isolde-segments":')


def unsealed(text, where):
    """The objects in the lines, whose chains are right. A last line that was not written to its end is left out."""
    chain, found = 0, []
    for n, line in enumerate(text.split('\n')[:-1], 1):
        at = line.rfind(SEAL)
        demand(at >= 0 and re.fullmatch(r'[0-9a-fA-F]{16}"}', line[at + len(SEAL):]),
               f'{where}:{n}: no line with a chain')
        chain = xxh3(line[:at].encode('utf-8'), chain)
        demand(chain == int(line[at + len(SEAL):-2], 16), f'{where}:{n}: wrong checksum')
        found.append(decode(line[:at] + '}', f'{where}:{n}'))
        demand(not found[-1].twice, f'{where}:{n}: a member stands twice')
    return found


def hexadecimal(digits):
    """A checksum in a line."""
    demand(isinstance(digits, str) and re.fullmatch('[0-9a-fA-F]{16}', digits), 'no checksum')
    return int(digits, 16)


def read_header(head):
    """The first line, whose members are as the page says."""
    demand(head.keys() >= {'isolde-segments', 'level', 'clock_error_ns'}
           and not head.keys() - {'isolde-segments', 'level', 'clock_error_ns', 'keys', 'initial'}
           and is_int(head['isolde-segments']) and head['isolde-segments'] == 1
           and head['level'] in LEVELS and LEVELS[head['level']].name == head['level']
           and is_int(head['clock_error_ns']) and 0 <= head['clock_error_ns'] <= DAY
           and head.get('initial', 'unknown') == 'unknown'
           and isinstance(head.get('keys', '*'), str) and head.get('keys', '*'), 'wrong header')
    return head


def read_segments(text, where):
    """The header; the segments, each an order and a state or None; and the last line or None."""
    lines = unsealed(text, where)
    demand(lines, f'{where}: no header')
    head, segments, end = read_header(lines[0]), [], None
    for line in lines[1:]:
        demand(end is None, f'{where}: something behind the end')
        if 'end' in line:
            demand(line.keys() == {'end', 'contents'} and is_int(line['end'])
                   and 0 <= line['end'] < NUMBERS, f'{where}: wrong end')
            hexadecimal(line['contents'])
            end = line
            continue
        demand(line.keys() - {'state', 'clock_error_ns'} == {'segment', 'order'} and is_int(line['segment'])
               and line['segment'] == len(segments) and isinstance(line['order'], list),
               f'{where}: wrong segment')
        order, number = [], 0
        for step in line['order']:
            demand(is_int(step), f'{where}: no step between numbers')
            number += step
            demand(0 <= number < NUMBERS, f'{where}: no number of a transaction')
            order.append(number)
        raised = line.get('clock_error_ns', 0)
        demand(is_int(raised) and 0 <= raised <= DAY, f'{where}: wrong clock error')
        segments.append((order, hexadecimal(line['state']) if 'state' in line else None, raised))
    return head, segments, end


def matcher(pattern):
    """Whether the name of a key is like a pattern of POSIX, byte by byte."""
    text, at, regex = pattern.encode('utf-8').decode('latin-1'), 0, ''
    while at < len(text):
        letter, at = text[at], at + 1
        bracket = re.compile(r'([!^]?)(\]?(?:\[:\w+:\]|[^\]])*)\]', re.S).match(text, at)
        if letter == '[' and bracket:
            demand('[' not in bracket[2] and '\\' not in bracket[2], 'a pattern that is not read here')
            demand('' not in bracket[2].split('-')[1:-1], 'a pattern that is not read here')
            inside = re.sub(r'([\]^&~|])', r'\\\1', bracket[2])
            regex += f'[{"^" if bracket[1] else ""}{inside}]'
            at = bracket.end()
        elif letter == '\\' and at < len(text):
            regex, at = regex + re.escape(text[at]), at + 1
        else:
            regex += {'*': '.*', '?': '.'}.get(letter) or re.escape(letter)
    found = re.compile(regex, re.S)
    return lambda key: bool(found.fullmatch(tagged(key)[1:].decode('latin-1')))


def tagged(item):
    """A name or a value in checksums: a letter and a text. An integer of more than 62 bits is a literal."""
    kind, told = item
    if kind == 'int':
        return f'{"i" if -2**61 <= told < 2**61 else "l"}{told}'.encode()
    if kind == 'bool':
        return b'ltrue' if told else b'lfalse'
    return ('s' if kind == 'str' else 'l').encode() + told.encode('utf-8')


class Key:
    """What a key holds: a register a value or None, a list elements. Where it is not known, UNKNOWN, and of a
    list the elements behind what it began with."""

    def __init__(self, name, held):
        self.name, self.held, self.elements, self.chain = xxh3(tagged(name)), held, [], 0
        self.is_list, self.version, self.share = None, 0, 0

    def use(self, is_list):
        """A key is a register or a list."""
        need(self.is_list in (None, is_list), 'a key is a register and a list')
        self.is_list = is_list

    def begin(self, items):
        """It is known now that it began with these."""
        behind, self.held, self.elements, self.chain = self.elements, None, [], 0
        self.append(items + behind)

    def append(self, items):
        """Goes on with these."""
        for item in items:
            self.chain = xxh3(tagged(item), self.chain)
        self.elements += items

    def changed_share(self):
        """By how much the checksum of all of them has changed."""
        before, self.share = self.share, 0
        if self.elements:
            self.share = xxh3(b'a%d:%d' % (len(self.elements), self.chain), self.name)
        elif self.held is not None and self.held is not UNKNOWN:
            self.share = xxh3(tagged(self.held), self.name)
        return self.share - before


def operations(line, counts):
    """What a transaction did: kind (w, a, r, ?), key and what was written or returned. The history may have
    nothing that segments cannot be about."""
    found = []
    for kind, *rest in line['ops']:
        need(kind not in SELECTIONS and kind not in ('inc', 'refused', 'delete'),
             f'{kind}: not verified in segments')
        need(not any(isinstance(part, Object) and not part.keys() & {'version', 'lock', 'not', 'found'}
                     for part in rest), 'rows with columns are not verified in segments')
        key = scalar(rest[0])
        if kind == 'cas':
            how = rest[3] if len(rest) > 3 else True
            need(how is not False or not counts(key), 'other operations than reads and writes')
            if how is False:
                continue
            found.append(('r', key, rest[1] if how is True else how['found']))
            found += [('w', key, rest[2])] if how is True else []
        elif kind == 'r' and (len(rest) == 1 or isinstance(rest[1], Object) and 'lock' in rest[1]):
            found.append(('?', key, None))
        else:
            demand(kind in ('r', 'w', 'append'), f'unknown operation {kind}')
            need(not isinstance(rest[1], Object) or not counts(key), 'other operations than reads and writes')
            found.append((kind[0], key, rest[1]))
    return [(kind, key, part) for kind, key, part in found if counts(key)]


class Transaction:
    """One transaction of the history."""

    def __init__(self, line, counts):
        self.status = line.get('status', 'committed')
        self.start, self.end = line.get('start'), line.get('end')
        demand(self.status in ('committed', 'aborted', 'indeterminate'), 'unknown status')
        self.ops, self.mentions = operations(line, counts), 0
        self.writes = {}    # of registers: what it wrote last; of lists: what it appended
        self.replaces = {}  # the versions that were there when it began
        self.session = line.get('session')


class Execution:
    """Runs transactions in the order of segments, against what keys hold."""

    def __init__(self, head, lines, initial):
        self.level, self.error = head['level'], head['clock_error_ns']
        self.counts = matcher(head['keys']) if 'keys' in head else lambda key: True
        self.unknown, self.keys, self.state = 'initial' in head, {}, 0
        self.latest, self.changed = None, set()
        self.keeps_sessions = self.level.startswith('strong-session-')
        self.last = {}  # by session: the number of its last transaction that has a place
        self.txns = [Transaction(line, self.counts) for line in lines]
        for name, held in initial:
            if self.counts(name):
                self.begin_with(name, held)

    def begin_with(self, name, held):
        """What the history tells of the start."""
        key = self.keys[name] = Key(name, None if isinstance(held, list) else held)
        if isinstance(held, list):
            key.use(True)
            key.append(held)
        self.changed.add(key)

    def key(self, name):
        """It may hold what is not known."""
        if name not in self.keys:
            self.keys[name] = Key(name, UNKNOWN if self.unknown else None)
        return self.keys[name]

    def place(self, number):
        """The next mention of a transaction."""
        need(number < len(self.txns), f'there is no transaction {number}')
        txn = self.txns[number]
        need(txn.status != 'aborted', f'{number} takes no effect')
        txn.mentions += 1
        need(txn.mentions <= MENTIONS[self.level], f'{number} has a place already')
        if txn.mentions == 1:
            self.look(number, txn)
        if txn.mentions == MENTIONS[self.level]:
            self.commit(number, txn)

    def look(self, number, txn):
        """Its operations, where it stands first."""
        if self.keeps_sessions:
            before = self.last.get(txn.session, -1)
            need(before < number and (before < 0 or self.txns[before].mentions == MENTIONS[self.level]),
                 f'{number} does not keep the order of its session')
            self.last[txn.session] = number
        if txn.start is not None and (self.latest is None or txn.start > self.latest):
            self.latest = txn.start
        for kind, name, part in txn.ops:
            key = self.key(name)
            if kind == 'w':
                key.use(False)
                txn.replaces.setdefault(name, key.version)
                txn.writes[name] = value(part)
            elif kind == 'a':
                key.use(True)
                txn.replaces.setdefault(name, key.version)
                txn.writes.setdefault(name, []).append(scalar(part))
            elif kind == 'r':
                self.read(number, txn, key, name, part)

    def read(self, number, txn, key, name, part):
        """What it returned is what is there, or what it has written itself."""
        own = txn.writes.get(name)
        if part is None or part == []:
            there = own if own is not None else key.elements or key.held
            if there is UNKNOWN:
                there = key.held = None
            need(not there, f'{number} did not read what {name} holds')
        elif isinstance(part, list):
            key.use(True)
            items, behind = [scalar(item) for item in part], key.elements + (own or [])
            start = len(items) - len(behind) if key.held is UNKNOWN else 0
            need(start >= 0 and items[start:] == behind,
                 f'{number} did not read the list that {name} holds')
            if key.held is UNKNOWN:
                key.begin(items[:start])
                self.changed.add(key)
        else:
            key.use(False)
            there = own if own is not None else key.held
            if there is UNKNOWN:
                there = key.held = value(part)
                self.changed.add(key)
            need(value(part) == there, f'{number} did not read what {name} holds')

    def commit(self, number, txn):
        """What it wrote is there now. It keeps real time."""
        late = not self.keeps_sessions and txn.status == 'committed' and txn.end is not None and self.latest is not None
        need(not late or self.latest - txn.end <= self.error, f'{number} ended before one that comes earlier started')
        for name, written in txn.writes.items():
            key = self.key(name)
            need(not self.level.endswith('snapshot-isolation') or key.version == txn.replaces[name],
                 f'{number} overlaps another one that wrote {name}')
            key.version += 1
            self.changed.add(key)
            if key.is_list:
                key.append(written)
            else:
                key.held = written

    def checksum(self):
        """Of what they hold."""
        self.state += sum(key.changed_share() for key in self.changed)
        self.changed.clear()
        return self.state % 2**64

    def finish(self):
        """Everything that committed has a place, and whoever began has committed."""
        for number, txn in enumerate(self.txns):
            need(txn.mentions == MENTIONS[self.level] or txn.mentions == 0 and txn.status != 'committed',
                 f'{number} has no place')


def initial_of(header):
    """What keys held at the start, as the first file tells."""
    told = header.get('initial', [])
    names = [scalar(name) for name, _ in told]
    demand(len(set(names)) == len(names) and all(held not in (None, []) for _, held in told),
           'wrong initial contents')
    for _, held in told:
        need(not isinstance(held, Object), 'rows with columns are not verified in segments')
    return [(scalar(name), [scalar(item) for item in held] if isinstance(held, list) else scalar(held))
            for name, held in told]


def verify_segments(text, where, parts, allowed=0):
    """Refuses segments unless they prove their claim about the history. `parts` are its files in their order:
    header, lines of transactions, and whether it is cut off. Returns the claim."""
    head, segments, end = read_segments(text, where)
    need(head['level'] in MENTIONS, f'segments prove nothing of {head["level"]}')
    for header, _, _ in parts[1:]:
        need('initial' not in header, 'a later file tells initial contents')
        need(header.get('clock') == parts[0][0].get('clock'), 'files of several clocks are not verified here')
    lines = [line for _, lines, _ in parts for line in lines]
    try:
        execution = Execution(head, lines, initial_of(parts[0][0]))
        for order, state, raised in segments:
            execution.error = max(execution.error, raised)
            for number in order:
                execution.place(number)
            need(state in (None, execution.checksum()), 'the registers do not hold what a segment says')
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise Bad(f'the history: {error}') from error
    need(end is not None, 'the segments have no end')
    need(not any(cut for _, _, cut in parts), 'the history is cut off')
    need(end['end'] == len(lines), 'they are about another number of transactions')
    execution.finish()
    error = max([head['clock_error_ns']] + [raised for _, _, raised in segments])
    need(error <= allowed, f'they assume a clock error of {error} ns')
    return f'{head["level"]} holds'

