#!/usr/bin/env python3
"""Writes a history of `isolde gen` in the formats that other checkers read.

    peer_formats.py FORMAT HISTORY OUT    exit code 5: there is no room for what it then prints

`isolde convert` writes Isolde's own formats only, so that these few lines are here. Each function
takes the transactions of one history and a path to write to. Integers stand for keys, and values
that are too large for a format are numbered. docs/formats/foreign.md describes the formats.
"""
import dataclasses
import json
import pathlib
import struct
import sys


class NotWritable(Exception):
    """The format has no room for something in the history."""


@dataclasses.dataclass
class Txn:
    session: int
    number: int  # from 1, in the order of the file
    committed: bool
    start: int
    end: int
    ops: list  # of (function, key, value); lists are tuples, the initial state is None


def read_native(path):
    """The transactions of a file in the native text format, as `isolde gen` writes it."""
    sessions, keys, txns = {}, {}, []
    with open(path, encoding='utf-8') as file:
        next(file)
        for line in file:
            record = json.loads(line)
            if 'ops' not in record:
                continue
            if record.get('status') == 'indeterminate':
                raise NotWritable('transactions whose outcome is not known')
            ops = []
            for op in record['ops']:
                if len(op) != 3 or op[0] not in ('r', 'w', 'append') or isinstance(op[2], dict):
                    raise NotWritable(f'operation {op}')
                value = tuple(op[2]) if isinstance(op[2], list) else op[2]
                ops.append((op[0], keys.setdefault(op[1], len(keys)), value))
            txns.append(Txn(sessions.setdefault(record['session'], len(sessions)), len(txns) + 1,
                            record.get('status') != 'aborted', record.get('start'),
                            record.get('end'), ops))
    return txns


def by_session(txns):
    groups = {}
    for txn in txns:
        groups.setdefault(txn.session, []).append(txn)
    return groups


def registers_only(txns):
    if any(op[0] == 'append' or isinstance(op[2], tuple) for txn in txns for op in txn.ops):
        raise NotWritable('lists')


def committed_only(txns):
    """Without aborted transactions, when nobody read from them."""
    registers_only(txns)
    lost = {op[1:] for txn in txns if not txn.committed for op in txn.ops if op[0] == 'w'}
    kept = [txn for txn in txns if txn.committed]
    if any(op[0] == 'r' and op[1:] in lost for txn in kept for op in txn.ops):
        raise NotWritable('reads of aborted writes')
    return kept


def write_plume(txns, path):
    """Text of Plume, AWDIT; aborted writes have transaction -1."""
    registers_only(txns)
    with open(path, 'w', encoding='ascii') as file:
        for txn in txns:
            for function, key, value in txn.ops:
                if txn.committed or function == 'w':
                    number = txn.number if txn.committed else -1
                    file.write(f'{function}({key},{value or 0},{txn.session},{number})\n')


def write_polysi(txns, path):
    """The same text as PolySI and MTC read it: without aborted transactions."""
    write_plume(committed_only(txns), path)


def write_dbcop(txns, path):
    """dbcop's binary file, as VeriStrong and PolySI read it too."""
    registers_only(txns)
    groups = by_session(txns)
    keys = 1 + max(op[1] for txn in txns for op in txn.ops)
    out = bytearray(struct.pack('<5Q', 0, len(groups), keys,
                                max(len(group) for group in groups.values()),
                                max(len(txn.ops) for txn in txns)))
    for text in (b'isolde gen', b'2026-01-01T00:00:00Z', b'2026-01-01T00:00:01Z'):
        out += struct.pack('<Q', len(text)) + text
    out += struct.pack('<Q', len(groups))
    for _, group in sorted(groups.items()):
        out += struct.pack('<Q', len(group))
        for txn in group:
            out += struct.pack('<Q', len(txn.ops))
            for function, key, value in txn.ops:
                out += struct.pack('<BQQB', function == 'w', key, value or 0, 1)
            out += struct.pack('<B', txn.committed)
    pathlib.Path(path).write_bytes(out)


def write_dbcop_json(txns, path):
    """dbcop's JSON, in a folder, since dbcop takes folders."""
    registers_only(txns)
    data = [[{'events': [{'Write' if function == 'w' else 'Read':
                          {'variable': key, 'version': value}} for function, key, value in txn.ops],
              'committed': txn.committed} for txn in group]
            for _, group in sorted(by_session(txns).items())]
    params = {'id': 0, 'n_node': len(data), 'n_transaction': max(len(group) for group in data),
              'n_variable': 1 + max(op[1] for txn in txns for op in txn.ops),
              'n_event': max(len(txn.ops) for txn in txns)}
    folder = pathlib.Path(path)
    folder.mkdir()
    with open(folder / '0.json', 'w', encoding='ascii') as file:
        json.dump({'params': params, 'info': 'isolde gen', 'start': '2026-01-01T00:00:00Z',
                   'end': '2026-01-01T00:00:01Z', 'data': data}, file)


