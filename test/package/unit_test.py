#!/usr/bin/env python3
"""The unit of systemd: systemd takes it, and what it starts does what the unit says.

    unit_test.py ISOLDE

Without systemd-analyze, only the latter.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNIT = os.path.join(ROOT, 'cmake', 'systemd', 'isolde-watch@.service')
# It goes wrong before its last group: a file that may grow is checked up to there.
STALE = ('--workload blindw-rw --txns 300000 --sessions 24 --seed 9 --fault stale-read '
         '--fault-after 0.7').split()


def check_with_systemd(text, isolde, folder):
    if not shutil.which('systemd-analyze'):
        print('not verified: there is no systemd-analyze')
        return
    path = os.path.join(folder, os.path.basename(UNIT))
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text.replace('/usr/bin/isolde', isolde))
    done = subprocess.run(['systemd-analyze', 'verify', '--man=no', path], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0 and done.stderr == '', done
    done = subprocess.run(['systemd-analyze', 'security', '--offline=true', '--threshold=20', '--no-pager', path],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout  # exposed to 2.0 at most, of 10


def command_of(text, isolde, source, options):
    """As systemd makes it: of ${X} one word, of $X several."""
    (line,) = re.findall(r'^ExecStart=(.*)$', text, re.M)
    words = []
    for word in shlex.split(line):
        if word == '$ISOLDE_OPTIONS':
            words += options.split()
        else:
            words.append(word.replace('${ISOLDE_SOURCE}', source))
    assert words[0] == '/usr/bin/isolde' and '$' not in ''.join(words), words
    return [isolde, *words[1:]]


def main():
    isolde = os.path.abspath(sys.argv[1])
    with open(UNIT, encoding='utf-8') as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        check_with_systemd(text, isolde, folder)
        source = os.path.join(folder, 'a history.isob')
        subprocess.run([isolde, 'gen', *STALE, '--to', 'native-binary', '--out', source], check=True)
        done = subprocess.run(command_of(text, isolde, source, '--timeout 60'), cwd=folder, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 1, done
        events = [json.loads(line)['event'] for line in done.stderr.splitlines()]
        # Of rounds there is a line every ten seconds, which a busy machine may need for one.
        assert events[:2] == ['start', 'round'], done.stderr
        events = [event for event in events if event != 'round']
        assert events == ['start', 'suspected', 'violation', 'goes-on', 'end'], done.stderr
        done = subprocess.run([isolde, 'verify', 'bundle.proof', 'bundle.jsonl'], cwd=folder, check=False)
        assert done.returncode == 0, done


main()
