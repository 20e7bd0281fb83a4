"""The logs of Cobra and CobraBench: a folder with one file for each client, big-endian."""
import dataclasses
import pathlib
import struct

from model import (ABORTED, COMMITTED, UNKNOWN, History, Malformed, Txn, decode, string)
from records import spelling

INIT, NULL, DELETE, BY_VALUE = 0xbebeebee, 0xdeadbeef, 0xabcdefab, 0xabddefee
END = b'\xff'
MILLISECOND = 1000000


@dataclasses.dataclass
class Record:
    """A transaction as it stands in a file; reads are (writer, write, key, value)."""
    number: int
    start: int
    end: int = None
    outcome: str = UNKNOWN
    ops: list = dataclasses.field(default_factory=list)


class Log:
    """One file, read by one of the four layouts."""

    def __init__(self, data, times, texts):
        self.data, self.at, self.times, self.texts = data, 0, times, texts
        self.txns = []
        open_txn = None
        while self.at < len(data):
            tag = data[self.at:self.at + 1]
            self.at += 1
            if tag == END and self.at == len(data) and open_txn is None:
                break
            if tag not in (b'S', b'W', b'R', b'C', b'A') or (open_txn is None and tag != b'S'):
                raise Malformed(f'@{self.at - 1}: {tag}')
            if tag == b'S':
                open_txn = Record(self.number(), self.time())
                self.txns.append(open_txn)
            elif tag == b'W':
                open_txn.ops.append(('w', None, self.number(), self.key(), self.number()))
            elif tag == b'R':
                open_txn.ops.append(('r', self.number(), self.number(), self.key(), self.number()))
            else:
                if self.number() != open_txn.number:
                    raise Malformed(f'@{self.at}: the end of another transaction')
                open_txn.outcome = COMMITTED if tag == b'C' else ABORTED
                open_txn.end = self.time() if tag == b'C' else None
                open_txn = None

    def number(self):
        try:
            value, = struct.unpack_from('>q', self.data, self.at)
        except struct.error:
            raise Malformed(f'@{self.at}: the file ends here') from None
        self.at += 8
        return value

    def time(self):
        return self.number() if self.times else None

    def key(self):
        if not self.texts:
            return str(self.number())
        try:
            size, = struct.unpack_from('>I', self.data, self.at)
        except struct.error:
            raise Malformed(f'@{self.at}: the file ends here') from None
        self.at += 4 + size
        if self.at > len(self.data):
            raise Malformed(f'@{self.at}: beyond the end')
        return string(decode(self.data[self.at - size:self.at]))


def parse(files):
    failure = None
    for texts in (False, True):
        for times in (False, True):
            try:
                return [(name, Log(data, times, texts).txns) for name, data in files]
            except Malformed as what:
                failure = failure or what
    raise failure


def session_name(path):
    stem = pathlib.PurePath(path).stem
    return stem[1:] if stem.startswith('T') else stem


def read(files):
    logs = parse([(name, data) for name, data in files if name.endswith('.log')])
    initial, sessions = {INIT}, []
    for name, txns in logs:
        if session_name(name) == '-1' and [txn.number for txn in txns] == [-1]:
            initial.add(-1)
        else:
            sessions.append((session_name(name), txns))
    numbers = [txn.number for _, txns in sessions for txn in txns]
    if len(set(numbers)) != len(numbers):
        raise Malformed('two transactions with one id')
    ops = [op for _, txns in sessions for txn in txns for op in txn.ops]
    if any(op[0] == 'r' and op[1] == BY_VALUE for op in ops):
        return by_value(sessions, initial)
    return by_writer(sessions, initial, set(numbers))


def is_delete(write):
    return write in (DELETE, NULL)


def history_of(sessions, translate):
    history = History({})
    for name, records in sessions:
        txns = history.session(name)
        for record in records:
            start, end = record.start, record.end
            txns.append(Txn(record.outcome, [translate(record, op) for op in record.ops],
                            None if start is None else start * MILLISECOND,
                            None if end is None else end * MILLISECOND + MILLISECOND - 1,
                            str(record.number)))
    return history


