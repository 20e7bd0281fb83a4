#!/usr/bin/env python3
"""Tests of the benchmark suite: bench/run on small histories, its arithmetic, its formats.

    suite_test.py ISOLDE

No test looks at how long anything took.
"""
import csv
import itertools
import json
import os
import pathlib
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'bench'))
import measure  # noqa: E402
import peer_formats  # noqa: E402
import peers  # noqa: E402
import recipes  # noqa: E402
import tables  # noqa: E402

ISOLDE = None  # from the command line
QUICK = ['--size', '10k', '--repeat', '1', '--idle-wait', '0']


def bench(*arguments, isolde=None):
    return subprocess.run([sys.executable, ROOT / 'bench' / 'run', '--isolde', isolde or ISOLDE,
                           *arguments], capture_output=True, text=True, check=False)


def script(folder, text):
    """A program in `folder`."""
    path = pathlib.Path(folder) / 'program'
    path.write_text('#!/bin/sh\n' + text, encoding='utf-8')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class RunTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def rows(self, *arguments):
        """The rows that a run writes, which has to succeed."""
        path = self.folder / 'rows.csv'
        done = bench(*arguments, '--csv', str(path))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(path, encoding='utf-8') as file:
            return list(csv.DictReader(file)), done.stdout

    def test_measures_cases_of_both_verdicts_and_formats(self):
        rows, text = self.rows('--only', '^(blindw-rw-ser|mav-violated-late|blindw-rw-tcc)-10k$',
                               *QUICK)
        self.assertEqual({row['recipe']: row['verdict'] for row in rows},
                         {'blindw-rw-ser-10k': 'holds', 'mav-violated-late-10k': 'violated',
                          'blindw-rw-tcc-10k': 'holds'})
        for row in rows:
            for key in ('load s', 'check s', 'certificate s', 'verify s', 'wall s', 'CPU s',
                        'peak MB', 'operations', 'file MB', 'bytes/operation'):
                self.assertGreater(float(row[key]), 0, key)
        self.assertIn('| Vbox | serializable |', text)

    def test_finds_violations_that_only_a_search_shows(self):
        rows, _ = self.rows('--only', '^(si|ser)-violated-hidden-10k$', *QUICK)
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertGreater(int(row['conflicts']), 0, row['recipe'])

    def test_compares_threads(self):
        rows, text = self.rows('--only', '^mini-ser-10k$', '--threads', '1,2', *QUICK)
        self.assertEqual([row['threads'] for row in rows], ['1', '2'])
        self.assertIn('| mini-ser-10k | 2 for 1 |', text)

    def test_keeps_histories(self):
        keep = self.folder / 'keep'
        found = []
        for _ in range(2):
            self.rows('--only', '^mini-ser-10k$', '--keep', str(keep), *QUICK)
            found.append([(path.name, path.stat().st_mtime_ns) for path in keep.iterdir()])
        self.assertEqual(len(found[0]), 1)
        self.assertEqual(found[0], found[1])

    def test_a_wrong_verdict_fails(self):
        # A checker that says of every level that it holds.
        fake = script(self.folder, f'{ISOLDE} "$@" | sed s/violated/holds/g\nexit 0\n')
        done = bench('--only', '^rc-violated-late-10k$', *QUICK, isolde=str(fake))
        self.assertEqual(done.returncode, 1)
        self.assertIn('WRONG rc-violated-late-10k: read-committed: holds, expected violated',
                      done.stderr)
        self.assertNotIn('| rc-violated-late-10k |', done.stdout)

    def test_a_certificate_that_does_not_verify_fails(self):
        fake = script(self.folder, f'[ "$1" != verify ] || exit 1\nexec {ISOLDE} "$@"\n')
        done = bench('--only', '^mini-ser-10k$', *QUICK, isolde=str(fake))
        self.assertEqual(done.returncode, 1)
        self.assertIn('WRONG mini-ser-10k: proof does not verify', done.stderr)

    def test_runs_a_peer_on_the_same_history(self):
        # No other checker is at hand: Isolde stands in, through formats of others.
        arguments = 'check --no-progress --level {level} {history}'
        # What a peer says is its last line: here the verdict, not the evidence behind it.
        path = script(self.folder, f'{ISOLDE} "$@" > out; code=$?; sed /^Evidence/,\\$d out; exit $code\n')
        broken = script(tempfile.mkdtemp(dir=self.folder), 'echo "no memory" >&2; exit 7\n')
        done = bench('--only', '^(mini-ser|list-append-sser|sser-violated-late)-10k$', *QUICK,
                     '--peer', f'cobra={path}:{arguments}',
                     '--peer', f'stand-in@vbox={path}:{arguments}', '--peer', f'isolde={path}',
                     '--peer', f'awdit={broken}', '--peer', f'mtc-ser={broken}')
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [[cell.strip() for cell in line.split('|')[1:-1]]
                for line in done.stdout.splitlines()]
        found = {(row[0], row[2]): row for row in rows if len(row) == 10}
        self.assertEqual(found['cobra', 'mini-ser-10k'][7:9], ['0', 'serializable  holds'])
        self.assertEqual(found['stand-in', 'mini-ser-10k'][7], '0')
        self.assertEqual(found['stand-in', 'sser-violated-late-10k'][7], '1')
        self.assertEqual(found['isolde', 'list-append-sser-10k'][7], '0')
        self.assertEqual(found['stand-in', 'list-append-sser-10k'][8], 'the format has no lists')
        self.assertEqual(found['awdit', 'mini-ser-10k'][8], 'has no such level')
        self.assertEqual(found['mtc-ser', 'mini-ser-10k'][7:9], ['7', 'no memory'])

    def test_refuses_what_it_does_not_know(self):
        for arguments in (['--group', 'nothing'], ['--size', '11k'], ['--peer', 'nobody=x'],
                          ['--peer', 'awdit=' + str(self.folder / 'none')], ['--repeat', '0']):
            self.assertEqual(bench(*arguments).returncode, 2, arguments)
        self.assertEqual(bench('--only', 'nothing-of-this-name').returncode, 3)


