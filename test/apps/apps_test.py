#!/usr/bin/env python3
"""The wrappers of examples/ that record what an application does, and the programs of docs/applications.md.

    apps_test.py ISOLDE LIBISOLDE libpq|jdbc     exit code 77: packages missing

Each call is on record as it should be. What a program records at each isolation of PostgreSQL is what the
database promises and no more, for isolde check with and without --trust-versions, and for isolde watch, which
reads it while it is recorded; also where the program is killed, and where connections are.
"""
import contextlib
import glob
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = ('DROP TABLE IF EXISTS show; CREATE TABLE show (id INT PRIMARY KEY, sold INT); '
         'INSERT INTO show SELECT i, 0 FROM generate_series(0, 4) i')
# What PostgreSQL promises at each isolation, and what it is known not to give.
PROMISES = {'SERIALIZABLE': ('strict-serializable', None),
            'REPEATABLE READ': ('snapshot-isolation', 'serializable'),
            'READ COMMITTED': ('read-committed', 'snapshot-isolation')}


def fail(why):
    sys.exit(f'apps_test: {why}')


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


def run(words, code=0, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200,
                          check=False, **options)
    if done.returncode != code:
        fail(f'{words} ends with {done.returncode}:\n{done.stdout}')
    return done.stdout


# As docs/adapters.md found.
H2_PROMISES = {'SERIALIZABLE': ('snapshot-isolation', None), 'READ_COMMITTED': ('read-committed', 'snapshot-isolation')}

# A cluster with few numbers of transactions left of its first epoch but one, as in
# test/db/postgres_versions_test.cpp, so that xmin begins anew under the application.
INITDB = """#!/bin/sh
set -e
{bin}/initdb "$@"
data=$2
echo 'VACUUM FREEZE' | {bin}/postgres --single -D $data postgres
reset='{bin}/pg_resetwal -e 1 -x 4294967000'
$reset -u 4294966000 $data || $reset $data
dd if=/dev/zero of=$data/pg_xact/0FFF bs=8192 count=32
"""
OLDEST = 2**32 + 4294967000


def put_programs():
    found = sorted(glob.glob('/usr/lib/postgresql/*/bin/pg_resetwal'))
    if not found or not shutil.which('psql'):
        skip('PostgreSQL is not installed')
    os.mkdir('programs')
    for name, text in (('initdb', INITDB), ('postgres', '#!/bin/sh\nexec {bin}/postgres "$@"\n')):
        with open(os.path.join('programs', name), 'w', encoding='utf-8') as file:
            file.write(text.format(bin=os.path.dirname(found[-1])))
        os.chmod(file.name, 0o755)
    for folder in ('.', 'programs'):  # the server may have a user of its own
        os.chmod(folder, 0o755)


