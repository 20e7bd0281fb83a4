#!/usr/bin/env python3
"""What isolde watch shows of itself, through real connections to this machine.

    outside_test.py ISOLDE

Serves, asks as Prometheus, programs and browsers do, with and without encryption and a token; takes the
messages that it posts, and reads its log. Of a build without HTTP only what says so.
"""
import base64
import contextlib
import http.client
import http.server
import json
import os
import re
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

from watch_schema import fitting, schema_problems

ISOLDE = os.path.abspath(sys.argv.pop(1))
HAS_HTTP = 'watch --listen' not in subprocess.run([ISOLDE, '--version'], capture_output=True, text=True,
                                                  check=True).stdout
TOKEN = 'a-token-of-some-length'
WAIT_S = 60


def history(name, *transactions, events=()):
    """A history in the native binary format, which ended a moment ago."""
    now = time.time_ns()
    lines = [{'isolde': 1, 'kind': 'history'}, *({'event': text, 'at': now} for text in events)]
    for session, begin, end, *ops in transactions:
        lines.append({'session': session, 'start': now + begin, 'end': now + end, 'ops': ops})
    with open(name + '.jsonl', 'w', encoding='utf-8') as file:
        file.writelines(json.dumps(line) + '\n' for line in lines)
    subprocess.run([ISOLDE, 'convert', '--force', '--to', 'native-binary', name + '.jsonl', name], check=True)
    return name


def read_log(name):
    with open(name, encoding='utf-8') as file:
        return [fitting(json.loads(line), 'event') for line in file]


def good(name='good.isob'):
    return history(name, ('a', -9, -8, ['w', 'x', 1]), ('b', -7, -6, ['r', 'x', 1]))


def stale(name='stale.isob'):
    return history(name, ('a', -9, -8, ['w', 'x', 1]), ('a', -7, -6, ['w', 'x', 2]),
                   ('b', -5, -4, ['r', 'x', 1]))


