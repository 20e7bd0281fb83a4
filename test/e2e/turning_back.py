#!/usr/bin/env python3
"""Half of the transactions of a workload on rows, or lists, go back to a savepoint, and some are rolled
back: the database keeps what it promises, and what was taken back is not on record.

    turning_back.py ISOLDE list     names of the databases
    turning_back.py ISOLDE NAME     runs all workloads there; exit code 77: it is not installed
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DATABASES = {
    'postgres': ('--server', 'postgres', '--isolation', 'serializable'),
    'mariadb': ('--server', 'mariadb', '--isolation', 'serializable'),
    'sqlite': ('--db', 'sqlite:s.db'),
}
PROGRAMS = {'postgres': '/usr/lib/postgresql', 'mariadb': '/usr/sbin/mariadbd', 'sqlite': '/'}
# Those that roll back by themselves take no --rollbacks.
WORKLOADS = {
    'booking': (), 'smallbank': (), 'tpcc-tables': (), 'ycsb-e': ('--rollbacks', '0.1'),
    'tenants': ('--rollbacks', '0.1'), 'blindw-pred': ('--rollbacks', '0.1'),
    'phantom': ('--rollbacks', '0.1'), 'on-call': ('--rollbacks', '0.1'),
    'upsert': ('--rollbacks', '0.1'),
    'list-append': ('--rollbacks', '0.1', '--keys', '10', '--param', 'upsert=1'),
}
# Of PostgreSQL nothing stronger where inserts may be refused (docs/databases.md).
LEVELS = {('postgres', 'upsert'): ('--level', 'snapshot-isolation')}


def run(isolde, folder, database, workload):
    where = os.path.join(folder, workload)
    os.mkdir(where)
    done = subprocess.run(
        [isolde, 'run', *DATABASES[database], '--workload', workload, '--sessions', '4', '--txns',
         '120', '--seed', '5', '--savepoints', '0.5', *WORKLOADS[workload], *LEVELS.get((database, workload), ()), '--out',
         'h.jsonl'],
        cwd=where, text=True, timeout=100, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False)
    rolled_back = re.search(r'(\d+) rolled back by the workload', done.stdout)
    if done.returncode != 0 or (WORKLOADS[workload] and not rolled_back):
        sys.exit(f'{database}, {workload}: exit code {done.returncode}\n{done.stdout}')


def main():
    isolde, name = sys.argv[1:3]
    if name == 'list':
        print('\n'.join(DATABASES))
        return
    if not os.path.exists(PROGRAMS[name]):
        sys.exit(77)
    folder = tempfile.mkdtemp()
    try:
        for workload in WORKLOADS:
            run(os.path.abspath(isolde), folder, name, workload)
    finally:
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