@contextlib.contextmanager
def postgres(isolde):
    """Its parameters for libpq: host, user and database."""
    put_programs()
    with subprocess.Popen([isolde, 'server', 'postgres', '--set', 'bin=' + os.path.abspath('programs'), '--set',
                           'autovacuum=off'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as server:
        source = server.stdout.readline().strip()
        try:
            found = re.fullmatch(r'postgres://(\w+)@(.*)/(\w+)', source)
            if not found:
                fail(f'the server says {source!r}')
            yield {'host': urllib.parse.unquote(found[2]), 'user': found[1], 'dbname': found[3]}
        finally:
            server.send_signal(signal.SIGINT)


def conninfo(server):
    return ' '.join(f'{name}={value}' for name, value in server.items())


def sql(server, text):
    return run(['psql', '-qAt', '-v', 'ON_ERROR_STOP=1', conninfo(server), '-c', text])


def verdict(isolde, level, history, *options):
    done = subprocess.run([isolde, 'check', '--level', level, '--verify', *options, history],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=200)
    if done.returncode not in (0, 1, 2):
        fail(f'isolde check ends with {done.returncode}: {done.stdout}')
    return ('holds', 'violated', 'unknown')[done.returncode]


def transactions(history):
    with open(history, encoding='utf-8') as file:
        return [line for line in map(json.loads, file) if 'session' in line]


class Followed:
    """A program that records to app.jsonl, followed by isolde convert and isolde watch."""

    def __init__(self, isolde, command):
        for name in ('app.jsonl', 'app.isob'):
            if os.path.exists(name):
                os.remove(name)
        shutil.rmtree('app.jsonl.inflight', ignore_errors=True)
        self.converter = subprocess.Popen([isolde, 'convert', '--follow', '--to', 'native-binary', 'app.jsonl',
                                           'app.isob'], stderr=subprocess.PIPE, text=True)
        self.program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        end = time.monotonic() + 60
        while not os.path.exists('app.isob') and time.monotonic() < end:
            time.sleep(0.01)
        self.watcher = subprocess.Popen([isolde, 'watch', '--follow', '--timeout', '100', '--json', 'app.isob'],
                                        stdout=subprocess.PIPE, text=True)

    def ended(self):
        """What the program printed, its exit code, what the converter said, and the verdict of the watch."""
        printed, _ = self.program.communicate(timeout=100)
        _, said = self.converter.communicate(timeout=100)
        if self.converter.returncode != 0:
            fail(f'the converter ends with {self.converter.returncode}: {said}')
        watched, _ = self.watcher.communicate(timeout=110)
        report = json.loads(watched)
        if report['verdict'] == 'unknown':
            fail(f'isolde watch says {watched} of {printed}')
        return printed, self.program.returncode, said, report['verdict']


def check_isolations(isolde, server, program):
    """`program` gives the command for an isolation."""
    for isolation, (promised, not_given) in PROMISES.items():
        sql(server, TABLE)
        printed, code, said, watched = Followed(isolde, program(isolation)).ended()
        if code != 0 or 'ended early' in said:
            fail(f'{isolation}: {code} {printed}{said}')
        found = {}
        for options in ((), ('--trust-versions',)):
            for level in filter(None, (promised, not_given)):
                found[level, options] = verdict(isolde, level, 'app.jsonl', *options)
                wanted = 'holds' if level == promised else 'violated'
                if found[level, options] != wanted:
                    fail(f'{isolation}: {level} {options}: {found[level, options]}')
        wanted = 'violated' if not_given else 'holds'
        if watched != wanted:
            fail(f'{isolation}: isolde watch says {watched}')
        sold = int(sql(server, 'SELECT sum(sold) FROM show'))
        print(f'{isolation}: {printed.strip()}, {sold} in the table, {len(transactions("app.jsonl"))} transactions')
        if isolation != 'READ COMMITTED' and not printed.startswith(f'{sold} sold'):
            fail(f'{sold} are in the table')
        reads = [op for txn in transactions('app.jsonl') for op in txn['ops'] if op[2] is not None]
        if not all(set(op[3]) == {'version'} for op in reads):
            fail('operations lack their versions')
        passed = {op[3]['version'] >> 32 for op in reads}
        if isolation == 'SERIALIZABLE' and passed != {1, 2}:
            fail(f'versions are of the epochs {passed}')


def wait_for_work(followed):
    """Until something has been recorded."""
    while os.path.getsize('app.jsonl') < 20_000 and followed.program.poll() is None:
        time.sleep(0.01)


def check_kills(isolde, server, program, kills, *options):
    """The program is killed at any moment: with what it left behind nothing is missing."""
    for _ in range(kills):
        sql(server, TABLE)
        followed = Followed(isolde, program('SERIALIZABLE'))
        wait_for_work(followed)
        time.sleep(random.random() * 0.5)
        if followed.program.poll() is not None:
            fail(f'it ended by itself: {followed.ended()}')
        followed.program.kill()
        _, _, said, watched = followed.ended()
        if watched != 'holds' or 'missing' in said:
            fail(f'after a kill: {watched}, {said}')
        if verdict(isolde, 'strict-serializable', 'app.jsonl', *options) != 'holds':
            fail('after a kill it does not hold')


def check_cuts(isolde, server, program):
    """Connections are ended under the program, some of them in a COMMIT."""
    sql(server, TABLE)
    followed = Followed(isolde, program('SERIALIZABLE'))
    wait_for_work(followed)
    while followed.program.poll() is None:
        sql(server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
                    "AND pid <> pg_backend_pid() AND random() < 0.3")
        time.sleep(0.02)
    printed, code, _, watched = followed.ended()
    lines = [line for line in printed.splitlines() if 'sold' in line]
    print(lines)
    if code != 0 or watched != 'holds':
        fail(f'with connections cut: {code}, {watched}')
    if verdict(isolde, 'strict-serializable', 'app.jsonl', '--trust-versions') != 'holds':
        fail('with connections cut the versions do not fit')
    if not re.search(r'[1-9]\d* (lost|failed)', printed):
        fail(f'nothing was cut: {printed}')


def shown(page, name):
    with open(os.path.join(ROOT, 'examples', name), encoding='utf-8') as file:
        example = file.read()
    with open(os.path.join(ROOT, 'docs', page), encoding='utf-8') as file:
        if example not in file.read():
            fail(f'docs/{page} does not show examples/{name} as it is')


STEPS = [
    ('a', None, [['w', '1', 'first'], ['w', '2', 0]]),
    ('a', None, [['r', '1', 'first'], ['r', '2', 0], ['r', '3', None], ['r', '3', None], ['r', '3', None],
                 ['w', '3', 'padded'], ['r', '3', 'padded', 'update'], ['w', '2', 'second'], ['w', '1', 0],
                 ['delete', '3']]),
    ('a', 'aborted', []),
    ('a', 'aborted', [['w', '1', 'never']]),
    ('b', None, [['w', '1', 'other']]),
    ('a', 'aborted', [['r', '1', 0]]),
    ('a', None, [['r', '1', 'other'], ['w', '1', 'met']]),
    ('b', 'aborted', [['w', '2', 'lost']]),
    ('b', 'indeterminate', [['w', '2', 'perhaps']]),
    ('b/2', 'aborted', [['r', '2', 'second']]),
]


def check_steps(isolde, server, program, name):
    sql(server, 'DROP TABLE IF EXISTS thing; CREATE TABLE thing (id BIGINT PRIMARY KEY, note TEXT); '
                "INSERT INTO thing VALUES (1, 'first'), (2, NULL)")
    run(program)
    found = []
    versions = {}  # of each value
    for txn in transactions('steps.jsonl'):
        ops = []
        for kind, key, *rest in txn['ops']:
            details = rest[1] if len(rest) > 1 else {}
            if not key.startswith(name + '/'):
                fail(f'a key is {key}')
            if 'version' in details and txn.get('status') != 'aborted':
                seen = versions.setdefault((key, rest[0]), details['version'])
                if details['version'] < OLDEST:
                    fail(f'a version is {details["version"]}')
                if seen != details['version']:
                    fail(f'{key} = {rest[0]} has versions {seen} and {details["version"]}')
            elif rest and rest[0] is not None and 'version' not in details:
                fail(f'no version: {txn}')
            ops.append([kind, key[len(name) + 1:], *rest[:1], *filter(None, [details.get('lock')])])
        found.append((txn['session'], txn.get('status'), ops))
    if found != STEPS:
        fail('on record are\n' + '\n'.join(map(str, found)))
    for options in ((), ('--trust-versions',)):
        if verdict(isolde, 'strict-serializable', 'steps.jsonl', *options) != 'holds':
            fail(f'the steps do not fit {options}')


def libpq(isolde, library):
    if not shutil.which('pkg-config') or subprocess.run(['pkg-config', '--exists', 'libpq'], check=False).returncode:
        skip('libpq-dev is not installed')
    folder = os.path.join(ROOT, 'examples')
    flags = run(['pkg-config', '--cflags', '--libs', 'libpq']).split()
    where = os.path.dirname(library)

    def built(source, into):
        run(['cc', '-std=c99', '-D_POSIX_C_SOURCE=200809L', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow',
             '-Wconversion', '-Werror', '-I', folder, '-I', os.path.join(ROOT, 'include'), source,
             os.path.join(folder, 'isolde_pq.c'), f'-L{where}', f'-Wl,-rpath,{where}', '-lisolde', *flags,
             '-pthread', '-o', into])

    built(os.path.join(folder, 'tickets.c'), 'tickets')
    built(os.path.join(ROOT, 'test', 'apps', 'pq_steps.c'), 'steps')
    shown('applications.md', 'tickets.c')
    with postgres(isolde) as server:
        def tickets(sales):
            return lambda isolation: ['./tickets', conninfo(server), 'app.jsonl', isolation, '4', str(sales)]
        check_steps(isolde, server, ['./steps', conninfo(server), 'steps.jsonl'], 'note of thing')
        check_isolations(isolde, server, tickets(400))
        check_kills(isolde, server, tickets(100_000), 4)
        check_cuts(isolde, server, tickets(1000))


JARS = ['/usr/share/java/' + name + '.jar' for name in ('postgresql', 'h2')]
JAVA = ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', ':'.join(['classes'] + JARS)]
H2 = 'jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;INIT=RUNSCRIPT FROM \'h2.sql\''


def bridge(path):
    """A port of this machine that leads to that socket: the driver knows no unix sockets."""
    listener = socket.create_server(('127.0.0.1', 0))

    def carry(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def serve():
        while True:
            client, _ = listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = socket.socket(socket.AF_UNIX)
            server.connect(path)
            for ends in ((client, server), (server, client)):
                threading.Thread(target=carry, args=ends, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def jdbc(isolde, _):
    missing = [jar for jar in JARS if not os.path.exists(jar)]
    if missing or not shutil.which('javac'):
        skip(f'no JDK, or not {missing}')
    run(['javac', '-Xlint:all', '-Werror', '-d', 'classes',
         *(os.path.join(ROOT, 'examples', name) for name in ('IsoldeRecorder.java', 'Tickets.java')),
         os.path.join(ROOT, 'test', 'apps', 'JdbcSteps.java')])
    shown('applications.md', 'Tickets.java')
    check_h2(isolde)
    with postgres(isolde) as server:
        port = bridge(server['host'] + '/.s.PGSQL.5432')
        url = f'jdbc:postgresql://127.0.0.1:{port}/{server["dbname"]}?user={server["user"]}'

        def tickets(sales):
            return lambda isolation: [*JAVA, 'Tickets', url, 'app.jsonl', isolation.replace(' ', '_'), '4',
                                      str(sales)]
        check_steps(isolde, server, [*JAVA, 'JdbcSteps', url, 'steps.jsonl'], 'note of thing')
        check_halt(isolde, [*JAVA, 'JdbcSteps', url, 'halted.jsonl', 'halt'])
        check_isolations(isolde, server, tickets(400))
        check_kills(isolde, server, tickets(100_000), 4, '--trust-versions')
        check_cuts(isolde, server, tickets(1000))


def check_halt(isolde, program):
    """It dies in a transaction whose text has outgrown its file more than once."""
    run(program, code=9)
    run([isolde, 'convert', '--follow', '--to', 'native-binary', 'halted.jsonl', 'halted.isob'])
    for name in ('halted.jsonl', 'halted.isob'):
        text = run([isolde, 'convert', '--to', 'native', name, '-'])
        last = [line for line in map(json.loads, text.splitlines()) if 'session' in line][-1]
        ops = [op for op in last['ops'] if len(op[2]) == 10_000 and set(op[3]) == {'version'}]
        if (last['session'], last['status'], len(ops)) != ('a', 'indeterminate', 20) or 'end' in last:
            fail(f'{name} has {str(last)[:300]}')


def check_h2(isolde):
    with open('h2.sql', 'w', encoding='utf-8') as file:
        file.write(TABLE.replace('DROP TABLE IF EXISTS show; ', '').replace('TABLE show', 'TABLE IF NOT EXISTS show')
                   .replace('INSERT INTO show SELECT i, 0 FROM generate_series(0, 4) i', ';'.join(
                       f'MERGE INTO show KEY (id) SELECT {i}, 0 WHERE NOT EXISTS (SELECT * FROM show WHERE id = {i})'
                       for i in range(5))))
    for isolation, (promised, not_given) in H2_PROMISES.items():
        printed, code, said, watched = Followed(isolde, [*JAVA, 'Tickets', H2, 'app.jsonl', isolation, '4',
                                                         '300']).ended()
        print(f'H2, {isolation}: {printed.strip()}, watch: {watched}')
        if code != 0 or 'ended early' in said or not re.match('[1-9][0-9]* sold, 0 failed, 0 unknown', printed):
            fail(f'H2, {isolation}: {code} {printed}{said}')
        for level, wanted in ((promised, 'holds'), (not_given, 'violated')):
            if level and verdict(isolde, level, 'app.jsonl') != wanted:
                fail(f'H2, {isolation}: {level} is not {wanted}')


def main():
    isolde, library = map(os.path.abspath, sys.argv[1:3])
    seed = random.randrange(10**6)
    print(f'seed {seed}', flush=True)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {'libpq': libpq, 'jdbc': jdbc}[sys.argv[3]](isolde, library)
        os.chdir(ROOT)


if __name__ == '__main__':
    main()
