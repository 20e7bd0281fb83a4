#!/usr/bin/env python3
"""What `check --stream` decides, `check` decides in the same way.

    stream_twin_test.py ISOLDE [FILES]

Histories with every fault that `gen` knows, most of them of one round and some of several, are
checked both ways at all levels: verdicts and exit codes are equal, or the stream's is unknown.
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

SMALL = {'general': ['--txns', '250', '--sessions', '5', '--keys', '12'],
         'blindw-rw': ['--txns', '200', '--sessions', '8', '--keys', '20'],
         'blindw-rm': ['--txns', '200', '--sessions', '4', '--keys', '6']}
LARGE = ['--workload', 'blindw-rw', '--txns', '140000', '--sessions', '12', '--ops', '2']
# In its own order the session reads what it writes later; as both overlap, real time allows it.
OVERLAP = """{"isolde":1,"kind":"history"}
{"session":"a","start":1,"end":9,"ops":[["r","x",1]]}
{"session":"a","start":2,"end":8,"ops":[["w","x",1]]}
{"session":"b","start":3,"end":7,"ops":[["r","x",1]]}
"""
EXIT = {'holds': 0, 'violated': 1, 'unknown': 2, 'not-applicable': 2}


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300,
                          stdin=subprocess.DEVNULL)


def verdicts(isolde, *words):
    done = run(isolde, 'check', '--json', *words)
    if done.returncode > 2:
        raise SystemExit(f'check {words}: exit code {done.returncode}\n{done.stderr}')
    levels = json.loads(done.stdout)['levels']
    return {name: each['verdict'] for name, each in levels.items()}, done.returncode


class Twins:
    def __init__(self, isolde):
        self.isolde = isolde
        self.failures = []
        self.count = {'same': 0, 'unknown': 0, 'holds': 0, 'violated': 0}

    def compare(self, what, whole, parts):
        for level, verdict in whole.items():
            other = parts[level]
            if other == verdict:
                self.count['same'] += 1
                self.count[verdict] = self.count.get(verdict, 0) + 1
            elif other == 'unknown':
                self.count['unknown'] += 1
            else:
                self.failures.append(f'{what} {level}: check {verdict}, --stream {other}')

    def history(self, what, path, alone):
        whole, _ = verdicts(self.isolde, path)
        parts, _ = verdicts(self.isolde, '--stream', path, '--level', ','.join(whole))
        self.compare(what, whole, parts)
        for level in alone:
            one, code = verdicts(self.isolde, '--stream', path, '--level', level)
            self.compare(what + ' alone', {level: whole[level]}, one)
            if code != EXIT[one[level]]:
                self.failures.append(f'{what} {level}: {one[level]}, exit code {code}')


def main():
    isolde = sys.argv[1]
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    twins = Twins(isolde)
    text = run(isolde, 'gen', '--help').stdout
    faults = re.search(r'What goes wrong: (.*)', text).group(1).split(', ')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'h.isob')

        def gen(what, *words):
            done = run(isolde, 'gen', *words, '--to', 'native-binary', '--out', path, '--force')
            if done.returncode != 0 and 'does not' not in done.stderr:
                raise SystemExit(f'gen {what}: {done.stderr}')
            return done.returncode == 0

        some = itertools.islice(itertools.product((1, 2), faults, SMALL), most)
        alone = ['strict-serializable', 'serializable', 'snapshot-isolation', 'read-committed']
        for seed, fault, workload in some:
            what = f'{workload} {fault} {seed}'
            if gen(what, '--workload', workload, *SMALL[workload], '--fault', fault, '--seed',
                   str(seed), '--fault-rate', '0.05', '--lost-reply-rate', '0.02'):
                twins.history(what, path, alone[seed % 2::2])
        # Levels that do not imply each other, with nothing stronger asked beside them.
        for fault in ('write-skew', 'long-fork', 'lost-update'):
            levels = 'snapshot-isolation,repeatable-read'
            if gen(fault, '--workload', 'general', *SMALL['general'], '--fault', fault, '--seed',
                   '7', '--fault-rate', '0.3'):
                whole, _ = verdicts(isolde, path, '--level', levels)
                parts, _ = verdicts(isolde, '--stream', path, '--level', levels)
                twins.compare(f'two levels, {fault}', whole, parts)
        text = os.path.join(folder, 'overlap.jsonl')
        with open(text, 'w', encoding='utf-8') as file:
            file.write(OVERLAP)
        if run(isolde, 'convert', '--to', 'native-binary', text, path, '--force').returncode:
            raise SystemExit('convert failed')
        twins.history('sessions that overlap', path, [])
        for fault in ('none', 'stale-read'):
            what = f'several rounds, {fault}'
            if gen(what, *LARGE, '--fault', fault, '--fault-after', '0.9', '--seed', '3'):
                whole, _ = verdicts(isolde, path, '--level', 'sser,ser,strong-snapshot-isolation,snapshot-isolation')
                parts, _ = verdicts(isolde, '--stream', path, '--level', 'sser,ser,strong-snapshot-isolation,snapshot-isolation')
                twins.compare(what, whole, parts)
    print(twins.count)
    for line in twins.failures:
        print(line)
    # A test of nothing would pass, too.
    if twins.count['holds'] < 50 or twins.count['violated'] < 50:
        print('too little was decided')
        return 1
    return 1 if twins.failures else 0


if __name__ == '__main__':
    sys.exit(main())
