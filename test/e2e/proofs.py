"""What runs of these tests have in common."""
import subprocess


def refused(isolde, report, history):
    """Why a proof of a JSON report was not accepted; empty: `isolde verify` accepts all."""
    for name, level in report['levels'].items():
        if level['certificate'] is None:
            continue
        verified = subprocess.run([isolde, 'verify', level['certificate'], history],
                                  capture_output=True, text=True, check=False)
        if verified.returncode != 0:
            return f'proof for {name} not accepted: {verified.stdout}{verified.stderr}'
    return ''
