"""Tests a storage engine that one is writing, in Python, with pytest: several clients, everything
they do on record, and the isolation level of the record as the assertion. The "engine" is a
dictionary, with a lock for each transaction or for each access only; put yours in its place.

    pytest test_engine.py
"""
import concurrent.futures
import contextlib
import itertools
import threading
import time

import isolde
import pytest


class Store:
    """Transactions on a dictionary."""

    def __init__(self, lock_transactions):
        self.rows = {}
        self.lock = threading.Lock() if lock_transactions else contextlib.nullcontext()

    @contextlib.contextmanager
    def transaction(self):
        with self.lock:
            yield self.rows


def run_client(store, session, values):
    for number in range(25):
        key = f'account {number % 3}'
        with session.transaction() as record:  # begins before the first request, commits at the end
            with store.transaction() as rows:
                record.read(key, rows.get(key))  # after the answer has come
                time.sleep(0.0001)               # the client computes, others get a turn
                value = next(values)             # no value is written twice
                record.write(key, value)         # before the request is sent
                rows[key] = value


def run(store, recorder):
    values = itertools.count(1)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        clients = [pool.submit(run_client, store, recorder.session(f'client {number}'), values)
                   for number in range(4)]
    for client in clients:
        client.result()  # raises what the client has raised
    recorder.close()
    return recorder.path


def test_with_a_lock_for_each_transaction(isolde_recorder):
    history = run(Store(lock_transactions=True), isolde_recorder)
    isolde.assert_level(history, 'strict-serializable', seconds=60)


def test_without_it_updates_are_lost(isolde_recorder):
    history = run(Store(lock_transactions=False), isolde_recorder)
    with pytest.raises(AssertionError, match='Lost update'):
        isolde.assert_level(history, 'snapshot-isolation', seconds=60)
