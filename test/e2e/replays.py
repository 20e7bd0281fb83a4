#!/usr/bin/env python3
"""What databases do when recorded anomalies are played on them again.

    replays.py ISOLDE list     names, one a line
    replays.py ISOLDE NAME     runs one; exit code 0: as expected, 1: not, 77: packages missing

A recording of demo/ is reduced with `isolde minimize` and given to `isolde replay`, which must
reproduce the anomaly or say what the database did instead. What was recorded anew is checked by
`isolde check`, and its proof goes through `isolde verify`. Reads that lock, as the history or the data source says, keep a
lost update away, and are on record. Phantoms are recorded first. The last ones paste scripts into the database's own shell.
Servers are private ones.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKEW = ('pg-repeatable-read-write-skew.jsonl', 'serializable')
LOST = ('mariadb-repeatable-read-lost-update.jsonl', 'snapshot-isolation')


class Replay:
    def __init__(self, story, target, isolation, reproduced, says, locked=False):
        self.story = story
        self.locked = locked          # its reads, with FOR UPDATE
        self.target = target
        self.isolation = isolation
        self.reproduced = reproduced
        self.says = says              # pattern for the output


REPLAYS = {
    'postgres-write-skew': Replay(SKEW, ['--server', 'postgres'], 'repeatable-read', True,
                                  r'Reproduced at attempt 1: serializable is violated'),
    'postgres-write-skew-serializable': Replay(
        SKEW, ['--server', 'postgres'], 'serializable', False,
        r'could not serialize access due to read/write dependencies among transactions'),
    'postgres-lost-update': Replay(LOST, ['--server', 'postgres'], 'read-committed', True,
                                   r'Reproduced at attempt 1: snapshot-isolation is violated'),
    'postgres-lost-update-locked': Replay(
        LOST, ['--server', 'postgres'], 'read-committed', False,
        r'it let steps wait for other sessions', locked=True),
    'postgres-lost-update-for-update': Replay(
        LOST, ['--server', 'postgres', '--param', 'for_update=1'], 'read-committed', False,
        r'it let steps wait for other sessions'),
    'mariadb-lost-update': Replay(
        LOST, ['--server', 'mariadb', '--param', 'snapshot_isolation=off'], 'repeatable-read',
        True, r'Reproduced at attempt 1: snapshot-isolation is violated'),
    'mariadb-lost-update-snapshot': Replay(
        LOST, ['--server', 'mariadb', '--param', 'snapshot_isolation=on'], 'repeatable-read',
        False, r'Record has changed since last read'),
    'mariadb-lost-update-serializable': Replay(
        LOST, ['--server', 'mariadb'], 'serializable', False, r'Deadlock found'),
    'redis-lost-update': Replay(LOST, ['--server', 'redis'], 'multi', True,
                                r'Reproduced at attempt 1: '),
    'redis-lost-update-watch': Replay(LOST, ['--server', 'redis'], 'watch', False,
                                      r'the database aborted transactions'),
    'firebird-write-skew': Replay(SKEW, ['--db', 'firebird:'], 'snapshot', True,
                                  r'Reproduced at attempt 1: serializable is violated'),
    'sqlite-write-skew': Replay(SKEW, ['--db', 'sqlite:'], 'deferred', False,
                                r'database is locked'),
    'sqlite-lost-update-serializable': Replay(
        LOST, ['--db', 'sqlite:'], 'serializable', False,
        r'it let steps wait for other sessions'),
    'lmdb-write-skew': Replay(SKEW, ['--db', 'lmdb:'], 'serializable', False,
                              r'it let steps wait for other sessions'),
    'rocksdb-lost-update': Replay(LOST, ['--db', 'rocksdb:'], 'pessimistic', True,
                                  r'Reproduced at attempt 1: '),
}


# Each counts, and adds one: no order of the two gives both counts.
COUNTED = '\n'.join(['A: begin', 'B: begin', 'A: count(keys 1 to 9)', 'B: sum(keys 1 to 9)', 'A: w(1, 10)',
                     'B: w(2, 20)', 'A: commit', 'B: commit'])


class Played:
    """Steps that aggregate, played as they are written."""

    def __init__(self, isolation, violated):
        self.isolation = isolation
        self.violated = violated


REPLAYS |= {
    'postgres-counted-skew': Played('repeatable-read', True),
    'postgres-counted-skew-serializable': Played('serializable', False),
}


class LockingRun:
    """A run whose reads all lock."""


REPLAYS['postgres-run-for-update'] = LockingRun()


# A run finds what it finds, and not each phantom depends on the order of steps alone.
MOST_RUNS = 5


class Phantom:
    """A phantom that a run of the database finds, reduced, and played there again."""

    def __init__(self, target, recorded_at, isolation, reproduced, says):
        self.target = target
        self.recorded_at = recorded_at
        self.isolation = isolation
        self.reproduced = reproduced
        self.says = says


REPLAYS |= {
    'postgres-phantom': Phantom(['--server', 'postgres'], 'read-committed', 'read-committed', True,
                                r'Reproduced at attempt'),
    'postgres-phantom-serializable': Phantom(['--server', 'postgres'], 'read-committed', 'serializable', False,
                                             r'Not reproduced in'),
    'mariadb-phantom': Phantom(['--server', 'mariadb'], 'read-committed', 'read-committed', True,
                               r'Reproduced at attempt'),
    'mariadb-phantom-serializable': Phantom(['--server', 'mariadb'], 'read-committed', 'serializable', False,
                                            r'Not reproduced in'),
}


class Failure(Exception):
    pass


def call(isolde, *arguments, codes=(0,)):
    done = subprocess.run([isolde, *arguments], capture_output=True, text=True, check=False)
    print('$ isolde', *arguments)
    if done.returncode == 4 and 'install the package' in done.stderr:
        print(done.stderr)
        sys.exit(SKIP)
    if done.returncode == 3 and "unknown database '" in done.stderr:
        print(done.stderr)
        sys.exit(SKIP)
    print(done.stdout + done.stderr)
    if done.returncode not in codes:
        raise Failure(f'exit code {done.returncode}, not {codes}')
    return done.stdout


def minimised(isolde, story, folder):
    demo, level = story
    small = os.path.join(folder, 'small.jsonl')
    call(isolde, 'minimize', os.path.join(ROOT, 'demo', demo), '--level', level, '--out', small)
    return small


def lock_reads(path):
    """Makes all reads of a history lock what they read."""
    with open(path, encoding='utf-8') as file:
        header, *lines = [json.loads(line) for line in file]
    header['isolde'] = 2
    reads = [op for line in lines for op in line.get('ops', []) if op[0] == 'r']
    for op in reads:
        op.append({'lock': 'update'})
    if not reads:
        raise Failure('nothing reads')
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(json.dumps(line) + '\n' for line in [header, *lines])


def locked_reads(path):
    """How many reads of a history lock, and how many do not."""
    with open(path, encoding='utf-8') as file:
        reads = [op for line in file for op in json.loads(line).get('ops', []) if op[0] == 'r']
    locked = sum(op[-1] == {'lock': 'update'} for op in reads)
    return locked, len(reads) - locked


def found(isolde, phantom, folder):
    whole, small = os.path.join(folder, 'whole.jsonl'), os.path.join(folder, 'small.jsonl')
    call(isolde, 'run', *phantom.target, '--isolation', phantom.recorded_at, '--workload', 'phantom',
         '--sessions', '6', '--txns', '200', '--keys', '3', '--level', 'serializable', '--out', whole,
         '--no-progress', codes=(1,))
    call(isolde, 'minimize', whole, '--level', 'serializable', '--out', small)
    return small


def played_again(isolde, replay, level, small, again, attempts, codes):
    return call(isolde, 'replay', small, *replay.target, '--isolation', replay.isolation,
                '--level', level, '--out', again, '--force', '--no-progress', *attempts, codes=codes)


def run(isolde, replay, folder):
    again = os.path.join(folder, 'again.jsonl')
    if isinstance(replay, Phantom):
        level = 'serializable'
        for number in range(MOST_RUNS if replay.reproduced else 1):
            here = os.path.join(folder, str(number))
            os.mkdir(here)
            small = found(isolde, replay, here)
            text = played_again(isolde, replay, level, small, again, ['--attempts', '4'],
                                (0, 1) if replay.reproduced else (0,))
            if re.search(replay.says, text):
                break
    else:
        level, small = replay.story[1], minimised(isolde, replay.story, folder)
        if replay.locked:
            lock_reads(small)
        text = played_again(isolde, replay, level, small, again, [], (1 if replay.reproduced else 0,))
    if not re.search(replay.says, text):
        raise Failure(f'does not say: {replay.says}')
    proof = os.path.join(folder, 'proof')
    report = json.loads(call(isolde, 'check', again, '--level', level, '--certificate', proof,
                             '--json', codes=(0, 1, 2)))
    verdict = report['levels'][level]
    if verdict.get('reason') == 'no transaction took effect' and not replay.reproduced:
        return  # the last attempt ended in deadlocks alone, which is not what was to be reproduced, either
    locks = getattr(replay, 'locked', False) or 'for_update=1' in replay.target
    locked, unlocked = locked_reads(again)
    if locks and (unlocked or not locked) or locked and not locks:
        raise Failure(f'{locked} reads have locked, and {unlocked} have not')
    if (verdict['verdict'] == 'violated') != replay.reproduced:
        raise Failure(f'what was recorded is {verdict["verdict"]}')
    call(isolde, 'verify', verdict['certificate'], again)
    if isinstance(replay, Phantom):
        call(sys.executable, os.path.join(ROOT, 'tools', 'verify.py'), verdict['certificate'], again)


def play(isolde, played, folder):
    steps, history, proof = (os.path.join(folder, name) for name in ('a.steps', 'a.jsonl', 'proof'))
    with open(steps, 'w', encoding='utf-8') as file:
        file.write(COUNTED)
    text = call(isolde, 'run', '--steps', steps, '--server', 'postgres', '--isolation', played.isolation,
                '--level', 'serializable', '--certificate', proof, '--out', history, '--no-progress',
                codes=(1 if played.violated else 0,))
    if not re.search(r'count\(keys 1 to 9\) +now 0\n.*sum\(keys 1 to 9\) +now null\n', text):
        raise Failure('the aggregates are not of no rows')
    call(isolde, 'verify', proof, history)
    call(sys.executable, os.path.join(ROOT, 'tools', 'verify.py'), proof, history)


def run_locking(isolde, _, folder):
    history, proof = os.path.join(folder, 'h.jsonl'), os.path.join(folder, 'proof')
    call(isolde, 'run', '--server', 'postgres', '--param', 'for_update=1', '--isolation', 'read-committed',
         '--workload', 'general', '--sessions', '3', '--txns', '100', '--keys', '5', '--level', 'read-committed',
         '--certificate', proof, '--out', history, '--no-progress')
    locked, unlocked = locked_reads(history)
    if unlocked or not locked:
        raise Failure(f'{locked} reads have locked, and {unlocked} have not')
    call(isolde, 'verify', proof, history)
    call(sys.executable, os.path.join(ROOT, 'tools', 'verify.py'), proof, history)


def main(argv):
    isolde, name = argv
    if name == 'list':
        print('\n'.join(REPLAYS))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            replay = REPLAYS[name]
            does = {Played: play, LockingRun: run_locking}.get(type(replay), run)
            does(isolde, replay, folder)
        except Failure as failure:
            print(f'{name}: {failure}')
            return 1
    print(f'{name}: as expected')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
