#!/usr/bin/env python3
"""Goal: mutate.py changes what decides something, and nothing else. Method: small texts; the tree."""
import argparse
import sys
import unittest

import mutate


def changes(text):
    """The mutants of a text, as it then reads."""
    found = []
    for each in mutate.mutants_of('a.cpp', text):
        line = text.split('\n')[each.line]
        assert line.startswith(each.old, each.column)
        found.append(line[:each.column] + each.new + line[each.column + len(each.old):])
    return found


class Mutants(unittest.TestCase):
    def test_comparisons_and_conditions(self):
        self.assertEqual(changes('  if (a < b && c) return true;'),
                         ['  if (a <= b && c) return true;', '  if (a < b || c) return true;',
                          '  if (a < b && c) return false;', '  if (!(a < b && c)) return true;'])

    def test_loops_and_sums(self):
        self.assertEqual(changes('for (int i = 0; i != n; ++i) x[i + 1] = y;'),
                         ['for (int i = 0; i == n; ++i) x[i + 1] = y;',
                          'for (int i = 0; i != n; ++i) x[i] = y;'])

    def test_what_decides_nothing(self):
        for text in ('// a < b', 'x = "a < b";  // c == d', 'template <typename T, int n = 2 + 1>',
                     'ISOLDE_ASSERT(a < b);', 'ISOLDE_CHECK(a &&\n             b < c);',
                     'bool operator==(A a, A b) { return false; }'):
            self.assertEqual(changes(text), [], text)

    def test_a_sample_is_of_the_tree_and_repeats_itself(self):
        options = argparse.Namespace(files='src/solver/*', sample=5, seed=3)
        chosen = mutate.choose(options)
        self.assertEqual(len(chosen), 5)
        self.assertEqual(chosen, mutate.choose(options))
        self.assertTrue(all(each.path.startswith('src/solver/') for each in chosen))
        for each in chosen:
            self.assertTrue(mutate.programs_of(each.path))


if __name__ == '__main__':
    sys.exit(unittest.main())
