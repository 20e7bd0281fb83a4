"""Lets `isolde run` drive a storage engine: requests on standard input, answers on standard
output, one JSON object a line. docs/adapters.md is the protocol.

    isolde run --db 'exec:python3 tinystore_adapter.py' --workload write-skew --keys 4 \\
      --sessions 8 --txns 2000 --out history.jsonl
"""
import json
import sys

from tinystore import Conflict, Store

HELLO = {'version': 1, 'name': 'tinystore 0.1', 'sessions': 'many',
         'operations': ['read', 'write'],
         'isolations': [{'name': 'optimistic', 'promise': 'strict-serializable'}]}
store = Store()
running = {}  # session: its transaction


def answer(request):
    do, session = request['do'], request.get('session')
    if do == 'hello':
        return HELLO
    if do == 'begin':
        running[session] = store.begin()
    elif do == 'read':
        return {'value': running[session].get(request['key'])}
    elif do == 'write':
        running[session].put(request['key'], request['value'])
    elif do == 'commit':
        try:
            running.pop(session).commit()
        except Conflict as conflict:
            return {'outcome': 'aborted', 'message': f'conflict: {conflict}'}
        return {'outcome': 'committed'}
    elif do == 'abort':
        del running[session]
    return {}  # create, open, close and destroy have nothing to do


if sys.stdin.isatty():  # nobody types requests
    sys.exit("usage: isolde run --db 'exec:python3 tinystore_adapter.py' ...")
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({'id': asked['id'], **answer(asked)}), flush=True)
