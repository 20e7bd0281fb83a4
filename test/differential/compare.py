"""A file read twice: by a reader in this folder and by Isolde."""
import json
import os
import pathlib
import re
import subprocess

import native
from model import ABORTED, COMMITTED, UNKNOWN, Malformed

BAD_INPUT = 3
SHORT = 400
UNORDERED = 'uncommitted'  # the page does not say in which order these transactions of cobra write


class Different(Exception):
    """The first thing in which the two readers differ."""


class Broken(Exception):
    """Isolde ended as it never should."""


class Isolde:
    def __init__(self, program, scratch):
        self.program, self.scratch = program, pathlib.Path(scratch)

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, check=False,
                              timeout=300)
        if done.returncode not in (0, BAD_INPUT):
            raise Broken(f'exit code {done.returncode} of {words}: {done.stderr[:SHORT]}')
        if done.returncode == BAD_INPUT:
            raise Malformed(done.stderr.decode(errors='replace').strip())
        return done.stdout

    def read(self, path, form=None):
        words = ('--format', form) if form else ()
        return native.read([('-', self.run('convert', '--to', 'native', *words, path, '-'))])

    def foreign_formats(self):
        """Names of all formats that are not Isolde's own."""
        text = self.run('convert', '--help').decode()
        names = re.search(r'^  --format .*One of (.*)$', text, re.M).group(1).split(', ')
        return [name for name in names if not name.startswith('native')]

    def stats(self, path, form=None):
        words = ('--format', form) if form else ()
        return json.loads(self.run('stats', '--json', *words, path))


def files_of(path):
    """What a file or a folder holds, with whatever packs it taken off."""
    path = pathlib.Path(path)
    paths = sorted(path.iterdir()) if path.is_dir() else [path]
    found = [(str(one), unpacked(one)) for one in paths if one.is_file()]
    if not any(data for _, data in found):
        raise Malformed('there is nothing in it')
    return found


def unpacked(path):
    if path.suffix != '.zst':
        return path.read_bytes()
    return subprocess.run(['zstd', '-dcq', path], capture_output=True, check=True).stdout


def store(files, folder):
    """Writes (name, bytes) below a folder."""
    os.makedirs(folder, exist_ok=True)
    for name, data in files:
        (pathlib.Path(folder) / name).write_bytes(data)


def counts(history):
    """What `isolde stats` should say."""
    txns = list(history.txns())
    ops = [op for txn in txns for op in txn.ops]
    kinds = [op[0] for op in ops]
    outcomes = [txn.outcome for txn in txns]
    return {
        'sessions': sum(1 for session in history.sessions.values() if session),
        'transactions': len(txns),
        'committed': outcomes.count(COMMITTED),
        'aborted': outcomes.count(ABORTED),
        'indeterminate': outcomes.count(UNKNOWN),
        # An increment is a read and a write.
        'operations': len(ops) + kinds.count('inc') + sum(len(op[2]) for op in ops
                                                          if op[0] == 'select'),
        'writes': kinds.count('w') + kinds.count('inc'),
        'appends': kinds.count('append'),
        'unknown_reads': kinds.count('r?'),
        'initial_reads': sum(1 for op in ops if op[0] == 'r' and op[2] is None),
    }


def compare_counts(expected, stats):
    for name, count in expected.items():
        if stats[name] != count:
            raise Different(f'stats: {name} is {stats[name]}; by the page {count}')


def short(what):
    text = str(what)
    return text if len(text) <= SHORT else text[:SHORT] + '...'


def compare(mine, theirs):
    """Transaction by transaction."""
    sessions = [{name: txns for name, txns in history.sessions.items() if txns}
                for history in (mine, theirs)]
    if set(sessions[0]) != set(sessions[1]):
        extra = [sorted(set(one) - set(other)) for one, other in (sessions, sessions[::-1])]
        raise Different(f'sessions: only by the page {short(extra[0])}; only Isolde '
                        f'{short(extra[1])}')
    for found in sessions:
        for txn in found.get(UNORDERED, ()):
            txn.ops.sort()
    for name, expected in sessions[0].items():
        for number, (one, other) in enumerate(zip(expected, sessions[1][name])):
            if one != other:
                raise Different(f'session {name}, transaction {number}:\n  page:   {short(one)}\n'
                                f'  isolde: {short(other)}')
        if len(expected) != len(sessions[1][name]):
            raise Different(f'session {name}: {len(sessions[1][name])} transactions; by the page '
                            f'{len(expected)}')
    if mine.initial != theirs.initial:
        raise Different(f'initial contents: {short(theirs.initial)}; by the page '
                        f'{short(mine.initial)}')
    if mine.ordered != theirs.ordered:
        raise Different(f'times are numbers of events: {theirs.ordered}; by the page '
                        f'{mine.ordered}')


def read_both(isolde, form, path, named=False):
    """What each reader makes of it, or the Malformed that it raised. Isolde is told the format's
    name only on request, and has to recognise it otherwise."""
    found = []
    for reader in (lambda: form.module.read(files_of(path)),
                   lambda: isolde.read(path, form.name if named else None)):
        try:
            found.append(reader())
        except Malformed as what:
            found.append(what)
    return found


def check(isolde, form, path, named=False, stats=True):
    """Reads twice and compares; whether there was a history."""
    mine, theirs = read_both(isolde, form, path, named)
    if isinstance(mine, Malformed) != isinstance(theirs, Malformed):
        raise Different(f'page: {short(mine) if isinstance(mine, Malformed) else "valid"}; '
                        f'isolde: {short(theirs) if isinstance(theirs, Malformed) else "valid"}')
    if isinstance(mine, Malformed):
        return False
    compare(mine, theirs)
    if stats:
        compare_counts(counts(mine), isolde.stats(path, form.name if named else None))
    return True
