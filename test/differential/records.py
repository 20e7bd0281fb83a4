"""What the logs of Cobra and Vbox share: a read names the write that it saw."""
from collections import Counter


def tell_apart(named):
    """Whether the id of a write alone tells the writes of every key apart. `named` holds
    (key, transaction, id) of all writes that were made or read."""
    return max(Counter((key, write) for key, _, write in set(named)).values(), default=1) == 1


def spelling(named):
    """How the write (transaction, id) is called as a value."""
    if tell_apart(named):
        return lambda txn, write: str(write)
    return lambda txn, write: f'"{txn}/{write}"'
