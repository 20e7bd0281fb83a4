#!/usr/bin/env python3
"""The workflow of docs/ci.md does what the page says: its steps are taken out of the file and run.

    ci_test.py ISOLDE

Instead of the service that the workflow asks for there is a private server, whose data source name
takes the place of the one in the file. The step that installs a package is left to the tests of
packages. The steps are run twice: with the promise kept, and with one that the database breaks. Exit code 77: PostgreSQL is not installed.
"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KEPT = ('history.jsonl', 'proof.jsonl', 'isolation.xml', 'isolation.sarif')


PROOF = "always() && hashFiles('proof.jsonl') != ''"


def run_steps(job, isolde, dsn, folder, broken):
    """What the steps returned, by name. Those that follow a failed one run where they say so."""
    environment = {**os.environ, **job['env'], 'ISOLDE_DSN': dsn,
                   'PATH': os.path.dirname(isolde) + ':' + os.environ['PATH']}
    ran = {}
    for step in job['steps']:
        if 'run' not in step or step['name'] == 'install':
            continue
        if any(ran.values()) and not step.get('if', '').startswith('always()'):
            continue
        command = step['run']
        if broken:
            command = command.replace('--isolation serializable', '--isolation repeatable-read')
            command = command.replace('--level promised', '--level serializable')
        done = subprocess.run(['bash', '-e', '-c', command], cwd=folder, env=environment,
                              capture_output=True, text=True, check=False)
        print(step['name'], done.returncode, done.stdout, done.stderr)
        ran[step['name']] = done.returncode
    return ran


def main(isolde):
    with open(os.path.join(ROOT, 'examples', 'isolation.yml'), encoding='utf-8') as file:
        job = yaml.safe_load(file)['jobs']['isolation']
    assert set(job['env']) == {'ISOLDE_DSN'}
    conditions = {step['name']: step['if'] for step in job['steps'] if 'if' in step}
    assert conditions == {'proof': PROOF, 'keep': 'always()'}, conditions
    assert tuple(job['steps'][-1]['with']['path'].split()) == KEPT
    isolde = os.path.abspath(isolde)
    with subprocess.Popen([isolde, 'server', 'postgres'], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as server:
        try:
            dsn = server.stdout.readline().strip()
            if not dsn:
                said = server.communicate()[1]
                print(said)
                return 77 if 'install the package' in said else 1
            for broken in (False, True):
                with tempfile.TemporaryDirectory() as folder:
                    ran = run_steps(job, isolde, dsn, folder, broken)
                    assert ran == {'isolation': int(broken), 'proof': 0}, ran
                    for name in KEPT:
                        assert os.path.getsize(os.path.join(folder, name)) > 0, name
                    suites = xml.etree.ElementTree.parse(os.path.join(folder, 'isolation.xml'))
                    assert suites.getroot().get('failures') == str(int(broken))
        finally:
            server.terminate()
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
