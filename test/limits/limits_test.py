#!/usr/bin/env python3
"""Limits are kept, whatever the input: a table of hard inputs (table.py), each checked by a child
process whose memory is looked at every few milliseconds.

    limits_test.py ISOLDE [--part time|memory] [--only TEXT] [--list]

Promises, for each row:
 - anonymous memory (RssAnon and RssShmem) is at most the limit of --memory and a tenth of it;
 - all resident memory, mapped files included, stays below the limit and 256 MB;
 - it ends at most a second after the limit of --timeout, a second of a machine that has time for
   it: where the child waits for the processor, its second is longer;
 - the exit code is one of the row's, and stderr has no more than a line.
ISOLDE_FULL=1 runs the sizes that are too large for every day. --part takes the rows that promise
when they end, or the others, for which it does not matter what else runs. --only takes rows whose
name contains TEXT, and prints figures as each row does.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import table

MB = 1 << 20
INTERVAL = 0.002
#: No run may take longer; a row without a timeout of its own that does has failed.
PATIENCE = 300
#: What one look misses, and pages that the system counts late.
SLACK = 2 * MB


class Sampler:
    """Looks at a process until it ends."""

    def __init__(self, process):
        self.process = process
        self.anonymous = self.resident = 0

    def look(self):
        try:
            with open(f'/proc/{self.process.pid}/status', encoding='utf-8') as file:
                fields = dict(line.split(':', 1) for line in file)
        except (FileNotFoundError, ProcessLookupError):
            return
        def size(name):
            return int(fields[name].split()[0]) * 1024 if name in fields else 0
        self.anonymous = max(self.anonymous, size('RssAnon') + size('RssShmem'))
        self.resident = max(self.resident, size('VmHWM'))

    def wait(self):
        """Exit code, or None where patience ended it."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            if time.monotonic() > end:
                self.process.kill()
                self.process.wait()
                return None
            self.look()
            time.sleep(INTERVAL)
        return self.process.returncode


def command(row, isolde, path):
    words = [isolde, row.command, '-' if row.standard_input else path, *row.options]
    if row.memory is not None:
        words += ['--memory', f'{row.memory}M']
    if row.timeout is not None:
        words += ['--timeout', str(row.timeout)]
    return words


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def broken_promises(row, code, seconds, second, seen, stderr):
    problems = []
    def expect(holds, text):
        if not holds:
            problems.append(text)
    expect(code in row.codes, f'exit code {code}, expected {row.codes}')
    expect(stderr.count('\n') <= 1, f'stderr: {stderr[:300]!r}')
    if row.memory is not None:
        limit = row.memory * MB
        expect(seen.anonymous <= limit * 1.1 + SLACK,
               f'{seen.anonymous / MB:.0f} MB of memory at a limit of {row.memory} MB')
        expect(seen.resident < limit + 256 * MB,
               f'{seen.resident / MB:.0f} MB resident at a limit of {row.memory} MB')
    if row.anon is not None:
        expect(seen.anonymous <= row.anon * MB,
               f'{seen.anonymous / MB:.0f} MB of memory, expected {row.anon} MB')
    if row.timeout is not None:
        expect(seconds <= row.timeout + second, f'{seconds:.2f} s at a limit of {row.timeout} s')
    if row.seconds is not None:
        expect(seconds <= row.seconds * second, f'{seconds:.2f} s, expected {row.seconds} s')
    return problems


def feeder(row, path):
    """Whose output is the input."""
    words = ['cat', path] if row.standard_input else ['true']
    if row.stalls:
        words = ['sh', '-c', 'cat "$0"; exec sleep 60', path]
    return subprocess.Popen(words, stdout=subprocess.PIPE)


def run(row, isolde, folder):
    path = os.path.join(folder, 'input')
    row.make(path, row.size)
    with (open(os.path.join(folder, 'stderr'), 'w+b') as stderr,
          open(os.path.join(folder, 'stdout'), 'w+b') as stdout, feeder(row, path) as pipe):
        begin = time.monotonic()
        used = processor_seconds()
        seen = Sampler(subprocess.Popen(command(row, isolde, path), stdin=pipe.stdout,
                                        stdout=stdout, stderr=stderr))
        pipe.stdout.close()
        code = seen.wait()
        pipe.terminate()
        seconds = time.monotonic() - begin
        second = max(1.0, seconds / max(processor_seconds() - used, 0.01))
        stderr.seek(0)
        text = stderr.read().decode(errors='replace')
        stdout.seek(0)
        said = row.says.encode() in stdout.read()
    problems = broken_promises(row, code, seconds, second, seen, text)
    if not said:
        problems.append(f'the output does not say {row.says!r}')
    print(f'{"FAILED" if problems else "ok":6} {row.name:34} code {code}  {seconds:6.2f} s  '
          f'{seen.anonymous / MB:6.0f} MB of memory  {seen.resident / MB:6.0f} MB resident',
          flush=True)
    for problem in problems:
        print(f'       {problem}', flush=True)
    return not problems


def part_of(row):
    return 'memory' if row.timeout is None and row.seconds is None else 'time'


def chosen(part, only, full):
    for row in table.ROWS:
        if row.full_only and not full:
            continue
        if part in (None, part_of(row)) and only in row.name:
            yield row.full if full and row.full is not None else row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('isolde')
    parser.add_argument('--part', choices=('time', 'memory'))
    parser.add_argument('--only', default='', metavar='TEXT')
    parser.add_argument('--list', action='store_true')
    arguments = parser.parse_args()
    os.environ['ISOLDE'] = os.path.abspath(arguments.isolde)
    rows = list(chosen(arguments.part, arguments.only, bool(os.environ.get('ISOLDE_FULL'))))
    if arguments.list:
        print('\n'.join(row.name for row in rows))
        return 0
    if not rows:
        print(f'no row is called {arguments.only!r}')
        return 1
    failed = 0
    for row in rows:
        # On a disk: a file in memory that is mapped would count as memory.
        with tempfile.TemporaryDirectory(prefix='isolde-limits-', dir='/var/tmp') as folder:
            failed += not run(row, os.environ['ISOLDE'], folder)
    print(f'{len(rows) - failed} rows passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
