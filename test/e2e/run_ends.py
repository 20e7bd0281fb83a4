#!/usr/bin/env python3
"""How runs end when something fails: with a verdict on what was recorded, in time, and with
nothing left in the folder for temporary files but what the output names.

    run_ends.py ISOLDE list     names of the cases
    run_ends.py ISOLDE NAME     runs one; exit code 77: its database is not installed
"""
import glob
import json
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# A run that stopped early has an exit code of its own unless its history shows a violation.
CHECKED = (0, 4)


class Place:
    """A folder to work in, and an empty one for temporary files."""

    def __init__(self, isolde, folder):
        self.isolde = os.path.abspath(isolde)
        self.work = folder
        self.temp = os.path.join(folder, 't')
        os.mkdir(self.temp)
        self.env = dict(os.environ, TMPDIR=self.temp)

    def start(self, *arguments, **options):
        return subprocess.Popen([self.isolde, *arguments], cwd=self.work, env=self.env, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)

    def run(self, *arguments, **options):
        process = self.start(*arguments, **options)
        output, _ = process.communicate(timeout=200)
        return process.returncode, output

    def left(self):
        return sorted(os.listdir(self.temp))

    def redis(self, deed):
        """A folder with a redis-server that does `deed` from its second start on."""
        if not os.path.exists('/usr/bin/redis-server'):
            sys.exit(77)
        folder = os.path.join(self.work, 'bin')
        os.mkdir(folder)
        path = os.path.join(folder, 'redis-server')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\nif [ -e {folder}/second ]; then {deed}; fi\n'
                       f'touch {folder}/second\nexec /usr/bin/redis-server "$@"\n')
        os.chmod(path, 0o755)
        return ('--server', 'redis', '--set', 'bin=' + folder)

    def run_for(self, seconds, *arguments):
        """Returns exit code, output and how long it took."""
        begin = time.monotonic()
        code, output = self.run('run', '--workload', 'mini', '--out', 'h.jsonl', '--duration',
                                f'{seconds}s', *arguments)
        return code, output, time.monotonic() - begin


class OwnRedis:
    """A redis-server that the run did not start, on a port of this machine that was free."""

    def __init__(self, place):
        if not os.path.exists('/usr/bin/redis-server'):
            sys.exit(77)
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            ['/usr/bin/redis-server', '--bind', '127.0.0.1', '--port', str(self.port), '--save', ''],
            cwd=place.work, stdout=subprocess.DEVNULL)
        self.url = f'redis://127.0.0.1:{self.port}'
        while not self.answers():
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def answers(self):
        try:
            socket.create_connection(('127.0.0.1', self.port), 1).close()
            return True
        except OSError:
            return False

    def start_run(self, place, *arguments, timeout='2s'):
        """A run that loses updates, once it is well under way."""
        process = place.start('run', '--db', self.url, '--isolation', 'multi', '--workload',
                              'lost-update', '--keys', '4', '--sessions', '8', '--out', 'h.jsonl',
                              '--request-timeout', timeout, *arguments)
        wait_for_history(place, process)
        return process


def wait_for_history(place, process):
    history = os.path.join(place.work, 'h.jsonl')
    while not os.path.exists(history) or os.path.getsize(history) < 4096:
        expect(process.poll() is None, 'ended by itself', '')
        time.sleep(0.05)


def expect(condition, what, output):
    if not condition:
        sys.exit(f'{what}\n{output}')


def expect_verdict(place, code, output):
    """The history was checked, and is whole."""
    expect(code in CHECKED, f'exit code {code}', output)
    expect(re.search(r'^ *read-committed +holds', output, re.M), 'no verdict', output)
    committed = int(re.search(r'^([\d,]+) transactions committed', output, re.M).group(1).replace(',', ''))
    expect(committed > 0, 'nothing done', output)
    code, again = place.run('check', '--level', 'rc', 'h.jsonl')
    expect(code == 0, f'check: exit code {code}', again)
    expect('cut off' not in again, 'the history is not whole', again)


