#!/usr/bin/env python3
"""The commands that docs/jepsen.md prints work one after the other, on a folder that Jepsen stored.

    jepsen_page_test.py ISOLDE

The folder in which they run also holds the history of a bank, to which the page adds what the accounts
begin with.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HISTORY = """{:process 0 :type :invoke :f :txn :value [[:append 1 1] [:r 2 nil]] :index 0 :time 1}
{:process 0 :type :ok :f :txn :value [[:append 1 1] [:r 2 []]] :index 1 :time 2}
{:process 1 :type :invoke :f :txn :value [[:r 1 nil]] :index 2 :time 3}
{:process 1 :type :ok :f :txn :value [[:r 1 [1]]] :index 3 :time 4}
"""
BANK = """{:process 0 :type :invoke :f :transfer :value {:from 0 :to 1 :amount 3}}
{:process 0 :type :ok :f :transfer :value {:from 0 :to 1 :amount 3}}
{:process 1 :type :invoke :f :read}
{:process 1 :type :ok :f :read :value {0 7 1 13}}
"""


def main(isolde):
    with open(os.path.join(ROOT, 'docs', 'jepsen.md'), encoding='utf-8') as file:
        commands = [line for block in re.findall(r'^```\n(.*?)^```', file.read(), re.M | re.S)
                    for line in block.splitlines()]
    assert any(line.startswith('isolde verify ') for line in commands), commands
    with tempfile.TemporaryDirectory() as folder:
        stored = os.path.join(folder, 'store', 'NAME', 'TIME')
        os.makedirs(stored)
        with open(os.path.join(stored, 'history.edn'), 'w', encoding='utf-8') as file:
            file.write(HISTORY)
        os.symlink(os.path.join('NAME', 'TIME'), os.path.join(folder, 'store', 'latest'))
        with open(os.path.join(folder, 'history.edn'), 'w', encoding='utf-8') as file:
            file.write(BANK)
        path = os.pathsep.join((os.path.dirname(os.path.abspath(isolde)), os.environ['PATH']))
        for line in commands:
            done = subprocess.run(line, cwd=folder, shell=True, env={**os.environ, 'PATH': path},
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 0, (line, done.returncode, done.stdout, done.stderr)


if __name__ == '__main__':
    main(sys.argv[1])
