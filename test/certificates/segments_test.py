#!/usr/bin/env python3
"""Two verifiers, `isolde verify` and tools/verify.py, have to agree on every file of segments.

segments_test.py ISOLDE [SEED [HISTORIES]]

Histories are of `isolde gen` and random small ones, of registers and of lists, with transactions of unknown
outcome, initial contents, and keys that are left out. `isolde watch --segments` writes the order, round by round;
both have to accept it. Then it is forged: transactions change places or are left out, a boundary between rounds
moves, a segment comes twice, a checksum is another, the file is cut off, the history is another. What one of them
accepts the other one must accept. Fails, too, if some kind was never accepted or never refused.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(HERE)), 'tools')]

import verify  # noqa: E402
from verifier.history import read_lines  # noqa: E402
from verifier.xxh3 import xxh3  # noqa: E402

LEVELS = ['strict-serializable', 'strong-snapshot-isolation', 'strong-prefix-consistency']
SEAL = ',"chain":"'


def sealed(lines):
    """The text of a file with these lines."""
    chain, text = 0, ''
    for line in lines:
        body = json.dumps(line, separators=(',', ':'), ensure_ascii=False)[:-1]
        chain = xxh3(body.encode(), chain)
        text += f'{body}{SEAL}{chain:016x}"}}\n'
    return text


def opened(text):
    """The lines of a file without their chains, with numbers in place of steps."""
    lines = []
    for line in text.splitlines():
        lines.append(json.loads(line))
        del lines[-1]['chain']
        number = 0
        for i, step in enumerate(lines[-1].get('order', ())):
            number += step
            lines[-1]['order'][i] = number
    return lines


def closed(lines):
    """The text of such lines."""
    lines = json.loads(json.dumps(lines))
    for n, line in enumerate(line for line in lines if 'order' in line):
        line['segment'] = n
        line['order'] = [b - a for a, b in zip([0] + line['order'], line['order'])]
    return sealed(lines)


class Store:
    """Transactions on registers or lists, a few of them at a time, each at one point or, with snapshots, at two."""

    def __init__(self, rng, lists, level):
        self.rng, self.lists, self.mentions = rng, lists, 1 if level == LEVELS[0] else 2
        self.keeps_apart = level != LEVELS[2]  # who writes the same at one time
        self.values = [1, 2, 'red', True, 0.5, 2**61, -7, 'ä'] if not lists else range(1000)
        self.names = rng.choice([['x', 'y', 'other'], [1, 2, 'x'], [True, 1.5, 'x*']])
        self.held, self.time, self.next = {}, 0, 0
        self.open, self.lines = [], []
        self.initial = []
        for name in self.names:
            if rng.random() < 0.4:
                held = [self.value() for _ in range(rng.randint(1, 2))] if lists else self.value()
                self.initial.append([name, held])
                self.held[json.dumps(name)] = held

    def value(self):
        """What is written; of lists each once."""
        self.next += 1
        return self.next if self.lists else self.rng.choice(self.values)

    def begin(self, session):
        """What it reads is what is there now."""
        self.time += self.rng.randint(1, 3)
        ops, own = [], {}
        for _ in range(self.rng.randint(1, 4)):
            name = self.rng.choice(self.names)
            key = json.dumps(name)
            there = own.get(key, self.held.get(key))
            if self.rng.random() < 0.5:
                if self.rng.random() < 0.1:
                    ops.append(['r', name])
                else:
                    ops.append(['r', name, list(there or []) if self.lists else there])
            else:
                written = self.value()
                ops.append(['append' if self.lists else 'w', name, written])
                own[key] = (there or []) + [written] if self.lists else written
        return {'session': session, 'start': self.time, 'ops': ops, 'own': own,
                'wrote': [op for op in ops if op[0] != 'r']}

    def commit(self, line, fate):
        """What it wrote is there, unless it was rolled back."""
        self.time += self.rng.randint(1, 3)
        line['end'], line['status'] = self.time, fate
        if fate != 'aborted' and (fate == 'committed' or self.rng.random() < 0.5):
            for _, name, written in line['wrote']:
                key = json.dumps(name)
                self.held[key] = self.held.get(key, []) + [written] if self.lists else written
        self.lines.append({name: line[name] for name in ('session', 'start', 'end', 'status', 'ops')})

    def history(self, size):
        """The lines of a file."""
        for n in range(size):
            line = self.begin(f's{n}')
            fate = self.rng.choices(['committed', 'indeterminate', 'aborted'], [8, 1, 1])[0]
            if self.mentions == 2 and self.rng.random() < 0.4:
                others = {op[1] for each, _ in self.open for op in each['wrote']}
                if not self.keeps_apart or others.isdisjoint(op[1] for op in line['wrote']):
                    self.open.append((line, fate))
                    continue
            if self.keeps_apart and self.mentions == 2 and any({op[1] for op in each['wrote']} & {op[1] for op in line['wrote']}
                                          for each, _ in self.open):
                fate = 'aborted'
            self.commit(line, fate)
            if self.open and self.rng.random() < 0.5:
                self.commit(*self.open.pop(0))
        for each in self.open:
            self.commit(*each)
        header = {'isolde': 2 if self.initial else 1, 'kind': 'history'}
        if self.initial:
            header['initial'] = self.initial
        return [header] + self.lines


def forged(lines, txns, rng):
    """What was changed, and the lines with one thing changed; lines are chained anew."""
    lines = json.loads(json.dumps(lines))
    places = [(line, i) for line in lines if 'order' in line for i in range(len(line['order']))]
    segments = [n for n, line in enumerate(lines) if 'order' in line]
    kind = rng.choice(['swapped', 'dropped', 'repeated', 'other number', 'boundary', 'segment twice',
                       'segment left out', 'state', 'no state', 'level', 'initial', 'keys', 'end', 'clock',
                       'raised', 'joined'])
    if not places:
        return None, lines
    (one, i), (other, j) = rng.choice(places), rng.choice(places)
    if kind == 'swapped':
        one['order'][i], other['order'][j] = other['order'][j], one['order'][i]
    elif kind == 'dropped':
        del one['order'][i]
    elif kind == 'repeated':
        other['order'].insert(j, one['order'][i])
    elif kind == 'other number':
        one['order'][i] = rng.randrange(txns + 1)
    elif kind == 'boundary':
        at = rng.choice(segments)
        cut = rng.randint(0, len(lines[at]['order']))
        behind = {**lines[at], 'order': lines[at]['order'][cut:]}
        lines[at]['order'] = lines[at]['order'][:cut]
        if rng.random() < 0.5:
            lines[at].pop('state', None)
        lines.insert(at + 1, behind)
    elif kind == 'segment twice':
        at = rng.choice(segments)
        lines.insert(at, json.loads(json.dumps(lines[at])))
    elif kind == 'segment left out':
        del lines[rng.choice(segments)]
    elif kind == 'state':
        told = [line for line in lines if 'state' in line]
        rng.choice(told)['state'] = f'{rng.getrandbits(64):016x}'
    elif kind == 'no state':
        lines[rng.choice(segments)].pop('state', None)
    elif kind == 'level':
        lines[0]['level'] = rng.choice(LEVELS + ['serializable'])
    elif kind == 'initial':
        lines[0] = {name: part for name, part in lines[0].items() if name != 'initial'} if 'initial' in lines[0] else {
            **lines[0], 'initial': 'unknown'}
    elif kind == 'keys':
        lines[0]['keys'] = rng.choice(['x*', '?', '[x-y]', '[!x]', 'x\\*', '*', 'none', '[0-9]'])
        for line in lines:
            line.pop('state', None)
    elif kind == 'end':
        if 'end' in lines[-1] and rng.random() < 0.5:
            lines.pop()
        else:
            lines[-1]['end'] = txns + 1
    elif kind == 'clock':
        lines[0]['clock_error_ns'] = 2
    elif kind == 'raised':
        lines[rng.choice(segments)]['clock_error_ns'] = rng.choice([0, 1, 3, 6])
    elif kind == 'joined' and len(segments) > 1:
        order = [number for line in lines if 'order' in line for number in line['order']]
        lines[1:segments[-1] + 1] = [{'segment': 0, 'order': order}]
    return kind, lines


def damaged(text, rng):
    """What was done to the bytes, and these."""
    kind = rng.choice(['cut off', 'a hash', 'a byte'])
    if kind == 'cut off':
        return kind, text[:rng.randrange(len(text))]
    if kind == 'a hash':
        at = rng.choice([n for n in range(len(text)) if text.startswith(SEAL, n)]) + len(SEAL) + rng.randrange(16)
        return kind, text[:at] + ('0' if text[at] != '0' else '1') + text[at + 1:]
    at = rng.randrange(len(text))
    return kind, text[:at] + rng.choice('0123456789,:x') + text[at + 1:]


class Comparison:
    """Runs both verifiers and counts what they say."""

    def __init__(self, isolde, folder):
        self.isolde, self.folder, self.problems = isolde, folder, []
        self.counts = collections.defaultdict(collections.Counter)

    def run(self, *words):
        """Runs isolde."""
        return subprocess.run([self.isolde, *words], capture_output=True, text=True, check=False)

    def compare(self, kind, text, history, parts):
        """Gives a file to both. They may assume clocks up to 5 ns apart."""
        code, said = verify.answer_segments(text, parts, 5) if verify.is_segments(text) else (3, 'no segments')
        path = os.path.join(self.folder, 'segments')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        first = self.run('verify', '--clock-error', '5ns', path, history)
        words = (first.stdout + first.stderr).strip()
        if (code == 0) != (first.returncode == 0) or first.returncode not in (0, 1, 3):
            with open(history.replace('.isob', '.jsonl'), encoding='utf-8') as file:
                self.problems.append(f'{kind}\ntools/verify.py: {said}\nisolde verify: {words}\n'
                                     f'{text[:3000]}{file.read()[:4000]}')
        self.counts[kind]['accepted' if first.returncode == 0 else 'refused'] += 1
        return first.returncode == 0

    def feed(self, name, lines, words, rng, forgeries):
        """A history: both accept its segments, and judge forged ones alike. False: it was not decided to hold."""
        text, binary, segments = (os.path.join(self.folder, f'{name}.{end}') for end in ('jsonl', 'isob', 'order'))
        if lines is not None:
            with open(text, 'w', encoding='utf-8') as file:
                file.write(''.join(json.dumps(line) + '\n' for line in lines))
            made = self.run('convert', text, binary, '--to', 'native-binary')
        else:
            made = self.run('convert', binary, text, '--to', 'native')
        if made.returncode != 0:
            sys.exit(made.stderr)
        done = self.run('watch', binary, '--timeout', '20s', '--segments', segments, *words)
        if done.returncode != 0:
            return False
        with open(segments, encoding='utf-8', newline='') as file:
            written = file.read()
        parts = [read_lines(text)]
        kind = 'unknown initial contents' if '--initial' in words else 'some keys' if '--keys' in words else 'all'
        if not self.compare(kind, written, binary, parts) or closed(opened(written)) != written:
            self.problems.append(f'{kind}: not accepted, or not read as it was written\n{written[:3000]}')
        for _ in range(forgeries):
            what, lines = forged(opened(written), len(parts[0][1]), rng)
            if what:
                self.compare(what, closed(lines), binary, parts)
        if LEVELS[2] in words:
            self.compare('stronger level', closed([{**opened(written)[0], 'level': LEVELS[1]}] + opened(written)[1:]),
                         binary, parts)
        self.compare(*damaged(written, rng), binary, parts)
        return True


def generated(comparison, rng):
    """Larger histories of gen."""
    workloads = [['--workload', 'rw-register', '--keys', '5'], ['--workload', 'list-append', '--keys', '4']]
    held = 0
    for n, level in enumerate(LEVELS):
        for m, workload in enumerate(workloads):
            name = f'gen{n}{m}'
            made = comparison.run('gen', '--out', os.path.join(comparison.folder, name + '.isob'), '--to', 'native-binary',
                                  '--txns', '400', '--lost-reply-rate', '0.02', '--seed', str(rng.randrange(1000)), *workload)
            if made.returncode != 0:
                sys.exit(made.stderr)
            held += comparison.feed(name, None, ['--level', level], rng, 3)
    return held


def main(isolde, seed=None, count='40'):
    """Compares on so many random histories."""
    seed = seed or os.environ.get('ISOLDE_SEED') or str(random.randrange(10**6))
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(isolde, folder)
        held = generated(comparison, rng)
        for n in range(int(count)):
            level = rng.choice(LEVELS)
            lists = rng.random() < 0.4
            words = ['--level', level]
            is_told = True
            if rng.random() < 0.3:
                words += ['--initial', 'unknown']
                is_told = rng.random() < 0.3
            elif rng.random() < 0.3:
                words += ['--keys', rng.choice(['x*', '?', '[!o]*'])]
            store = Store(rng, lists, level)
            lines = store.history(rng.randint(1, 12))
            if not is_told:
                lines[0].pop('initial', None)
            held += comparison.feed(f'h{n}', lines, words, rng, 3)
    print(f'seed {seed}: {held} histories hold')
    for kind, found in sorted(comparison.counts.items()):
        print(f'  {kind}: {found["accepted"]} accepted, {found["refused"]} refused')
    for problem in comparison.problems[:3]:
        print(problem)
    counted = {name: sum(found[name] for found in comparison.counts.values()) for name in ('accepted', 'refused')}
    missing = held < int(count) // 2 or min(counted.values()) < int(count) // 2
    if comparison.problems or missing:
        sys.exit(f'{len(comparison.problems)} disagreements, with ISOLDE_SEED={seed}')


if __name__ == '__main__':
    main(*sys.argv[1:])