def expect_log(place, output):
    log = re.search(r'\(log: ([^)]*)\)', output)
    expect(log and os.path.exists(log.group(1)), 'no log', output)
    expect(place.left() == [os.path.basename(os.path.dirname(log.group(1)))], place.left(), output)


def restart_fails(place):
    server = place.redis('echo broken on purpose; exit 7')
    code, output, seconds = place.run_for(100, *server, '--nemesis', 'kill:every=500ms,for=10ms')
    expect_verdict(place, code, output)
    expect('stopped early: restart n1 failed: redis did not start (exit status 7): broken on '
           'purpose (log: ' in output, 'no reason', output)
    expect_log(place, output)
    expect(seconds < 30, f'{seconds} s: nobody was left to wait for', output)


def restart_hangs(place):
    server = place.redis('exec sleep 1000')
    code, output, seconds = place.run_for(1, *server, '--nemesis', 'kill:every=300ms,for=10ms')
    expect_verdict(place, code, output)
    expect('stopped early' not in output, 'it only was not awaited', output)
    expect(seconds < 40, f'{seconds} s', output)
    expect(place.left() == [], place.left(), output)


def faults_are_counted(place):
    """A fault and its end are one, in the progress, the report and JUnit."""
    server = place.redis('true')
    code, output, _ = place.run_for(2, *server, '--nemesis', 'pause:every=200ms,for=50ms', '--progress',
                                    '--junit', 'f.xml')
    expect_verdict(place, code, output)
    with open(os.path.join(place.work, 'h.jsonl'), encoding='utf-8') as file:
        events = [json.loads(line) for line in file if '"event"' in line]
    begun = sum('begins' in event for event in events)
    expect(begun > 1 and sum('ends' in event for event in events) == begun, events, output)
    told = re.findall(r', (\d+) faults?\b', output)
    expect(told and int(told[-1]) == begun, f'{told} of {begun}', output)
    expect(all(int(count) <= begun for count in told), f'{told} of {begun}', output)
    with open(os.path.join(place.work, 'f.xml'), encoding='utf-8') as file:
        expect(f'name="faults" value="{begun}"' in file.read(), 'JUnit', output)


def none_came(place):
    """A run that was over before the first fault says so; one with a fault does not."""
    words = 'no fault of --nemesis came before the end of the run'
    server = place.redis('true')
    code, output, _ = place.run_for(1, *server, '--nemesis', 'kill:every=1h')
    expect(words in output, 'the run says that no fault came', output)
    expect_verdict(place, code, output)
    os.remove(os.path.join(place.work, 'h.jsonl'))
    code, output, _ = place.run_for(1, *server, '--nemesis', 'pause:every=100ms,for=20ms')
    expect(words not in output and re.search(r', [0-9]+ faults?$', output, re.M),
           'the run counts its faults', output)


def paused_at_the_end(place):
    server = place.redis('true')
    code, output, seconds = place.run_for(1, *server, '--nemesis', 'pause:every=300ms,for=60m')
    expect_verdict(place, code, output)
    expect(seconds < 8, f'{seconds} s', output)
    expect(place.left() == [], place.left(), output)


def server_dies(place):
    server = place.redis('true')
    script = os.path.join(place.work, 'bin', 'redis-server')
    with open(script, encoding='utf-8') as file:
        text = file.read()
    with open(script, 'w', encoding='utf-8') as file:
        file.write(text.replace('exec /usr', '(sleep 2; kill -9 $$) &\nexec /usr'))
    code, output, seconds = place.run_for(100, *server)
    expect_verdict(place, code, output)
    expect('stopped early: redis exited (signal 9): ' in output, 'no reason', output)
    expect_log(place, output)
    expect(seconds < 30, f'{seconds} s', output)


