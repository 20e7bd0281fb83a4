#!/usr/bin/env python3
"""A certificate explained says what the check said that wrote it, in every form.

    explain_test.py ISOLDE

Each history that the schemas are tested with is checked at some levels, one at a time; then the
certificate is explained. The documents of both must be the same but for the seconds, the work and
the memory. All histories where random tests have at least half of their cases; else some, others in
each run.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import cases
import public_schemas

FORMS = ('dot', 'edn', 'html', 'junit', 'sarif')
MEASURES = re.compile(rb'"seconds":\{[^}]*\}|"work":\{[^}]*\}|"peak_rss_bytes":\d+| time="[0-9.]*"')


def documents(isolde, folder, arguments):
    """Exit code, standard output, and what the files hold, without measurements."""
    files = {form: os.path.join(folder, form) for form in FORMS}
    for file in files.values():
        if os.path.exists(file):
            os.unlink(file)
    options = [text for form, file in files.items() for text in (f'--{form}', file)]
    done = subprocess.run([isolde, *arguments, '--json', *options], cwd=folder,
                          capture_output=True, check=False, timeout=100)
    found = {'json': done.stdout}
    for form, file in files.items():
        if os.path.exists(file):  # there is no graph where nothing is violated
            with open(file, 'rb') as opened:
                found[form] = opened.read()
    return done.returncode, {form: MEASURES.sub(b'', text) for form, text in found.items()}


def compare(isolde, folder, history, level):
    """Whether there was a certificate, and what differs."""
    proof = os.path.join(folder, 'proof')
    if os.path.exists(proof):
        os.unlink(proof)
    checked = documents(isolde, folder, ['check', '--no-progress', '--level', level,
                                         '--certificate', proof, history])
    if not os.path.exists(proof):
        return False, []
    explained = documents(isolde, folder, ['explain', proof, history])
    if explained[0] != 0:
        return True, [f'exit code {explained[0]}']
    return True, [form for form in {**checked[1], **explained[1]}
                  if checked[1].get(form) != explained[1].get(form)]


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 3
    rng = random.Random(cases.run_seed())
    isolde = os.path.abspath(argv[0])
    compared, bad = 0, []
    with tempfile.TemporaryDirectory() as folder:
        histories = public_schemas.histories()
        levels = list(json.loads(subprocess.run(
            [isolde, 'check', '--json', '--no-progress', histories[0]], capture_output=True,
            check=False).stdout)['levels'])
        least = 100
        some = max(cases.case_count(2 * len(histories)), len(histories) // 8)
        if some < len(histories):
            histories = rng.sample(histories, some)
            least = 1
        for history in histories:
            for level in {'serializable', 'repeatable-read', rng.choice(levels)}:
                is_proved, differs = compare(isolde, folder, history, level)
                compared += is_proved
                bad += [f'{history} at {level}: {what}' for what in differs]
    print('\n'.join(bad + [f'{compared} certificates, {len(bad)} differences']))
    return 1 if bad or compared < least else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
