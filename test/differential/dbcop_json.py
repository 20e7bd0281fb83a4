"""dbcop's JSON."""
import json

from making import Workload
from model import (ABORTED, COMMITTED, History, Malformed, Txn, decode, only, parse_json, token,
                   zero_is_initial)


def event(record):
    if not isinstance(record, dict) or len(record) != 1:
        raise Malformed(f'event {record}')
    (kind, what), = record.items()
    if kind not in ('Read', 'Write') or not isinstance(what, dict) or 'variable' not in what:
        raise Malformed(f'event {record}')
    key, version = token(what['variable']), what.get('version')
    if kind == 'Write':
        return ('w', key, token(version))
    return ('r', key, None if version is None else token(version))


def transaction(record):
    if not isinstance(record, dict) or not isinstance(record.get('events'), list):
        raise Malformed(f'transaction {record}')
    if not isinstance(record.get('committed'), bool):
        raise Malformed(f'committed is {record.get("committed")}')
    return Txn(COMMITTED if record['committed'] else ABORTED,
               [event(one) for one in record['events']])


def read(files):
    data = parse_json(decode(only(files)))
    if isinstance(data, dict):
        data = data.get('data')
    if not isinstance(data, list) or not all(isinstance(session, list) for session in data):
        raise Malformed('no array of sessions')
    history = History({str(number): [transaction(record) for record in session]
                       for number, session in enumerate(data)})
    zero_is_initial(history)
    return history


def make(rng, size):
    work, sessions, length = Workload(rng), [[] for _ in range(rng.randint(1, 5))], 0
    named = rng.random() < 0.5
    while length < size:
        events = []
        for function, key, value in work.ops():
            what = {'variable': f'k"{key}' if named else key,
                    'version': None if function == 'r' and value == 0 and rng.random() < 0.5
                    else value}
            events.append({'Write' if function == 'w' else 'Read':
                           dict(sorted(what.items(), reverse=rng.random() < 0.1))})
        sessions[-1 if rng.random() < 0.5 else 0].append(
            {'events': events, 'committed': rng.random() > 0.1})
        length += 30 + 50 * len(events)
    data = sessions
    if rng.random() < 0.5:
        data = {'params': {'id': 0, 'n_node': len(sessions)}, 'info': 'made', 'start': '', 'end': '',
                'data': sessions}
    return [('made.json', json.dumps(data, indent=rng.choice((None, 1))).encode())]