def database_ends(place, number):
    """A run whose sessions had no database at its end was none of that length."""
    with OwnRedis(place) as redis:
        process = redis.start_run(place, '--duration', '6s', '--level', 'rc', '--keep-data', '--junit',
                                  'j.xml', '--sarif', 's.json', '--edn', 'e.edn', '--html', 'p.html')
        time.sleep(1)
        redis.process.send_signal(number)
        output, _ = process.communicate(timeout=60)
    expect(process.returncode == 4, f'exit code {process.returncode}', output)
    why = re.search(r'^stopped early: (8 of 8 sessions had no connection at the end, for [3-6]\.\d s)',
                    output, re.M)
    expect(why, 'no reason', output)
    expect_verdict(place, process.returncode, output)
    for document in ('j.xml', 's.json', 'e.edn', 'p.html', 'h.jsonl'):
        with open(os.path.join(place.work, document), encoding='utf-8') as file:
            expect(why.group(1) in file.read(), f'{document} does not say so', output)


def database_dies(place):
    database_ends(place, signal.SIGKILL)


def database_freezes(place):
    database_ends(place, signal.SIGSTOP)


def violation_counts_more(place):
    """Than an early end, and than data that could not be removed."""
    with OwnRedis(place) as redis:
        process = redis.start_run(place, '--duration', '4s', '--level', 'ser')
        time.sleep(1)
        redis.process.kill()
        output, _ = process.communicate(timeout=60)
    expect(re.search('^ *serializable +violated', output, re.M), 'no violation', output)
    expect('stopped early: ' in output, 'the end is not told', output)
    expect('isolde: no Redis at ' in output, 'the clean-up did not fail', output)
    expect(process.returncode == 1, f'exit code {process.returncode}', output)


