#!/usr/bin/env python3
"""Ctrl-C ends a command, and not only what it has in hand, where it has several histories.

    interrupt_test.py ISOLDE DATA

The first history is a pipe that brings nothing more, so the command is reading it when the signal
comes. Then the other histories are not read, every output says so, and nothing is denied of them.
Attempts of a replay are interrupted at the third, a run when all is done but its check, and while
it waits for its adapter. Nothing is left of a program that nobody listens to any more.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

LATER = 'interrupted before the history was read'
NOW = 'interrupted while reading the input'
SLOW = 'isolde: interrupted: '  # what it waits for, on a slow machine


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
        return ''.join(line for line in output.splitlines(True) if not line.startswith(SLOW))

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
    expect(len(suites) == 2 and all(len(suite) == 41 for suite in suites), 'suites',
           command.written('junit'))
    # Nobody asked for a level, so only this keeps a build from being green over nothing.
    expect([error.get('message') for error in suites.findall('.//error')] == [NOW, LATER] and
           suites.get('errors') == '2', 'errors', command.written('junit'))
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


GOES_ON = 'isolde: the workload is over and its history will be checked'
WAITS = 'isolde: interrupted: waiting for the transactions under way'
ENDED = 'isolde: interrupted again, and ended at once'


def start_run(command, fault, *words):
    adapter = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'support',
                           'adapter.py')
    return subprocess.Popen([command.isolde, 'run', '--db', f'exec:python3 {adapter} {fault}',
                             '--workload', 'general', '--sessions', '2', '--out', 'run.jsonl',
                             '--force', '--no-progress', *words],
                            cwd=command.folder, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def wait_for(process, path):
    while not os.path.exists(path):
        expect(process.poll() is None, f'ended without {path}', '')
        time.sleep(0.01)
    os.remove(path)


def interrupt_again(process):
    """Later than what counts as the same wish."""
    time.sleep(1.2)
    process.send_signal(signal.SIGINT)


def run_after_work(command, _):
    """The first says that the check goes on, the next one leaves it out."""
    recorded, go_on = (os.path.join(command.folder, name) for name in ('run.jsonl', 'go'))
    for words in ([], ['--json'], ['--junit', '-']):
        for is_meant in (False, True):
            with start_run(command, f'waits destroy {go_on}', '--txns', '20', '--request-timeout',
                           '100s', *words) as process:
                wait_for(process, go_on + '.begun')
                process.send_signal(signal.SIGINT)
                said = process.stderr.readline()
                expect(said.startswith(GOES_ON), f'{words}: the first is not answered', said)
                if is_meant:
                    interrupt_again(process)
                    time.sleep(0.5)
                with open(go_on, 'w', encoding='ascii'):
                    pass
                output, errors = process.communicate(timeout=60)
            os.remove(go_on)
            expect(process.returncode == (2 if is_meant else 0),
                   f'{words}: exit code {process.returncode}', output + errors)
            expect((LATER in ' '.join(output.split())) == is_meant, f'{words}: no word of it', output)
            expect(ENDED not in errors, f'{words}: ended at once', errors)
            again = subprocess.run([command.isolde, 'check', recorded], text=True,
                                   capture_output=True, check=False)
            expect(again.returncode == 0 and 'cut off' not in again.stdout, 'the history', again)
            os.remove(recorded)


def run_before_work(command, _):
    """While the database is not there yet: a program that reads the report gets one."""
    never = os.path.join(command.folder, 'never')
    with start_run(command, f'waits create {never}', '--request-timeout', '1s', '--json', '--junit',
                   'junit') as process:
        wait_for(process, never + '.begun')
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    expect(process.returncode == 2, f'exit code {process.returncode}', errors)
    why = 'interrupted before the first transaction'
    reasons = {level['reason'] for level in json.loads(output)['levels'].values()}
    expect(reasons == {why} and why in errors, 'reasons', output + errors)
    told = [error.get('message') for error in
            ET.fromstring(command.written('junit')).findall('.//error')]
    expect(told == [why], 'errors', command.written('junit'))


def adapters(fault, command):
    """Processes of that command line that run."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as file:
                words = file.read().decode().split('\0')
        except OSError:
            continue
        if fault in words and any(word.endswith('adapter.py') for word in words) and any(
                command.folder in word for word in words):
            found.append(pid)
    return found


def run_waiting(command, _):
    """Says for what it waits; who does not wait leaves no adapter behind, however it ends."""
    never = os.path.join(command.folder, 'never')
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGABRT):
        with start_run(command, f'waits commit {never}', '--request-timeout', '100s') as process:
            wait_for(process, never + '.begun')
            expect(adapters('waits', command), 'no adapter', '')
            process.send_signal(signal.SIGINT)
            said = process.stderr.readline()
            expect(said.startswith(WAITS), 'not said for what it waits', said)
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
        expect(process.returncode == -number, f'exit code {process.returncode}', errors)
        expect((ENDED in errors) == (number == signal.SIGINT), 'not told', errors)
        deadline = time.monotonic() + 30
        while adapters('waits', command) and time.monotonic() < deadline:
            time.sleep(0.05)
        expect(not adapters('waits', command), 'an adapter is left', adapters('waits', command))
        os.remove(os.path.join(command.folder, 'run.jsonl'))
        shutil.rmtree(os.path.join(command.folder, 'run.jsonl.inflight'))


def lost_reader(command, second):
    """Whoever stops reading, as head does, ends the program in order: nothing is left behind."""
    adapter = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'support',
                           'adapter.py')
    go_on = os.path.join(command.folder, 'go')
    temporary = os.path.join(command.folder, 'temporary')
    os.mkdir(temporary)
    for words in (['databases', 'try', 'sqlite:'], ['survey', '--db', 'sqlite:', '--load', '0', '--step-wait', '20ms'],
                  ['run', '--recipe', 'sqlite-shared-cache', '--db', 'sqlite:'],
                  ['databases', 'try', f'exec:python3 {adapter} waits begin {go_on}']):
        with subprocess.Popen([command.isolde, *words], cwd=command.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              env={**os.environ, 'TMPDIR': temporary}) as process:
            if 'try' in words:
                process.stdout.readline()
            process.stdout.close()
            with open(go_on, 'w', encoding='ascii'):
                pass
            errors = process.stderr.read()
            process.wait(60)
        os.remove(go_on)
        expect(process.returncode == -signal.SIGPIPE, f'{words}: code {process.returncode}', errors)
        expect(not errors, f'{words}: told to nobody', errors)
        expect(not os.listdir(temporary), f'{words}: left', os.listdir(temporary))
        expect(not adapters('waits', command), f'{words}: an adapter is left', '')
    # At once: the next history, a pipe that brings nothing, is not read.
    reader, writer = os.pipe()
    os.close(reader)
    code = subprocess.run([command.isolde, 'check', second, command.pipe], stdout=writer,
                          timeout=60, check=False).returncode
    os.close(writer)
    expect(code == -signal.SIGPIPE, f'check: exit code {code}', '')


def main():
    second = os.path.abspath(os.path.join(sys.argv[2], 'lost-update.jsonl'))
    for case in (check, check_many, compare, minimize, replay, run_before_work, run_after_work, run_waiting,
                 lost_reader):
        with tempfile.TemporaryDirectory(prefix='isolde-interrupt-', dir='/tmp') as folder:
            case(Command(sys.argv[1], folder), second)


if __name__ == '__main__':
    main()
