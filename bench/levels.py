#!/usr/bin/env python3
"""What each level costs alone, on the same history; docs/LEVELS.md shows the figures.

    levels.py [--isolde BINARY] [--repeat 3] [--idle-wait S] [--csv bench/levels.csv]

The history is BlindW-RW of 100,000 transactions of 8 operations, 10,000 keys, 24 sessions, from a
strict-serializable store. Each level is checked by a run of its own; the seconds are those of the
check, without loading and resolving reads. Runs that other processes disturbed are repeated. The
levels by the database's own times are left out: generated histories have none.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import measure as runs

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECIPE = ['--workload', 'blindw-rw', '--isolation', 'strict-serializable', '--sessions', '24',
          '--ops', '8', '--txns', '100000', '--keys', '10000']


def checked_once(isolde, level, history):
    """A run, and its report."""
    run = runs.run_once([isolde, 'check', '--json', '--no-progress', '--level', level, history])
    run.report = json.loads(run.output)
    assert run.report['levels'][level]['verdict'] == 'holds', level
    return run


def measure(isolde, level, history, repeat, idle_wait):
    taken = runs.quiet_runs(lambda: checked_once(isolde, level, history), repeat, idle_wait)
    best = min(taken, key=lambda run: run.report['seconds']['check'])
    check, load = (best.report['seconds'][stage] for stage in ('check', 'load'))
    peak = best.report['peak_rss_bytes']
    print(f'{level:44} {check:8.3f} s, load {load:.3f} s, {peak / 1e6:.0f} MB'
          + (', disturbed' if best.disturbed else ''), flush=True)
    return {'level': level, 'check_s': f'{check:.3f}', 'load_s': f'{load:.3f}',
            'peak_mb': f'{peak / 1e6:.0f}'}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--isolde', default=str(ROOT / 'build/release/isolde'))
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--idle-wait', type=float, default=120, metavar='S',
                        help='for the runs of a level wait so long for an idle machine (120); 0: take '
                        'runs as they come')
    parser.add_argument('--csv', default=str(ROOT / 'bench' / 'levels.csv'))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        history = folder + '/history.isolde'
        text = folder + '/history.jsonl'
        subprocess.run([options.isolde, 'gen', *RECIPE, '--out', text], check=True)
        subprocess.run([options.isolde, 'convert', '--to', 'native-binary', text, history],
                       check=True)
        done = subprocess.run([options.isolde, 'check', '--json', '--no-progress', history],
                              capture_output=True, text=True, check=False)
        levels = json.loads(done.stdout)['levels']
        rows = [measure(options.isolde, level, history, options.repeat, options.idle_wait)
                for level, answer in levels.items() if answer['verdict'] == 'holds']
    with open(options.csv, 'w', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


if __name__ == '__main__':
    main()
