"""What random tests in Python share; test/support/seed.hpp has the same for C++."""
import os
import random


def run_seed():
    """Seed of this run: ISOLDE_SEED, or else a fresh one; printed."""
    seed = int(os.environ.get('ISOLDE_SEED') or random.SystemRandom().getrandbits(32))
    print(f'ISOLDE_SEED={seed} repeats this run')
    return seed


def case_count(usual):
    """Number of cases: ISOLDE_CASES, a number or a percentage of `usual`, or else `usual`."""
    setting = os.environ.get('ISOLDE_CASES') or str(usual)
    if not setting.endswith('%'):
        return int(setting)
    return max(1, usual * int(setting[:-1]) // 100)
