#!/usr/bin/env python3
"""Writes docs/CLI.md from the program's own --help, or checks that it is up to date.

    cli_docs.py ISOLDE            rewrite docs/CLI.md
    cli_docs.py --check ISOLDE    exit with 1 when it differs
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'CLI.md')
INTRO = os.path.join(ROOT, 'docs', 'CLI.intro.md')
COMMANDS = ['check', 'watch', 'publish', 'compare', 'verify', 'explain', 'minimize', 'replay', 'run', 'gen', 'convert', 'stats',
            'levels', 'workloads', 'schedules', 'databases', 'databases try', 'survey', 'recipes', 'server', 'manual', 'help']


def help_text(isolde, *command):
    done = subprocess.run([isolde, *command, '--help'], capture_output=True, text=True,
                          check=True)
    return done.stdout.rstrip()


def page(isolde):
    with open(INTRO, encoding='utf-8') as file:
        parts = [file.read().rstrip()]
    parts.append('## isolde\n\n```\n' + help_text(isolde) + '\n```')
    for command in COMMANDS:
        parts.append(f'## isolde {command}\n\n```\n{help_text(isolde, *command.split())}\n```')
    return '\n\n'.join(parts) + '\n'


def main(argv):
    check = '--check' in argv
    argv = [arg for arg in argv if arg != '--check']
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 3
    text = page(argv[0])
    if not check:
        with open(PAGE, 'w', encoding='utf-8') as file:
            file.write(text)
        return 0
    with open(PAGE, encoding='utf-8') as file:
        if file.read() == text:
            return 0
    print('docs/CLI.md differs from --help; run tools/cli_docs.py ISOLDE')
    return 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
