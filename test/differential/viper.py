"""Viper's JSON logs: a folder with one file for each session, a line for each transaction."""
import json
import pathlib
import re

from making import THIN_AIR, Workload, sized
from model import (COMMITTED, History, Malformed, Txn, decode, parse_json, token, written,
                   zero_is_initial)


NOTHING = ('0', '"nil"')


def session_name(path):
    stem = pathlib.PurePath(path).stem
    return stem[1:] if re.fullmatch(r'J\d+', stem) else stem


def operation(op):
    if not isinstance(op, list) or not op:
        raise Malformed(f'operation {op}')
    if op[0] not in ('r', 'w', 'i') or len(op) < 3:
        raise Malformed(f'operation {op[0]}')
    if op[0] != 'r' and len(op) > 3 and not isinstance(op[3], bool):
        raise Malformed(f'operation {op}')
    key, value = token(op[1]), token(op[2])
    return ('r' if op[0] == 'r' else 'w', key, value)


def succeeded(op):
    return op[0] == 'r' or len(op) < 4 or op[3]


def initial_rows(ops):
    """The state that a line with "isInitial" holds."""
    for op in ops:
        if op[0] == 'range':
            if op[1] != 'nil' or op[2] != 'nil':
                raise Malformed('a range with bounds')
            yield from ((token(row['id']), token(row['val'])) for row in op[3])
        else:
            yield operation(op)[1:]


def read(files):
    history, initial, told, tried = History({}), {}, False, set()
    for path, data in files:
        for line in decode(data).split('\n'):
            if not line.strip():
                continue
            record = parse_json(line)
            if not isinstance(record, dict) or not isinstance(record.get('value'), list):
                raise Malformed(f'line {line!r}')
            if record.get('isInitial') is True:
                told = True
                initial.update(initial_rows(record['value']))
                continue
            ops = [(operation(op), op) for op in record['value']]
            tried.update(translated[1:] for translated, op in ops if translated[0] == 'w')
            ops = [translated for translated, op in ops if succeeded(op)]
            history.session(session_name(path)).append(Txn(COMMITTED, ops))
    zero_is_initial(history, NOTHING, initial if told else unwritten(history, tried))
    for txn in history.txns():
        # A row that was there cannot be missing.
        txn.ops = [('r', op[1], '"nothing"') if op[0] == 'r' and op[2] == '"nil"' else op
                   for op in txn.ops]
    return history


def unwritten(history, tried):
    """Where no line tells the initial state, a value of a key that nobody tried to write is its
    initial value, if no read shows 0 or "nil"; a second one is not."""
    reads = [op[1:] for txn in history.txns() for op in txn.ops if op[0] == 'r']
    also_written, first = written(history), {}
    known = {key for key, value in reads if value in NOTHING and (key, value) not in also_written}
    for key, value in reads:
        if key not in known and (key, value) not in tried:
            first.setdefault(key, value)
    return first


def make(rng, size):
    work, numbers = Workload(rng), rng.sample(range(2, 99), rng.randint(1, 4))
    told, files = rng.random() < 0.5, []
    if told:
        rows = [(key, 7 * THIN_AIR + key) for key in work.written if key % 3]
        value = [['w', key, row, True] for key, row in rows]
        if rng.random() < 0.5:
            value = [['range', 'nil', 'nil', [{'id': key, 'val': row} for key, row in rows], []]]
        files.append(('J1.log', json.dumps({'isInitial': True, 'value': value}) + '\n'))
        for key, row in rows:
            work.written[key].append(row)
    for at, number in enumerate(sorted(numbers)):
        share = size if at == 0 else size // 20

        def pieces():
            while True:
                ops = []
                for function, key, value in work.ops(again=0.03):
                    if function == 'r':
                        value = 'nil' if value == 0 and rng.random() < 0.5 else value
                        ops.append(['r', key, value, rng.random() < 0.1])
                    else:
                        ops.append([rng.choice('wwwi'), key, value, rng.random() > 0.03])
                yield json.dumps({'value': ops}) + '\n'

        files.append((f'J{number}.log', ''.join(sized(pieces(), share))))
    return [(name, text.encode()) for name, text in files]
