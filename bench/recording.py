#!/usr/bin/env python3
"""What recording costs: the same run with and without it, in turn, on one server.

    recording.py ISOLDE [--pairs 20] [--duration 3s] [--folder FOLDER] [run arguments]

By default on a private PostgreSQL at serializable with mini-transactions. Prints for each pair of
runs the commits a second and the client's processor time for each commit, then the medians of
both ratios; needs an otherwise idle machine. Histories go to FOLDER (default: a temporary one),
which should not be on the disk of the server's data: there the two compete for writes.
"""
import argparse
import os
import re
import signal
import statistics
import subprocess
import tempfile


def run(isolde, arguments, history):
    """Commits a second, and the client's processor seconds for one commit."""
    command = [isolde, 'run', '--no-progress', '--force-reset', *arguments]
    # The check that follows a recorded run is not part of the comparison: it is as short as can
    # be, and its time is known.
    command += ['--out', history, '--level', 'rc'] if history else ['--no-record']
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    after = os.times()
    used = (after.children_user - before.children_user
            + after.children_system - before.children_system)
    commits, rate = (int(number.replace(',', '')) for number in re.search(
        r'([\d,]+) transactions committed.*?\(([\d,]+)/s\)', done.stdout).groups())
    if history:
        before = os.times()
        subprocess.run([isolde, 'check', '--no-progress', '--level', 'rc', history],
                       capture_output=True, check=False)
        after = os.times()
        used -= (after.children_user - before.children_user
                 + after.children_system - before.children_system)
        os.unlink(history)
    return rate, used / commits


def compare(isolde, arguments, pairs, folder):
    rates, times = [], []
    for number in range(-1, pairs):
        order = [True, False] if number % 2 == 0 else [False, True]
        seen = {recording: run(isolde, arguments, f'{folder}/{number}.jsonl' if recording else '')
                for recording in order}
        if number < 0:
            continue  # the server warms up
        rates.append(seen[True][0] / seen[False][0])
        times.append((seen[True][1] - seen[False][1]) * 1e6)
        print(f'pair {number}: {seen[True][0]}/s recorded, {seen[False][0]}/s not, ratio '
              f'{rates[-1]:.3f}; client {seen[True][1] * 1e6:.1f} us a commit recorded, '
              f'{seen[False][1] * 1e6:.1f} us not', flush=True)
    low, middle, high = statistics.quantiles(rates, n=4)
    print(f'median ratio {middle:.3f} (quartiles {low:.3f} and {high:.3f}); '
          f'{statistics.median(times):.2f} us of client time more for each commit')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('isolde')
    parser.add_argument('--pairs', type=int, default=20)
    parser.add_argument('--duration', default='3s')
    parser.add_argument('--folder')
    options, rest = parser.parse_known_args()
    arguments = rest or ['--isolation', 'serializable', '--workload', 'mini', '--keys', '1000',
                         '--sessions', '4']
    arguments += ['--duration', options.duration]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, \
            subprocess.Popen([options.isolde, 'server', 'postgres'], stdout=subprocess.PIPE,
                             text=True) as server:
        try:
            dsn = server.stdout.readline().strip()
            compare(options.isolde, ['--db', dsn, *arguments], options.pairs, folder)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


if __name__ == '__main__':
    main()
