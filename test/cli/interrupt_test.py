#!/usr/bin/env python3
"""Ctrl-C ends a command, and not only what it has in hand, where it has several histories.

    interrupt_test.py ISOLDE DATA

The first history is a pipe that brings nothing more, so the command is reading it when the signal
comes. Then the other histories are not read, every output says so, and nothing is denied of them.
Attempts of a replay are interrupted at the third.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

LATER = 'interrupted before the history was read'
NOW = 'interrupted while reading the input'


def expect(condition, what, output):
    if not condition:
        sys.exit(f'{what}\n{output}')


class Command:
    """Isolde in a folder of its own, where `first` is the pipe."""

    def __init__(self, isolde, folder):
        self.isolde = os.path.abspath(isolde)
        self.folder = folder
        self.pipe = os.path.join(folder, 'first')
        os.mkfifo(self.pipe)

    def interrupted(self, *words, number=signal.SIGINT):
        """What it prints when it is interrupted at the first history."""
        with subprocess.Popen([self.isolde, *words], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            # Opens when the command reads it.
            with open(self.pipe, 'w', encoding='ascii') as pipe:
                pipe.write('{"isolde":1,"kind":"history"}\n')
                pipe.flush()
                time.sleep(0.3)
                process.send_signal(number)
                output, _ = process.communicate(timeout=60)
        expect(process.returncode == 2, f'{words}: exit code {process.returncode}', output)
        return output

    def written(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8') as file:
            return file.read()


def check(command, second):
    """All forms of one check of two histories, of which the second violates levels."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        text = command.interrupted('check', 'first', second, '--html', 'page', '--junit', 'junit',
                                   '--sarif', 'sarif', '--edn', 'edn', '--certificate', 'proof',
                                   number=number)
        for reason in (NOW, LATER):
            expect(f'Nothing was decided: {reason}.' in ' '.join(text.split()), reason, text)
            for name in ('junit', 'sarif', 'edn'):
                expect(reason in command.written(name), f'{name}: {reason}', command.written(name))
        expect('Lost update' not in text, 'the second history was checked', text)
        expect(LATER in command.written('page.2.html'), 'page', text)
        expect(not [name for name in os.listdir(command.folder) if name.startswith('proof')],
               'there is a proof', text)
    suites = ET.fromstring(command.written('junit'))
    expect(len(suites) == 2 and all(len(suite) == 40 for suite in suites), 'suites',
           command.written('junit'))
    expect(not suites.findall('.//failure'), 'failures', command.written('junit'))
    rows = [json.loads(line) for line in
            command.interrupted('check', '--json', 'first', second, '--level', 'ser').splitlines()]
    expect([row['levels']['serializable']['reason'] for row in rows] == [NOW, LATER], 'reasons',
           rows)
    github = command.interrupted('check', '--github', 'first', second)
    expect(LATER in [line for line in github.splitlines() if line.startswith('::warning')][-1],
           'no annotation', github)


def check_many(command, second):
    """However many there are: a folder that is still to be looked for in is not, either."""
    text = command.interrupted('check', 'first', second, second, os.path.dirname(second))
    expect(text.count(LATER) >= 3 and 'Lost update' not in text, 'not all are left out', text)


def compare(command, second):
    text = command.interrupted('compare', 'first', second, '--html', 'page')
    said = (f'Nothing was decided of A: {NOW}. Nothing was decided of B: {LATER}.')
    expect(said in ' '.join(text.split()), 'no headline', text)
    expect('No anomaly was found' not in text, 'something is denied', text)
    expect(said in command.written('page'), 'not on the page', text)
    both = json.loads(command.interrupted('compare', 'first', second, '--json'))
    expect(both['difference'] == said, 'JSON', both)
    expect([side['loaded'] for side in both['sides']] == [False, False], 'loaded', both)


def minimize(command, _):
    """Its documents tell of it, though there is no part for them to tell of."""
    for form in ('--json', '--junit', '--edn'):
        to = [] if form == '--json' else ['-']
        text = command.interrupted('minimize', 'first', form, *to, '--sarif', 'sarif')
        # On standard error, and in the document: of JSON there is none without a history.
        expect(text.count(NOW) >= (1 if form == '--json' else 2), form, text)
        expect(NOW in command.written('sarif'), 'sarif', command.written('sarif'))


def replay(command, second):
    """Attempts that were not made say nothing of what they would have shown."""
    for words in ([], ['--json'], ['--junit', '-']):
        with subprocess.Popen([command.isolde, 'replay', second, '--db', 'sqlite:',
                               '--attempts', '100000', '--step-wait', '10ms', '--progress',
                               *words],
                              cwd=command.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            while 'attempt 3 of' not in process.stderr.readline():
                pass
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
        expect(process.returncode == 2, f'{words}: exit code {process.returncode}', output)
        expect('interrupted' in output, f'{words}: no word of it', output)
        if not words:
            expect(' of 100000: interrupted.' in output, 'how far it came', output)


def main():
    second = os.path.abspath(os.path.join(sys.argv[2], 'lost-update.jsonl'))
    for case in (check, check_many, compare, minimize, replay):
        with tempfile.TemporaryDirectory(prefix='isolde-interrupt-', dir='/tmp') as folder:
            case(Command(sys.argv[1], folder), second)


if __name__ == '__main__':
    main()
