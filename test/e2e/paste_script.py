#!/usr/bin/env python3
"""Pastes the script of a replay into the database's own shell, a window for each session.

    paste_script.py ISOLDE postgres|mariadb|sqlite     exit code 77: packages missing

Each read must return what the script says was recorded. That is an anomaly, which these databases
show, and a history without any: lists, names, a rollback. For SQLite only the latter, and each
session is a connection of Python's own library.
"""
import os
import re
import select
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WAIT_S = 60
SERIAL = '\n'.join([
    '{"isolde":1,"kind":"history"}',
    '{"session":"one","ops":[["w","x","foo"],["append","l",-5]]}',
    '{"session":"two","ops":[["r","x","foo"],["r","l",[-5]],["append","l",6],["r","y",null]]}',
    '{"session":"one","status":"aborted","ops":[["w","x","bar"],["r","x","bar"]]}',
    '{"session":"two","ops":[["r","x","foo"],["r","l",[-5,6]],["w","x",7],["r","x",7]]}']) + '\n'


class Window:
    """A shell that reads statements and prints values, one a line."""

    def __init__(self, command, marker):
        self.marker = marker
        self.count = 0
        self.text = ''
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)

    def paste(self, text):
        self.count += 1
        done = f'done-{self.count}'
        self.process.stdin.write((text + '\n' + self.marker % done + '\n').encode())
        self.process.stdin.flush()
        deadline = time.monotonic() + WAIT_S
        while done + '\n' not in self.text:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [], max(left, 0))
            if not ready:
                raise RuntimeError(f'no answer to {text}; so far: {self.text}')
            read = os.read(self.process.stdout.fileno(), 65536).decode()
            if not read:
                raise RuntimeError(f'the shell has ended: {self.text}')
            self.text += read
        out, self.text = self.text.split(done + '\n', 1)
        return out.splitlines()

    def close(self):
        self.process.stdin.close()
        self.process.wait(WAIT_S)


class Library:
    """The same with Python's SQLite."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path, isolation_level=None, timeout=WAIT_S)

    def paste(self, text):
        rows = []
        for statement in text.split(';\n'):
            rows += self.connection.execute(statement.rstrip(';')).fetchall()
        return ['NULL' if row[0] is None else str(row[0]) for row in rows]

    def close(self):
        self.connection.close()


def parts(script):
    """Statements for each window at the beginning, set-up, steps (session, statements, remarks),
    clean-up."""
    sections = {'connect': [], 'setup': [], 'cleanup': []}
    steps = []
    target = None
    for line in script.splitlines():
        step = re.match(r'-- \d+\. session (\w+): ', line)
        if step:
            steps.append((step.group(1), [], []))
            target = steps[-1][1]
        elif line.startswith('-- At the beginning, in each window'):
            target = sections['connect']
        elif line.startswith('-- Set-up'):
            target = sections['setup']
        elif line.startswith('-- Clean-up'):
            target = sections['cleanup']
        elif line.startswith('--    '):
            steps[-1][2].append(line)
        elif line and not line.startswith('--'):
            target.append(line)
    return sections, steps


def recorded(remark):
    return re.match(r"--    recorded(?: and expected)?: '?(.*?)'?(, expected: .*)?$",
                    remark).group(1)


def paste(script, opened):
    sections, steps = parts(script)
    windows = {name: opened() for name in sorted({step[0] for step in steps})}
    some = next(iter(windows.values()))
    for window in windows.values():
        if sections['connect']:
            window.paste('\n'.join(sections['connect']))
    some.paste('\n'.join(sections['setup']))
    reads = 0
    for session, statements, remarks in steps:
        seen = windows[session].paste('\n'.join(statements))
        print(session, statements, seen, remarks)
        if not remarks:
            assert not seen, f'{statements} printed {seen}'
            continue
        reads += 1
        assert seen == [recorded(remarks[0])], f'{statements} printed {seen}, not {remarks}'
    some.paste('\n'.join(sections['cleanup']))
    for window in windows.values():
        window.close()
    assert reads > 0
    return script.count('  <--')


def isolde_text(isolde, *arguments):
    done = subprocess.run([isolde, *arguments], capture_output=True, text=True, check=False)
    print('$ isolde', *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def on_server(isolde, kind, demo, level, isolation, window):
    """`window` makes a command and a marker of a data source name's socket and database."""
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, 'small.jsonl')
        isolde_text(isolde, 'minimize', os.path.join(ROOT, 'demo', demo), '--level', level,
                    '--out', small)
        serial = os.path.join(folder, 'serial.jsonl')
        with open(serial, 'w', encoding='utf-8') as file:
            file.write(SERIAL)
        scripts = [isolde_text(isolde, 'replay', history, '--script', '-', '--for', kind,
                               '--isolation', isolation) for history in (small, serial)]
    server = subprocess.Popen([isolde, 'server', kind], stdout=subprocess.PIPE, text=True)
    try:
        dsn = server.stdout.readline().strip()
        if not dsn and server.wait(WAIT_S) == 4:
            print('the server does not start')
            sys.exit(SKIP)
        place = re.match(r'\w+://(\w+):?@(%2F[^/]+)/(\w+)', dsn)
        assert place, f'data source name {dsn}'
        user, socket, database = (urllib.parse.unquote(part) for part in place.groups())
        arrows = [paste(script, lambda: Window(*window(user, socket, database)))
                  for script in scripts]
        assert arrows[0] > 0 and arrows[1] == 0, f'{arrows} reads that show an anomaly'
    finally:
        server.terminate()
        server.wait(WAIT_S)


def psql(user, socket, database):
    return (['psql', '-X', '-q', '-A', '-t', '-P', 'null=NULL', '-h', socket, '-U', user,
             database], '\\echo %s')


def mariadb(user, socket, database):
    return (['mariadb', '--no-defaults', '--batch', '--unbuffered', '--skip-column-names',
             '--socket', socket, '-u', user, database], "SELECT '%s';")


def on_sqlite(isolde):
    with tempfile.TemporaryDirectory() as folder:
        history = os.path.join(folder, 'serial.jsonl')
        with open(history, 'w', encoding='utf-8') as file:
            file.write(SERIAL)
        for isolation in ('deferred', 'serializable'):
            script = isolde_text(isolde, 'replay', history, '--script', '-', '--for', 'sqlite',
                                 '--isolation', isolation)
            print(script)
            path = os.path.join(folder, isolation + '.db')
            assert paste(without_pragmas(script), lambda: Library(path)) == 0
            left = sqlite3.connect(path).execute('SELECT name FROM sqlite_master').fetchall()
            assert not left, f'the clean-up leaves {left}'


def without_pragmas(script):
    """They print what they set."""
    return '\n'.join(line for line in script.splitlines() if not line.startswith('PRAGMA'))


def main(argv):
    isolde, kind = argv
    programs = {'postgres': 'psql', 'mariadb': 'mariadb'}
    if kind in programs and shutil.which(programs[kind]) is None:
        print(f'{programs[kind]} is not installed')
        return SKIP
    if kind == 'postgres':
        on_server(isolde, kind, 'pg-repeatable-read-write-skew.jsonl', 'serializable',
                  'repeatable-read', psql)
    elif kind == 'mariadb':
        on_server(isolde, kind, 'mariadb-repeatable-read-lost-update.jsonl',
                  'snapshot-isolation', 'repeatable-read', mariadb)
    else:
        on_sqlite(isolde)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
