#!/usr/bin/env python3
"""Drives the databases of examples/JdbcAdapter.java and examples/node_adapter.js.

    adapters_test.py ISOLDE jdbc|node      exit code 77: packages missing

Each database must pass `isolde databases try`. Then each row of the table "What they were found to
give" of docs/adapters.md is run anew: the levels that it says hold must hold, with certificates
that the verifier accepts, and the others must be violated. The npm packages come from the registry.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JARS = ['/usr/share/java/' + name + '.jar' for name in ('gson', 'h2', 'hsqldb', 'derby')]
# The command for each database of the table. A Java that lives for seconds spends most of its time
# on optimising what it then hardly runs, so it compiles simply.
JAVA = 'java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
JDBC = (f'exec:exec {JAVA} -Dderby.stream.error.file=derby.log -Dderby.locks.waitTimeout=2 '
        '-Dderby.locks.deadlockTimeout=0 JdbcAdapter ')
NODE = 'exec:exec node node_adapter.js '
# Seven programs that start at once may take longer than the usual ten seconds on a busy machine.
PATIENCE = ['--request-timeout', '30s']
COMMANDS = {
    'jdbc': {'H2': JDBC + 'jdbc:h2:mem:isolde',
             'HSQLDB': JDBC + 'jdbc:hsqldb:mem:isolde',
             'HSQLDB, `hsqldb.tx=mvcc`': JDBC + '"jdbc:hsqldb:mem:isolde;hsqldb.tx=mvcc"',
             'Derby': JDBC + '"jdbc:derby:memory:isolde;create=true"'},
    'node': {'DuckDB': NODE + 'duckdb', 'libSQL': NODE + 'libsql accounts.db'},
}
# Of `isolde databases try`.
ADDED = 'what was added is read by others'
STEPS = {'jdbc': [ADDED], 'node': [ADDED, 'an insert that meets a row tells so, and the '
                                   'transaction goes on']}


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


def run(command, **options):
    print('$', *command, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=250, check=False, **options)
    print(done.stdout, flush=True)
    return done


def prepare_jdbc(folder):
    missing = [jar for jar in JARS if not os.path.exists(jar)]
    if missing or not shutil.which('javac'):
        skip(f'no JDK, or not {missing}')
    os.environ['CLASSPATH'] = ':'.join(JARS + [folder])
    assert run(['javac', '-d', folder, example('JdbcAdapter.java')]).returncode == 0


def prepare_node(folder):
    try:
        done = run(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error',
                    '--fetch-retries=1', '--prefix', folder, '@duckdb/node-api', 'libsql'])
    except (OSError, subprocess.TimeoutExpired) as error:
        skip(error)
    if done.returncode != 0:
        skip('the npm registry has not given the packages')


def example(name):
    return os.path.join(ROOT, 'examples', name)


def check_usage(program):
    """Without arguments: one line, and not what Java makes of the mistake."""
    done = run(program)
    assert done.returncode == 2 and done.stdout.startswith('usage: isolde run '), done.returncode
    assert done.stdout.count('\n') == 1, done.stdout


def page():
    return open(os.path.join(ROOT, 'docs', 'adapters.md'), encoding='utf-8').read()


def shown_runs(adapter):
    """The runs that the page shows for the adapter, as it shows them."""
    commands = re.sub(r'\\\n\s*', '', page())
    return re.findall(rf'^ *(isolde run .* {adapter} .*)$', commands, re.M)


def found_rows():
    """The rows of the table, as lists of columns."""
    section = page().split('## What they were found to give\n')[1].split('\n## ')[0]
    rows = [[cell.strip() for cell in line.strip('|').split(' | ')]
            for line in section.splitlines() if line.startswith('| ')]
    return rows[1:]


def check_row(isolde, command, isolation, workload, holds, violated):
    if os.path.exists('history.jsonl'):
        os.remove('history.jsonl')
    levels = [level for level in (holds, violated) if level != '-']
    done = run([isolde, 'run', '--db', command, '--isolation', isolation, '--workload', workload,
                '--sessions', '6', '--duration', '1s', '--level', ','.join(levels), '--force-reset',
                '--json', '--certificate', 'proof', '--out', 'history.jsonl', *PATIENCE])
    report = json.loads(next(line for line in done.stdout.splitlines() if line.startswith('{')))
    verdicts = {name: level['verdict'] for name, level in report['levels'].items()}
    wanted = {holds: 'holds', violated: 'violated'}
    wanted.pop('-', None)
    assert verdicts == wanted, f'{verdicts}, the page says {wanted}'
    assert done.returncode == (0 if violated == '-' else 1), done.returncode
    for level in levels:
        proof = 'proof' if len(levels) == 1 else f'proof.{level}.jsonl'
        assert run([isolde, 'verify', proof, 'history.jsonl']).returncode == 0


def main():
    isolde, kind = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.environ['PATH'] = os.path.dirname(isolde) + ':' + os.environ['PATH']
    with tempfile.TemporaryDirectory() as folder:
        {'jdbc': prepare_jdbc, 'node': prepare_node}[kind](folder)
        adapter = {'jdbc': 'JdbcAdapter.java', 'node': 'node_adapter.js'}[kind]
        shutil.copy(example(adapter), folder)
        os.chdir(folder)
        check_usage(['java' if kind == 'jdbc' else 'node', adapter])
        runs = shown_runs(adapter)
        assert runs, adapter
        for command in runs:
            # To compile it at each start takes longer still.
            command = command.replace('java JdbcAdapter.java', JAVA + ' JdbcAdapter')
            done = run(['sh', '-c', ' '.join([command, *PATIENCE])])
            assert done.returncode in (0, 1) and ' committed in ' in done.stdout, done.returncode
            os.remove('history.jsonl')
        for command in COMMANDS[kind].values():
            tried = run([isolde, 'databases', 'try', command, '--force-reset', *PATIENCE])
            assert tried.returncode == 0
            for step in STEPS[kind]:  # what is not offered is not tried
                assert f'ok     {step}\n' in tried.stdout, step
        rows = [row for row in found_rows() if row[0] in COMMANDS[kind]]
        assert {row[0] for row in rows} == set(COMMANDS[kind]), rows
        for database, isolation, workload, holds, violated, *_ in rows:
            check_row(isolde, COMMANDS[kind][database],
                      *(re.sub('`', '', cell) for cell in (isolation, workload, holds, violated)))
        print(len(rows), 'rows of docs/adapters.md are as it says')


main()
