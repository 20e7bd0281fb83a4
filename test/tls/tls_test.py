#!/usr/bin/env python3
"""Encryption of connections, with each server that has it.

    tls_test.py ISOLDE postgres|mariadb|redis|etcd

Makes an authority, a server's certificate for the name localhost alone, a client's certificate, and
an authority of somebody else. Starts the server so that it takes encrypted connections only, and
from clients with a certificate only. What must connect connects and a run is checked; what must not
is refused with one line, which shows no password.
"""
import contextlib
import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PASSWORD = 'hush7'
ISOLATION = {'postgres': 'serializable', 'mariadb': 'serializable', 'redis': 'watch',
             'etcd': 'serializable'}


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=100, check=False, **options)


def must(command, **options):
    done = run(command, **options)
    assert done.returncode == 0, f'{command}:\n{done.stdout}'
    return done.stdout


def openssl(*arguments):
    must(['openssl', *arguments])


def make_authority(name):
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', f'/CN={name}',
            '-keyout', f'{name}.key', '-out', f'{name}.pem')


def make_certificate(name, common_name, extensions):
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', f'/CN={common_name}',
            '-keyout', f'{name}.key', '-out', f'{name}.csr')
    with open(f'{name}.ext', 'w', encoding='ascii') as file:
        file.write(extensions)
    openssl('x509', '-req', '-in', f'{name}.csr', '-CA', 'ours.pem', '-CAkey', 'ours.key',
            '-CAcreateserial', '-days', '2', '-extfile', f'{name}.ext', '-out', f'{name}.pem')


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def own_by(user):
    """PostgreSQL and MariaDB do not run as root: the folder becomes the user's."""
    if os.getuid() != 0:
        return {}
    for path in ['.'] + glob.glob('*'):
        shutil.chown(path, user, user)
    return {'user': user, 'group': user, 'extra_groups': []}


