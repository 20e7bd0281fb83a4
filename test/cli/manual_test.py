#!/usr/bin/env python3
"""The manual page and the completions have what --help has, and work.

    manual_test.py ISOLDE
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

ISOLDE = os.path.abspath(sys.argv[1])


def output(*command, folder=None):
    done = subprocess.run(command, text=True, capture_output=True, check=False, cwd=folder,
                          env={**os.environ, 'MANWIDTH': '200', 'MANPAGER': 'cat',
                               'LC_ALL': 'C.UTF-8', 'HOME': folder or '/'})
    assert done.returncode == 0 and not done.stderr, (command, done.stderr)
    return done.stdout


def all_commands(path=()):
    """Words of each command, with the names of its options, as --help has them."""
    shown = output(ISOLDE, *path, '--help')
    yield path, [name for names in re.findall(r'^  (-[\w,-]+)', shown, re.M)
                 for name in re.sub(r'\{.*', '', names).split(',')]
    below = re.search(r'^Subcommands:\n((?:  .*\n)+)', shown, re.M)
    for name in re.findall(r'^  (\w\S*)', below.group(1), re.M) if below else ():
        yield from all_commands((*path, name))


def check_man_page(folder):
    page = os.path.join(folder, 'isolde.1')
    with open(page, 'w', encoding='utf-8') as file:
        file.write(output(ISOLDE, 'manual'))
    shown = re.sub('.\b', '', output('man', '--warnings', '-l', page))
    for path, options in COMMANDS:
        begin = shown.index(f'isolde {" ".join(path)} [OPTIONS]') if path else 0
        part = shown[begin:]
        later = re.search(r'\n   isolde ', part[1:])
        part = part[:later.start()] if later else part
        lines = re.findall(r'^ +(-.*)', part, re.M)
        named = {name for line in lines for name in re.findall(r'-[\w-]+', line)}
        assert set(options) <= named, (path, set(options) - named)
    outputs = re.sub(r'\s+', ' ', re.search(r'\nOUTPUTS\n(.*?)\n[A-Z]', shown, re.S).group(1))
    for form in ('--github To standard output, behind the report for people: workflow commands of GitHub',
                 '--json To standard output, in place of the report for people, for each history one: '
                 'docs/report.schema.json.',
                 '--sarif To a file; "-" is standard output, in place of the report for people: SARIF 2.1.0.',
                 '--html To a file;'):
        assert form in outputs, (form, outputs)
    for title in ('NAME', 'SYNOPSIS', 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO'):
        assert f'\n{title}\n' in shown, title


class Bash:
    """Asks the function that bash would call."""

    def __init__(self, folder):
        self.script = os.path.join(folder, 'bash')
        with open(self.script, 'w', encoding='utf-8') as file:
            file.write(output(ISOLDE, 'manual', 'bash'))
        output('bash', '-n', self.script)

    def complete(self, *words):
        return output('bash', '-c', f'. {shlex.quote(self.script)}; '
                      'complete -p isolde > /dev/null; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                      '_isolde; printf "%s\\n" "${COMPREPLY[@]}"', 'bash', 'isolde',
                      *words).split()


class Fish:
    def __init__(self, folder):
        self.folder = folder
        self.script = os.path.join(folder, 'isolde.fish')
        with open(self.script, 'w', encoding='utf-8') as file:
            file.write(output(ISOLDE, 'manual', 'fish'))

    def complete(self, *words):
        line = ' '.join(('isolde', *words))
        shown = output('fish', '--no-config', '-c', f'source {self.script}; complete -C "{line}"',
                       folder=self.folder)
        return [row.split('\t')[0] for row in shown.splitlines()]


def check_shell(shell):
    for path, options in COMMANDS:
        offered = set(shell.complete(*path, '--'))
        missing = {name for name in options if name.startswith('--')} - offered
        assert not missing, (type(shell).__name__, path, missing)
    assert shell.complete('chec') == ['check']
    assert 'manual' in shell.complete('')
    assert shell.complete('databases', 'tr') == ['try']
    assert shell.complete('help', 'mini') == ['minimize']
    assert shell.complete('check', '--lev') == ['--level']
    assert shell.complete('check', 'history.jsonl', '--level', 'read-c') == ['read-committed']
    assert shell.complete('databases', 'lm') == ['lmdb'] or WITHOUT_DRIVERS
    assert shell.complete('run', '--db', 'exe') == ['exec:']
    assert shell.complete('check', '--format', 'jep') == ['jepsen']
    assert shell.complete('run', '--workload', 'tpc') == ['tpcc', 'tpcc-tables']
    assert shell.complete('check', '--timeout', '') == []


def check_bash_alone(bash):
    assert bash.complete('check', '--level', '=', 'read-c') == ['read-committed']
    assert bash.complete('check', '--level', '=') == bash.complete('levels', '')
    assert bash.complete('check', '--level', 'causal,read-u') == ['causal,read-uncommitted']
    assert bash.complete('check', 'run', '--db') == []  # a file of that name is no command


def check_zsh(folder):
    script = os.path.join(folder, '_isolde')
    text = output(ISOLDE, 'manual', 'zsh')
    with open(script, 'w', encoding='utf-8') as file:
        file.write(text)
    output('zsh', '-f', '-n', script)
    for path, options in COMMANDS:
        body = re.search(rf'^{"_".join(("_isolde", *path))}\(\) {{\n(.*?)^}}', text,
                         re.M | re.S).group(1)
        for name in options:
            assert re.search(rf"'\*?{name}\[", body), (path, name)


COMMANDS = list(all_commands())
WITHOUT_DRIVERS = 'lmdb' in output(ISOLDE, '--version').partition('absent:')[2]
assert len(COMMANDS) > 10 and all('--help' in options for _, options in COMMANDS), COMMANDS
with tempfile.TemporaryDirectory() as scratch:
    check_man_page(scratch)
    check_shell(Bash(scratch))
    check_bash_alone(Bash(scratch))
    check_shell(Fish(scratch))
    check_zsh(scratch)
