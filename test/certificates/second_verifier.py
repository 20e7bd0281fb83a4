#!/usr/bin/env python3
"""Two verifiers, `isolde verify` and tools/verify.py, have to agree on every certificate.

second_verifier.py ISOLDE [SEED [SCALE]]

The certificates are those of `isolde check` for the histories of this repository, a sample of
../shared/corpus, histories of `isolde gen` and random small ones, at all levels; and forged ones:
with one thing changed, moved to another history, or made of nothing. The second verifier looks at
all of them, `isolde verify` at a sample, for it starts anew each time; SCALE makes the samples
larger. Prints how many were accepted and refused, by what is in them, and fails if the two ever
disagree, or if some kind of edge or finding was never accepted or never refused.
"""
import collections
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, 'tools')]

import forging  # noqa: E402
import histories  # noqa: E402
import verify  # noqa: E402
from verifier.levels import LEVELS, next_weaker  # noqa: E402

CORPUS = os.path.join(ROOT, '..', 'shared', 'corpus')
# For the edges that no other history here needs: co, sc, cs.
BY_DATABASE = [
    [{'session': 'a', 'db_start': 6, 'db_commit': 9, 'ops': [['append', 'l', 1]]},
     {'session': 'b', 'db_start': 3, 'db_commit': 5, 'ops': [['append', 'l', 2]]},
     {'session': 'c', 'db_start': 11, 'db_commit': 12, 'ops': [['r', 'l', [1, 2]]]}],
    [{'session': 'a', 'db_start': 1, 'db_commit': 3, 'ops': [['w', 'x', 1]]},
     {'session': 'b', 'db_start': 2, 'db_commit': 4, 'ops': [['r', 'x', 1]]}],
    [{'session': 'a', 'db_start': 1, 'db_commit': 2, 'ops': [['w', 'x', 1]]},
     {'session': 'b', 'db_start': 3, 'db_commit': 4, 'ops': [['r', 'x', None]]}]]
# Both updates are there, or what is missing has deleted the row in between, which was inserted again.
TWO_UPDATES = [
    {'isolde': 2, 'kind': 'history', 'initial': [['x', 1]]},
    {'session': 'a', 'ops': [['r', 'x', 1], ['w', 'x', 2]]},
    {'session': 'b', 'ops': [['r', 'x', 1], ['w', 'x', 3]]}]
# Numbers, and a total, that increments do not come to.
IMPOSSIBLE = [
    [{'session': 'a', 'start': 1, 'end': 5, 'ops': [['inc', 'x', 1]]},
     {'session': 'b', 'start': 2, 'end': 6, 'ops': [['inc', 'x', 1]]},
     {'session': 'c', 'start': 7, 'end': 8, 'ops': [['r', 'x', 1]]}],
    [{'session': 'a', 'ops': [['r', 'x', 2], ['inc', 'x', 1]]},
     {'session': 'b', 'ops': [['inc', 'x', 1]]}, {'session': 'b', 'ops': [['r', 'x', 1]]}],
    [{'session': 'a', 'ops': [['inc', 'x', 1], ['inc', 'y', -1]]},
     {'session': 'b', 'ops': [['inc', 'y', 1], ['inc', 'z', -1]]},
     {'session': 'c', 'ops': [['r', 'x', 1], ['r', 'y', 1], ['r', 'z', -1]]}]]
GENERATED = [
    ['--isolation', 'strict-serializable', '--lost-reply-rate', '0.1'],
    ['--isolation', 'snapshot-isolation', '--staleness', 'any', '--workload', 'list-append'],
    ['--isolation', 'read-committed', '--keys', '3'],
    ['--fault', 'write-skew', '--isolation', 'serializable'],
    ['--fault', 'long-fork', '--isolation', 'snapshot-isolation'],
    ['--fault', 'session-violation'], ['--fault', 'causality-violation'],
    ['--fault', 'fractured-read'], ['--fault', 'stale-read', '--keys', '2'],
    ['--fault', 'lost-update', '--workload', 'list-append'],
    ['--workload', 'general', '--values', '3', '--keys', '3'],
    ['--fault', 'dirty-write', '--workload', 'list-append', '--keys', '3']]