@contextlib.contextmanager
def serving(command, log, **options):
    with open(log, 'w', encoding='utf-8') as out:
        server = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, **options)
    try:
        yield
    finally:
        server.send_signal(signal.SIGINT if 'postgres' in command[0] else signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def postgres(port):
    programs = sorted(glob.glob('/usr/lib/postgresql/*/bin'))[-1]
    owner = own_by('postgres')
    must([programs + '/initdb', '-D', 'data', '-U', 'postgres', '-A', 'reject', '--no-sync'], **owner)
    with open('data/pg_hba.conf', 'w', encoding='ascii') as file:
        file.write('hostssl all all 127.0.0.1/32 trust clientcert=verify-ca\n')
    options = {'port': port, 'deadlock_timeout': '20ms', 'listen_addresses': '127.0.0.1', 'unix_socket_directories': '',
               'fsync': 'off', 'ssl': 'on', 'ssl_ca_file': os.path.abspath('ours.pem'),
               'ssl_cert_file': os.path.abspath('server.pem'),
               'ssl_key_file': os.path.abspath('server.key')}
    command = [programs + '/postgres', '-D', 'data']
    for name, value in options.items():
        command += ['-c', f'{name}={value}']
    return command, owner, f'postgres://postgres:{PASSWORD}@HOST:{port}/postgres'


def mariadb(port):
    owner = own_by('mysql')
    here = os.getcwd()
    must(['mariadb-install-db', '--no-defaults', f'--datadir={here}/data', f'--tmpdir={here}',
          '--skip-test-db', '--auth-root-authentication-method=normal'], **owner)
    with open('init.sql', 'w', encoding='ascii') as file:
        file.write(f"CREATE USER app IDENTIFIED BY '{PASSWORD}' REQUIRE X509;\n"
                   'CREATE DATABASE isolde;\nGRANT ALL ON isolde.* TO app;\n')
    command = ['mariadbd', '--no-defaults', f'--datadir={here}/data', f'--tmpdir={here}',
               f'--socket={here}/sock',
               f'--pid-file={here}/pid', f'--port={port}', '--bind-address=127.0.0.1',
               f'--init-file={here}/init.sql', f'--ssl-ca={here}/ours.pem',
               f'--ssl-cert={here}/server.pem', f'--ssl-key={here}/server.key']
    return command, owner, f'mariadb://app:{PASSWORD}@HOST:{port}/isolde'


def redis(port):
    command = ['redis-server', '--port', '0', '--tls-port', str(port), '--bind', '127.0.0.1',
               '--save', '', '--requirepass', PASSWORD, '--tls-ca-cert-file', 'ours.pem',
               '--tls-cert-file', 'server.pem', '--tls-key-file', 'server.key']
    return command, {}, f'redis://:{PASSWORD}@HOST:{port}'


def etcd(port):
    peers = free_port()
    command = ['etcd', '--data-dir=data', f'--listen-client-urls=https://127.0.0.1:{port}',
               f'--advertise-client-urls=https://localhost:{port}', '--log-level=error',
               f'--listen-peer-urls=http://127.0.0.1:{peers}', '--unsafe-no-fsync',
               f'--initial-advertise-peer-urls=http://127.0.0.1:{peers}',
               f'--initial-cluster=default=http://127.0.0.1:{peers}', '--cert-file=server.pem',
               '--key-file=server.key', '--client-cert-auth', '--trusted-ca-file=ours.pem']
    return command, {}, f'etcd://HOST:{port}'


class Attempts:
    def __init__(self, isolde, dsn):
        self.isolde, self.dsn = isolde, dsn

    def connect(self, host, parameters, scheme=None):
        dsn = self.dsn.replace('HOST', host)
        if scheme:
            dsn = scheme + dsn[dsn.index(':'):]
        if parameters:
            dsn += '?' + '&'.join(f'{name}={value}' for name, value in parameters.items())
        done = run([self.isolde, 'databases', 'try', '--db-env', 'TARGET', '--force-reset',
                    '--request-timeout', '5s'], env={**os.environ, 'TARGET': dsn})
        print(f'$ TARGET={dsn.replace(PASSWORD, "...")} isolde databases try --db-env TARGET\n{done.stdout}', flush=True)
        assert PASSWORD not in done.stdout
        return done

    def works(self, host, parameters, **options):
        done = self.connect(host, parameters, **options)
        assert done.returncode == 0, done.returncode

    def fails(self, host, parameters, words, code=4):
        done = self.connect(host, parameters)
        assert done.returncode == code, done.returncode
        assert done.stdout.count('\n') == 1 and any(word in done.stdout for word in words), words


def check(isolde, kind, dsn):
    attempts = Attempts(isolde, dsn)
    ours = {'sslrootcert': 'ours.pem'}
    client = {'sslcert': 'client.pem', 'sslkey': 'client.key'}
    for _ in range(100):  # until the server is there
        if attempts.connect('localhost', {**ours, **client}).returncode == 0:
            break
        time.sleep(0.2)
    distrust = ['certificate', 'Certificate']
    attempts.works('localhost', {**ours, **client})
    attempts.works('localhost', {**ours, **client, 'sslmode': 'verify-full'})
    attempts.works('127.0.0.1', {**client, 'sslmode': 'require'})
    # The certificate is for localhost, and not for its address.
    attempts.fails('127.0.0.1', {**ours, **client}, distrust + ['Validation'])
    if kind == 'mariadb':
        attempts.fails('localhost', {**ours, **client, 'sslmode': 'verify-ca'}, ['verify-full'], 3)
    else:
        attempts.works('127.0.0.1', {**ours, **client, 'sslmode': 'verify-ca'})
    attempts.fails('localhost', {**client, 'sslrootcert': 'theirs.pem'}, distrust)
    attempts.fails('localhost', {**ours, 'sslmode': 'verify-full'},
                   ['client certificate (parameters sslcert and sslkey of the DSN give one)\n']
                   if kind == 'postgres' else ['ccess denied', "client's certificate"],
                   3 if kind in ('mariadb', 'postgres') else 4)
    # Not encrypted.
    attempts.fails('localhost', {'sslmode': 'disable'},
                   ['pg_hba', 'ccess denied', 'losed', 'reset', 'Empty reply', 'HTTP'],
                   3 if kind in ('mariadb', 'postgres') else 4)
    attempts.fails('localhost', {'sslrootcert': 'none.pem'}, ['none.pem: No such file'], 3)
    attempts.fails('localhost', {'sslcert': 'client.pem'}, ['sslcert and sslkey'], 3)
    attempts.fails('localhost', {'sslmode': 'sometimes'}, ['sometimes'], 3)
    if kind == 'redis':
        attempts.works('localhost', {**ours, **client}, scheme='rediss')
    environment = {**os.environ, 'TARGET': dsn.replace('HOST', 'localhost')}
    target = ['--db-env', 'TARGET']
    for name, value in {**ours, **client}.items():
        target += ['--param', f'{name}={value}']
    done = run([isolde, 'run', *target, '--isolation', ISOLATION[kind],
                '--workload', 'rmw', '--keys', '10', '--sessions', '4', '--txns', '300', '--level',
                'promised', '--out', 'history.jsonl'], env=environment)
    print(done.stdout)
    if kind in ('redis', 'etcd'):  # answers of many records: one list for all
        lists = run([isolde, 'run', *target, '--workload', 'list-append', '--keys', '1',
                     '--sessions', '2', '--txns', '600', '--level', 'promised', '--no-progress',
                     '--out', 'lists.jsonl'], env=environment)
        print(lists.stdout)
        assert lists.returncode == 0, lists.returncode
    assert done.returncode == 0 and 'kept in this history' in done.stdout, done.returncode
    assert PASSWORD not in open('history.jsonl', encoding='utf-8').read()


def main():
    isolde, kind = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_authority('ours')
        make_authority('theirs')
        make_certificate('server', 'localhost', 'subjectAltName=DNS:localhost\n')
        make_certificate('client', 'isolde', 'extendedKeyUsage=clientAuth\n')
        os.chmod('server.key', 0o600)
        command, options, dsn = globals()[kind](free_port())
        client_key = 'client.key'  # libpq takes no key that is another user's
        shutil.chown(client_key, os.getuid(), os.getgid())
        os.chmod(client_key, 0o600)
        try:
            with serving(command, 'server.log', **options):
                check(isolde, kind, dsn)
        except BaseException:
            print(open('server.log', encoding='utf-8', errors='replace').read()[-3000:])
            raise


main()
