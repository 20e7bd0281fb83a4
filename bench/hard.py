#!/usr/bin/env python3
"""Hard histories: what `isolde check` decides within a time limit.

    hard.py [--isolde BINARY] [--only TEXT] [--limit 60] [--csv FILE] [--keep FOLDER]

Each instance is made from a seed and checked at its levels, one at a time. Proofs are verified, and a
verdict that contradicts how the history was made is an error. Reported are wall and CPU time of the
whole command and its peak memory.

Families:

- repeat: 5,000 transactions of 15 operations, half of them reads, 20 sessions, 1,000 or 10,000 keys
  (PolySI's defaults but for transactions); each write takes one of so many values, by chance, so
  that reads have several possible sources. VeriStrong's duplicate values are of this kind; its own
  histories need 22 s of CPU there (serializable) and 109 s (snapshot isolation).
- crowd: 10,000 transactions of 10 operations, half of them reads, ten values of each of 100 keys, no
  times, and more and more sessions: nothing tells when any transaction ran.
- blind: transactions of 8 blind writes (four of five) or 8 reads, 100 sessions, 1,000 keys, zipfian
  with theta 0.99; each takes effect at one moment, in the order of random thinking times.
- blindw: the same shape from the simulated multi-version store, uniform over 10,000 keys.
- generalwh: PolySI's GeneralWH, 10,000 transactions of 8 operations, 30 % reads, 25 sessions.
- sat: polygraphs reduced from formulas, see polygraph.py.
"""
import argparse
import bisect
import csv
import heapq
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import polygraph

ROOT = pathlib.Path(__file__).resolve().parent.parent
SER, SI = 'serializable', 'snapshot-isolation'
SESSION_SER, SESSION_SI = 'strong-session-serializable', 'strong-session-snapshot-isolation'


def blind_writes(txns, sessions, keys, ops, reads, theta, seed):
    """Lines of a strict-serializable history without times, in an order by session only."""
    rng = random.Random(seed)
    weights = list(itertools.accumulate((rank + 1) ** -theta for rank in range(keys)))
    latest = [0] * keys
    due = [(rng.expovariate(1), session) for session in range(sessions)]
    heapq.heapify(due)
    lines = [[] for _ in range(sessions)]
    for _ in range(txns):
        now, session = due[0]
        chosen = set()
        while len(chosen) < ops:
            chosen.add(bisect.bisect(weights, rng.random() * weights[-1]))
        parts = []
        is_reader = rng.random() < reads
        for key in sorted(chosen):
            if is_reader:
                parts.append(f'["r",{key},{latest[key] or "null"}]')
            else:
                latest[key] += 1
                parts.append(f'["w",{key},{latest[key]}]')
        lines[session].append(f'{{"session":{session},"ops":[{",".join(parts)}]}}')
        heapq.heapreplace(due, (now + 0.01 + rng.expovariate(1), session))
    yield '{"isolde":1,"kind":"history","workload":"blind writes"}'
    yield from itertools.chain(*lines)


def generated(*options):
    return lambda isolde, path: subprocess.run(
        [isolde, 'gen', '--out', path, *map(str, options)], check=True)


def written(make):
    return lambda isolde, path: path.write_text('\n'.join(make()) + '\n', encoding='ascii')


def blind(txns):
    return written(lambda: blind_writes(txns, 100, 1000, 8, 0.2, 0.99, 1))


def repeated(keys, values, isolation, *more):
    return generated('--workload', 'general', '--sessions', 20, '--txns', 5000, '--ops', 15, '--keys',
                     keys, '--values', values, '--isolation', isolation, *more)


def crowd(sessions, isolation):
    return generated('--workload', 'general', '--sessions', sessions, '--txns', 10_000, '--ops', 10,
                     '--keys', 100, '--values', 10, '--isolation', isolation, '--no-times')


def formula(variables, ratio, seed=1):
    return written(lambda: polygraph.history(polygraph.random_formula(variables, ratio, seed)))


def pigeons(holes):
    return written(lambda: polygraph.history(polygraph.pigeons(holes)))


