#!/usr/bin/env python3
"""The C interface says of each function what can go wrong, and who owns what comes out.

    contracts_test.py SOURCE_DIR

It reads include/isolde/isolde.h: a function belongs to the comment in front of it. One that returns
a status names an error, or the function whose errors it has; one that hands out a handle or a text
says whose it is, unless it is NAME_new(), which has its NAME_free().
"""
import os
import re
import sys

ERROR = re.compile(r'\b(?:USAGE|BAD_INPUT|ENVIRONMENT|LIMIT)\b|\b[Ee]rrors and cost: as isolde_\w+\(\)')
# A comment, or a function with its parameters.
PART = re.compile(r'/\*(.*?)\*/|ISOLDE_API ([^;()]*?)(\w+)\(([^;]*)\);', re.S)


def faults(text):
    wrong, seen, comment = [], 0, ''
    for words, result, name, parameters in PART.findall(text):
        if not name:
            comment = words
            continue
        seen += 1
        result, parameters = result.strip(), ' '.join(parameters.split())
        if result == 'isolde_status' and not ERROR.search(comment):
            wrong.append(f'{name}(): its comment names no error')
        handle = re.search(r'isolde_\w+\*\*', parameters)
        gives = handle or (result.endswith('*') and not result.startswith('const'))
        if gives and not name.endswith('_new') and "the caller's" not in ' '.join(comment.split()):
            wrong.append(f"{name}(): its comment does not say whose the result is")
        if name.endswith('_new') and f'{name[:-len("new")]}free(' not in text:
            wrong.append(f'{name}(): nothing frees it')
    return wrong, seen


def main(argv):
    header = os.path.join(argv[1], 'include', 'isolde', 'isolde.h')
    with open(header, encoding='utf-8') as file:
        text = file.read()
    wrong, seen = faults(text)
    assert seen == text.count('ISOLDE_API '), f'{seen} functions, others are not understood'
    # Each of them is missed where it is not there.
    for word, cut in (('no error', 'USAGE: beyond the last one. '), ('whose', "which is the caller's. ")):
        assert cut in text, cut
        assert any(word in each for each in faults(text.replace(cut, ''))[0]), cut
    print('\n'.join(wrong) if wrong else f'{seen} functions')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
