"""Tests a storage engine: clients take turns as a seed says, everything they do is on record,
and the isolation level of the record is the assertion. Put your engine in the place of tinystore.

    pytest test_tinystore.py
"""
import itertools
import random

import isolde
import pytest
from tinystore import Conflict, Store


def client(store, session, rng, values):
    """100 transactions of two keys, each read and perhaps written. `yield` lets others work."""
    for _ in range(100):
        record = session.begin()           # before the first request
        transaction = store.begin()
        for key in rng.sample(['x', 'y', 'z'], 2):
            yield
            record.read(key, transaction.get(key))  # after the answer
            if rng.random() < 0.5:
                yield
                value = next(values)       # no value is written twice
                record.write(key, value)   # before the request
                transaction.put(key, value)
        yield
        try:
            transaction.commit()
        except Conflict:
            record.abort()                 # has certainly not happened
        else:
            record.commit()                # after the answer


@pytest.mark.parametrize('seed', range(3))
def test_isolation(isolde_recorder, seed):
    rng, store, values = random.Random(seed), Store(), itertools.count(1)
    working = [client(store, isolde_recorder.session(f'client {number}'), rng, values)
               for number in range(4)]
    while working:
        turn = rng.choice(working)
        if next(turn, 'done') == 'done':
            working.remove(turn)
    isolde_recorder.close()
    isolde.assert_level(isolde_recorder.path, 'strict-serializable', seconds=60)