def by_value(sessions, initial):
    deleted = {op[3] for _, txns in sessions for txn in txns for op in txn.ops
               if op[0] == 'w' and is_delete(op[2])}

    def translate(record, op):
        function, writer, write, key, value = op
        if function == 'w':
            return ('w', key, f'"deleted by {record.number}"' if is_delete(write) else str(value))
        if writer in initial or (writer == NULL and key not in deleted):
            return ('r', key, None)
        return ('r?', key) if writer == NULL else ('r', key, str(value))

    return history_of(sessions, translate)


def by_writer(sessions, initial, numbers):
    named, deleted, missing = [], set(), {}
    for _, txns in sessions:
        for txn in txns:
            for function, writer, write, key, _ in txn.ops:
                if function == 'w' and is_delete(write):
                    deleted.add(key)
                elif function == 'w':
                    named.append((key, txn.number, write))
                elif writer not in initial and writer != NULL and not is_delete(write):
                    named.append((key, writer, write))
    name = spelling(named)

    def value(writer, write):
        return f'"deleted by {writer}"' if is_delete(write) else name(writer, write)

    def translate(record, op):
        function, writer, write, key, _ = op
        if function == 'w':
            return ('w', key, value(record.number, write))
        if writer in initial or (writer == NULL and key not in deleted):
            return ('r', key, None)
        if writer == NULL:
            return ('r?', key)
        if writer not in numbers:
            missing.setdefault(writer, {})[key, value(writer, write)] = None
        return ('r', key, value(writer, write))

    history = history_of(sessions, translate)
    for writer, writes in missing.items():
        history.session('uncommitted').append(
            Txn(ABORTED, [('w', *write) for write in writes], label=str(writer)))
    return history


class Writer:
    """Makes the files of one history, in one of the layouts."""

    def __init__(self, rng):
        self.rng, self.times, self.texts = rng, rng.random() < 0.5, rng.random() < 0.5
        self.values = rng.random() < 0.2  # reads do not name their writers
        self.unique = rng.random() < 0.5  # write ids tell all writes apart
        self.writes, self.number, self.clock = {}, 0, 1700000000000
        self.deletes = set(rng.sample(range(40), 3)) if rng.random() < 0.5 else set()

    def key(self, key):
        if not self.texts:
            return struct.pack('>q', key)
        text = f'key {key}'.encode()
        return struct.pack('>I', len(text)) + text

    def time(self):
        self.clock += self.rng.randrange(3)
        return struct.pack('>q', self.clock) if self.times else b''

    def write(self, number, at):
        key = self.rng.randrange(40)
        known = self.writes.setdefault(key, [])
        write = number * 100 + at if self.unique else at
        if key in self.deletes and self.rng.random() < 0.2:
            write = self.rng.choice((DELETE, NULL))
        if not any(one[:2] == (number, write) for one in known):
            known.append((number, write, number * 100 + at))
            return b'W' + struct.pack('>q', write) + self.key(key) + struct.pack('>q', known[-1][2])
        return b''

    def read(self):
        key, chance = self.rng.randrange(40), self.rng.random()
        known = self.writes.get(key)
        source = self.rng.choice(known) if known else (INIT, INIT, 0)
        if chance < 0.05:
            source = (INIT, self.rng.randrange(9), 5)
        elif chance < 0.1:
            source = (NULL, NULL, 0)
        elif chance < 0.12:
            source = (self.rng.choice((10**9, 10**9 + 1)), 10**9, 6)
        writer, write, value = source
        if self.values and writer not in (INIT, NULL):
            writer = BY_VALUE
        return b'R' + struct.pack('>qq', writer, write) + self.key(key) + struct.pack('>q', value)

    def transaction(self):
        self.number += 1
        number = self.number
        out = b'S' + struct.pack('>q', number) + self.time()
        for at in range(self.rng.randint(1, 8)):
            out += self.write(number, at) if self.rng.random() < 0.5 else self.read()
        if self.rng.random() < 0.05:
            return out + b'A' + struct.pack('>q', number)
        return out + b'C' + struct.pack('>q', number) + self.time()

    def log(self, size):
        out = bytearray()
        while len(out) < size:
            out += self.transaction()
        if self.rng.random() < 0.5:
            self.number += 1
            out += b'S' + struct.pack('>q', self.number) + self.time() + self.write(self.number, 0)
        return bytes(out)


def make(rng, size):
    writer = Writer(rng)
    return [(f'T{at}.log', writer.log(size if at == 0 else size // 20))
            for at in range(rng.randint(1, 4))]
