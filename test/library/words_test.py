#!/usr/bin/env python3
"""No text of the library speaks of an option or a command of the program.

    words_test.py SOURCE_DIR

It reads the string literals of all folders that the library is made of, and those of the Python
package. What the two call differently stands in src/base/phrases.hpp.
"""
import ast
import os
import re
import sys

LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
# Also "--" alone, to which code adds a name.
OPTION = re.compile(r'(?<![-\w<])--(?![->])')
COMMAND = re.compile(r'\bisolde (?:check|compare|verify|explain|minimize|replay|run|gen|convert|stats|'
                     r'levels|workloads|schedules|databases|survey|recipes|server|manual|help)\b')

# Literals that the library has and never returns, or is right to.
KNOWN = {
    'src/base/phrases.hpp': 'the words of the program themselves',
    'src/base/secrets.cpp': 'options of other programs',
    'src/explain/report_junit.cpp': ('Write JUnit XML', 'help of an option'),
    'src/explain/report_edn.cpp': ('Write a map', 'help of an option'),
    'src/explain/report_sarif.cpp': ('Write SARIF', 'help of an option'),
    'src/explain/promise.cpp': (' is held by --promise to ', 'only the program can be told so'),
    'src/explain/summary.cpp': ('isolde minimize makes', 'advice to people, in a report'),
}


def folders_of_library(root):
    """`api` and all it depends on, by the build's own files."""
    found, left = set(), ['api']
    while left:
        folder = left.pop()
        if folder in found:
            continue
        found.add(folder)
        with open(os.path.join(root, 'src', folder, 'CMakeLists.txt'), encoding='utf-8') as file:
            text = re.sub(r'#.*', '', file.read())
        for words in re.findall(r'\bDEPENDS([^)]*?)(?:LINK|OPTIONS|\))', text):
            left += [word for word in words.split()
                     if os.path.isdir(os.path.join(root, 'src', word))]
    return sorted(found)


def literals_of_cpp(text):
    text = re.sub(r'^\s*//.*$|(?<=\s)// .*$', '', text, flags=re.MULTILINE)
    text = re.sub(r'^\s*#\s*include.*$', '', text, flags=re.MULTILINE)
    for match in LITERAL.finditer(text):
        yield text[:match.start()].count('\n') + 1, re.sub(r'"\s*"', '', match.group())[1:-1]


def literals_of_python(text):
    tree = ast.parse(text)
    comments = {id(node.body[0].value) for node in ast.walk(tree)
                if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body
                and isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in comments:
                yield node.lineno, node.value


def is_known(path, literal):
    known = KNOWN.get(path)
    return isinstance(known, str) or known is not None and known[0] in literal


def files_of(root):
    for folder in folders_of_library(root):
        for name in sorted(os.listdir(os.path.join(root, 'src', folder))):
            if name.endswith(('.cpp', '.hpp')):
                yield f'src/{folder}/{name}', literals_of_cpp
    for name in sorted(os.listdir(os.path.join(root, 'include', 'isolde'))):
        yield f'include/isolde/{name}', literals_of_cpp
    for name in ('__init__', '_library', 'checking', 'recording'):
        yield f'python/isolde/{name}.py', literals_of_python


def main(argv):
    root = argv[1]
    read, wrong, met = 0, [], set()
    for path, literals in files_of(root):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            text = file.read()
        for line, literal in literals(text):
            read += 1
            if not OPTION.search(literal) and not COMMAND.search(literal):
                continue
            if is_known(path, literal):
                met.add(path)
            else:
                wrong.append(f'{path}:{line}: "{literal}" is a word of the program')
    wrong += [f'{path}: is known, and has nothing of the kind' for path in sorted(set(KNOWN) - met)]
    assert read > 2000, read
    print('\n'.join(wrong) if wrong else f'{read} literals')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