class History:
    """A history that was checked, with its certificates."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding='utf-8') as file:
            self.facts = forging.Facts(file.read(), NAMES)
        self.read = verify.read_history(path)
        self.matches = any(op.match for txn in self.read.txns for op in txn.ops)
        self.certificates = []


NAMES = sorted({level.name for level in verify.LEVELS.values()})


def kinds_of(lines):
    """What is in a certificate."""
    found = set()
    for line in lines[1:]:
        found |= {edge['kind'] for edge in line.get('cycle', ())}
        found |= {line['finding']} if 'finding' in line else set()
        found |= {'from' if name == 'from' else name
                  for name in ('claims', 'sources', 'sessions_of', 'sums', 'until', 'from')
                  if name in line}
        found |= {'key order'} if 'key' in line and 'order' in line else set()
    if 'mentions' in lines[0]:
        found.add(f'order of {lines[0]["mentions"]}')
    return found | {'follows_from'} & lines[0].keys()


class Comparison:
    """Runs both verifiers and counts what they say."""

    def __init__(self, isolde, folder, seed):
        self.isolde, self.folder, self.random = isolde, folder, random.Random(seed)
        self.pool, self.problems, self.fed = [], [], 0
        self.valid, self.forged = collections.Counter(), collections.Counter()
        self.counts = collections.defaultdict(collections.Counter)

    def run(self, *words):
        """Runs isolde."""
        return subprocess.run([self.isolde, *words], capture_output=True, text=True)

    def compare(self, lines, history, kinds):
        """Gives a certificate to both; returns whether it was accepted."""
        text = forging.text_of(lines)
        code, said = verify.answer(text, history.read)
        kinds = kinds | {'some columns of rows'} if history.matches else kinds
        path = os.path.join(self.folder, 'certificate')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        first = self.run('verify', path, history.path)
        words = (first.stdout + first.stderr).strip()
        if code == 2 or 'gave up' in words:
            self.forged['not checked'] += 1
        elif (code == 0) != (first.returncode == 0) or first.returncode not in (0, 1, 3):
            with open(history.path, encoding='utf-8') as file:
                self.problems.append(f'tools/verify.py: {said}\nisolde verify: {words}\n'
                                     f'{text}{file.read()[:4000]}')
        for kind in kinds:
            self.counts[kind]['accepted' if first.returncode == 0 else 'refused'] += 1
        return first.returncode == 0

    def feed(self, path, sample, *words):
        """Checks a history; the second verifier has to accept all of its certificates."""
        self.fed += 1
        prefix = os.path.join(self.folder, f'{self.fed}')
        done = self.run('check', *words, '--certificate', prefix, path)
        if done.returncode not in (0, 1, 2):
            return
        history = History(path)
        for name in sorted(glob.glob(prefix + '.*')):
            with open(name, encoding='utf-8') as file:
                history.certificates.append([json.loads(line) for line in file])
            code, said = verify.answer(forging.text_of(history.certificates[-1]), history.read)
            self.valid[said.split(':')[0]] += 1
            if code not in (0, 2):
                self.problems.append(f'{path}: {said}\n'
                                     + forging.text_of(history.certificates[-1]))
        self.pool.append(history)
        self.random.shuffle(history.certificates)
        for n, lines in enumerate(history.certificates):
            kinds = kinds_of(lines)
            if n < sample or any(not self.counts[kind]['accepted'] for kind in kinds):
                if not self.compare(lines, history, kinds):
                    self.problems.append(f'{path}: isolde verify refuses what check wrote')

    def files(self, sample):
        """The histories of this repository."""
        for pattern in ('demo/**/*.jsonl', 'test/cli/data/*.jsonl',
                        'test/corpus/regressions/*.jsonl'):
            for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
                if not path.endswith('.proof.jsonl'):
                    self.feed(path, sample)
        for n, lines in enumerate(BY_DATABASE + IMPOSSIBLE):
            path = os.path.join(self.folder, f'own{n}.jsonl')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(forging.text_of([{'isolde': 2, 'kind': 'history'}] + lines))
            self.feed(path, sample)

    def corpus(self, count):
        """A sample of the histories of other tools."""
        paths = [path for path in glob.glob(os.path.join(CORPUS, '**', '*'), recursive=True)
                 if os.path.isfile(path) and os.path.getsize(path) < 12_000]
        if not paths:
            print('skipped: there is no ../shared/corpus')
        self.random.shuffle(paths)
        while paths and count:
            path = os.path.join(self.folder, f'corpus{len(paths)}.jsonl')
            if self.run('convert', '--to', 'native', paths.pop(), path).returncode == 0:
                self.feed(path, 1, '--timeout', '2s')
                count -= 1

    def made(self, count, sample):
        """Random histories, of isolde gen and of this test."""
        for n in range(count):
            path = os.path.join(self.folder, f'made{n}.jsonl')
            if n % 2:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(histories.make(self.random, n % 4 == 3 or None))
            else:
                self.run('gen', '--out', path, '--seed', str(self.random.randrange(10**6)),
                         '--txns', '20', '--sessions', '4', '--ops', '4', '--fault-rate', '0.3',
                         *GENERATED[n // 2 % len(GENERATED)])
            self.feed(path, sample)

    def counted(self, count, sample):
        """Random histories with increments."""
        for n in range(count):
            path = os.path.join(self.folder, f'counted{n}.jsonl')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(histories.count(self.random))
            self.feed(path, sample)

    def refused(self, count):
        """Random histories with refused inserts, and proofs of one level given to others."""
        for n in range(count):
            path = os.path.join(self.folder, f'refused{n}.jsonl')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(histories.refuse(self.random))
            self.feed(path, 1)
            history = self.pool[-1]
            for lines in self.random.sample(history.certificates, min(3, len(history.certificates))):
                head = {name: part for name, part in lines[0].items() if name != 'follows_from'}
                proved = lines[0].get('follows_from', lines[0]['level'])
                head |= {'level': self.random.choice(NAMES)} if history.read.refused else {}
                if self.random.random() < 0.5 and head['level'] != proved:
                    head['follows_from'] = proved
                self.compare([head] + lines[1:], history, {'of refused inserts'})

    def mixed(self, count):
        """Random histories of mixed levels, and proofs of other levels given to these."""
        for n in range(count):
            path = os.path.join(self.folder, f'mixed{n}.jsonl')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(histories.mix(self.random))
            self.feed(path, 1)
            history = self.pool[-1]
            for lines in self.random.sample(history.certificates, min(3, len(history.certificates))):
                head = {name: part for name, part in lines[0].items() if name != 'follows_from'}
                head['level'] = self.random.choice(['mixed', 'strong-mixed'])
                self.compare([head] + lines[1:], history, {'of mixed levels'})

    def forge_sums(self, count):
        """Changes sums of increments in certificates that have some."""
        having = [(history, lines) for history in self.pool for lines in history.certificates
                  if any('sums' in line for line in lines)]
        for _ in range(count if having else 0):
            history, lines = self.random.choice(having)
            what, forged = '', lines
            while not what.startswith('sums'):
                what, forged = forging.change_all_but_header(self.random, history.facts, lines)
            accepted = self.compare(forged, history, {'sums'})
            self.forged['accepted' if accepted else 'refused'] += 1

    def schedules(self, count):
        """Some of the classes of Coo, each in one of its forms; with a large count all of both."""
        listed, forms = self.run('schedules').stdout.split('\n\n')
        names = [f'{line.split()[0]}.{form.split()[0]}' for line in listed.splitlines()
                 for form in forms.splitlines()[1:]]
        self.random.shuffle(names)
        for name in names[:count]:
            steps = os.path.join(self.folder, name)
            with open(steps, 'w', encoding='utf-8') as file:
                file.write(self.run('schedules', name).stdout)
            if os.path.getsize(steps):  # not every class has every form
                self.run('gen', '--steps', steps, '--out', steps + '.jsonl')
                self.feed(steps + '.jsonl', 0)

    def cut_off(self, count):
        """Gives proofs that a level is violated to histories that are the same, but cut off."""
        path = os.path.join(self.folder, 'updates.jsonl')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(forging.text_of(TWO_UPDATES))
        self.feed(path, 0)
        self.cut(self.pool[-1], 'cut_updates', 99)
        having = [history for history in self.pool
                  if any(lines[0]['verdict'] == 'violated' for lines in history.certificates)]
        for n in range(count):
            for _ in range(20):  # of most histories all values are different
                whole = self.random.choice(having)
                _, path = self.write_cut(whole, f'cut{n}')
                if n % 2 or verify.read_history(path).may_repeat:
                    break
            self.cut(whole, f'cut{n}', 3)

    def write_cut(self, whole, name):
        """The header and the path of a history that is the same, but cut off."""
        path = os.path.join(self.folder, name + '.jsonl')
        with open(whole.path, encoding='utf-8') as file:
            header, *rest = file.read().splitlines()
        header = json.loads(header) | {'truncated': True}
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join([json.dumps(header)] + rest) + '\n')
        return header, path

    def cut(self, whole, name, most):
        """Gives some of a history's proofs to the same history, cut off."""
        header, path = self.write_cut(whole, name)
        before = len(self.pool)
        self.feed(path, 1)
        if len(self.pool) == before:
            return
        cut = self.pool.pop()
        if not cut.certificates and header['isolde'] == 2:
            return  # its digest may be another one
        head = {name: (cut.certificates or whole.certificates)[0][0][name]
                for name in ('history', 'transactions')}
        proofs = [lines for lines in whole.certificates if lines[0]['verdict'] == 'violated']
        for lines in self.random.sample(proofs, min(most, len(proofs))):
            self.compare([lines[0] | head] + lines[1:], cut, {'of what is cut off'})

    def some_forgery(self):
        """A forged certificate, for some history, and what was done."""
        history = self.random.choice(self.pool)
        lines = self.random.choice(history.certificates)
        if self.random.random() < 0.1:
            other = self.random.choice(self.pool)
            head = lines[0] | {name: other.certificates[0][0][name]
                               for name in ('history', 'transactions')}
            return 'moved', [head] + lines[1:], other
        forge = self.random.choice([forging.change, forging.change, forging.change_all_but_header])
        if self.random.random() < 0.4:
            what, lines = forging.from_nothing(self.random, history.facts, lines[0])
        else:
            what, lines = forge(self.random, history.facts, lines)
        return what, lines, history

    def forge(self, count):
        """Forged certificates of all kinds; half of them such as the second verifier accepts."""
        self.pool = [history for history in self.pool if history.certificates]
        for n in range(count):
            for _ in range(20):
                what, lines, history = self.some_forgery()
                if n % 2 or not verify.answer(forging.text_of(lines), history.read)[0]:
                    break
            accepted = self.compare(lines, history, {what} & set(
                forging.EDGES + forging.FINDINGS))
            self.forged['accepted' if accepted else 'refused'] += 1
            self.counts['change of ' + what.split('.')[0]]['accepted' if accepted else
                                                           'refused'] += 1

    def forge_each_kind(self, count):
        """Changes a certificate of each kind of edge and finding until it is refused."""
        for kind in forging.EDGES + forging.FINDINGS:
            having = [(history, lines) for history in self.pool
                      for lines in history.certificates if kind in kinds_of(lines)]
            for _ in range(count if having else 0):
                history, lines = self.random.choice(having)
                for _ in range(200):
                    what, forged = forging.change_all_but_header(
                        self.random, history.facts, lines)
                    if what == kind and verify.answer(
                            forging.text_of(forged), history.read)[0] == 1:
                        break
                accepted = self.compare(forged, history, {kind})
                self.forged['accepted' if accepted else 'refused'] += 1

    def report(self):
        """Prints the counts; returns the exit code."""
        for title, counter in (('certificates of isolde check', self.valid),
                               ('forged certificates', self.forged)):
            print(f'{title}: ' + ', '.join(f'{n} {what}' for what, n in sorted(counter.items())))
        print('compared                      accepted  refused')
        for kind, count in sorted(self.counts.items()):
            print(f'  {kind:28}{count["accepted"]:8}{count["refused"]:9}')
        for kind in forging.EDGES + forging.FINDINGS + [
                'some columns of rows', 'sums', 'of refused inserts', 'of mixed levels',
                'of what is cut off']:
            for answer in ('accepted', 'refused'):
                if not self.counts[kind][answer]:
                    self.problems.append(f'{kind} was never {answer}')
        for problem in self.problems[:10]:
            print('problem: ' + problem)
        print(f'{len(self.problems)} problems')
        return 1 if self.problems else 0


