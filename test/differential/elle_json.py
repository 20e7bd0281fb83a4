"""The histories of elle-cli: those of Jepsen as JSON, in one array or a line each."""
import json

from jepsen import KINDS, Store, history_of
from making import sized
from model import Malformed, decode, only, parse_json


def read(files):
    text = decode(only(files))
    if text.lstrip().startswith('['):
        records = parse_json(text)
    else:
        records = [parse_json(line) for line in text.split('\n') if line.strip()]
    for record in records:
        if not isinstance(record, dict) or record.get('type') not in KINDS:
            raise Malformed(f'entry {record}')
    return history_of([{name: record.get(name)
                        for name in ('type', 'value', 'process', 'time', 'index')}
                       for record in records], {'r': 'r', 'w': 'w', 'append': 'append'})


def make(rng, size):
    lines = sized((json.dumps(entry) for entry in Store(rng).entries()), size)
    text = '[' + ',\n'.join(lines) + ']' if rng.random() < 0.5 else '\n'.join(lines)
    return [('made.json', text.encode())]
