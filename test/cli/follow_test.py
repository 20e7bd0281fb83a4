#!/usr/bin/env python3
"""A program that records with the library, and isolde convert --follow and isolde watch beside it.

    follow_test.py ISOLDE LIBISOLDE

What goes wrong is told while the program goes on. One that is killed at any moment has lost nothing
that was acknowledged, in the groups neither. Memory does not grow with the text.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Counts in a few keys, and says so of each transaction when it is over; from the moment that a file
# `spoil` is there, one read is of what was there before everything.
APPLICATION = """
import os, sys, time
import isolde
recorder = isolde.Recorder(sys.argv[2], database='a dict')
clients = [recorder.session(f'client {i}') for i in range(3)]
values = {}
end = time.monotonic() + float(sys.argv[1])
number = 0
is_spoilt = False
while time.monotonic() < end:
    number += 1
    key = f'k{number % 7}'
    with clients[number % 3].transaction() as record:
        record.read(key, values.get(key))
        record.write(key, number)
    values[key] = number
    os.write(1, b'%d\\n' % number)
    if not is_spoilt and os.path.exists('spoil'):
        is_spoilt = True
        with clients[0].transaction() as record:
            record.read('k1', None)
    time.sleep(0.001)
recorder.close()
"""


def fail(why):
    sys.exit(f'follow_test: {why}')


def wait_until(holds, seconds, what):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            fail(f'{what}: not within {seconds} s')
        time.sleep(0.01)


class Beside:
    """An application in the current folder, and who follows it."""

    def __init__(self, isolde, seconds):
        with open('app.py', 'w', encoding='utf-8') as file:
            file.write(APPLICATION)
        self.follower = subprocess.Popen(
            [isolde, 'convert', '--follow', '--to', 'native-binary', 'app.jsonl', 'app.isob'],
            stderr=subprocess.PIPE, text=True)
        self.application = subprocess.Popen([sys.executable, 'app.py', str(seconds), 'app.jsonl'],
                                            stdout=subprocess.PIPE, text=True)
        wait_until(lambda: os.path.exists('app.isob'), 60, 'groups')

    def follower_says(self):
        _, errors = self.follower.communicate(timeout=60)
        return self.follower.returncode, errors


def watch(isolde, *options):
    return subprocess.Popen([isolde, 'watch', '--follow', '--timeout', '100', '--json', *options,
                             'app.isob'], stdout=subprocess.PIPE, text=True)


def check_told_while_it_goes_on(isolde):
    beside = Beside(isolde, 60)
    watcher = watch(isolde, '--exit-on-violation')
    time.sleep(1)
    with open('spoil', 'w', encoding='utf-8'):
        begun = time.monotonic()
    output, _ = watcher.communicate(timeout=110)
    took = time.monotonic() - begun
    print(f'told after {took:.2f} s')
    if beside.application.poll() is not None:
        fail('it was told after the application had ended')
    report = json.loads(output)
    if watcher.returncode != 1 or report['verdict'] != 'violated' or report['rounds'] < 2:
        fail(f'isolde watch says {output}')
    if took > 20:  # on an idle machine less than one
        fail('it was told late')
    # Its end is none, and everything that was recorded is there.
    beside.application.send_signal(signal.SIGTERM)
    beside.application.communicate(timeout=60)
    code, errors = beside.follower_says()
    if code != 0 or 'missing' in errors:
        fail(f'after SIGTERM the follower says {code}: {errors}')


def check_end(isolde):
    beside = Beside(isolde, 1)
    watcher = watch(isolde)
    acknowledged, _ = beside.application.communicate(timeout=60)
    code, errors = beside.follower_says()
    output, _ = watcher.communicate(timeout=110)
    report = json.loads(output)
    if (code, watcher.returncode) != (0, 0) or 'ended early' in errors:
        fail(f'exit codes {code} and {watcher.returncode}: {errors}{output}')
    if report['committed'] != len(acknowledged.split()) or report['rounds'] < 2:
        fail(f'not all was watched: {output}')
    for line in ('app.jsonl', 'app.isob'):
        if not os.path.exists(line):
            fail(f'{line} is gone')


def check_kills(isolde, kills):
    for _ in range(kills):
        beside = Beside(isolde, 60)
        watcher = watch(isolde)
        time.sleep(random.random() * 1.2)
        beside.application.kill()
        acknowledged, _ = beside.application.communicate()
        code, errors = beside.follower_says()
        output, _ = watcher.communicate(timeout=110)
        if (code, watcher.returncode) != (0, 0):
            fail(f'exit codes {code} and {watcher.returncode} after a kill: {errors}{output}')
        text = subprocess.run([isolde, 'convert', '--to', 'native', 'app.isob', '-'],
                              stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
        written = {op[2] for line in text.splitlines() for op in json.loads(line).get('ops', ())
                   if op[0] == 'w'}
        lost = {int(number) for number in acknowledged.split()} - written
        if lost:
            fail(f'lost {lost}')
        for name in ('app.jsonl', 'app.isob'):
            os.remove(name)
        subprocess.run(['rm', '-r', 'app.jsonl.inflight'], check=True)


def check_follower_is_killed(isolde):
    """It begins anew, with --force, and has all of it."""
    beside = Beside(isolde, 1)
    time.sleep(0.5)
    beside.follower.kill()
    beside.follower.communicate()
    beside.follower = subprocess.Popen([isolde, 'convert', '--follow', '--force', '--to', 'native-binary', 'app.jsonl',
                                        'app.isob'], stderr=subprocess.PIPE, text=True)
    acknowledged, _ = beside.application.communicate(timeout=60)
    code, errors = beside.follower_says()
    output, _ = watch(isolde).communicate(timeout=110)
    if code != 0 or json.loads(output)['committed'] != len(acknowledged.split()):
        fail(f'after the follower was killed: {code} {errors}{output}')


def check_groups_of_the_library(isolde, kills):
    """It makes the groups itself; they are all there when it closes, and its text when it dies."""
    for is_killed in [False] + [True] * kills:
        with open('app.py', 'w', encoding='utf-8') as file:
            file.write(APPLICATION)
        application = subprocess.Popen([sys.executable, 'app.py', '60' if is_killed else '1', 'app.isob'],
                                       stdout=subprocess.PIPE, text=True)
        wait_until(lambda: os.path.exists('app.isob'), 60, 'groups')
        if is_killed:
            time.sleep(random.random())
            application.kill()
        else:
            watcher = watch(isolde)
        acknowledged, _ = application.communicate(timeout=60)
        numbers = {int(number) for number in acknowledged.split()}
        if not is_killed:
            output, _ = watcher.communicate(timeout=110)
            report = json.loads(output)
            if report['verdict'] != 'holds' or report['committed'] != len(numbers) or report['rounds'] < 2:
                fail(f'isolde watch beside the library says {output}')
            if sorted(os.listdir('.')) != ['app.isob', 'app.py']:
                fail(f'left behind: {os.listdir(".")}')
        text = subprocess.run([isolde, 'convert', '--to', 'native', 'app.isob', '-'],
                              stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
        lost = numbers - {op[2] for line in text.splitlines()
                          for op in json.loads(line).get('ops', ()) if op[0] == 'w'}
        if lost:
            fail(f'lost {lost}')
        subprocess.run('rm -rf app.*', shell=True, check=True)


def peak_of(words):
    """Of its resident memory, in bytes."""
    process = subprocess.Popen(words)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        fail(f'{words}: {status}')
    return usage.ru_maxrss * 1024


def check_memory(isolde):
    peaks = []
    for number, txns in enumerate((100_000, 800_000)):
        name = f'{number}.jsonl'
        with open(name, 'w', encoding='utf-8') as file:
            file.write('{"isolde": 1, "kind": "history", "ends": true}\n')
            for i in range(txns):
                file.write(f'{{"session": "s{i % 5}", "start": {3 * i}, "end": {3 * i + 2}, '
                           f'"ops": [["w", "k{i % 100}", {i}]]}}\n')
            file.write('{"event": "end"}\n')
        peaks.append(peak_of([isolde, 'convert', '--follow', '--to', 'native-binary', name,
                              f'{number}.isob']))
        print(f'{os.path.getsize(name):,} bytes of text: {peaks[-1]:,} bytes of memory')
    if peaks[1] > peaks[0] * 1.25:
        fail('memory grows with the text')
    stats = subprocess.run([isolde, 'stats', '1.isob'], stdout=subprocess.PIPE, text=True,
                           check=True, timeout=100).stdout
    if '800,000 transactions' not in stats:
        fail(f'not all is there: {stats}')


def check_interruption(isolde):
    beside = Beside(isolde, 60)
    time.sleep(0.6)
    beside.follower.send_signal(signal.SIGINT)
    code, errors = beside.follower_says()
    beside.application.kill()
    beside.application.communicate()
    if code != 2 or 'app.jsonl: interrupted; app.isob has what was there by then' not in errors:
        fail(f'interrupted it says {code}: {errors}')
    again = subprocess.run([isolde, 'check', 'app.isob'], stdout=subprocess.PIPE, text=True,
                           check=False, timeout=60)
    if 'cut off' not in again.stdout and 'stopped early' not in again.stdout:
        fail(f'of what is cut off isolde check says:\n{again.stdout}')


def main():
    isolde, library = map(os.path.abspath, sys.argv[1:3])
    os.environ['ISOLDE_LIBRARY'] = library
    os.environ['PYTHONPATH'] = os.path.join(ROOT, 'python')
    seed = random.randrange(10**6)
    print(f'seed {seed}')
    random.seed(seed)
    for check in (check_end, check_told_while_it_goes_on, lambda it: check_kills(it, 6),
                  lambda it: check_groups_of_the_library(it, 4),
                  check_follower_is_killed, check_memory, check_interruption):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            check(isolde)
            os.chdir(ROOT)


if __name__ == '__main__':
    main()
