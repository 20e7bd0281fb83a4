"""Jepsen's log of an etcd test, as Porcupine has it: one register."""
import re

from calls import pair
from making import events, sized
from model import ABORTED, COMMITTED, UNKNOWN, History, Malformed, Txn, decode, only

LINE = re.compile(r'\s*INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(invoke|ok|fail|info)\s+'
                  r':(read|write|cas)\s+(\S.*?)\s*', re.ASCII)
INTEGER = re.compile(r'-?\d+', re.ASCII)
PAIR = re.compile(r'\[\s*(-?\d+)\s+(-?\d+)\s*\]', re.ASCII)
VALUE = re.compile(r'nil|:\S+|-?\d+|\[\s*-?\d+\s+-?\d+\s*\]', re.ASCII)
X = '"x"'


def number(text):
    if not INTEGER.fullmatch(text):
        raise Malformed(f'found {text!r}')
    return str(int(text))


def two_numbers(text):
    match = PAIR.fullmatch(text)
    if not match:
        raise Malformed(f'found {text!r}')
    return str(int(match.group(1))), str(int(match.group(2)))


def transaction(call):
    _, function, asked = call.first
    told = call.completion[2] if call.completion else None
    if function == 'read':
        if call.outcome != COMMITTED:
            return Txn(call.outcome, [('r?', X)])
        return Txn(COMMITTED, [('r', X, None if told == 'nil' else number(told))])
    if function == 'write':
        return Txn(call.outcome, [('w', X, number(asked))])
    expected, new = two_numbers(asked)
    if call.outcome == ABORTED and PAIR.fullmatch(told):
        return Txn(COMMITTED, [('r-not', X, expected)])
    return Txn(call.outcome, [('r', X, expected), ('w', X, new)])


def read(files):
    entries = []
    for at, line in enumerate(decode(only(files)).split('\n'), 1):
        if not line.strip():
            continue
        match = LINE.fullmatch(line)
        if not match:
            raise Malformed(f'line {at}: {line!r}')
        process, kind, function, value = match.groups()
        if not VALUE.fullmatch(value):
            raise Malformed(f'line {at}: found {value!r}')
        entries.append((int(process), kind, (at, function, value)))
    history = History({}, True)
    for call in pair(entries, complete=True):
        txn = transaction(call)
        txn.start = call.first[0]
        txn.end = None if txn.outcome == UNKNOWN else call.completion[0]
        history.session(call.session).append(txn)
    return history


def make(rng, size):
    state = ['nil']

    def call():
        function = rng.choice(('read', 'write', 'cas'))
        value = {'read': 'nil', 'write': str(rng.randrange(5)),
                 'cas': f'[{rng.randrange(5)} {rng.randrange(5)}]'}[function]
        return function, value

    def told(kind, function, value):
        if kind == 'invoke':
            return value
        if kind == 'info' or (kind == 'fail' and (function != 'cas' or rng.random() < 0.3)):
            return ':timed-out'
        if function == 'write':
            state[0] = value
        return state[0] if function == 'read' else value

    def lines():
        for process, kind, (function, value) in events(rng, call):
            blank = rng.choice('\t ')
            yield (f'INFO  jepsen.util - {process}{blank}:{kind}{blank}:{function}{blank}'
                   f'{told(kind, function, value)}\n')

    return [('made.log', ''.join(sized(lines(), size)).encode())]