def signalled_twice(place):
    """And more often, as by timeout(1), which signals a program and then its group."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        process = place.start('run', '--db', 'rocksdb:', '--workload', 'mini', '--duration', '100s',
                              '--out', 'h.jsonl')
        wait_for_history(place, process)
        for _ in range(5):
            process.send_signal(number)
            time.sleep(0.003)
        output, _ = process.communicate(timeout=60)
        expect_verdict(place, process.returncode, output)
        expect('stopped early: interrupted' in output, 'no reason', output)
        expect(place.left() == [], place.left(), output)
        os.remove(os.path.join(place.work, 'h.jsonl'))


def signalled_again_later(place):
    """Who cannot wait for what is in hand says so a second time."""
    with OwnRedis(place) as redis:
        process = redis.start_run(place, '--duration', '100s', timeout='60s')
        redis.process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        output = process.stdout.readline()  # told once another signal is another wish
        expect(process.poll() is None, 'did not wait for its sessions', output)
        process.send_signal(signal.SIGTERM)
        output += process.communicate(timeout=5)[0]
    expect(process.returncode == -signal.SIGTERM, f'exit code {process.returncode}', output)
    for line in ('isolde: interrupted: waiting for the transactions under way',
                 'isolde: interrupted again, and ended at once'):
        expect(line in output, 'not told: ' + line, output)


def interrupted(place):
    """Every document says so, too. Pictures are of a violation, so there are lost updates."""
    names = ('junit', 'sarif', 'edn', 'html', 'dot', 'svg')
    documents = [f'--{name}={name}' for name in names]

    def ended(*options):
        process = place.start('run', '--db', 'rocksdb:', '--isolation', 'pessimistic', '--workload',
                              'lost-update', '--keys', '4', '--sessions', '8', '--duration', '100s',
                              '--out', 'h.jsonl', *options)
        wait_for_history(place, process)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        return process.returncode, output

    code, output = ended('--github', *documents)
    expect_verdict(place, code, output)
    expect('stopped early: interrupted' in output, 'no reason', output)
    expect('The run stopped early::interrupted' in output, 'no annotation', output)
    for name in names:
        with open(os.path.join(place.work, name), encoding='utf-8') as file:
            text = file.read()
        expect('interrupted' in text, f'no reason in {name}', text)
    expect(place.left() == [], place.left(), output)
    os.remove(os.path.join(place.work, 'h.jsonl'))
    code, output = ended('--json')  # in place of the text
    report = json.loads(next(line for line in output.splitlines() if line.startswith('{')))
    expect(report['run']['stopped'] == 'interrupted', 'no reason in the JSON', output)
    expect(code in CHECKED, f'exit code {code}', output)


def interrupted_while_starting(place):
    """While data are made, and while servers come up: nothing runs on, nothing is left."""
    os.chmod(place.work, 0o755)  # servers may run as another user
    tried = 0
    for kind, signs in (('postgres', ('n1/data', 'n1/data/postmaster.pid')),
                        ('mariadb', ('n1/data', 'n1/data/ibtmp1')),
                        ('etcd-cluster', ('n1', 'n2/data/member'))):
        for sign in signs:
            process = place.start('run', '--server', kind, '--workload', 'mini', '--out',
                                  f'{kind}.jsonl', '--duration', '100s')
            pattern = os.path.join(place.temp, 'isolde-server-*', sign)
            while not glob.glob(pattern) and process.poll() is None:
                time.sleep(0.002)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
            if 'not installed' in output:
                continue
            tried += 1
            # At the second sign it may just have begun to serve.
            expect('interrupted' in output, f'{kind} at {sign}: no reason', output)
            expect(process.returncode in (2, 4), f'exit code {process.returncode}', output)
            expect(place.left() == [], f'{kind} at {sign} left {place.left()}', output)
            running = subprocess.run(['pgrep', '-af', place.temp], capture_output=True, text=True,
                                     check=False).stdout
            expect(not running, f'{kind} at {sign} runs on: {running}', output)
            for history in glob.glob(os.path.join(place.work, '*.jsonl')):
                os.remove(history)
    if tried == 0:
        sys.exit(77)


NEVER_BEGUN = 'isolde: interrupted before the first transaction\n'


def wait_until_heeded(process):
    """Until it has a handler of its own for Ctrl-C, however slow the machine is."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with open(f'/proc/{process.pid}/status', encoding='ascii') as status:
            caught = next(line.split()[1] for line in status if line.startswith('SigCgt:'))
        if int(caught, 16) & 1 << (signal.SIGINT - 1):
            return
        time.sleep(0.02)


def expect_never_begun(process, seconds, what):
    """Once it is told to end."""
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    took = time.monotonic() - begin
    expect(process.returncode == 2, f'{what}: exit code {process.returncode}', output)
    slow = output.startswith('isolde: interrupted: ')
    expect(slow or took < 3, f'{what}: not told why it takes {took} s', output)
    output = output.split('\n', 1)[1] if slow else output
    expect(output in (NEVER_BEGUN, 'isolde: nothing was played: interrupted\n'), f'{what}: not told',
           output)
    expect(took < seconds, f'{what}: only after {took} s', output)


def expect_documents(place, names):
    for name in names:
        path = os.path.join(place.work, name)
        with open(path, encoding='utf-8') as file:
            text = file.read()
        expect('interrupted before the first transaction' in text, f'no reason in {name}', text)
        os.remove(path)


class Mute:
    """A server that never says a word: at once, or since nobody takes the connection."""

    def __init__(self, takes_connections):
        self.server = socket.socket()
        self.server.bind(('127.0.0.1', 0))
        self.server.listen(64 if takes_connections else 0)
        self.address = f'127.0.0.1:{self.server.getsockname()[1]}'
        self.others = []
        while not takes_connections and len(self.others) < 3:
            self.others.append(socket.socket())
            self.others[-1].setblocking(False)
            self.others[-1].connect_ex(self.server.getsockname())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in (self.server, *self.others):
            each.close()

    def sources(self, known):
        """Data sources of the drivers that there are."""
        names = ('redis://{}', 'rediss://{}', 'postgres://{}/d', 'postgres://{}/d?sslmode=require',
                 'etcd://{}', 'etcd://{}?sslmode=require', 'mariadb://u@{}/d',
                 'mariadb://u@{}/d?sslmode=require')
        drivers = {'rediss': 'redis'}
        for name in names:
            scheme = name.split(':')[0]
            if re.search(rf'^{drivers.get(scheme, scheme)} ', known, re.M):
                yield name.format(self.address)


