"""AWDIT's text."""
import re

from making import Workload, sized
from model import (COMMITTED, History, Malformed, Txn, decode, drop_initial, only,
                   zero_is_initial)

TOKEN = re.compile(r'\s+|([rw])\s+(\d+)\s+(\d+)(?=[\s=-]|$)|(-+)|(=+)', re.ASCII)


def read(files):
    text, at = decode(only(files)), 0
    sessions, ops = [[]], []

    def end_transaction():
        if ops:
            sessions[-1].append(Txn(COMMITTED, ops[:]))
            ops.clear()

    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Malformed(f'@{at}: {text[at:at + 20]!r}')
        at = match.end()
        function, key, value, dashes, equals = match.groups()
        if function:
            ops.append((function, str(int(key)), str(int(value))))
        if dashes or equals:
            end_transaction()
        if equals:
            sessions.append([])
    end_transaction()
    history = History({str(number): txns for number, txns in enumerate(sessions)})
    zero_is_initial(history, held=drop_initial(history))
    return history


def make(rng, size):
    work = Workload(rng)

    def pieces():
        if rng.random() < 0.3:
            yield ''.join(f'w {key} 0\n' for key in work.written) + '=====\n'
        while True:
            yield ''.join(f'{function} {key} {value}\n' for function, key, value in work.ops())
            end = rng.random() < min(0.05, 500 / size)
            yield ('=' if end else '-') * rng.randint(1, 9) + '\n'

    return [('made.txt', ''.join(sized(pieces(), size)).encode())]
