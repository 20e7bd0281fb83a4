"""The logs of Vbox: a folder with one file for each session, little-endian."""
import pathlib
import struct

from model import ABORTED, COMMITTED, UNKNOWN, History, Malformed, Txn
from records import spelling

# Behind the letter: number of the transaction or operation, and the clock around the call.
CALL = struct.Struct('<IQQ')
WRITE, READ = struct.Struct('<QQI'), struct.Struct('<QII')


class Log:
    def __init__(self, data):
        self.data, self.at, self.txns = data, 0, []
        txn, number = None, None
        while self.at < len(data):
            tag = chr(data[self.at])
            self.at += 1
            if tag not in 'TSWRCA' or (txn is None and tag != 'T'):
                raise Malformed(f'@{self.at - 1}: {tag!r}')
            call, start, end = self.take(CALL)
            if tag == 'T':
                number = call
                txn = Txn(UNKNOWN, [], start, label=str(number))
                self.txns.append((number, txn))
            elif tag == 'W':
                key, _, _ = self.take(WRITE)
                txn.ops.append(('w', str(key), (number, call)))
            elif tag == 'R':
                key, writer, write = self.take(READ)
                txn.ops.append(('r', str(key), (writer, write)))
            elif tag in 'CA':
                txn.outcome = COMMITTED if tag == 'C' else ABORTED
                txn.end, txn = end, None

    def take(self, layout):
        try:
            fields = layout.unpack_from(self.data, self.at)
        except struct.error:
            raise Malformed(f'@{self.at}: the file ends here') from None
        self.at += layout.size
        return fields


def read(files):
    history, numbers = History({}), []
    for name, data in files:
        if name.endswith('.log'):
            log = Log(data)
            numbers += [number for number, _ in log.txns]
            history.session(pathlib.PurePath(name).stem).extend(txn for _, txn in log.txns)
    if len(set(numbers)) != len(numbers):
        raise Malformed('two transactions with one id')
    name = spelling([(key, *source) for txn in history.txns() for _, key, source in txn.ops
                     if source != (0, 0)])
    for txn in history.txns():
        ops = []
        for function, key, source in txn.ops:
            op = (function, key, None if source == (0, 0) and function == 'r' else name(*source))
            # Several fields of a row, written by one statement, are one write.
            if not (ops and function == 'w' and op in ops):
                ops.append(op)
        txn.ops = ops
    return history


def make(rng, size):
    global_ids, writes, clock = rng.random() < 0.5, {}, 10**18
    number, call, files = 0, 0, []
    for at in range(rng.randint(1, 4)):
        out = bytearray()
        while len(out) < (size if at == 0 else size // 20):
            number += 1
            clock += rng.randrange(1000)
            out += b'T' + CALL.pack(number, clock, clock + 1) + b'S' + CALL.pack(0, clock, clock + 2)
            call = call if global_ids else 0
            for _ in range(rng.randint(1, 6)):
                call += 1
                key, times = rng.randrange(40), (clock + 3, clock + 4)
                known = writes.setdefault(key, [])
                if rng.random() < 0.5:
                    for field in range(rng.choice((1, 1, 1, 3))):
                        out += b'W' + CALL.pack(call, *times) + WRITE.pack(key, field, call)
                    known.append((number, call))
                else:
                    source = rng.choice(known) if known and rng.random() < 0.9 else (0, 0)
                    if rng.random() < 0.01:
                        source = (4000000000, call)
                    out += b'R' + CALL.pack(call, *times) + READ.pack(key, *source)
            clock += rng.randrange(5, 1000)
            end = rng.choices((b'C', b'A', b''), (20, 2, 0))[0]
            out += end + (CALL.pack(call + 1, clock, clock + 5) if end else b'')
        if rng.random() < 0.5:
            number += 1
            out += b'T' + CALL.pack(number, clock, clock + 1) + b'S' + CALL.pack(0, clock, clock + 2)
            out += b'W' + CALL.pack(1, clock, clock) + WRITE.pack(1, 0, 1)
        files.append((f'{at + 1}.log', bytes(out)))
    return files