def expect_ended_soon(place, begun, seconds=1):
    """Processes that connect for ever, by what they connect to."""
    time.sleep(0.7)
    for what, process in begun:
        expect(process.poll() is None, f'{what}: ended by itself', '')
        expect_never_begun(process, seconds, what)
    expect(place.left() == [], f'left {place.left()}', '')


def interrupted_while_connecting(place):
    """Whoever does not answer is not waited for, and not to blame."""
    _, known = place.run('databases')
    run = ('--workload', 'mini', '--force', '--out', 'h.jsonl')
    for takes_connections in (True, False):
        with Mute(takes_connections) as mute:
            sources = list(mute.sources(known))
            for make in (lambda dsn: ('run', '--db', dsn, *run), lambda dsn: ('databases', 'try', dsn),
                         lambda dsn: ('survey', '--db', dsn)):
                begun = [(dsn, place.start(*make(dsn), '--request-timeout', '30s')) for dsn in sources]
                for _, process in begun:
                    wait_until_heeded(process)
                expect_ended_soon(place, begun)
            begin = time.monotonic()
            begun = [(dsn, place.start('run', '--db', dsn, *run, '--request-timeout', '1s'))
                     for dsn in sources]
            for dsn, process in begun:
                output, _ = process.communicate(timeout=60)
                expect(process.returncode == 4, f'{dsn}: exit code {process.returncode}', output)
                expect(mute.address in output, f'{dsn}: not told', output)
            took = time.monotonic() - begin
            expect(1 <= took < 10, f'the time limit of 1 s took {took} s', '')
    documents = ('j.xml', 's.json', 'e.edn')
    begun = [('exec', place.start('run', '--db', 'exec:sleep 1000', *run, '--request-timeout', '30s',
                                  '--junit', 'j.xml', '--sarif', 's.json', '--edn', 'e.edn'))]
    wait_until_heeded(begun[0][1])
    expect_ended_soon(place, begun, 5)  # an adapter is left time to end by itself
    expect_documents(place, documents)


def interrupted_before_any_transaction(place):
    """In the midst of a request that fails later: it does not matter any more why."""
    adapter = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../support/adapter.py')
    for request in ('create', 'open'):
        process = place.start('run', '--db', f'exec:exec python3 {adapter} silent {request}',
                              '--workload', 'mini', '--out', 'h.jsonl', '--force', '--junit', 'j.xml',
                              '--request-timeout', '3s')
        wait_until_heeded(process)
        time.sleep(1)
        expect(process.poll() is None, f'{request}: ended by itself', '')
        expect_never_begun(process, 30, request)
        expect_documents(place, ('j.xml',))