class Watch:
    """The program; use it as a context. Where it serves, `port` says where."""

    def __init__(self, *words, listens=True, **environment):
        self.words = [ISOLDE, 'watch', *words]
        self.listens = listens
        self.environment = {**os.environ, **environment}

    def __enter__(self):
        # Without a buffer: what it reads beyond the first line would be lost to communicate().
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        bufsize=0, env=self.environment)
        if self.listens:
            line = self.process.stderr.readline().decode()
            found = re.fullmatch(r'isolde: listening on (https?)://(\S+):(\d+)/\n', line)
            assert found, line + self.process.stderr.read().decode()
            self.port = int(found.group(3))
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    @contextlib.contextmanager
    def stream(self):
        """The answer to a request for events."""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=WAIT_S)
        connection.request('GET', '/events')
        with connection.getresponse() as answer:
            yield answer
        connection.close()

    def ask(self, path, method='GET', context=None, **headers):
        """Status, headers and body."""
        kind = http.client.HTTPSConnection if context else http.client.HTTPConnection
        more = {'context': context} if context else {}
        name = 'localhost' if context else '127.0.0.1'
        connection = kind(name, self.port, timeout=WAIT_S, **more)
        try:
            connection.request(method, path, headers={k.replace('_', '-'): v for k, v in headers.items()})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def status(self):
        return fitting(json.loads(self.ask('/status.json')[2]), 'status')

    def until(self, holds):
        """The first status that satisfies it."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            status = self.status()
            if holds(status):
                return status
            time.sleep(0.02)
        raise AssertionError(f'not in time: {status}')

    def end(self):
        """Exit code and the rest of both streams."""
        out, err = self.process.communicate(timeout=WAIT_S)
        if '--json' in self.words and out:
            fitting(json.loads(out))
        return self.process.returncode, out.decode(), err.decode()


@contextlib.contextmanager
def service(answers, context=None):
    """Takes what is posted, as (path, object), and answers with these in turn, then with 200."""
    got, left = [], list(answers)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # noqa: N802, the library's name
            body = self.rfile.read(int(self.headers['Content-Length']))
            got.append((self.path, json.loads(body)))
            self.send_response(left.pop(0) if left else 200)
            self.send_header('Content-Length', '0')
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f'{"https" if context else "http"}://localhost:{server.server_port}', got
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    for _, message in got:
        fitting(message, 'posted')


def events_of(answer):
    """The events of a stream, as (name, object), until it ends."""
    name = None
    for line in answer:
        text = line.decode().rstrip('\n')
        if text.startswith('event: '):
            name = text[7:]
        elif text.startswith('data: '):
            yield name, fitting(json.loads(text[6:]), 'message')


def make_certificate(name):
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj',
                    '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', f'{name}.key',
                    '-out', f'{name}.pem'], check=True, capture_output=True)


NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf'({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)')


def parse_metrics(text):
    """The text format 0.0.4, strictly: what is said of a name stands together, HELP and TYPE first."""
    assert text.endswith('\n'), text[-50:]
    values, types, helped, current = {}, {}, set(), None
    for line in text[:-1].split('\n'):
        if line.startswith('#'):
            word, name, rest = re.fullmatch(rf'# (HELP|TYPE) ({NAME}) (.+)', line).groups()
            if word == 'HELP':
                assert name not in helped, line
                helped.add(name)
                current = name
            else:
                assert name == current and name not in types and rest in ('counter', 'gauge'), line
                types[name] = rest
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        assert name == current and name in types, line
        key = name + (f'{{{labels}}}' if labels else '')
        assert key not in values, line
        values[key] = float(value)
    assert helped == set(types)
    for name, kind in types.items():
        assert name.startswith('isolde_') and (kind == 'counter') == name.endswith('_total'), name
    return values


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.before = os.getcwd()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()

    def run_watch(self, *words, **environment):
        with Watch(*words, listens=False, **environment) as watch:
            return watch.end()

    def refused(self, *words, code=3):
        """What it says."""
        done = subprocess.run([ISOLDE, 'watch', *words], capture_output=True, text=True, check=False,
                              timeout=WAIT_S)
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(done.stdout, '')
        return done.stderr


@unittest.skipIf(HAS_HTTP, 'this build has HTTP')
class Without(Case):
    def test_says_what_it_lacks(self):
        for words in (('--listen', '0'), ('--webhook', 'http://localhost/')):
            said = self.refused(good(), *words)
            self.assertIn('built without cpp-httplib (Debian: libcpp-httplib-dev)', said)


@unittest.skipUnless(HAS_HTTP, 'this build has no HTTP')
class Serving(Case):
    def test_answers(self):
        with Watch(stale(), '--listen', '0', '--linger', '1m') as watch:
            status = watch.until(lambda status: status['ended'])
            self.assertEqual(status['verdict'], 'violated')
            self.assertEqual(status['transactions'], 3)
            self.assertEqual(status['violation']['transactions'], 3)
            self.assertIn('T2 did not see', status['violation']['text'])
            self.assertNotIn('\x1b', status['violation']['text'])
            self.assertEqual([mark['kind'] for mark in status['marks']], ['suspected', 'violation'])
            self.assertIsNone(status['suspicion'])  # the verdict is there
            # The clients' clock is ours.
            self.assertTrue(0 < status['lag_seconds'] < WAIT_S, status)
            code, headers, body = watch.ask('/healthz')
            self.assertEqual((code, body), (200, 'ok\n'))
            self.assertEqual(headers['Cache-Control'], 'no-store')
            self.assertEqual(headers['X-Content-Type-Options'], 'nosniff')
            code, headers, body = watch.ask('/')
            self.assertEqual((code, headers['Content-Type']), (200, 'text/html; charset=utf-8'))
            self.assertIn("connect-src 'self'", body)
            code, headers, body = watch.ask('/violation')
            self.assertEqual(code, 200)
            self.assertIn('stale read', body.lower())
            self.assertEqual(watch.ask('/nothing')[0], 404)
            self.assertEqual(watch.ask('/', 'HEAD')[0::2], (200, ''))
            for method in ('POST', 'PUT', 'DELETE', 'OPTIONS'):
                code, headers, _ = watch.ask('/', method)
                self.assertEqual((code, headers['Allow']), (405, 'GET, HEAD'), method)
            self.assertEqual(watch.ask('/', Host='evil.example')[0], 421)
            # An interruption ends it at once, and the verdict stays.
            watch.process.send_signal(signal.SIGINT)
            code, out, err = watch.end()
            self.assertEqual((code, only_suspected(err)), (1, ''))
            self.assertIn('strict-serializable  violated', out)

    def test_metrics(self):
        with Watch(good(), '--listen', '127.0.0.1:0', '--linger', '1m', '--json') as watch:
            watch.until(lambda status: status['ended'])
            code, headers, body = watch.ask('/metrics')
            self.assertEqual((code, headers['Content-Type']),
                             (200, 'text/plain; version=0.0.4; charset=utf-8'))
            values = parse_metrics(body)
            verdict = 'isolde_level_verdict{level="strict-serializable",verdict="%s"}'
            self.assertEqual([values[verdict % name] for name in ('holds', 'violated', 'unknown')], [1, 0, 0])
            for name, value in (('transactions_total', 2), ('committed_transactions_total', 2),
                                ('operations_total', 2), ('settled_transactions_total', 2), ('keys', 1),
                                ('rounds_total', 1), ('groups_total', 1), ('violations_total', 0), ('ended', 1)):
                self.assertEqual(values['isolde_' + name], value, name)
            self.assertTrue(0 < values['isolde_lag_seconds'] < WAIT_S)
            self.assertGreater(values['isolde_resident_memory_bytes'], 1e6)
            if shutil.which('promtool'):
                subprocess.run(['promtool', 'check', 'metrics'], input=body, text=True, check=True)
            watch.process.send_signal(signal.SIGTERM)
            code, out, _ = watch.end()
            self.assertEqual((code, json.loads(out)['verdict']), (0, 'holds'))

    def test_events(self):
        subprocess.run([ISOLDE, 'gen', '--workload', 'blindw-rw', '--txns', '300000', '--sessions',
                        '24', '--seed', '5', '--to', 'native-binary', '--out', 'whole'], check=True)
        with open('whole', 'rb') as file:
            content = file.read()
        with open('grows', 'wb', buffering=0) as out, \
                Watch('grows', '--follow', '--listen', '0', '--log', 'log', '--timeout', '40') as watch, \
                watch.stream() as answer:
            self.assertEqual(answer.getheader('Content-Type'), 'text/event-stream')
            events = events_of(answer)
            name, first = next(events)
            self.assertEqual((name, first['status']['verdict']), ('all', 'unknown'))
            # Some groups, and a part of the next.
            out.write(content[:len(content) // 2])
            watch.until(lambda status: status['groups'] > 0)
            time.sleep(12)
            out.write(content[len(content) // 2:])
            status = watch.until(lambda status: status['gaps'] > 0)
            self.assertEqual((status['gaps'], status['verdict']), (1, 'holds'))
            self.assertEqual(status['marks'][0]['kind'], 'gap')
            self.assertLess(status['since_group_seconds'], 10)
            watch.process.send_signal(signal.SIGINT)
            # The stream tells the end before it ends.
            seen = list(events)
            self.assertGreater(len(seen), 8)
            self.assertEqual({name for name, _ in seen}, {'now'})
            self.assertTrue(all(len(event['samples']) == 1 for _, event in seen))
            self.assertGreater(max(event['samples'][0]['rate'] for _, event in seen), 0)
            last = seen[-1][1]['status']
            self.assertEqual((last['ended'], last['verdict']), (True, 'unknown'))
            self.assertEqual(watch.end()[0], 2)
        log = read_log('log')
        self.assertEqual([line['event'] for line in log],
                         ['start', 'listening', 'round', 'gap', 'round', 'end'])
        self.assertTrue(10 < log[3]['seconds'] < WAIT_S, log[3])
        self.assertEqual(log[-1]['verdict'], 'unknown')

    def test_streams_are_few(self):
        with Watch(good(), '--listen', '0', '--linger', '1m') as watch:
            with contextlib.ExitStack() as streams:
                for _ in range(8):
                    answer = streams.enter_context(watch.stream())
                    self.assertEqual(answer.status, 200)
                    next(events_of(answer))
                self.assertEqual(watch.ask('/events')[0], 503)
                self.assertEqual(watch.ask('/healthz')[0], 200)
            deadline = time.monotonic() + WAIT_S
            code = 503
            while code != 200 and time.monotonic() < deadline:
                time.sleep(0.1)
                with watch.stream() as answer:
                    code = answer.status
            self.assertEqual(code, 200)

    def test_a_limit_on_memory_is_not_for_answers(self):
        subprocess.run([ISOLDE, 'gen', '--workload', 'blindw-rw', '--txns', '100000', '--seed', '9', '--to',
                        'native-binary', '--out', 'large'], check=True)
        with Watch('large', '--listen', '0', '--linger', '1m', '--memory', '30M') as watch:
            status = watch.until(lambda status: status['ended'])
            self.assertEqual(status['verdict'], 'unknown')
            self.assertIn('memory', status['reason'])
            for _ in range(20):
                self.assertEqual(watch.ask('/')[0], 200)

    def test_where_to_listen(self):
        with Watch(good(), '--listen', '0', '--linger', '1m') as watch:
            said = self.refused('good.isob', '--listen', str(watch.port), code=4)
            self.assertEqual(said, f'isolde: cannot listen on 127.0.0.1:{watch.port}: Address already in use\n')
        make_certificate('ours')
        with open('token', 'w', encoding='ascii') as file:
            file.write(TOKEN + '\n')
        os.chmod('token', 0o600)
        tls = ('--tls-cert', 'ours.pem', '--tls-key', 'ours.key')
        for words in ((), ('--token-file', 'token'), tls):
            for address in ('0.0.0.0:0', '[::]:0', '192.0.2.1:1'):
                self.assertIn('can be reached from other machines',
                              self.refused('good.isob', '--listen', address, *words))
        for words in (('--token-file', 'token'), ('--linger', '1s'), tls):
            self.assertIn('give --listen PORT', self.refused('good.isob', *words))
        self.assertIn('belong together', self.refused('good.isob', '--listen', '0', *tls[:2]))
        self.assertIn('no place to listen', self.refused('good.isob', '--listen', 'example.org:80'))
        self.assertIn('no place to listen', self.refused('good.isob', '--listen', '70000'))
        os.chmod('token', 0o644)
        self.assertIn('may read this token',
                      self.refused('good.isob', '--listen', '0', '--token-file', 'token'))

    def test_token_and_encryption(self):
        make_certificate('ours')
        make_certificate('other')
        with open('token', 'w', encoding='ascii') as file:
            file.write(TOKEN + '\n')
        os.chmod('token', 0o600)
        self.assertIn('other.key', self.refused('--listen', '0', good(), '--tls-cert', 'ours.pem',
                                                '--tls-key', 'other.key', code=4))
        self.assertIn('none.pem', self.refused('--listen', '0', good(), '--tls-cert', 'none.pem',
                                               '--tls-key', 'ours.key', code=4))
        with Watch(good(), '--listen', '127.0.0.1:0', '--linger', '1m', '--tls-cert', 'ours.pem', '--tls-key',
                   'ours.key', '--token-file', 'token') as watch:
            ours = ssl.create_default_context(cafile='ours.pem')
            self.assertEqual(watch.ask('/healthz', context=ours)[0], 200)
            code, headers, _ = watch.ask('/status.json', context=ours)
            self.assertEqual((code, headers['WWW-Authenticate']), (401, 'Basic realm="isolde", charset="UTF-8"'))
            self.assertEqual(watch.ask('/metrics', context=ours, Authorization='Bearer ' + TOKEN)[0], 200)
            self.assertEqual(watch.ask('/metrics', context=ours, Authorization='Bearer ' + TOKEN[:-1])[0], 401)
            basic = base64.b64encode(f'prometheus:{TOKEN}'.encode()).decode()
            self.assertEqual(watch.ask('/', context=ours, Authorization='Basic ' + basic)[0], 200)
            # Names of other machines are fine where there is a token.
            self.assertEqual(watch.ask('/healthz', context=ours, Host='db1.example')[0], 200)
            with self.assertRaises(ssl.SSLCertVerificationError):
                watch.ask('/healthz', context=ssl.create_default_context(cafile='other.pem'))
            # A protocol that nobody should speak any more.
            old = ssl.create_default_context(cafile='ours.pem')
            old.set_ciphers('DEFAULT:@SECLEVEL=0')
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
            with self.assertRaises(ssl.SSLError):
                watch.ask('/healthz', context=old)
            with self.assertRaises((http.client.HTTPException, OSError)):
                watch.ask('/healthz')
            self.assertEqual(watch.ask('/healthz', context=ours)[0], 200)


def only_suspected(err):
    """The rest of what went to standard error, where a line tells of the suspicion, and not twice."""
    line = re.compile(r'^isolde: suspected, which is no verdict yet: .*\n', re.MULTILINE)
    assert len(line.findall(err)) == 1, err
    return line.sub('', err)


def until(holds):
    deadline = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < deadline, 'not in time'
        time.sleep(0.02)


class Disk(Case):
    """What cannot be written ends no watch."""

    def put(self, number):
        """One more file of the folder that is watched."""
        name = history(f'h{number}.isob', ('a', -9, -8, ['w', 'x', number]))
        os.rename(name, os.path.join('parts', name))

    def disk_lines(self):
        return [line for line in read_log('log') if line['event'] == 'disk']

    def test_checkpoint(self):
        os.mkdir('parts')
        os.mkdir('kept')
        self.put(1)
        with Watch('parts', '--follow', '--checkpoint', 'kept/c', '--checkpoint-every', '0', '--log', 'log',
                   listens=False) as watch:
            until(lambda: os.path.exists('kept/c'))
            os.rename('kept', 'away')
            for number in (2, 3):
                self.put(number)
                until(lambda: len(self.disk_lines()) == 1)
            with open('away/c', 'rb') as file:
                old = file.read()
            os.rename('away', 'kept')
            self.put(4)
            until(lambda: len(self.disk_lines()) == 2)
            watch.process.send_signal(signal.SIGINT)
            code, out, err = watch.end()
        self.assertEqual(code, 2, (out, err))
        self.assertIn('interrupted', out)
        gone, again = self.disk_lines()
        self.assertEqual(gone['text'], 'kept/c.new: No such file or directory; the watch goes on, and tries again '
                                       'after the next round')
        self.assertEqual(again['text'], 'kept/c is written again')
        self.assertEqual([gone['unwritten'], again['unwritten']], [1, 0])
        self.assertEqual(err, f'isolde: {gone["text"]}\nisolde: {again["text"]}\n')
        with open('kept/c', 'rb') as file:
            self.assertNotEqual(file.read(), old)
        code, _, err = self.run_watch('parts', '--checkpoint', 'kept/c')
        self.assertEqual((code, err), (0, 'isolde: goes on behind 4 transactions, where kept/c was written\n'))

    def test_checkpoint_that_can_never_be_written(self):
        self.assertEqual(self.refused(good(), '--checkpoint', 'nowhere/c', code=4),
                         'isolde: nowhere/c: cannot write: No such file or directory\n')

    def test_segments(self):
        """The checkpoint before makes them whole."""
        subprocess.run([ISOLDE, 'gen', '--workload', 'blindw-rw', '--txns', '300000', '--sessions', '24', '--seed',
                        '5', '--to', 'native-binary', '--out', 'big.isob'], check=True, capture_output=True)
        with open('big.isob', 'rb') as file:
            groups = file.read()
        first = int.from_bytes(groups[32:40], 'little')
        with open('grows.isob', 'wb') as file:
            file.write(groups[:first])
        words = ('grows.isob', '--segments', 's', '--checkpoint', 'c', '--checkpoint-every', '0')
        with Watch(*words, '--follow', '--log', 'log', listens=False) as watch:
            until(lambda: os.path.exists('c'))
            most = os.path.getsize('s') + 1000
            resource.prlimit(watch.process.pid, resource.RLIMIT_FSIZE, (most, most))
            with open('grows.isob', 'ab') as file:
                file.write(groups[first:])
            code, out, err = watch.end()
        self.assertEqual(code, 4, (out, err))
        self.assertIn('strict-serializable  holds', out)
        here = 's: File too large; the watch goes on, but the segments end here, and the checkpoint stays as it is'
        self.assertEqual(err, f'isolde: {here}\n'
                              'isolde: s: File too large; the segments are not complete and prove nothing\n')
        self.assertEqual([(line['text'], line['unwritten']) for line in self.disk_lines()], [(here, 1)])
        with open('s', 'rb') as file:
            self.assertTrue(file.read().endswith(b'}\n'))  # no piece of a line
        self.assertIn('nothing wrong so far', self.verify())
        code, _, err = self.run_watch(*words)
        self.assertEqual((code, err), (0, 'isolde: goes on behind 131,072 transactions, where c was written\n'))
        self.assertTrue(self.verify().startswith('proved: '))

    def verify(self):
        return subprocess.run([ISOLDE, 'verify', 's', 'big.isob'], capture_output=True, text=True,
                              check=False).stdout

    def test_segments_that_can_never_be_written(self):
        self.assertEqual(self.refused(good(), '--segments', '/dev/full', code=4),
                         'isolde: /dev/full: No space left on device\n')


class Telling(Case):
    def test_log(self):
        code, out, err = self.run_watch(stale(), '--log', '-', '--bundle', 'b.jsonl', '--json')
        self.assertEqual((code, json.loads(out)['verdict']), (1, 'violated'))
        lines = [fitting(json.loads(line), 'event') for line in err.splitlines()]
        self.assertEqual([line['event'] for line in lines], ['start', 'round', 'suspected', 'violation', 'end'])
        self.assertTrue(all(re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z', line['time'])
                            for line in lines))
        self.assertEqual([lines[2][name] for name in ('first', 'last', 'named')], [1, 3, [1, 2, 3]])
        self.assertEqual(lines[2]['end'] - lines[2]['start'], 5)
        self.assertIn('which is no verdict yet', lines[2]['text'])
        self.assertEqual(lines[3]['bundle'], 'b.jsonl')
        self.assertIsNone(lines[3]['certificate'])
        self.assertEqual(lines[3]['violation']['transactions'], 3)
        self.assertNotIn('violation', lines[4])
        for _ in range(2):  # it appends
            self.assertEqual(self.run_watch(good(), '--log', 'log')[0], 0)
        lines = read_log('log')
        self.assertEqual([line['event'] for line in lines], ['start', 'round', 'end'] * 2)
        code, _, err = self.run_watch('good.isob', '--log', '/dev/full')
        self.assertEqual((code, err), (4, 'isolde: /dev/full: No space left on device\n'))
        self.assertIn('never overwritten', self.refused('good.isob', '--log', './good.isob'))
        with open('bad.isob', 'wb') as file:
            file.write(b'nothing that this reads, and more of it')
        self.assertEqual(self.run_watch('bad.isob', '--log', 'bad.log')[0], 3)
        self.assertEqual(read_log('bad.log')[-1]['event'], 'error')

    def test_command(self):
        command = 'printf "%s|" "$ISOLDE_BUNDLE" "$ISOLDE_CERTIFICATE" "$ISOLDE_SOURCE" "$ISOLDE_LEVEL"; ' \
                  'test -s "$ISOLDE_BUNDLE"'
        name = 'a$(touch evil);b.isob'
        code, out, err = self.run_watch(stale(name), '--bundle', 'b.jsonl', '--certificate', 'p', '--on-violation',
                                        command, '--json')
        self.assertEqual((code, only_suspected(err)), (1, f'b.jsonl|p|{name}|strict-serializable|'))
        self.assertEqual(json.loads(out)['verdict'], 'violated')
        self.assertFalse(os.path.exists('evil'))
        self.assertEqual(self.run_watch(good(), '--on-violation', 'echo no'), (
            0, self.run_watch('good.isob')[1], ''))
        code, _, err = self.run_watch(name, '--on-violation', 'exit 7')
        self.assertEqual((code, only_suspected(err)), (4, 'isolde: the command on the violation ended with exit code 7\n'))

    @unittest.skipUnless(HAS_HTTP, 'this build has no HTTP')
    def test_webhook(self):
        with service([503]) as (origin, got):
            code, _, err = self.run_watch(stale(), '--webhook', origin + '/hook?key=secret', '--bundle', 'b.jsonl')
            self.assertEqual((code, only_suspected(err)), (1, ''))
        self.assertEqual([path for path, _ in got], ['/hook?key=secret'] * 3)
        self.assertEqual(got[0], got[1])
        self.assertEqual([body['event'] for _, body in got[1:]], ['violation', 'end'])
        self.assertEqual(got[1][1]['bundle'], 'b.jsonl')
        self.assertIn('T2 did not see', got[1][1]['violation']['text'])
        with service([]) as (origin, got):
            with open('url', 'w', encoding='ascii') as file:
                file.write(origin + '\n')
            self.assertEqual(self.run_watch(good(), '--webhook', '@url')[0], 0)
        self.assertEqual([(path, body['event'], body['verdict']) for path, body in got], [('/', 'end', 'holds')])
        with service([404, 404]) as (origin, got):
            code, out, err = self.run_watch(stale(), '--webhook', origin + '/secret')
        self.assertEqual((code, len(got)), (4, 2))
        self.assertEqual(only_suspected(err), 'isolde: 2 messages to the webhook not sent: the answer was 404\n')
        self.assertIn('violated', out)
        self.assertNotIn('secret', self.refused('good.isob', '--webhook', 'http://me:secret@localhost/'))

    @unittest.skipUnless(HAS_HTTP, 'this build has no HTTP')
    def test_webhook_encrypted(self):
        make_certificate('ours')
        make_certificate('other')
        for name, code in (('ours', 0), ('other', 4)):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain('ours.pem', 'ours.key')
            with service([], context) as (origin, got):
                done = self.run_watch(good(), '--webhook', origin + '/x', SSL_CERT_FILE=f'{name}.pem')
            self.assertEqual((done[0], len(got)), (code, 1 if code == 0 else 0), done)


class Documents(Case):
    """What fits docs/watch.schema.json. All that the tests above read is held against it, too."""

    def said(self, code, *words):
        """What --json and --log say."""
        with contextlib.suppress(FileNotFoundError):
            os.remove('log')
        done, out, _ = self.run_watch(*words, '--json', '--log', 'log')
        self.assertEqual(done, code, out)
        return json.loads(out), read_log('log')

    def check_strict(self, document, definition=''):
        """What lacks something or has more does not fit."""
        for name in document:
            lacks = {each: value for each, value in document.items() if each != name}
            # What may be left out says so by the verdict, or is of an option.
            if name not in ('violation', 'keys', 'initial', 'incomplete_keys', 'forgotten'):
                self.assertTrue(schema_problems(lacks, definition), (definition, name))
            self.assertTrue(schema_problems({**document, name: [[]]}, definition), (definition, name))
        self.assertTrue(schema_problems({**document, 'more': 1}, definition), definition)

    def test_json(self):
        found, log = self.said(0, good())
        self.assertEqual(found['verdict'], 'holds')
        self.check_strict(found)
        self.check_strict(log[0], 'event')
        self.check_strict({**found, 'verdict': 'unknown', 'reason': 'none is known'})
        found, log = self.said(1, stale(), '--bundle', 'b.jsonl')
        self.assertEqual(found['violation']['bundle'], 'b.jsonl')
        self.check_strict(found)
        for line in log:
            self.check_strict({name: value for name, value in line.items() if name != 'violations'}, 'event')
        self.assertEqual([line['event'] for line in log], ['start', 'round', 'suspected', 'violation', 'end'])
        history('use.isob', ('a', -9, -8, ['r', 'x', 7]), ('a', -7, -6, ['w', 'x', 8], ['w', 'y', 1]))
        found, log = self.said(2, 'use.isob', '--incomplete')
        self.assertEqual((found['incomplete_keys']['count'], 'reason' in found), (1, True))
        self.assertIn('incomplete', [line['event'] for line in log])
        self.check_strict(found)
        self.assertEqual(self.said(0, 'use.isob', '--initial', 'unknown')[0]['initial'], 'unknown')
        found, _ = self.said(0, 'use.isob', '--keys', 'y', '--takes-effect-within', '1s')
        self.assertEqual((found['keys'], found['forgotten']), ('y', 0))
        self.check_strict(found)
        found, _ = self.said(2, 'use.isob', '--keys', 'z')
        self.assertIn('reason', found)

    def test_json_behind_a_violation(self):
        subprocess.run([ISOLDE, 'gen', '--workload', 'blindw-rw', '--ops', '4', '--keys', '200', '--txns', '350000',
                        '--sessions', '24', '--seed', '1', '--fault', 'stale-read', '--fault-rate', '0.001', '--to',
                        'native-binary', '--out', 'wrong.isob'], check=True, capture_output=True)
        words = ('wrong.isob', '--follow', '--checkpoint', 'c', '--checkpoint-every', '0')
        found, log = self.said(1, *words)
        self.assertEqual((found['violations'], found['violation']['bundle']), (4, None))
        self.assertEqual([line['event'] for line in log].count('goes-on'), 3)
        self.assertEqual(log[-1]['violations'], 4)
        # Behind a checkpoint that knows of some.
        found, log = self.said(1, *words)
        self.assertEqual((found['violations'], log[-1]['violations']), (4, 4))

    @unittest.skipUnless(HAS_HTTP, 'this build has no HTTP')
    def test_status(self):
        for name, verdict in ((stale(), 'violated'), (good(), 'holds')):
            with Watch(name, '--listen', '0', '--linger', '1m') as watch:
                status = watch.until(lambda status: status['ended'])
                self.assertEqual(status['verdict'], verdict)
                self.check_strict(status, 'status')
                with watch.stream() as answer:
                    self.check_strict(next(events_of(answer))[1], 'message')
                for found in (status['marks'], [status['violation']]):
                    for each in filter(None, found):
                        more = {**status, 'marks': [{**each, 'more': 1}], 'violation': {**each, 'more': 1}}
                        self.assertTrue(schema_problems(more, 'status'))


if __name__ == '__main__':
    unittest.main()
