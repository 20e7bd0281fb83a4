"""The logs of Vbox: a folder with one file for each session, little-endian.

With predicates, an operation of Log is ('p', statement, field, low, high, keys) for one, and of all
operations the statement is known: what it selected comes first, then what it read, then its writes.
"""
import pathlib
import struct

from model import ABORTED, COMMITTED, UNKNOWN, History, Malformed, Txn, row, selection, string
from records import spelling

# Behind the letter: number of the transaction or operation, and the clock around the call.
CALL = struct.Struct('<IQQ')
WRITE, READ, PREDICATE = struct.Struct('<QQI'), struct.Struct('<QII'), struct.Struct('<QIII')
KEY, NUMBER = struct.Struct('<Q'), struct.Struct('<I')


class Log:
    def __init__(self, data):
        self.data, self.at, self.txns = data, 0, []
        txn, number = None, None
        while self.at < len(data):
            tag = chr(data[self.at])
            self.at += 1
            if tag not in 'TSWRPCA' or (txn is None and tag != 'T'):
                raise Malformed(f'@{self.at - 1}: {tag!r}')
            call, start, end = self.take(CALL)
            if tag == 'T':
                number = call
                txn = Txn(UNKNOWN, [], start, label=str(number))
                self.txns.append((number, txn))
            elif tag == 'W':
                key, field, value = self.take(WRITE)
                txn.ops.append(('w', call, str(key), (number, call), field, value))
            elif tag == 'R':
                key, writer, write = self.take(READ)
                txn.ops.append(('r', call, str(key), (writer, write)))
            elif tag == 'P':
                field, low, high, count = self.take(PREDICATE)
                if count > len(data):
                    raise Malformed(f'{count} rows')
                keys = [self.take(KEY)[0] for _ in range(count)]
                txns = [self.take(NUMBER)[0] for _ in range(count)]
                if (0, 0) in zip(txns, [self.take(NUMBER)[0] for _ in range(count)]):
                    raise Malformed('a row from before the log')
                txn.ops.append(('p', call, field, low, high, keys))
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
    history = History({})
    for name, data in files:
        if name.endswith('.log'):
            log = Log(data)
            history.session(pathlib.PurePath(name).stem).extend(txn for _, txn in log.txns)
    all_ops = [op for txn in history.txns() for op in txn.ops]
    fields = {op[2] for op in all_ops if op[0] == 'p'}
    name = spelling([(op[2], *op[3]) for op in all_ops if op[0] != 'p' and op[3] != (0, 0)])
    for txn in history.txns():
        txn.ops = [op for ops in statements(txn.ops) for op in statement(ops, fields, name)]
    return history


def statements(ops):
    """Runs of operations with one number."""
    found = []
    for op in ops:
        if found and found[-1][0][1] == op[1]:
            found[-1].append(op)
        else:
            found.append([op])
    return found


def statement(ops, fields, name):
    """One statement's operations, as the model has them."""
    if fields:
        ops = sorted(ops, key=lambda op: 'prw'.index(op[0]))
    made = []
    for op in ops:
        if op[0] == 'p':
            _, _, field, low, high, keys = op
            made.append(selection({str(field): (low, high)}, [(cell(key, field),) for key in keys]))
            continue
        function, _, key, source, *content = op
        write = (function, key, None if source == (0, 0) and function == 'r' else name(*source))
        # Several fields of a row, written by one statement, are one write.
        if function == 'r' or not (write in made if fields else made and made[-1] == write):
            made.append(write)
        if content and content[0] in fields:
            made.append(('w', cell(key, content[0]), row({str(content[0]): content[1]})))
    return made


def cell(key, field):
    return string(f'{key}.{field}')


def make(rng, size):
    global_ids, writes, clock = rng.random() < 0.5, {}, 10**18
    number, call, files = 0, 0, []
    predicates = rng.random() < 0.5
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
                    if predicates and rng.random() < 0.3:  # an update by a condition
                        out += b'P' + CALL.pack(call, *times) + predicate(rng, [key], number)
                elif predicates and rng.random() < 0.3:
                    keys = sorted(key for key in writes if writes[key] and rng.random() < 0.1)
                    out += b'P' + CALL.pack(call, *times) + predicate(rng, keys, number)
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


def predicate(rng, keys, number):
    low = rng.randrange(100)
    out = PREDICATE.pack(rng.randrange(2), low, low + rng.randrange(3), len(keys))
    out += b''.join(KEY.pack(key) for key in keys)
    return out + b''.join(NUMBER.pack(number) for _ in range(2 * len(keys)))
