"""What runs of these tests have in common."""
import os
import subprocess
import sys


VERIFIER = os.path.join(os.path.dirname(__file__), '..', '..', 'tools', 'verify.py')


def refused(isolde, report, history, *options, both=False):
    """Why a proof of a JSON report was not accepted; empty: `isolde verify` accepts all.

    `both`: tools/verify.py has to accept them, too.
    """
    verifiers = [[isolde, 'verify']] + [[sys.executable, VERIFIER]] * both
    for name, level in report['levels'].items():
        if level['certificate'] is None:
            continue
        for verifier in verifiers:
            verified = subprocess.run([*verifier, *options, level['certificate'], history],
                                      capture_output=True, text=True, check=False)
            if verified.returncode != 0:
                return f'proof for {name} not accepted: {verified.stdout}{verified.stderr}'
    return ''