def embedded_databases(place):
    """Fail in all places that there are: before the database, at it, and after it."""
    _, known = place.run('databases')
    for name in re.findall(r'^(\w+) ', known, re.M):
        if not re.search('^  embedded,', place.run('databases', name)[1], re.M):
            continue
        limit = {'preexec_fn':
                 lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))}
        mini = ('run', '--db', name + ':', '--workload', 'mini')
        # Firebird maps a file that then cannot grow, which ends the program; WiredTiger may wait
        # for ever for room in its log.
        if name in ('firebird', 'wiredtiger'):
            limit = {}
        for arguments, options in (
                ((*mini, '--out', '/nowhere/h.jsonl'), {}),
                ((*mini, '--out', f'{name}-1.jsonl', '--param', 'nothing=1'), {}),
                ((*mini, '--out', f'{name}-2.jsonl', '--isolation', 'none'), {}),
                ((*mini, '--out', f'{name}-3.jsonl', '--nemesis', 'cut'), {}),
                ((*mini, '--out', f'{name}-4.jsonl', '--sessions', '2', '--txns', '2000'), limit),
                ((*mini, '--out', f'{name}-5.jsonl', '--txns', '100', '--keep-data'), {}),
                ((*mini, '--out', f'{name}-6.jsonl', '--txns', '100'), {})):
            code, output = place.run(*arguments, **options)
            good = arguments[6].endswith('-6.jsonl')
            good = good or ('2000' in arguments and not options)
            stopped = bool(options) and 'stopped early: ' in output and code in CHECKED
            expect((code == 0) == good or stopped, f'{arguments}: exit code {code}', output)
            left = [entry for entry in place.left() if entry != 'firebird']
            expect(left == [], f'{arguments} left {left}', output)


def expect_nothing_left(place, what, output):
    expect(place.left() == [], f'{what} left {place.left()}', output)
    running = subprocess.run(['pgrep', '-af', place.temp], capture_output=True, text=True,
                             check=False).stdout
    expect(not running, f'{what} runs on: {running}', output)


def expect_told(place, what, process, output, documents):
    """That it was interrupted, in each document, and what was recorded is kept."""
    recorded = 'isolde: interrupted before the ' not in output
    expect(process.returncode in (1, 4) if recorded else process.returncode == 2,
           f'{what}: exit code {process.returncode}', output)
    expect('interrupted' in output, f'{what}: no reason', output)
    for name in documents:
        if name == 'p.html' and not recorded:
            continue  # a page is of a history
        with open(os.path.join(place.work, name), encoding='utf-8') as file:
            expect('interrupted' in file.read(), f'{what}: no reason in {name}', output)
    if recorded:
        code, again = place.run('check', '--level', 'rc', 'h.jsonl')
        expect(code == 0 and 'cut off' not in again, f'{what}: the history', again)


def signalled_in_each_phase(place):
    """Once and twice, on sources of the user's and on private servers. What the user named is as
    it was: no file, no key."""
    os.chmod(place.work, 0o755)  # servers may run as another user
    path = os.path.join(place.work, 'f.db')
    documents = ('j.xml', 's.json', 'e.edn', 'p.html')
    arguments = ('run', '--workload', 'mini', '--out', 'h.jsonl', '--force', '--duration', '100s',
                 '--junit', 'j.xml', '--sarif', 's.json', '--edn', 'e.edn', '--html', 'p.html')
    tried = 0
    for source in (('--db', 'sqlite:' + path), ('--server', 'redis'), ('--server', 'postgres'),
                   ('--server', 'mariadb')):
        for wait, number, count in ((0.05, signal.SIGTERM, 1), (0.5, signal.SIGINT, 2),
                                    ('workload', signal.SIGINT, 1), ('workload', signal.SIGTERM, 2)):
            for name in ('h.jsonl', *documents):
                if os.path.exists(os.path.join(place.work, name)):
                    os.remove(os.path.join(place.work, name))
            process = place.start(*arguments, *source)
            wait_until_heeded(process)
            if wait == 'workload':
                wait_for_history(place, process)
            else:
                time.sleep(wait)
            for _ in range(count):
                process.send_signal(number)
                time.sleep(0.01)
            output, _ = process.communicate(timeout=60)
            if 'not installed' in output or 'unknown database' in output:
                break
            tried += 1
            what = f'{source} signalled {count} times by {number} at {wait}'
            expect_told(place, what, process, output, documents)
            expect_nothing_left(place, what, output)
            expect(not os.path.exists(path), f'{what}: the file is left', output)
    if tried == 0:
        sys.exit(77)


