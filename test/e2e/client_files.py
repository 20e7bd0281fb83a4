#!/usr/bin/env python3
"""Servers, users and passwords from the files of the client libraries, on servers that ask for
a password; and that it is in nothing that anybody reads.

    client_files.py ISOLDE list     names of the cases
    client_files.py ISOLDE NAME     runs one; exit code 77: its database is not installed
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from urllib.parse import unquote

PASSWORD = 's3cr#t \'word'


def expect(condition, what, output):
    if not condition:
        sys.exit(f'{what}\n{output}')


class Place:
    """A private server, a folder with a user's files, and runs that have no others."""

    def __init__(self, isolde, folder, kind):
        self.isolde = os.path.abspath(isolde)
        self.folder = folder
        os.chmod(folder, 0o755)
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith(('PG', 'MYSQL', 'MARIADB'))}
        self.env['HOME'] = folder
        self.server = subprocess.Popen([self.isolde, 'server', kind], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
        self.url = self.server.stdout.readline().strip()
        if not self.url.startswith(kind):
            expect('not installed' in self.url, 'no server', self.url)
            sys.exit(77)
        self.socket = unquote(re.search('@(.*)/', self.url).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.communicate()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    def run(self, *arguments, **env):
        done = subprocess.run([self.isolde, *arguments], cwd=self.folder, env=dict(self.env, **env),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=100, check=False)
        return done.returncode, done.stdout

    def expect_runs(self, url, **env):
        code, output = self.run('run', '--db', url, '--workload', 'mini', '--txns', '20', '--out',
                                'h.jsonl', '--force', '--html', 'p.html', '--junit', 'j.xml', '--edn',
                                'e.edn', '--sarif', 's.json', '--level', 'rc', '--certificate', 'c.jsonl', **env)
        expect(code == 0, f'{url} {env}: exit code {code}', output)
        self.expect_secret(output)
        for name in ('h.jsonl', 'p.html', 'j.xml', 'e.edn', 's.json', 'c.jsonl'):
            with open(os.path.join(self.folder, name), encoding='utf-8') as file:
                self.expect_secret(file.read())

    def expect_refused(self, url, words, codes=(3, ), **env):
        code, output = self.run('databases', 'try', url, **env)
        expect(code in codes, f'{url} {env}: exit code {code}', output)
        expect(words in output, f'{url}: not told', output)
        self.expect_secret(output)

    @staticmethod
    def expect_secret(output):
        expect('s3cr' not in output, 'the password is told', output)


def mariadb(place):
    client = shutil.which('mariadb')
    if not client:
        sys.exit(77)
    quoted = PASSWORD.replace("'", "''")
    subprocess.run([client, '--no-defaults', '-uroot', '-S', place.socket, '-e',
                    f"CREATE USER bob@localhost IDENTIFIED BY '{quoted}';"
                    'GRANT ALL ON isolde.* TO bob@localhost;'], check=True)
    encoded = place.socket.replace('/', '%2F')
    place.expect_refused(f'mariadb://bob@{encoded}/isolde', 'Access denied')
    place.expect_runs(f'mariadb://bob@{encoded}/isolde', MYSQL_PWD=PASSWORD)
    files = f'[mysqld]\nuser=nobody\n[client]\nuser = bob\npassword="{PASSWORD}" # of bob\n' \
        f'socket={place.socket}\n[mysql]\ndatabase=other\n'
    place.write('.my.cnf', files)
    place.expect_runs('mariadb:///isolde')
    place.expect_runs(f'mariadb://bob@{encoded}/isolde')
    # What the data source name says counts more: an empty password, another one, a user.
    place.expect_refused(f'mariadb://bob:@{encoded}/isolde', 'Access denied')
    place.expect_refused(f'mariadb://bob:other@{encoded}/isolde', 'Access denied')
    place.expect_runs(place.url)
    place.expect_refused('mariadb:///isolde?defaults_file=/dev/null', 'error', codes=(3, 4))
    place.expect_refused('mariadb:', 'no database in the DSN')
    os.rename(os.path.join(place.folder, '.my.cnf'), os.path.join(place.folder, 'mine.cnf'))
    mine = os.path.join(place.folder, 'mine.cnf')
    place.expect_runs(f'mariadb:///isolde?defaults_file={mine}')
    place.write('mine.cnf', files.replace('[client]', '[client]\ndatabase=isolde'))
    place.expect_runs(f'mariadb:?defaults_file={mine}')
    # Private servers have nothing to do with the user's files.
    place.write('.my.cnf', files)
    code, output = place.run('run', '--server', 'mariadb', '--workload', 'mini', '--txns', '20',
                             '--out', 'h.jsonl', '--force')
    expect(code == 0, f'a private server: exit code {code}', output)
    os.chmod(os.path.join(place.folder, '.my.cnf'), 0o666)
    place.expect_refused('mariadb:///isolde', '.my.cnf is writable for all users')


def postgres(place):
    psql = shutil.which('psql')
    if not psql:
        sys.exit(77)

    def ask(text):
        return subprocess.run([psql, '-X', '-A', '-t', '-h', place.socket, '-U', 'postgres', '-d',
                               'postgres', '-c', text], env=place.env, check=True, text=True,
                              capture_output=True).stdout.strip()

    quoted = PASSWORD.replace("'", "''")
    ask(f"CREATE USER bob SUPERUSER PASSWORD '{quoted}'")
    with open(ask('SHOW hba_file'), 'w', encoding='utf-8') as file:
        file.write('local all postgres trust\nlocal all bob scram-sha-256\n')
    ask('SELECT pg_reload_conf()')
    encoded = place.socket.replace('/', '%2F')
    url = f'postgres://bob@{encoded}/postgres'
    place.expect_refused(url, 'no password supplied')
    place.expect_runs(url, PGPASSWORD=PASSWORD)
    place.write('.pgpass', f'{place.socket}:*:*:bob:{PASSWORD}\n')
    place.expect_runs(url)
    place.expect_refused(f'postgres://bob:other@{encoded}/postgres', 'authentication failed')
    place.expect_runs('postgres:///postgres', PGHOST=place.socket, PGUSER='bob')
    os.rename(os.path.join(place.folder, '.pgpass'), os.path.join(place.folder, 'mine'))
    place.expect_refused(url, 'no password supplied')
    place.expect_runs(url, PGPASSFILE=os.path.join(place.folder, 'mine'))
    place.write('.pg_service.conf', f'[shop]\nhost={place.socket}\nuser=bob\ndbname=postgres\n'
                                    f'password={PASSWORD}\n')
    place.expect_runs('postgres:', PGSERVICE='shop')
    place.expect_refused('postgres:', 'definition of service "none" not found', codes=(3, 4),
                         PGSERVICE='none')


CASES = (mariadb, postgres)


def main():
    names = {case.__name__: case for case in CASES}
    if sys.argv[2] == 'list':
        print('\n'.join(names))
        return
    folder = tempfile.mkdtemp(prefix='isolde-files-', dir='/tmp')
    try:
        with Place(sys.argv[1], folder, sys.argv[2]) as place:
            names[sys.argv[2]](place)
    finally:
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