def levels_apart(isolde):
    """What the two say differently of the levels themselves: complaints, one for each."""
    def said(*arguments):
        return subprocess.run([isolde, 'levels', *arguments], capture_output=True, text=True, check=True).stdout

    rows = dict(line.split()[:2] for line in said().splitlines() if line.startswith('  '))
    if set(rows) | set(rows.values()) != LEVELS.keys():
        return [f'tools/verifier/levels.py lacks {name}' for name in sorted(set(rows) - LEVELS.keys())] or [
            'tools/verifier/levels.py has levels or short names that isolde has not']
    complaints = []
    for name in rows:
        text = ' '.join(said(name).split())
        weaker = re.search('Next weaker: (.*?) (?:All|Weaker|Next stronger)', text).group(1)
        weaker = set() if weaker == 'none' else set(weaker.split(', '))
        mine, todo = set(), [name]
        while todo:
            more = set(next_weaker(LEVELS[todo.pop()], False, False, False)) - mine - {name}
            mine |= more
            todo += more
        # No level that follows is missing, and of none that does not does one follow.
        nearest = {each for each in mine if not any(
            each in next_weaker(LEVELS[other], False, False, False) for other in mine - {each})}
        if not weaker <= mine or not nearest <= weaker:
            complaints.append(f'{name}: next weaker are {sorted(weaker)}, but tools/verifier/levels.py says '
                              f'{sorted(mine)}')
    return complaints


def main():
    """Runs the comparison."""
    complaints = levels_apart(os.path.abspath(sys.argv[1]))
    if complaints:
        print('\n'.join(complaints))
        return 1
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    scale = float(sys.argv[3]) if len(sys.argv) > 3 else 1
    print(f'seed {seed}, scale {scale:g}')
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(os.path.abspath(sys.argv[1]), folder, seed)
        comparison.files(int(scale))
        comparison.corpus(int(5 * scale))
        comparison.made(int(36 * scale), int(scale))
        comparison.counted(int(10 * scale), int(scale))
        comparison.refused(int(15 * scale))
        comparison.mixed(int(20 * scale))
        comparison.schedules(int(16 * scale))
        comparison.cut_off(int(20 * scale))
        comparison.forge_each_kind(int(2 * scale))
        comparison.forge_sums(int(12 * scale))
        comparison.forge(int(120 * scale))
        return comparison.report()


if __name__ == '__main__':
    sys.exit(main())
