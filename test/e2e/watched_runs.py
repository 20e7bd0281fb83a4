#!/usr/bin/env python3
"""Runs that are recorded in groups: isolde watch reads them while they go on and says what isolde check says
of the file, and one that is killed at any moment has lost nothing that was acknowledged.

    watched_runs.py ISOLDE list     names of the tests
    watched_runs.py ISOLDE NAME     runs one; exit code 77: the database is not installed
"""
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

# Where, what, and whether strict serializability is violated there for sure.
WATCHED = {
    'sqlite': (('--db', 'sqlite:s.db', '--workload', 'rw-register', '--keys', '20'), False),
    'postgres': (('--server', 'postgres', '--isolation', 'read-committed', '--workload', 'rw-register', '--keys', '3'),
                 True),
}
DEATHS = 12 if os.environ.get('ISOLDE_FULL') == '1' else 6
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Transactions without locks: updates are lost.
TINYSTORE = f'exec:python3 {ROOT}/examples/tinystore_adapter.py'


def ended(process, seconds):
    """Its exit code and output."""
    try:
        text, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f'{process.args}: does not end')
    return process.returncode, text


def watched(isolde, name):
    options, is_violated = WATCHED[name]
    run = subprocess.Popen([isolde, 'run', *options, '--sessions', '4', '--duration', '3s', '--seed', '7',
                            '--level', 'strict-serializable', '--json', '--to', 'native-binary', '--out', 'h.isob'],
                           stdout=subprocess.PIPE, text=True)
    while not os.path.exists('h.isob') and run.poll() is None:
        time.sleep(0.01)
    watch = subprocess.Popen([isolde, 'watch', '--follow', '--exit-on-violation', '--timeout', '100', '--json',
                              'h.isob'], stdout=subprocess.PIPE, text=True)
    # What is violated is told while the run goes on.
    watch_code, watch_text = ended(watch, 110)
    is_early = run.poll() is None
    code, text = ended(run, 110)
    report = json.loads(watch_text)
    wanted = 1 if is_violated else 0
    if (code, watch_code) != (wanted, wanted):
        sys.exit(f'exit codes {code} and {watch_code}, not {wanted}:\n{text}\n{watch_text}')
    if is_violated and not is_early:
        sys.exit('the violation was told after the run')
    if not is_violated and (report['rounds'] < 4 or report['settled'] != report['committed']):
        sys.exit(f'it was not checked in rounds: {watch_text}')
    if os.listdir('.') != ['h.isob']:
        sys.exit(f'left behind: {os.listdir(".")}')
    again = subprocess.run([isolde, 'check', '--level', 'strict-serializable', '--json', 'h.isob'],
                           stdout=subprocess.PIPE, text=True, check=False, timeout=100)
    if again.returncode != wanted:
        sys.exit(f'check says {again.returncode}:\n{again.stdout}')


def killed(isolde, _):
    rng = random.Random(3)
    groups = 0
    for death in range(DEATHS):
        os.mkdir(str(death))
        os.chdir(str(death))
        run = subprocess.Popen([isolde, 'run', '--db', 'sqlite:s.db', '--workload', 'rw-register', '--keys', '50',
                                '--sessions', '3', '--duration', '100s', '--to', 'native-binary', '--out', 'h.isob'],
                               stdout=subprocess.DEVNULL)
        while not os.path.exists('h.isob') and run.poll() is None:
            time.sleep(0.005)
        follows = subprocess.Popen([isolde, 'watch', '--follow', '--timeout', '100', 'h.isob'],
                                   stdout=subprocess.PIPE, text=True)
        time.sleep(rng.random() * 1.5)
        if follows.poll() is not None:
            sys.exit(f'death {death}: it does not wait: {follows.communicate()[0]}')
        run.kill()
        run.wait()
        # Whoever follows it notices, and has read all groups.
        code, text = ended(follows, 20)
        if code != 2 or 'its recorder died before the end' not in ' '.join(text.split()):
            sys.exit(f'death {death}: {code} {text}')
        groups += os.path.getsize('h.isob') > 0
        subprocess.run([isolde, 'convert', '--to', 'native', 'h.isob', 'h.jsonl'], check=True, timeout=60)
        with open('h.jsonl', encoding='utf-8') as file:
            lines = [json.loads(line) for line in file]
        if lines[0].get('truncated'):
            sys.exit(f'death {death}: {lines[0]}')
        # What the database has was acknowledged, or its outcome is unknown.
        written = {op[2] for line in lines for op in line.get('ops', [])
                   if op[0] == 'w' and line.get('status') != 'aborted'}
        with sqlite3.connect('s.db') as database:
            kept = {value for _, value in database.execute('select * from isolde_register')} - {None}
        if not kept <= written:
            sys.exit(f'death {death}: the database has {sorted(kept - written)}, which the history lacks')
        checked = subprocess.run([isolde, 'check', '--level', 'strict-serializable', 'h.isob'], check=False,
                                 timeout=60, stdout=subprocess.PIPE, text=True)
        # Of writes that nobody answered any more it is not known whether they took effect.
        is_answered = any('ops' in line and line.get('status', 'committed') == 'committed' for line in lines)
        if checked.returncode not in ((0,) if is_answered else (0, 2)):
            sys.exit(f'death {death}: {checked.stdout}')
        watch = subprocess.run([isolde, 'watch', 'h.isob'], check=False, timeout=60, stdout=subprocess.PIPE, text=True)
        if watch.returncode != 2 or 'its recorder died before the end' not in ' '.join(watch.stdout.split()):
            sys.exit(f'death {death}: {watch.stdout}')
        # What it says makes a file with the rest.
        command = re.search(r'convert --to native-binary h.isob WHOLE', ' '.join(text.split())).group()
        subprocess.run([isolde, *command.split()], check=True, timeout=60)
        if is_answered:
            whole = subprocess.run([isolde, 'watch', 'WHOLE'], check=False, timeout=60, stdout=subprocess.PIPE,
                                   text=True)
            expect(whole.returncode == 0 and 'holds' in whole.stdout, whole.stdout)
        os.chdir('..')
    if groups < DEATHS / 4:
        sys.exit(f'only {groups} of {DEATHS} files had a group')