def instances():
    """Name, maker, levels and the verdict that is known, if one is."""
    for keys, values in ((10_000, 10), (1_000, 100), (1_000, 10)):
        for isolation, levels in ((SER, (SER, SESSION_SER)), (SI, (SI, SESSION_SI))):
            for more in ((), ('--no-times',)):
                name = (f'repeat {keys} keys {values} values, '
                        f'{"no times" if more else "times"}, store {isolation}')
                yield name, repeated(keys, values, isolation, *more), levels, 'holds'
    for sessions in (10, 30, 50):
        for level in (SER, SI):
            name = f'crowd of {sessions} sessions, store {level}'
            yield name, crowd(sessions, level), (level,), 'holds'
    for txns in (3_000, 10_000, 30_000, 100_000):
        yield (f'blind zipfian {txns}', blind(txns), (SER, SESSION_SER, SI, SESSION_SI), 'holds')
    yield ('blindw-wh 100000', generated(
        '--workload', 'blindw-wh', '--sessions', 100, '--txns', 100_000, '--keys', 10_000,
        '--isolation', SER, '--no-times'), (SER, SESSION_SER), 'holds')
    yield ('generalwh', generated(
        '--workload', 'general', '--sessions', 25, '--txns', 10_000, '--ops', 8, '--keys', 10_000,
        '--reads', 0.3, '--isolation', SI, '--no-times'), (SI, SESSION_SI), 'holds')
    for variables in (100, 200, 300):
        for ratio in (3, 4.26):
            name = f'sat {variables} variables ratio {ratio}'
            yield name, formula(variables, ratio), (SER, SI), None
    yield 'sat 150 variables ratio 6', formula(150, 6), (SER, SI), 'violated'
    for holes in (5, 6, 7, 8):
        yield f'sat pigeons {holes}', pigeons(holes), (SER, SI), 'violated'


def check(isolde, level, history, limit, proof):
    """Verdict, wall seconds, CPU seconds and peak bytes."""
    with tempfile.TemporaryFile() as out:
        begin = time.monotonic()
        process = subprocess.Popen(
            [isolde, 'check', '--json', '--no-progress', '--timeout', str(limit), '--level', level,
             '--certificate', proof, history], stdout=out)
        _, _, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        out.seek(0)
        report = json.load(out)
    verdict = report['levels'][level]['verdict']
    if verdict != 'unknown':
        subprocess.run([isolde, 'verify', proof, history], check=True, stdout=subprocess.DEVNULL)
    return verdict, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--isolde', default=str(ROOT / 'build/release/isolde'))
    parser.add_argument('--only', default='', help='instances whose name contains this')
    parser.add_argument('--limit', type=float, default=60)
    parser.add_argument('--csv', help='also write the rows to this file')
    parser.add_argument('--keep', help='leave the histories in this folder')
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(args.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, make, levels, known in instances():
            if args.only not in name:
                continue
            history = folder / (name.replace(' ', '-').replace(',', '') + '.jsonl')
            make(args.isolde, history)
            decided = set() if known is None else {known}
            for level in levels:
                found = check(args.isolde, level, history, args.limit,
                              pathlib.Path(scratch) / 'proof.jsonl')
                verdict, wall, cpu, peak = found
                decided |= {verdict} - {'unknown'}
                if len(decided) > 1:
                    sys.exit(f'{name}, {level}: {verdict} cannot be')
                row = {'instance': name, 'level': level, 'verdict': verdict,
                       f'within {args.limit:g} s': 'no' if verdict == 'unknown' else 'yes',
                       'wall s': f'{wall:.2f}', 'cpu s': f'{cpu:.2f}',
                       'peak MB': f'{peak / 1e6:.0f}'}
                if not rows:
                    print('| ' + ' | '.join(row) + ' |')
                    print('|' + '---|' * len(row))
                rows.append(row)
                print('| ' + ' | '.join(row.values()) + ' |', flush=True)
            if not args.keep:
                history.unlink()
    if args.csv and rows:
        with open(args.csv, 'w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == '__main__':
    main()