def signalled_while_removing(place):
    """Keys of the user's server that take a while to remove. Who interrupts that has had all of
    the run, and nothing is left all the same."""
    with OwnRedis(place) as redis:
        def ask(*words):
            return subprocess.run(['redis-cli', '-p', str(redis.port), *words], capture_output=True,
                                  text=True, check=True).stdout.strip()

        for number, count in ((signal.SIGINT, 1), (signal.SIGTERM, 2)):
            process = place.start('run', '--db', redis.url, '--workload', 'lost-update', '--out',
                                  'h.jsonl', '--duration', '1500ms', '--junit', 'j.xml', '--level', 'rc')
            wait_for_history(place, process)
            keys = 300000
            ask('eval', f"for i = 1, {keys} do redis.call('SET', 'isolde:register:' .. (1000000 + i), '1') end",
                '0')
            while int(ask('dbsize')) >= keys - 1000:
                expect(process.poll() is None, 'ended by itself', '')
            expect(int(ask('dbsize')) > 0, 'too late: nothing is left to remove', '')
            for _ in range(count):
                process.send_signal(number)
            output, _ = process.communicate(timeout=60)
            what = f'signalled {count} times by {number}'
            expect(process.returncode in CHECKED, f'{what}: exit code {process.returncode}', output)
            expect(re.search(r'^ *read-committed +holds', output, re.M), f'{what}: no verdict', output)
            expect(ask('dbsize') == '0', f'{what}: keys are left', output)
            code, again = place.run('check', '--level', 'rc', 'h.jsonl')
            expect(code == 0 and 'cut off' not in again, f'{what}: the history', again)
            os.remove(os.path.join(place.work, 'h.jsonl'))


