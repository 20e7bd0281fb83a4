#!/usr/bin/env python3
"""The workflow of docs/ci.md does what the page says: its steps are taken out of the file and run.

    ci_test.py ISOLDE

Instead of the service that the workflow asks for there is a private server, whose data source name
takes the place of the one in the file. The step that installs a package is left to the tests of
packages. Exit code 77: PostgreSQL is not installed.
"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KEPT = ('history.jsonl', 'proof.jsonl', 'isolation.xml', 'isolation.sarif')


def run_steps(job, isolde, dsn, folder):
    environment = {**os.environ, **job['env'], 'ISOLDE_DSN': dsn,
                   'PATH': os.path.dirname(isolde) + ':' + os.environ['PATH']}
    ran = []
    for step in job['steps']:
        if 'run' not in step or step['name'] == 'install':
            continue
        done = subprocess.run(['bash', '-e', '-c', step['run']], cwd=folder, env=environment,
                              capture_output=True, text=True, check=False)
        print(step['name'], done.returncode, done.stdout, done.stderr)
        assert done.returncode == 0, step['name']
        ran.append(step['name'])
    assert ran == ['isolation', 'proof'], ran


def main(isolde):
    with open(os.path.join(ROOT, 'examples', 'isolation.yml'), encoding='utf-8') as file:
        job = yaml.safe_load(file)['jobs']['isolation']
    assert set(job['env']) == {'ISOLDE_DSN'}
    keep = job['steps'][-1]
    assert tuple(keep['with']['path'].split()) == KEPT and keep['if'] == 'always()'
    isolde = os.path.abspath(isolde)
    with subprocess.Popen([isolde, 'server', 'postgres'], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as server:
        try:
            dsn = server.stdout.readline().strip()
            if not dsn:
                said = server.communicate()[1]
                print(said)
                return 77 if 'install the package' in said else 1
            with tempfile.TemporaryDirectory() as folder:
                run_steps(job, isolde, dsn, folder)
                for name in KEPT:
                    assert os.path.getsize(os.path.join(folder, name)) > 0, name
                suites = xml.etree.ElementTree.parse(os.path.join(folder, 'isolation.xml'))
                assert suites.getroot().get('failures') == '0'
        finally:
            server.terminate()
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
