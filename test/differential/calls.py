"""What logs of invocations and completions share: which entries are one transaction."""
import dataclasses

from model import ABORTED, COMMITTED, UNKNOWN, Malformed

OUTCOMES = {'ok': COMMITTED, 'fail': ABORTED, 'info': UNKNOWN, None: UNKNOWN}


@dataclasses.dataclass
class Call:
    """One transaction: the entries that begin and end it, either of which may be missing."""
    session: str
    invocation: object = None
    completion: object = None
    kind: str = None  # ok, fail, info; None: the log ends before

    @property
    def outcome(self):
        return OUTCOMES[self.kind]

    @property
    def first(self):
        return self.completion if self.invocation is None else self.invocation


def pair(entries, complete=False):
    """Calls in the order of their first entries. An entry is (process, kind, what); a process of
    None is that of all entries without one, each call of which is a session of its own. In a complete log
    nothing ends that did not begin."""
    calls, running, lives = [], {}, {}
    for process, kind, what in entries:
        call = running.pop(process, None)
        if kind == 'invoke':
            if call is not None:
                raise Malformed(f'process {process} begins again before it has ended')
            call = Call(session_name(process, lives, len(calls)), what)
            running[process] = call
            calls.append(call)
            continue
        if call is None and complete:
            raise Malformed(f'process {process} ends what it did not begin')
        if call is None:
            call = Call(session_name(process, lives, len(calls)))
            calls.append(call)
        call.completion, call.kind = what, kind
        if kind == 'info':
            lives[process] = lives.get(process, 0) + 1
    return calls


def session_name(process, lives, number):
    if process is None:
        return f't{number}'
    life = lives.get(process, 0)
    return f'{process}.{life}' if life else str(process)
