#!/usr/bin/env python3
"""Tests of tidy.py: a small tree with one problem of each kind."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tidy  # noqa: E402


def problems_of(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
                file.write(text)
        return tidy.Tidy(root).run()


CLEAN = {
    'docs/ARCHITECTURE.md': '| `src/base/` | things | nothing |\n',
    'src/base/CMakeLists.txt': 'isolde_library(base SOURCES thing.cpp)\n',
    'src/base/thing.hpp': '#pragma once\n',
    'src/base/thing.cpp': '#include "base/thing.hpp"\n',
    'test/unit/base/thing_test.cpp': '#include "base/thing.hpp"\n',
}


class TidyTest(unittest.TestCase):
    def expect(self, changes, part):
        found = problems_of({**CLEAN, **changes})
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_accepts_a_clean_tree(self):
        self.assertEqual(problems_of(CLEAN), [])

    def test_layers(self):
        self.expect({'src/base/thing.hpp': '#pragma once\n#include "io/reader.hpp"\n'},
                    'base may not include io')

    def test_layers_are_those_of_cmake(self):
        io = {'src/io/CMakeLists.txt': 'isolde_library(io\n  SOURCES a.cpp DEPENDS base LINK x)\n',
              'src/io/a.hpp': '#pragma once\n#include "base/thing.hpp"\n'}
        row = '| `src/io/` | files | {} |\n'
        page = CLEAN['docs/ARCHITECTURE.md']
        right = {'docs/ARCHITECTURE.md': page + row.format('base')}
        self.assertEqual(problems_of({**CLEAN, **io, **right}), [])
        self.expect(io, 'src/io is not in the table of folders')
        self.expect({**io, 'docs/ARCHITECTURE.md': page + row.format('nothing')},
                    'CMake says that io depends on base')
        self.expect({**io, 'docs/ARCHITECTURE.md': row.format('base') + page},
                    'io comes before what it depends on: base')

    def test_long_function(self):
        body = 'void f() {\n' + '  g();\n' * 70 + '}\n'
        self.expect({'src/base/thing.hpp': '#pragma once\n' + body},
                    'longest function has 72 lines')

    def test_ratchet_only_shrinks(self):
        body = 'void f() {\n' + '  g();\n' * 70 + '}\n'
        self.expect({'src/base/thing.hpp': '#pragma once\n' + body,
                     'tools/tidy_exceptions.txt': 'function src/base/thing.hpp 80\n'},
                    'shrank to 72')

    def test_banned_words(self):
        for text in ('using namespace std;', 'int* p = new int;', 'std::abort();',
                     'int x = rand();', 'catch (...) {}'):
            self.expect({'src/base/thing.hpp': '#pragma once\n' + text + '\n'}, 'is banned')

    def test_words_in_strings_and_comments_are_free(self):
        text = '#pragma once\n// throw it away\nconst char* s = "throw";\n'
        self.assertEqual(problems_of({**CLEAN, 'src/base/thing.hpp': text}), [])

    def test_columns_and_ascii(self):
        self.expect({'src/base/thing.hpp': '#pragma once\n//' + 'x' * 95 + '\n'}, 'columns')
        self.expect({'src/base/thing.hpp': '#pragma once\n// \u00e9\n'}, 'not ASCII')

    def test_untested_source(self):
        self.expect({'src/base/other.cpp': 'int x;\n'}, 'no test includes its header')
        self.assertEqual(problems_of({**CLEAN, 'src/base/other.cpp': 'int x;\n',
                                      'tools/tidy_exceptions.txt':
                                          'untested src/base/other.cpp\n'}), [])

    def test_own_header_counts(self):
        self.expect({'src/base/other.hpp': '#pragma once\n',
                     'src/base/other.cpp': '#include "base/thing.hpp"\n'},
                    'no test includes its header')

    def test_paths_in_docs(self):
        self.expect({'README.md': 'see `src/base/nothing.hpp`\n'}, 'does not exist')
        self.expect({'README.md': 'see [this](docs/nothing.md)\n'}, 'docs/nothing.md')

    def test_commands_in_docs(self):
        page = {'README.md': '$ isolde check demo/a.jsonl\n'}
        self.expect(page, 'no golden test')
        golden = {'test/cli/a.t': '$ isolde check $DEMO/a.jsonl >out.txt\n= 0\n'}
        self.assertEqual(problems_of({**CLEAN, **page, **golden}), [])

    def test_outputs_in_docs(self):
        golden = {'test/cli/a.t': '$ isolde check $DEMO/a.jsonl\n| one\n| two\n| three four\n= 0\n'}

        def page(shown):
            return {**golden, 'README.md': f'$ isolde check demo/a.jsonl\n{shown}\n```\n'}

        for shown in ('one\ntwo\nthree four', '...\ntwo\n...', 'one\n...\nthree ...'):
            self.assertEqual(problems_of({**CLEAN, **page(shown)}), [])
        for shown in ('one\nthree four', 'two\n...\none', '2'):
            self.expect(page(shown), 'no golden test prints what follows')

    def test_leftovers(self):
        self.expect({'notes.bak': ''}, 'leftover')


if __name__ == '__main__':
    unittest.main()
