#!/usr/bin/env python3
"""Whatever the parser of the command line refuses is told in one line of our own words.

    refusals_test.py ISOLDE

The table is the help of all commands: for each of their options and arguments, every mistake
that its kind allows. A line names the option or argument, what was given, and where help is; it
has none of the parser's own sentences.
"""
import re
import subprocess
import sys

# What CLI11 says, in any of its versions.
RAW = re.compile(r'is required|are required|required but|Could not convert|not in range|At Most|'
                 r'At least|Expected|excludes|requires|not expected|subcommand|required \S+ missing|'
                 r'not an allowed value|disallowed|true/false')


class Option:
    def __init__(self, line):
        names, _, rest = line.strip().partition(' ')
        names = re.sub(r'\{.*?\}', '', names)
        self.name = names.split(',')[-1] if names.startswith('-h') else names.split(',')[0]
        rest = re.split(r'\s{2,}', rest)[0]
        found = re.match(r'[\[A-Z][^\s:=]*', rest)
        words = ('REQUIRED', 'Needs', 'Excludes')
        self.value = found.group() if found and found.group() not in words else ''
        self.repeated = ' ...' in rest
        self.required = 'REQUIRED' in rest
        self.needs = re.findall(r'Needs: (\S+)', rest)
        excludes = re.search(r'Excludes: (.*)', rest)
        self.excludes = excludes.group(1).split() if excludes else []


class Command:
    def __init__(self, isolde, words):
        self.words = words
        text = subprocess.run([isolde, *words, '--help'], capture_output=True, text=True,
                              check=True).stdout
        parts = {'Positionals': [], 'Options': [], 'Subcommands': []}
        part = None
        for line in text.splitlines():
            head = line.removesuffix(':')
            if head in parts:
                part = parts[head]
            elif not line.strip():
                part = None
            elif part is not None and re.match(r'  \S', line):
                part.append(line)
        self.arguments = [Option(line) for line in parts['Positionals']]
        self.options = [Option(line) for line in parts['Options']]
        self.subcommands = [line.split()[0] for line in parts['Subcommands']]


class Table:
    def __init__(self, isolde):
        self.isolde = isolde
        self.refused = 0
        self.failures = []

    def refuses(self, command, given, *named, status=3):
        done = subprocess.run([self.isolde, *command.words, *given], capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL, timeout=60)
        call = ' '.join(['isolde', *command.words, *map(repr, given)])
        lines = done.stderr.splitlines()
        wrong = []
        if done.returncode != status or done.stdout:
            wrong.append(f'exit code {done.returncode}, {len(done.stdout)} characters')
        if len(lines) != 1 or not lines[0].startswith('isolde: '):
            wrong.append('not one line')
        elif RAW.search(lines[0]):
            wrong.append('a sentence of the parser')
        help_of = ' '.join(['see isolde', *command.words, '--help'])
        for part in (*named, help_of):
            if part not in done.stderr:
                wrong.append(f'without {part!r}')
        self.refused += 1
        if wrong:
            self.failures.append(f'{call}: {", ".join(wrong)}\n  {done.stderr.strip()}')

    def option(self, command, option, needed):
        """`needed`: what the command cannot do without."""
        name, is_number = option.name, option.value in ('N', 'P', 'DURATION', 'SIZE')
        if option.value.startswith('['):
            return  # compare --json, whose file is among the arguments
        if not option.value:
            self.refuses(command, [*needed, name + '=maybe'], name, "'maybe'")
            always = {each.name for each in command.options + command.arguments if each.required}
            for other in set(option.needs) - always:
                self.refuses(command, [*without(needed, other), name], name, other)
            return
        self.refuses(command, [*needed, name], name, option.value)
        fitting = '1' if is_number else 'x'
        if not option.repeated and name not in needed:
            self.refuses(command, [*needed, name, fitting, name, fitting], name, 'given 2 times')
        for wrong in ('soon', '-1', '1e999', '99999999999999999999999999999999') if is_number else ():
            if option.value == 'P' and wrong != 'soon' and wrong != '1e999':
                continue  # what is a share is for the workload to tell
            self.refuses(command, [*needed, name, wrong], name + ':', f"'{wrong}'"
                         if wrong[0] != '9' or option.value == 'N' else wrong[:3])
        for other in option.excludes:
            both = [name, 'x', *(['x'] if other[0] != '-' else [other, 'x'])]
            self.refuses(command, [*needed, *both], name, other, 'together')

    def command(self, command):
        # A command that asks for more than its parser does.
        needed = ['--workload', 'mini'] if command.words == ['gen'] else []
        for option in command.options:
            if option.required:
                needed += [option.name, 'x']
        values = ['x'] * sum(argument.required for argument in command.arguments)
        for option in command.options:
            if option.required:
                self.refuses(command, [*without(needed, option.name), *values], option.name,
                             'missing')
            if option.name != '--help':
                self.option(command, option, [*needed, *values])
        for at in range(len(values)):
            self.refuses(command, [*needed, *values[:at]], command.arguments[at].name, 'missing')
        self.refuses(command, [*needed, *values, '--no-such=5'], "unknown option '--no-such'")
        self.refuses(command, ['--no-such'], "unknown option '--no-such'")
        self.refuses(command, [*needed, *values, '-q'], "unknown option '-q'")
        if not any(argument.repeated for argument in command.arguments):
            many = ['x'] * len(command.arguments)
            if command.words:
                self.refuses(command, [*needed, *many, 'surplus', 'more'], "'surplus' and 'more'")


def without(given, name):
    """Options have one value each."""
    at = given.index(name) if name in given else len(given)
    return given[:at] + given[at + 2:]


def main(argv):
    isolde = argv[1]
    table = Table(isolde)
    everything = Command(isolde, [])
    commands = [Command(isolde, [name]) for name in everything.subcommands]
    commands += [Command(isolde, [*command.words, name])
                 for command in commands for name in command.subcommands]
    table.refuses(everything, [], 'a command is missing')
    table.refuses(everything, ['-q'], "unknown option '-q'")
    for command in commands:
        table.command(command)
    assert len(commands) >= 20 and table.refused > 500, (len(commands), table.refused)
    for failure in table.failures:
        print(failure)
    print(f'{table.refused} refusals of {len(commands)} commands, {len(table.failures)} failed')
    return 1 if table.failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
