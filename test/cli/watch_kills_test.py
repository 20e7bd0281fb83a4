#!/usr/bin/env python3
"""A verifier that is killed at any instant and started again says what an undisturbed one says.

    watch_kills_test.py ISOLDE [KILLS]

`isolde watch` with a checkpoint after each round is killed (SIGKILL) after a random time, again and
again, until it has ended often enough by itself. What it printed, the segments, and of a violation
bundle and certificate are the same bytes as without kills. Then the same with an archive, of a folder
whose files are deleted when they were read; and of a watch that goes on behind each violation, of which
all have the same bundles and certificates. The seed is printed. Two kills of each by default, six with
ISOLDE_FULL=1.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCES = {
    'holds': ('--seed', '5'),
    'violated': ('--seed', '9', '--fault', 'stale-read', '--fault-after', '0.7'),
}


def watch(isolde, folder, source, *options, end=None):
    """What it printed and its exit code; `end` is when it is killed, after that many seconds."""
    words = [isolde, 'watch', source, '--no-progress', '--segments', 'segments', '--bundle',
             'bundle', '--certificate', 'certificate', *options]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            output, errors = process.communicate(timeout=end)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            output, errors = process.communicate()
    return output, errors, process.returncode


def results(folder, output, code):
    found = {'output': output, 'code': code}
    for name in ('segments', 'bundle', 'certificate'):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, 'rb') as file:
                found[name] = file.read()
            os.remove(path)
    archive = os.path.join(folder, 'archive')
    if os.path.exists(archive):
        for name in os.listdir(archive):
            with open(os.path.join(archive, name), 'rb') as file:
                found['archive/' + name] = file.read()
        found['names'] = sorted(os.listdir(archive))
        shutil.rmtree(archive)
    return found


def put(folder, source):
    """The folder to be watched, before anything of it was deleted."""
    shutil.rmtree(os.path.join(folder, source), ignore_errors=True)
    shutil.copytree(os.path.join(folder, source + '.kept'), os.path.join(folder, source))


def check(isolde, folder, source, wanted_kills, *options):
    if options:
        put(folder, source)
    begun = time.monotonic()
    output, errors, code = watch(isolde, folder, source, *options, *(
        ('--checkpoint', source + '.undisturbed') if options else ()))
    took = time.monotonic() - begun
    if code not in (0, 1):
        sys.exit(f'{source}: exit code {code}\n{output}{errors}')
    whole = results(folder, output, code)
    if options:
        put(folder, source)
    kills = 0
    resumed = 0
    while True:
        # As often as asked for, and until one has gone on from a checkpoint.
        is_to_be_killed = kills < wanted_kills or (resumed == 0 and kills < wanted_kills + 20)
        end = random.uniform(0, took) if is_to_be_killed else None
        output, errors, code = watch(isolde, folder, source, '--checkpoint', source + '.checkpoint',
                                     '--checkpoint-every', '0', *options, end=end)
        resumed += 'goes on behind' in errors
        if code != -signal.SIGKILL:
            again = results(folder, output, code)
            for what, bytes_ in whole.items():
                if again.get(what) != bytes_:
                    sys.exit(f'{source}: after {kills} kills {what} differs\n{output}{errors}')
            if not is_to_be_killed:
                break
            os.remove(os.path.join(folder, source + '.checkpoint'))
            if options:
                put(folder, source)
        kills += code == -signal.SIGKILL
    if resumed == 0:
        sys.exit(f'{source}: no run went on from a checkpoint')
    print(f'{source}: {kills} kills, {resumed} runs went on from a checkpoint')


def proofs(folder):
    """All that was written of violations, which is gone then."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith(('bundle', 'certificate')):
            path = os.path.join(folder, name)
            with open(path, 'rb') as file:
                found[name] = file.read()
            os.remove(path)
    return found


def check_going_on(isolde, folder, wanted_kills):
    subprocess.run([isolde, 'gen', '--workload', 'blindw-rw', '--ops', '4', '--keys', '200', '--txns', '350000',
                    '--sessions', '24', '--seed', '1', '--fault', 'stale-read', '--fault-rate', '0.001', '--to',
                    'native-binary', '--out', 'wrong'], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    begun = time.monotonic()
    output, errors, code = watch(isolde, folder, 'wrong', '--follow', '--checkpoint', 'wrong.undisturbed')
    took = time.monotonic() - begun
    whole = proofs(folder)
    if code != 1 or '4 violations were found' not in output or len(whole) != 8:
        sys.exit(f'wrong: exit code {code}, {len(whole)} files\n{output}{errors}')
    kills = 0
    while code != 1 or kills < wanted_kills:
        if code == 1 and os.path.exists(os.path.join(folder, 'wrong.checkpoint')):
            os.remove(os.path.join(folder, 'wrong.checkpoint'))
        output, errors, code = watch(isolde, folder, 'wrong', '--follow', '--checkpoint', 'wrong.checkpoint',
                                     '--checkpoint-every', '0',
                                     end=random.uniform(0, took) if kills < wanted_kills else None)
        if code not in (1, -signal.SIGKILL):
            sys.exit(f'wrong: exit code {code}\n{output}{errors}')
        kills += code == -signal.SIGKILL
    again = proofs(folder)
    if again != whole:
        sys.exit(f'wrong: after {kills} kills there are {sorted(again)}\n{output}{errors}')
    print(f'wrong: {kills} kills, 4 violations')


def main():
    isolde = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 6 if os.environ.get('ISOLDE_FULL') == '1' else 2
    seed = int(os.environ.get('ISOLDE_SEED', random.randrange(1 << 30)))
    print(f'ISOLDE_SEED={seed} repeats this run', flush=True)
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        check_going_on(isolde, folder, kills)
        for source, options in SOURCES.items():
            subprocess.run([isolde, 'gen', '--workload', 'blindw-rw', '--txns', '300000',
                            '--sessions', '24', *options, '--to', 'native-binary', '--out', source],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)
            check(isolde, folder, source, kills)
            # An archive is a folder of files that follow one another.
            kept = ('--archive-file-size', '1M', '--archive')
            subprocess.run([isolde, 'watch', source, *kept, source + '.files.kept'], cwd=folder, check=False,
                           stdout=subprocess.DEVNULL)
            check(isolde, folder, source + '.files', kills, '--consume', *kept, 'archive')


if __name__ == '__main__':
    main()
