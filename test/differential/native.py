"""Isolde's own format, docs/formats/native.md: what the program says that it has read."""
from model import (ABORTED, COMMITTED, UNKNOWN, History, Malformed, Txn, parse_json, row, selection,
                   token)

STATUS = {'committed': COMMITTED, 'aborted': ABORTED, 'indeterminate': UNKNOWN}


def read(files):
    (_, data), = files
    lines = data.decode('utf-8').split('\n')
    header = parse_json(lines[0])
    if header.get('isolde') not in (1, 2) or header.get('kind') != 'history':
        raise Malformed(f'header {lines[0]}')
    history = History({name: [] for name in header.get('sessions', [])},
                      header.get('times') == 'order',
                      {token(key): token(value) for key, value in header.get('initial', ())})
    for line in lines[1:]:
        record = parse_json(line) if line.strip() else {'event': ''}
        if 'event' in record:
            continue
        label = record.get('id')
        history.session(str(record['session'])).append(
            Txn(STATUS[record.get('status', 'committed')], [operation(op) for op in record['ops']],
                record.get('start'), record.get('end'), None if label is None else str(label)))
    return history


def bounds(condition):
    """{column: (lowest, highest)} of a condition that has no more than these."""
    if set(condition) != {'columns'}:
        raise Malformed(f'condition {condition}')
    return {column: (test, test) if isinstance(test, int) else (test['min'], test['max'])
            for column, test in condition['columns'].items()}


def columns(value):
    return row(value) if isinstance(value, dict) else token(value)


def operation(op):
    if op[0] == 'select':
        _, condition, rows = op
        # {} tells no more than the key alone.
        return selection(bounds(condition), [(token(key), *(columns(each) for each in told if each != {}))
                                             for key, *told in rows])
    if op[0] == 'w' and isinstance(op[2], dict):
        return ('w', token(op[1]), row(op[2]))
    if op[0] in ('w', 'append') and len(op) == 3:
        return (op[0], token(op[1]), token(op[2]))
    if op[0] == 'inc' and len(op) == 3:
        return ('inc', token(op[1]), op[2])
    if op[0] != 'r' or len(op) not in (2, 3):
        raise Malformed(f'operation {op}')
    if len(op) == 2:
        return ('r?', token(op[1]))
    if isinstance(op[2], dict):
        return ('r-not', token(op[1]), token(op[2]['not']))
    if op[2] is None or op[2] == []:
        return ('r', token(op[1]), None)
    if isinstance(op[2], list):
        return ('r', token(op[1]), tuple(token(element) for element in op[2]))
    return ('r', token(op[1]), token(op[2]))
