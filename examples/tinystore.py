"""A storage engine to be tested: keys and values in memory, transactions without locks.

A transaction reads what is committed, keeps its writes to itself and makes them visible at commit.
"""


class Conflict(Exception):
    """The transaction has not happened. Run it again."""


class Store:
    def __init__(self):
        self.rows = {}     # key: (value, version)
        self.version = 0   # of the last commit

    def begin(self):
        return Transaction(self)


class Transaction:
    def __init__(self, store):
        self.store = store
        self.seen = {}     # key: the version that was read
        self.written = {}

    def get(self, key):
        if key in self.written:
            return self.written[key]
        value, self.seen[key] = self.store.rows.get(key, (None, 0))
        return value

    def put(self, key, value):
        self.written[key] = value

    def commit(self):
        self.store.version += 1
        for key, value in self.written.items():
            self.store.rows[key] = (value, self.store.version)