class DocumentsTest(unittest.TestCase):
    def test_commands_in_documents_name_what_there_is(self):
        page = (ROOT / 'docs' / 'BENCHMARKS.md').read_text(encoding='utf-8')
        commands = [line for line in page.splitlines() if line.startswith('bench/run')]
        self.assertGreater(len(commands), 5)
        for command in commands:
            words = shlex.split(command, comments=True)
            done = bench(*words[1:], '--list')
            self.assertEqual(done.returncode, 0, command + '\n' + done.stderr)
            self.assertGreater(len(done.stdout.splitlines()), 2, command)
        for group in recipes.GROUPS:
            self.assertIn(f'`{group}`', page)


class RecipesTest(unittest.TestCase):
    def test_names_tell_recipes_apart(self):
        names = [recipe.name for recipe in recipes.RECIPES]
        self.assertEqual(len(names), len(set(names)))

    def test_every_level_of_the_ladder_is_violated_early_and_late(self):
        names = {case.name for case in recipes.chosen(['violated'], '', ['10k'])}
        for level in ('rc', 'mav', 'ra', 'tcc', 'psi', 'si', 'ser', 'ssser', 'sser'):
            self.assertLessEqual({f'{level}-violated-early-10k', f'{level}-violated-late-10k'},
                                 names)

    def test_published_figures_are_of_cases_that_exist(self):
        with_figures = set()
        for row in tables.read_published():
            self.assertTrue(row['source'], row)
            found = {recipe.name for recipe in recipes.RECIPES for size in recipes.SIZES
                     if re.fullmatch(row['cases'], f'{recipe.name}-{size}')}
            self.assertTrue(found, row)
            with_figures |= found
        self.assertEqual(with_figures, {recipe.name for recipe in recipes.RECIPES
                                        if 'published' in recipe.groups})