class OwnSql:
    """A server of this kind that the run knows by its data source name only, as its user would."""

    def __init__(self, place, kind):
        self.kind = kind
        self.client = shutil.which({'postgres': 'psql'}.get(kind, kind))
        self.process = place.start('server', kind)
        self.url = self.process.stdout.readline().strip()
        self.is_there = self.client and self.url.startswith(kind + '://')
        host = re.search(r'%2F[^/]*', self.url)
        self.socket = host.group().replace('%2F', '/') if host else ''

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)

    def tables(self):
        """How many of a run's there are."""
        return self.ask("select count(*) from information_schema.tables where table_name like 'isolde%'")

    def ask(self, query):
        return int(subprocess.run([*self.words(), *(('-A', '-t', '-c') if self.kind == 'postgres' else
                                                    ('-N', '-e')), query],
                                  capture_output=True, text=True, check=True).stdout)

    def words(self):
        if self.kind == 'postgres':
            return (self.client, '-X', '-q', '-h', self.socket, '-U', 'postgres', '-d', 'postgres')
        return (self.client, '--no-defaults', '-n', '-uroot', '-S', self.socket)

    def holding(self):
        """A client that keeps others from making tables until it ends."""
        client = subprocess.Popen(self.words(), stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE)
        client.stdin.write('BEGIN; CREATE TABLE isolde_register (i int);\n' if
                           self.kind == 'postgres' else 'FLUSH TABLES WITH READ LOCK;\n')
        client.stdin.write("SELECT 'held';\n")
        client.stdin.flush()
        while 'held' not in client.stdout.readline():
            expect(client.poll() is None, f'{self.kind}: its client has ended', '')
        return client

    def waiting(self):
        """How many wait for that client."""
        if self.kind == 'postgres':
            return self.ask("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                            "query ~* 'create table'")
        return self.ask("select count(*) from information_schema.processlist where state like "
                        "'Waiting%' and info like 'create table%'")


def signalled_at_own_databases(place):
    """While a run makes its tables in the user's own database, while it fills them, and in its
    workload: none of them is left there."""
    os.chmod(place.work, 0o755)  # servers may run as another user
    tried = 0
    for kind in ('postgres', 'mariadb'):
        with OwnSql(place, kind) as own:
            if not own.is_there:
                continue
            for phase, number, count in (('create', signal.SIGINT, 1), ('create', signal.SIGTERM, 2),
                                         ('rows', signal.SIGINT, 1), ('workload', signal.SIGTERM, 1)):
                what = f'{kind} signalled {count} times by {number} in its {phase}'
                holder = own.holding() if phase == 'create' else None
                history = os.path.join(place.work, 'h.jsonl')
                if os.path.exists(history):
                    os.remove(history)
                process = place.start('run', '--db', own.url, '--workload', 'tpcc-tables', '--items',
                                      '5000' if phase == 'rows' else '100', '--out', 'h.jsonl',
                                      '--force', '--level', 'rc', '--duration', '20s')
                if phase == 'workload':
                    wait_for_history(place, process)
                while not (own.waiting() if holder else own.tables()):
                    expect(process.poll() is None, f'{what}: ended by itself', '')
                for _ in range(count):
                    process.send_signal(number)
                    time.sleep(0.01)
                if holder:
                    holder.communicate()
                output, _ = process.communicate(timeout=60)
                never = NEVER_BEGUN in output
                # MariaDB shows the first table while others are made.
                expect(phase == 'rows' or never == (phase == 'create'), f'{what}: another one', output)
                expect('interrupted' in output, f'{what}: no reason', output)
                expect(own.tables() == 0, f'{what}: {own.tables()} tables are left', output)
                tried += 1
    if tried == 0:
        sys.exit(77)


def path_of_a_failed_run(place):
    """Nothing is left where the user said either."""
    path = os.path.join(place.work, 'f.db')
    code, output = place.run('run', '--db', 'sqlite:' + path, '--workload', 'mini', '--out',
                             '/nowhere/h.jsonl')
    expect(code == 4, f'exit code {code}', output)
    expect(not os.path.exists(path), 'the file is left', output)


def servers(place):
    server = place.redis('true')
    code, output = place.run('run', *server, '--workload', 'mini', '--out', '/nowhere/h.jsonl')
    expect(code == 4, f'exit code {code}', output)
    expect(place.left() == [], place.left(), output)
    code, output = place.run('databases', 'try', *server)
    expect(code == 0 and 'Nothing is wrong' in output, f'try: exit code {code}', output)
    expect(place.left() == [], place.left(), output)
    code, output = place.run('run', *server, '--workload', 'mini', '--out', 'h.jsonl', '--set',
                             'nonsense=1')
    expect(code == 4, f'exit code {code}', output)
    expect_log(place, output)


def two_nodes(place):
    """Fewer than half of two is none: nobody is paused or killed."""
    if not os.path.exists('/usr/bin/etcd'):
        sys.exit(77)
    cluster = ('--server', 'etcd-cluster', '--set', 'nodes=2')
    code, output, _ = place.run_for(1, *cluster, '--nemesis', 'kill:every=100ms')
    expect(code == 3, f'exit code {code}', output)
    expect('fewer than half of 2 servers is none' in output, 'no reason', output)
    code, output, _ = place.run_for(1, *cluster, '--nemesis', 'cut:every=100ms')
    expect_verdict(place, code, output)
    expect(place.left() == [], place.left(), output)


CASES = (restart_fails, restart_hangs, faults_are_counted, none_came, paused_at_the_end, server_dies,
         database_dies, database_freezes, violation_counts_more, interrupted,
         interrupted_while_starting, interrupted_while_connecting,
         interrupted_before_any_transaction, signalled_twice,
         signalled_again_later, signalled_in_each_phase, signalled_while_removing,
         signalled_at_own_databases, embedded_databases, path_of_a_failed_run, servers,
         two_nodes)


def main():
    names = {case.__name__: case for case in CASES}
    if sys.argv[2] == 'list':
        print('\n'.join(names))
        return
    folder = tempfile.mkdtemp(prefix='isolde-ends-', dir='/tmp')
    try:
        names[sys.argv[2]](Place(sys.argv[1], folder))
    finally:
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
