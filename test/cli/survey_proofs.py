#!/usr/bin/env python3
"""Verifies what the pages of a survey link as proofs, with both verifiers.

    survey_proofs.py FOLDER

FOLDER is that of `isolde survey --pages`; `isolde` is in the path. Follows the links of the pages,
as their readers do. Each cell that was played must have the proof of a level that forbids its
anomaly, of a violation where it occurs, and each load that of the promised level.
"""
import collections
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tools'))
import verify  # noqa: E402

WORDS = {'violates': 'violated', 'satisfies': 'holds'}


def data_of(page):
    """What a page shows."""
    with open(page, encoding='utf-8') as file:
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>',
                                    file.read(), re.DOTALL).group(1))


def proved(page, files):
    """What the certificates among the links prove: (level, verdict)."""
    paths = {each['text']: os.path.join(os.path.dirname(page), each['to']) for each in files}
    claims = []
    for text, path in paths.items():
        said = re.fullmatch('the proof that it (violates|satisfies) (.*)', text)
        if not said:
            assert os.path.isfile(path), path
            continue
        claim = f'{said.group(2)} {WORDS[said.group(1)]}'
        done = subprocess.run(['isolde', 'verify', path, paths['the history']],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, f'{path}: {done.stdout}{done.stderr}'
        assert ' is '.join(claim.rsplit(' ', 1)) in done.stdout or claim in done.stdout, done.stdout
        with open(path, encoding='utf-8') as file:
            certificate = file.read()
        code, answer = verify.answer(certificate, verify.read_history(paths['the history']), 0)
        assert (code, answer) == (0, f'accepted: {claim}'), f'{path}: {answer}'
        claims.append((said.group(2), WORDS[said.group(1)]))
    return claims


def main(folder):
    index = os.path.join(folder, 'index.html')
    data = data_of(index)
    seen = collections.Counter()
    for setting in data['settings']:
        promised = setting['promise']['level']
        for load in setting['loads']:
            levels = [level for level, _ in proved(index, load['files'])]
            assert levels == [promised] * (promised is not None), load
            seen['proofs of loads'] += len(levels)
        for cell in setting['cells']:
            page = os.path.join(folder, cell['page'])
            shown = data_of(page)
            proofs = proved(page, shown['page']['files'])
            seen['cells'] += 1
            seen['proofs of cells'] += len(proofs)
            if cell['outcome'] == 'unknown':
                continue
            forbidden_by = shown['scenarios'][0]['forbidden_by']
            verdicts = {verdict for level, verdict in proofs if level in forbidden_by}
            expected = 'violated' if cell['outcome'] in ('occurs', 'other') else 'holds'
            assert expected in verdicts and (expected == 'violated' or len(verdicts) == 1), cell
            assert promised is None or promised in dict(proofs), cell
            assert {each['level'] for each in cell['certificates']} == set(dict(proofs)), cell
    print(', '.join(f'{count} {what}' for what, count in sorted(seen.items())))


if __name__ == '__main__':
    main(sys.argv[1])