class TablesTest(unittest.TestCase):
    def test_exponents(self):
        small, large = {'operations': 1000, 's': 2.0}, {'operations': 8000, 's': 16.0}
        self.assertAlmostEqual(tables.exponent(small, large, 's'), 1)
        large['s'] = 128.0
        self.assertAlmostEqual(tables.exponent(small, large, 's'), 2)
        self.assertIsNone(tables.exponent(small, {'operations': 1000, 's': 3.0}, 's'))

    def test_growth_goes_from_size_to_size(self):
        rows = [{'recipe': f'a-{count}', 'threads': 1, 'operations': count, 'load s': count * 1.0,
                 'check s': count * 1.0, 'wall s': count * 2.0, 'CPU s': count * 2.0,
                 'peak MB': 5.0} for count in (100, 10, 1000)]
        grown = list(tables.growth_rows(rows, lambda row: 'a'))
        self.assertEqual([row['operations'] for row in grown], ['10 to 100', '100 to 1000'])
        for row in grown:
            self.assertAlmostEqual(row['check s exponent'], 1)
            self.assertAlmostEqual(row['peak MB exponent'], 0)

    def test_numbers_keep_three_digits(self):
        self.assertEqual([tables.number(value) for value in (0.012345, 1.2345, 12.345, 12345.6, 0.0,
                                                             None, 7, 'x')],
                         ['0.0123', '1.23', '12.3', '12346', '0', '', '7', 'x'])


class MeasureTest(unittest.TestCase):
    def run_of(self, others):
        return measure.Run(1.0, 1.0, 1, others, 0, '')

    def setUp(self):
        patch = mock.patch.object(measure, 'wait_until_idle')
        self.wait = patch.start()
        self.addCleanup(patch.stop)

    def test_disturbed_runs_are_made_again(self):
        shares = itertools.chain([0.5, 0.0, 0.2, 0.01], itertools.repeat(0.9))
        runs = measure.quiet_runs(lambda: self.run_of(next(shares)), 2, 100)
        self.assertEqual([run.others for run in runs], [0.0, 0.01])

    def test_the_least_disturbed_are_kept_when_there_is_no_end(self):
        shares = iter([0.9, 0.5, 0.0] + [0.7] * (3 * measure.RETRIES))
        runs = measure.quiet_runs(lambda: self.run_of(next(shares)), 3, 100)
        self.assertEqual([run.others for run in runs], [0.0, 0.5, 0.7])
        self.assertEqual(sum(run.disturbed for run in runs), 2)

    def test_takes_what_comes_when_it_does_not_wait(self):
        runs = measure.quiet_runs(lambda: self.run_of(0.9), 2, 0)
        self.assertEqual(len(runs), 2)
        self.wait.assert_not_called()

    def test_waits_no_longer_than_it_may(self):
        clock = itertools.count(step=60)  # seconds, each time that somebody looks
        with mock.patch.object(measure.time, 'monotonic', lambda: float(next(clock))):
            runs = measure.quiet_runs(lambda: self.run_of(0.9), 1, 100)
        self.assertEqual(len(runs), 1)
        self.assertEqual([call.args for call in self.wait.call_args_list], [(100,), (40.0,)])

    def test_own_time_is_not_that_of_others(self):
        self.assertEqual(measure.share_of_others(2.0, 2.0, 1.0), 0)
        self.assertEqual(measure.share_of_others(1.01, 1.0, 1.0), 0)  # a tick
        self.assertGreater(measure.share_of_others(1.5, 1.0, 1.0), 0.4)

    def test_kills_what_takes_too_long(self):
        run = measure.run_once(['sleep', '1000'], timeout=0.2)
        self.assertIsNone(run.code)
        run = measure.run_once(['sh', '-c', 'echo out; echo err >&2; exit 3'], timeout=60)
        self.assertEqual((run.code, run.output), (3, 'out\nerr\n'))