def sources(txns):
    """Which transaction wrote a value, and as its how-manieth operation."""
    return {(key, value): (txn.number, at) for txn in txns
            for at, (function, key, value) in enumerate(txn.ops, 1) if function == 'w'}


def write_cobra(txns, path):
    """A folder with one log for each session: Cobra, AWDIT."""
    txns = committed_only(txns)
    writers, initial = sources(txns), 0xbebeebee
    folder = pathlib.Path(path)
    folder.mkdir()
    for session, group in by_session(txns).items():
        out = bytearray()
        for txn in group:
            out += struct.pack('>cq', b'S', txn.number)
            for function, key, value in txn.ops:
                if function == 'w':
                    out += struct.pack('>c3q', b'W', value, key, value)
                    continue
                writer = initial if value is None else writers.get((key, value), (0,))[0]
                out += struct.pack('>c4q', b'R', writer, initial if value is None else value, key,
                                   value or 0)
            out += struct.pack('>cq', b'C', txn.number)
        (folder / f'T{session}.log').write_bytes(out)


def write_viper(txns, path):
    """A folder with one JSON log for each session."""
    folder = pathlib.Path(path)
    folder.mkdir()
    for session, group in by_session(committed_only(txns)).items():
        with open(folder / f'J{session}.log', 'w', encoding='ascii') as file:
            for txn in group:
                ops = [[function, key, value or 0, function == 'w']
                       for function, key, value in txn.ops]
                file.write(json.dumps({'value': ops}) + '\n')


def write_vbox(txns, path):
    """A folder with one binary log for each session, with the times of the clients."""
    registers_only(txns)
    if any(txn.start is None for txn in txns):
        raise NotWritable('transactions without times')
    writers = sources(txns)
    numbers = {written: number for number, written in enumerate(sorted(writers.values()), 1)}
    folder = pathlib.Path(path)
    folder.mkdir()
    for session, group in by_session(txns).items():
        out = bytearray()
        for txn in group:
            times = (txn.start, txn.end)
            out += struct.pack('<cIQQ', b'T', txn.number, txn.start, txn.start)
            out += struct.pack('<cIQQ', b'S', 0, txn.start, txn.start)
            for at, (function, key, value) in enumerate(txn.ops, 1):
                if function == 'w':
                    out += struct.pack('<cIQQQQI', b'W', at, *times, key, 0,
                                       numbers[txn.number, at])
                else:
                    source = (0, 0) if value is None else writers.get((key, value))
                    if source is None:
                        raise NotWritable('reads of what nobody wrote')
                    out += struct.pack('<cIQQQII', b'R', at, *times, key, *source)
            out += struct.pack('<cIQQ', b'C' if txn.committed else b'A', len(txn.ops) + 1,
                               txn.end, txn.end)
        (folder / f'{session}.log').write_bytes(out)


def write_elle(txns, path):
    """elle-cli's JSON: invocations and completions in the order of the clients' times."""
    if any(txn.start is None for txn in txns):
        raise NotWritable('transactions without times')
    events = []
    for txn in txns:
        asked = [[function, key, None if function == 'r' else value]
                 for function, key, value in txn.ops]
        done = [[function, key, list(value) if isinstance(value, tuple) else value]
                for function, key, value in txn.ops]
        events.append((txn.start, 0, txn.session, 'invoke', asked))
        events.append((txn.end, 1, txn.session, 'ok' if txn.committed else 'fail', done))
    # Where an end and a start fall together, the start comes first: no order is claimed.
    events.sort(key=lambda event: event[:3])
    with open(path, 'w', encoding='ascii') as file:
        rows = (json.dumps({'type': kind, 'f': 'txn', 'value': value, 'process': session,
                            'time': time, 'index': index})
                for index, (time, _, session, kind, value) in enumerate(events))
        file.write('[' + ',\n'.join(rows) + ']\n')


# Name of the format, the function that writes it, and the ending of the file's name.
WRITERS = {
    'native': (None, '.jsonl'),
    'plume': (write_plume, '.txt'),
    'polysi': (write_polysi, '.txt'),
    'dbcop': (write_dbcop, '.bincode'),
    'dbcop-json': (write_dbcop_json, ''),
    'cobra': (write_cobra, ''),
    'viper': (write_viper, ''),
    'vbox': (write_vbox, ''),
    'elle-json': (write_elle, '.json'),
}
NO_ROOM = 5


def main(argv):
    if len(argv) != 3 or argv[0] not in WRITERS or WRITERS[argv[0]][0] is None:
        print(__doc__, file=sys.stderr)
        return 3
    try:
        WRITERS[argv[0]][0](read_native(argv[1]), argv[2])
    except NotWritable as what:
        print(what)
        return NO_ROOM
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