def run_watch(isolde, *options, database='sqlite:s.db', after=None):
    """What isolde run --watch prints on both streams, its exit code, and how long it took."""
    begun = time.monotonic()
    run = subprocess.Popen([isolde, 'run', '--db', database, '--workload', 'rmw', '--keys', '5', '--sessions', '4',
                            '--seed', '7', '--watch', '--out', 'h.isob', *options],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if after:
        while not os.path.exists('h.isob') and run.poll() is None:
            time.sleep(0.01)
        time.sleep(1)
        after(run)
    try:
        out, err = run.communicate(timeout=110)
    except subprocess.TimeoutExpired:
        run.kill()
        sys.exit(f'{options}: does not end')
    return out, err, run.returncode, time.monotonic() - begun


def verdict(isolde):
    """Of the whole history, by isolde check."""
    return subprocess.run([isolde, 'check', '--level', 'strict-serializable', 'h.isob'], stdout=subprocess.PIPE,
                          check=False, timeout=100).returncode


def expect(holds, *what):
    if not holds:
        sys.exit('\n'.join(str(each) for each in what))


def watches_itself(isolde, _):
    """isolde run --watch."""
    out, err, code, _ = run_watch(isolde, '--duration', '2s', '--verify')
    expect((code, err) == (0, '') and 'strict-serializable  holds' in out and 'transactions committed in' in out,
           code, out, err)
    expect(os.listdir('.') == ['h.isob'] or set(os.listdir('.')) == {'h.isob', 's.db'}, os.listdir('.'))
    expect(verdict(isolde) == 0)
    # Ctrl-C ends the run and not the check of what it has recorded.
    out, _, code, took = run_watch(isolde, '--duration', '100s', '--force',
                                   after=lambda run: run.send_signal(signal.SIGINT))
    expect(code == 4 and took < 60 and 'strict-serializable  holds' in out and 'interrupted' in out, code, took, out)
    # Limits are those of the check, and the run goes on.
    out, _, code, took = run_watch(isolde, '--duration', '2s', '--force', '--timeout', '500ms')
    expect(code == 2 and took > 2 and 'time limit' in out, code, took, out)
    # A violation is told at once, and the watch goes on behind it, with the report at the end; or it ends the run.
    told = 'isolde: violated: strict-serializable is violated by '
    out, err, code, _ = run_watch(isolde, '--duration', '4s', '--force', database=TINYSTORE)
    expect(code == 1 and told in err and 'strict-serializable  violated' in out and 'stopped early' not in out
           and ' violations were found; this is the first.' in out, code, out, err)
    expect(verdict(isolde) == 1)
    early = 'isolde: strict-serializable is violated; the report comes at the end of the run\n'
    out, err, code, took = run_watch(isolde, '--duration', '100s', '--force', '--exit-on-violation', '--bundle', 'b',
                                     '--certificate', 'p', database=TINYSTORE)
    expect(code == 1 and took < 60 and early in err and 'stopped early: a violation was found' in out, code, took, out,
           err)
    expect(verdict(isolde) == 1)
    verified = subprocess.run([isolde, 'verify', 'p', 'b'], stdout=subprocess.PIPE, text=True, check=False)
    expect(verified.stdout.startswith('proved: strict-serializable is violated'), verified.stdout)


def main():
    isolde, name = sys.argv[1:3]
    if name == 'list':
        print('\n'.join([*WATCHED, 'killed', 'itself']))
        return
    if name == 'postgres' and not os.path.exists('/usr/lib/postgresql'):
        sys.exit(77)
    isolde = os.path.abspath(isolde)
    folder = tempfile.mkdtemp()
    try:
        os.chdir(folder)
        {'killed': killed, 'itself': watches_itself}.get(name, watched)(isolde, name)
    finally:
        os.chdir('/')
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
