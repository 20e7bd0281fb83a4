"""The text of PolySI, Plume, MTC and IsoVista."""
import re

from making import Workload, sized
from model import (ABORTED, COMMITTED, History, Malformed, Txn, decode, drop_initial, only,
                   zero_is_initial)

LINE = re.compile(r'([rw])\((\d+),(-?\d+),(\d+),(-1|\d+)\)\r?', re.ASCII)


def read(files):
    history, txns = History({}), {}
    for number, line in enumerate(decode(only(files)).split('\n'), 1):
        if not line.strip():
            continue
        match = LINE.fullmatch(line)
        if not match:
            raise Malformed(f'line {number}: {line!r}')
        function, key, value, session, name = match.groups()
        key, value = str(int(key)), str(int(value))
        session, name = str(int(session)), str(int(name))
        if name == '-1':
            if function == 'w':
                history.session(session).append(Txn(ABORTED, [('w', key, value)]))
            continue
        txn = txns.get((session, name))
        if txn is None:
            txn = txns[session, name] = Txn(COMMITTED, [], label=name)
            history.session(session).append(txn)
        txn.ops.append((function, key, value))
    zero_is_initial(history, held=drop_initial(history))
    return history


def make(rng, size):
    work, sessions, big = Workload(rng), rng.randint(2, 6), rng.random() < 0.3
    initial = rng.random() < 0.3

    def pieces():
        if initial:
            yield ''.join(f'w({key},0,77,0)\n' for key in work.written)
        number, running = 0, {}
        while True:
            session = rng.randrange(sessions)
            if rng.random() < 0.03:
                function, key, value = work.ops(1)[0]
                yield f'{function}({key},{value},{session},-1)\n'
                continue
            if session not in running:
                number += rng.choice((0, 1, 1, 5))
                name = number if number > 0 else 1
                running[session] = (name if rng.random() < 0.05 else
                                    name * 10 + session, work.ops(5))
            name, ops = running[session]
            function, key, value = ops.pop(0)
            yield f'{function}({key + 10**25 if big else key},{value},{session},{name})\n'
            if not ops:
                del running[session]

    text = ''.join(sized(pieces(), size))
    return [('made.txt', (text[:-1] if rng.random() < 0.5 else text).encode())]
