"""dbcop's `.hist` text."""
import re

from making import Workload, sized
from model import (ABORTED, COMMITTED, History, Malformed, Txn, decode, only, string,
                   zero_is_initial)

TXN = re.compile(r'\[([^\[\]]*)\](!?)')
OPERATION = re.compile(r'([A-Za-z_]\w*)(?:(:=|==)(\d+)|==(\?))', re.ASCII)


def operation(text):
    match = OPERATION.fullmatch(text)
    if not match:
        raise Malformed(f'operation {text!r}')
    key, sign, version, nothing = match.groups()
    if nothing:
        return ('r', string(key), None)
    return ('w' if sign == ':=' else 'r', string(key), str(int(version)))


def read(files):
    sessions = [[]]
    for line in decode(only(files)).split('\n'):
        line = line.split('//')[0].strip()
        if line and not line.strip('-'):
            sessions.append([])
            continue
        at = 0
        for match in TXN.finditer(line):
            if line[at:match.start()].strip():
                raise Malformed(f'found {line[at:match.start()]!r}')
            at = match.end()
            sessions[-1].append(Txn(ABORTED if match.group(2) else COMMITTED,
                                    [operation(word) for word in match.group(1).split()]))
        if line[at:].strip():
            raise Malformed(f'found {line[at:]!r}')
    history = History({str(number): txns for number, txns in enumerate(sessions)})
    zero_is_initial(history)
    return history


def make(rng, size):
    work = Workload(rng)

    def pieces():
        yield '// made\n'
        while True:
            words = [f'k_{key}:={value}' if function == 'w' else
                     f'k_{key}==?' if value == 0 and rng.random() < 0.5 else f'k_{key}=={value}'
                     for function, key, value in work.ops()]
            yield f'[{" ".join(words)}]{rng.choice(("", "", "", "", "!"))}' + rng.choice(' \n')
            if rng.random() < min(0.05, 500 / size):
                yield f'\n{"-" * rng.randint(3, 9)}\n// another\n'

    return [('made.hist', ''.join(sized(pieces(), size)).encode())]