class FormatsTest(unittest.TestCase):
    """What is written for others says what Isolde's own format says: Isolde reads it back."""

    def verdicts(self, path, levels):
        done = subprocess.run([ISOLDE, 'check', '--json', '--no-progress', '--level',
                               ','.join(levels), path], capture_output=True, text=True,
                              check=False)
        self.assertTrue(done.stdout, done.stderr)
        report = json.loads(done.stdout)
        return report['format'], {level: answer['verdict']
                                  for level, answer in report['levels'].items()}

    def compare(self, options, formats, levels):
        with tempfile.TemporaryDirectory() as folder:
            history = os.path.join(folder, 'history.jsonl')
            subprocess.run([ISOLDE, 'gen', *options, '--txns', '1000', '--seed', '2', '--out',
                            history], check=True)
            _, own = self.verdicts(history, levels)
            txns = peer_formats.read_native(history)
            for name, (write, ending) in peer_formats.WRITERS.items():
                if name not in formats:
                    continue
                path = pathlib.Path(folder) / ('other-' + name + ending)
                write(txns, path)
                read_as, found = self.verdicts(path / '0.json' if name == 'dbcop-json' else path,
                                               levels)
                self.assertEqual(read_as, 'plume' if name == 'polysi' else name)
                self.assertEqual(found, own, name)
            return own

    def test_registers(self):
        formats = set(peer_formats.WRITERS) - {'native'}
        levels = [recipes.RC, recipes.TCC, recipes.PSI, recipes.SI, recipes.SER]
        own = self.compare(['--workload', 'ycsb', '--keys', '200', '--isolation', 'serializable',
                            '--fault', 'long-fork', '--fault-rate', '0.1'], formats, levels)
        self.assertEqual(own[recipes.SI], 'violated')
        self.assertEqual(own[recipes.PSI], 'holds')

    def test_times_and_lists(self):
        stale = ['--isolation', 'serializable', '--staleness', 'session']
        for workload, formats in (('list-append', {'elle-json'}), ('mini', {'elle-json', 'vbox'})):
            own = self.compare(['--workload', workload, *stale], formats,
                               [recipes.SSER, recipes.SSSER])
            self.assertEqual(own[recipes.SSER], 'violated')
            self.assertEqual(own[recipes.SSSER], 'holds')

    def test_aborted_reads(self):
        own = self.compare(['--workload', 'rmw', '--keys', '50', '--fault', 'aborted-read',
                            '--fault-rate', '0.2'],
                           {'plume', 'dbcop', 'dbcop-json', 'vbox', 'elle-json'}, [recipes.RC])
        self.assertEqual(own[recipes.RC], 'violated')

    def test_what_a_format_has_no_room_for_is_said(self):
        write = peer_formats.write_cobra
        aborted = [peer_formats.Txn(0, 1, False, None, None, [('w', 0, 1)]),
                   peer_formats.Txn(1, 2, True, None, None, [('r', 0, 1)])]
        with self.assertRaisesRegex(peer_formats.NotWritable, 'aborted'):
            write(aborted, None)
        with self.assertRaisesRegex(peer_formats.NotWritable, 'lists'):
            write([peer_formats.Txn(0, 1, True, None, None, [('append', 0, 1)])], None)

    def test_arguments_of_peers(self):
        peer = peers.Peer('awdit', peers.KINDS['awdit'], pathlib.Path('/opt/awdit'))
        self.assertEqual(peer.command(recipes.TCC, 'h.txt', ''),
                         ['/opt/awdit', 'check', '-i', 'causal', 'h.txt'])
        peer = peers.Peer('elle-cli', peers.KINDS['elle-cli'], pathlib.Path('/opt/elle.jar'))
        self.assertEqual(peer.command(recipes.SSER, 'h.json', 'list-append'),
                         ['java', '-jar', '/opt/elle.jar', '--model', 'list-append',
                          '--consistency-models', 'strict-serializable', 'h.json'])


if __name__ == '__main__':
    ISOLDE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
