#!/usr/bin/env python3
"""Progress on a terminal: one line on stderr that rewrites itself and is gone at the end.

    progress_test.py ISOLDE

Stderr is a pseudo terminal. How much of the work it shows depends on the machine, so each text that
appears must be one of those that there may be, and the first one always appears. Without a terminal
there is none, unless it is asked for: then whole lines.
"""
import os
import pty
import re
import subprocess
import sys
import tempfile

LEFT = r'(, \d+[smh] left)?'
LOADING = rf'loading ((\d+ %{LEFT}: )?\S+)'
# Of a check besides the loading; names of stages are the engine's.
WORK = r'[a-z][a-z0-9 :,-]*'
RUNNING = (rf'(running{LEFT}|ending): [\d,]+ committed \([\d,]+/s\), [\d,]+ aborted(, \d+ faults?)?'
           r'(, \d+ unknown)?(, \d+ reconnects?)?')


def on_terminal(*words):
    """What the command writes to a terminal at its stderr, and its exit code."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=theirs) as process:
        os.close(theirs)
        seen = b''
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other side is closed
                piece = b''
            if not piece:
                break
            seen += piece
    os.close(ours)
    return seen.decode(), process.returncode


def texts(seen, command):
    """The texts that were shown, one over the other."""
    if not seen.endswith('\r\x1b[K'):
        raise SystemExit(f'{command}: the line stays: {seen[-200:]!r}')
    pieces = seen.split('\r\x1b[K')
    if pieces[0]:
        raise SystemExit(f'{command}: before the line: {pieces[0]!r}')
    found = []
    for piece in filter(None, pieces):
        match = re.fullmatch(r'\[\d+\.\d s\] (.{1,69})', piece)
        if not match:
            raise SystemExit(f'{command}: no line of progress: {piece!r}')
        found.append(match.group(1))
    return found


def expect(found, first, *others):
    if not found or not re.fullmatch(first, found[0]):
        raise SystemExit(f'expected first {first!r}: {found[:3]}')
    for text in found:
        if not any(re.fullmatch(one, text) for one in (first, *others)):
            raise SystemExit(f'expected one of {(first, *others)}: {text!r}')


def main(isolde):
    with tempfile.TemporaryDirectory(prefix='isolde_progress_') as folder:
        os.chdir(folder)
        subprocess.run([isolde, 'gen', '--workload', 'blindw-rw', '--txns', '30000', '--seed', '1',
                        '--out', 'large.jsonl'], check=True)
        check = [isolde, 'check', '--level', 'serializable', 'large.jsonl']
        seen, code = on_terminal(*check)
        assert code == 0, code
        expect(texts(seen, 'check'), LOADING, WORK)
        seen, _ = on_terminal(*check, '--no-progress')
        assert seen == '', seen
        for way in (['--txns', '2000'], ['--duration', '500ms']):
            out = f'{way[0][2:]}.jsonl'
            seen, code = on_terminal(isolde, 'run', '--db', 'sqlite:', '--workload', 'mini',
                                     '--level', 'read-uncommitted', *way, '--out', out)
            assert code in (0, 2), (code, seen)
            expect(texts(seen, 'run'), RUNNING, LOADING, WORK)
        piped = subprocess.run(check, capture_output=True, check=True)
        assert piped.stderr == b'', piped.stderr
        # Nothing is cut where there is room.
        name = 'large-' + 100 * 'x' + '.jsonl'
        os.rename('large.jsonl', name)
        piped = subprocess.run([*check[:-1], name, '--progress'], capture_output=True, check=True,
                               text=True)
        assert re.match(rf'\[\d+\.\d s\] loading {name}\n', piped.stderr), piped.stderr
        seen, _ = on_terminal(*check[:-1], name)
        expect(texts(seen, 'check'), r'loading large-x+\S*', LOADING, WORK)


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]))
