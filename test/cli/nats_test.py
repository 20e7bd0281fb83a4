#!/usr/bin/env python3
"""isolde publish and isolde watch, with a NATS server of their own between them.

    nats_test.py ISOLDE [KILLS]

What a watch says of messages is what it says of the files they were made of, byte by byte: in any
number of pieces, sent twice, with publishers, watches and the server killed (SIGKILL) at any
instant. Where messages are missing, it is unknown. Skipped where there is no nats-server, or the
build speaks no NATS. The seed is printed. ISOLDE_FULL=1 kills more often.
"""
import base64
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
import time
import unittest

ISOLDE = ''
FULL = os.environ.get('ISOLDE_FULL') == '1'
KILLS = 6 if FULL else 2
SKIPPED = 77


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class Server:
    """nats-server on a port of its own, with its streams in a folder."""

    def __init__(self, folder, *options):
        self.port = free_port()
        self.words = ['nats-server', '-js', '-sd', os.path.join(folder, 'streams'), '-a',
                      '127.0.0.1', '-p', str(self.port), *options]
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(('127.0.0.1', self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit('nats-server does not listen')

    def kill(self):
        self.process.kill()
        self.process.wait()

    def address(self, path):
        return f'nats://127.0.0.1:{self.port}/{path}'


class Client:
    """As much of the protocol as it takes to put questions to JetStream."""

    def __init__(self, server):
        self.socket = socket.create_connection(('127.0.0.1', server.port), timeout=10)
        self.file = self.socket.makefile('rb')
        self.file.readline()
        self.socket.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB answers 1\r\n')

    def close(self):
        self.file.close()
        self.socket.close()

    def ask(self, subject, question):
        data = json.dumps(question).encode()
        self.socket.sendall(f'PUB $JS.API.{subject} answers {len(data)}\r\n'.encode() + data + b'\r\n')
        return json.loads(self.answer())

    def answer(self):
        while True:
            line = self.file.readline().split()
            if line and line[0] == b'PING':
                self.socket.sendall(b'PONG\r\n')
            if line and line[0] == b'MSG':
                return self.file.read(int(line[-1]) + 2)[:-2]

    def publish(self, subject, headers, data):
        self.socket.sendall(f'HPUB {subject} answers {len(headers)} {len(headers) + len(data)}\r\n'
                            .encode() + headers + data + b'\r\n')
        return json.loads(self.answer())

    def message(self, stream, place):
        found = self.ask(f'STREAM.MSG.GET.{stream}', {'seq': place})['message']
        return base64.b64decode(found.get('hdrs', '')), base64.b64decode(found['data'])


def run(*words, cwd, end=None, env=None):
    """What it printed, on standard error too, and its exit code; killed after `end` seconds."""
    with subprocess.Popen([ISOLDE, *words], cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            output, errors = process.communicate(timeout=end)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            output, errors = process.communicate()
    return output, errors, process.returncode


class Nats(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.server = Server(self.folder)
        self.addCleanup(self.server.kill)

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.made)

    def generate(self, name, *options, txns=150000):
        """What was made before for another test is taken from there."""
        made = os.path.join(self.made, '_'.join((str(txns), *options)))
        if not os.path.exists(made):
            _, errors, code = run('gen', '--workload', 'blindw-rw', '--txns', str(txns), '--sessions',
                                  '24', *options, '--to', 'native-binary', '--out', made,
                                  cwd=self.folder)
            self.assertEqual(code, 0, errors)
        shutil.copy(made, os.path.join(self.folder, name))

    def publish(self, name, path, *options, end=None):
        return run('publish', name, '--to', self.server.address(path), *options, cwd=self.folder,
                   end=end)

    def published(self, name, path, *options):
        output, errors, code = self.publish(name, path, *options)
        self.assertEqual(code, 0, errors)
        return output

    def watch(self, *sources, end=None):
        return run('watch', *sources, '--no-progress', '--segments', 'segments', '--bundle',
                   'bundle', '--certificate', 'certificate', cwd=self.folder, end=end)

    def results(self, output, code):
        """What stays, without the names of what was read."""
        found = {'output': output.split('\n', 1)[-1], 'code': code}
        for name in ('segments', 'bundle', 'certificate'):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, 'rb') as file:
                    found[name] = file.read()
                os.remove(path)
        return found

    def undisturbed(self, *sources):
        output, errors, code = self.watch(*sources)
        self.assertIn(code, (0, 1), errors)
        return self.results(output, code)

    def client(self):
        client = Client(self.server)
        self.addCleanup(client.close)
        return client

    def test_same_as_files(self):
        self.generate('a', '--seed', '5')
        self.assertIn('2 groups in ', self.published('a', 'SHOP/a'))
        self.assertEqual(self.undisturbed('a'), self.undisturbed(self.server.address('SHOP/a')))
        # Two clients that write the same values: what it says does not matter, but that it is the same.
        for name in ('c', 'd'):
            self.generate(name, '--seed', '5', txns=20000)
            self.published(name, f'SHOP/{name}')
        files = self.watch('c', 'd')
        messages = self.watch(self.server.address('SHOP/c,d'))
        self.assertEqual(files[2], messages[2])
        self.assertEqual(files[0].split('\n')[2:4], messages[0].split('\n')[2:4])

    def test_joined(self):
        self.generate('a', '--seed', '5', txns=20000)
        words = ('gen', '--workload', 'blindw-rw', '--txns', '20000', '--seed', '6', '--to', 'native')
        text, _, _ = run(*words, '--out', '-', cwd=self.folder)
        with open(os.path.join(self.folder, 'other.jsonl'), 'w', encoding='utf-8') as file:
            file.write(re.sub(r'(\["[rw]",)(\d+)', r'\1"other \2"', text))
        _, errors, code = run('convert', '--to', 'native-binary', 'other.jsonl', 'b',
                              cwd=self.folder)
        self.assertEqual(code, 0, errors)
        self.published('a', 'SHOP/a')
        self.published('b', 'SHOP/b')
        self.assertEqual(self.undisturbed('a', 'b').get('segments'),
                         self.undisturbed(self.server.address('SHOP/a,b')).get('segments'))

    def test_refusals(self):
        self.generate('a', '--seed', '5', txns=2000)
        self.generate('other', '--seed', '6', txns=2000)
        self.published('a', 'SHOP/a')
        _, errors, code = self.publish('other', 'SHOP/a')
        self.assertEqual(code, 3)
        self.assertIn('SHOP/a: the recorder has published another file', errors)
        for words, said, expected in (
                (('watch', self.server.address('NONE/a')), 'there is no such stream', 4),
                (('watch', self.server.address('SHOP')), 'no name of a recorder', 3),
                (('watch', self.server.address('SHOP/a,a')), 'SHOP/a is given twice', 3),
                (('watch', 'nats://me:hidden@localhost/SHOP/a'), 'NATS_PASSWORD', 3),
                (('watch', f'nats://127.0.0.1:{free_port()}/SHOP/a'), 'does not answer', 4),
                (('publish', 'a', '--to', 'a'), 'is no address of NATS', 3),
                (('publish', 'a', '--to', self.server.address('SHOP/a,b')), 'that of one', 3),
                (('publish', '.', '--to', self.server.address('SHOP/a')), 'is a folder', 3)):
            _, errors, code = run(*words, cwd=self.folder)
            self.assertEqual((code, len(errors.splitlines())), (expected, 1), errors)
            self.assertIn(said, errors)
            self.assertNotIn('hidden', errors)

    def test_repeated(self):
        self.generate('a', '--seed', '9', '--fault', 'stale-read', '--fault-after', '0.7',
                      txns=300000)
        whole = self.undisturbed('a')
        self.assertEqual(whole['code'], 1)
        self.published('a', 'SHOP/a')
        self.assertIn('3 groups there before', self.published('a', 'SHOP/a'))
        self.assertEqual(whole, self.undisturbed(self.server.address('SHOP/a')))
        # Somebody replays what was there, and then comes the rest.
        client = self.client()
        last = client.ask('STREAM.INFO.SHOP', {})['state']['last_seq']
        messages = [client.message('SHOP', place + 1) for place in range(last)]
        client.ask('STREAM.PURGE.SHOP', {})
        for headers, data in [message for each in zip(messages, messages) for message in each]:
            headers = b'\r\n'.join(line for line in headers.split(b'\r\n')
                                   if not line.startswith(b'Nats-'))
            self.assertIn('seq', client.publish('SHOP.a', headers, data))
        output, errors, code = self.watch(self.server.address('SHOP/a'))
        self.assertEqual(whole, self.results(output, code))
        self.assertEqual(errors.count('repeats a part of group 0'), 1, errors)

    def test_missing(self):
        self.generate('a', '--seed', '5')
        self.published('a', 'SHOP/a')
        client = self.client()
        client.ask('STREAM.MSG.DELETE.SHOP', {'seq': 3})
        output, errors, code = self.watch(self.server.address('SHOP/a'))
        self.assertEqual((code, errors), (2, ''))
        self.assertIn('lacks messages: message 4 has a part of group 0', ' '.join(output.split()))
        # The last ones: it says that they are missing, too.
        self.published('a', 'SHOP/b')
        last = client.ask('STREAM.INFO.SHOP', {})['state']['last_seq']
        client.ask('STREAM.MSG.DELETE.SHOP', {'seq': last})
        output, _, code = self.watch(self.server.address('SHOP/b'))
        self.assertEqual(code, 2)
        self.assertIn('the last group is cut off', output)
        # What no publisher has written.
        self.assertIn('seq', client.publish('SHOP.c', b'NATS/1.0\r\n\r\n', b'hello'))
        _, errors, code = self.watch(self.server.address('SHOP/c'))
        self.assertEqual(code, 3)
        self.assertIn('was not written by isolde publish', errors)

    def test_two_files_under_one_name(self):
        """Whose blocks were put behind one another by hand."""
        self.generate('a', '--seed', '5')
        self.generate('b', '--seed', '6')
        self.published('a', 'SHOP/a')
        self.published('b', 'SHOP/b')
        client = self.client()
        last = client.ask('STREAM.INFO.SHOP', {})['state']['last_seq']
        messages = [client.message('SHOP', place + 1) for place in range(last)]
        begin = next(i for i, message in enumerate(messages)
                     if b'Nats-Msg-Id: b:1:0' in message[0].replace(b'Id:b', b'Id: b'))
        client.ask('STREAM.PURGE.SHOP', {})
        first = [message for message in messages if b'a:0:' in message[0]]
        for headers, data in first + messages[begin:]:
            headers = b'\r\n'.join(line for line in headers.split(b'\r\n')
                                   if not line.startswith(b'Nats-'))
            client.publish('SHOP.a', headers, data)
        _, errors, code = self.watch(self.server.address('SHOP/a'))
        self.assertEqual(code, 3)
        self.assertIn('does not follow on those before it', errors)

    def test_acknowledged_with_the_checkpoint(self):
        self.generate('a', '--seed', '5')
        self.published('a', 'SHOP/a')
        client = self.client()
        source = self.server.address('SHOP/a')
        _, _, code = run('watch', source, cwd=self.folder)
        self.assertEqual(code, 0)
        self.assertIn('error', client.ask('CONSUMER.INFO.SHOP.isolde-a', {}))
        _, errors, code = run('watch', source, '--checkpoint', 'checkpoint', '--checkpoint-every',
                              '0', cwd=self.folder)
        self.assertEqual(code, 0, errors)
        with open(os.path.join(self.folder, 'checkpoint'), 'rb') as file:
            place = json.loads(file.readline())['files'][0]['place']
        info = client.ask('CONSUMER.INFO.SHOP.isolde-a', {})
        self.assertEqual(info['ack_floor']['stream_seq'], place)
        self.assertGreater(place, 1)

    def test_small_messages(self):
        """And a server that takes only such."""
        self.generate('a', '--seed', '5', txns=3000)
        self.server.kill()
        config = os.path.join(self.folder, 'config')
        with open(config, 'w', encoding='utf-8') as file:
            file.write('max_payload: 4096\nauthorization { user: me, password: secret1 }\n')
        self.server.words += ['-c', config]
        self.server.start()
        env = dict(os.environ, NATS_USER='me', NATS_PASSWORD='secret1')
        output, errors, code = run('publish', 'a', '--to', self.server.address('SHOP/a'),
                                   cwd=self.folder, env=env)
        self.assertEqual(code, 0, errors)
        self.assertGreater(int(output.split(' in ')[1].split()[0]), 10)
        output, errors, code = run('watch', self.server.address('SHOP/a'), cwd=self.folder,
                                   env=env)
        self.assertEqual(code, 0, errors)
        env['NATS_PASSWORD'] = 'another1'
        _, errors, code = run('watch', self.server.address('SHOP/a'), cwd=self.folder, env=env)
        self.assertEqual(code, 4)
        self.assertIn('uthorization', errors)
        self.assertNotIn('another1', errors)

    def restart_server(self):
        self.server.kill()
        time.sleep(random.uniform(0, 0.3))
        self.server.start()

    def kill_publishers(self, name, path):
        """Publishers, two at a time, and the server, until all is there."""
        begun = time.monotonic()
        self.published(name, 'TRIAL/a')
        took = time.monotonic() - begun
        for i in range(KILLS):
            words = [ISOLDE, 'publish', name, '--to', self.server.address(path)]
            both = [subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE) for _ in range(1 + i % 2)]
            time.sleep(random.uniform(0, took))
            if i % 2 == 0:
                self.restart_server()
            for process in both:
                process.kill()
                process.communicate()
        self.published(name, path)

    def kill_watches(self, whole, source):
        """As often as asked for, and until one has gone on from a checkpoint."""
        begun = time.monotonic()
        self.assertEqual(whole, self.undisturbed(source))
        took = time.monotonic() - begun
        kills = 0
        resumed = 0
        while True:
            words = ('watch', source, '--no-progress', '--segments', 'segments', '--bundle',
                     'bundle', '--certificate', 'certificate', '--checkpoint', 'checkpoint',
                     '--checkpoint-every', '0')
            with subprocess.Popen([ISOLDE, *words], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as process:
                is_to_be_killed = kills < KILLS or (resumed == 0 and kills < KILLS + 20)
                if is_to_be_killed:
                    time.sleep(random.uniform(0, took))
                    if random.random() < 0.5:
                        self.restart_server()
                        time.sleep(random.uniform(0, took))
                    process.kill()
                output, errors = process.communicate()
            resumed += 'goes on behind' in errors
            # Without the server it gives up (4), and whoever runs it begins again.
            if process.returncode not in (-signal.SIGKILL, 4):
                self.assertEqual(whole, self.results(output, process.returncode), errors)
                if not is_to_be_killed:
                    break
                os.remove(os.path.join(self.folder, 'checkpoint'))
            kills += 1
        os.remove(os.path.join(self.folder, 'checkpoint'))
        self.assertGreater(resumed, 0)

    def test_kills(self):
        """A history that holds is a part of one that is violated later, and comes by itself in full."""
        for name, options in (('violated', ('--seed', '9', '--fault', 'stale-read', '--fault-after', '0.7')),
                              ('holds', ('--seed', '5')))[:2 if FULL else 1]:
            self.generate(name, *options, txns=300000)
            whole = self.undisturbed(name)
            self.client().ask('STREAM.DELETE.TRIAL', {})
            self.kill_publishers(name, f'SHOP/{name}')
            self.kill_watches(whole, self.server.address(f'SHOP/{name}'))

    def test_standby(self):
        """A watch is killed, and another one that stands by takes over."""
        self.generate('holds', '--seed', '5', txns=300000)
        self.published('holds', 'SHOP/a')
        source = self.server.address('SHOP/a')
        begun = time.monotonic()
        whole = self.undisturbed(source)
        took = time.monotonic() - begun
        words = [ISOLDE, 'watch', source, '--no-progress', '--segments', 'segments',
                 '--checkpoint', 'checkpoint', '--checkpoint-every', '0']
        both = []
        for more in ([], ['--standby']):
            both.append(subprocess.Popen([*words, *more], cwd=self.folder, text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE))
            while not more and not os.path.exists(os.path.join(self.folder, 'checkpoint.lock')):
                time.sleep(0.01)
        said = both[1].stderr.readline()
        # One that does not stand by is refused while the first one goes on.
        both[0].send_signal(signal.SIGSTOP)
        _, errors, code = run(*words[1:], cwd=self.folder)
        self.assertEqual(code, 3)
        self.assertIn('checkpoint is written by another watch', errors)
        both[0].send_signal(signal.SIGCONT)
        time.sleep(random.uniform(0, took))
        both[0].kill()
        both[0].communicate()
        output, errors = both[1].communicate(timeout=120)
        self.assertEqual(whole, self.results(output, both[1].returncode), errors)
        self.assertIn('stands by until the watch ends that writes checkpoint', said)
        self.assertIn('takes over', errors)

    def test_while_it_is_written(self):
        """A recorder, its publisher and a watch, with the server killed between them."""
        with subprocess.Popen([ISOLDE, 'run', '--db', 'sqlite:', '--workload', 'rw-register',
                               '--sessions', '2', '--duration', '3s', '--to', 'native-binary',
                               '--out', 'run'], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as recorder:
            path = os.path.join(self.folder, 'run')
            while not os.path.exists(path) and recorder.poll() is None:
                time.sleep(0.02)
            words = [ISOLDE, 'publish', '--follow', 'run', '--to', self.server.address('SHOP/a')]
            with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as publisher:
                time.sleep(1)
                with subprocess.Popen([ISOLDE, 'watch', '--follow', '--no-progress', '--json',
                                       self.server.address('SHOP/a')], cwd=self.folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) as watch:
                    time.sleep(0.5)
                    self.restart_server()
                    output, errors = watch.communicate(timeout=120)
                publisher.communicate(timeout=60)
                self.assertEqual(publisher.returncode, 0)
        self.assertEqual(watch.returncode, 0, errors)
        self.assertEqual(json.loads(output)['verdict'], 'holds')
        self.assertGreater(json.loads(output)['committed'], 0)


def main():
    global ISOLDE, KILLS
    ISOLDE = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2:
        KILLS = int(sys.argv[2])
    said = subprocess.run([ISOLDE, 'watch', 'nats://127.0.0.1:1/A/b'], capture_output=True,
                          text=True, check=False).stderr
    if 'built without libnats (Debian: libnats-dev)' in said:
        print('skipped: this build speaks no NATS')
        return SKIPPED
    if not shutil.which('nats-server'):
        print('skipped: there is no nats-server')
        return SKIPPED
    seed = int(os.environ.get('ISOLDE_SEED', random.randrange(1 << 30)))
    print(f'ISOLDE_SEED={seed} repeats this run', flush=True)
    random.seed(seed)
    only = os.environ.get('ONLY')
    names = [f'Nats.{only}'] if only else None
    return 0 if unittest.main(argv=sys.argv[:1], defaultTest=names,
                              exit=False).result.wasSuccessful() else 1


if __name__ == '__main__':
    sys.exit(main())
