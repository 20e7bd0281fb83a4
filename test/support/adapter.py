#!/usr/bin/env python3
"""An adapter for tests of `exec:`: a dictionary, changed at commit, for all sessions. With a
fault it does one thing wrong, from the request of that name on or at a name of its own.

    adapter.py [FAULT [ARGUMENT [FILE]]]

exit REQUEST, garbage REQUEST, silent REQUEST (with FILE once only: it makes the file, and where there is
one it answers), strange-id REQUEST, no-object REQUEST, aborted
REQUEST, unknown REQUEST, failed REQUEST, disconnect REQUEST, odd-outcome REQUEST, bare REQUEST (no
fields), error REQUEST, committed REQUEST, maybe-connected REQUEST, twice REQUEST, late (answers in pairs, the second first), dirty (writes at once), deaf (never ends), gasp REQUEST
(garbage, then the end), half REQUEST (half a line, then the end), chatty REQUEST (answers, then garbage,
then the end), bye (garbage when it is told to end), promises LEVEL, named NAME (its second
isolation), misspells WRONG RIGHT (an operation), mute REQUEST (closes its standard output), waits REQUEST FILE (answers once there is the
file; FILE.begun is there since it waits), quotes (the variable DB_PASSWORD, wherever it says anything)
"""
import json
import os
import signal
import sys
import time

FAULT = sys.argv[1] if len(sys.argv) > 1 else ''
AT = sys.argv[2] if len(sys.argv) > 2 else ''
rows, lists, open_now, held = {}, {}, {}, []

HELLO = {'version': 1, 'name': 'Dictionary 1.0', 'sessions': 'many',
         'operations': ['read', 'write', 'append', 'read-list', 'compare-and-set', 'fly'],
         'isolations': [{'name': 'none'}, {'name': 'best', 'promise': 'serializable'}]}
if FAULT == 'promises':
    HELLO['isolations'][1]['promise'] = AT
if FAULT == 'quotes':
    HELLO['name'] += ' for ' + os.environ['DB_PASSWORD']
    HELLO['isolations'][1]['note'] = 'as ' + os.environ['DB_PASSWORD'] + ' says'
if FAULT == 'misspells':
    HELLO['operations'] = [AT if each == sys.argv[3] else each for each in HELLO['operations']]
if FAULT == 'named':
    HELLO['isolations'][1]['name'] = AT


def do_hello(_):
    return HELLO if AT not in HELLO or FAULT != 'lacks' else {
        field: HELLO[field] for field in HELLO if field != AT}


def do_create(request):
    rows.clear()
    lists.clear()
    return {}


def do_destroy(_):
    return {}


def do_open(request):
    return {'server': f'dictionary {request["session"]}' + (
        ' of ' + os.environ['DB_PASSWORD'] if FAULT == 'quotes' else '')}


def do_close(_):
    return {}


def do_begin(request):
    open_now[request['session']] = ({}, {})
    return {}


def mine(request):
    """What the session writes: now, or at its commit."""
    return (rows, lists) if FAULT == 'dirty' else open_now[request['session']]


def do_read(request):
    return {'value': mine(request)[0].get(request['key'], rows.get(request['key']))}


def do_write(request):
    mine(request)[0][request['key']] = request['value']
    return {}


def do_append(request):
    own, key = mine(request)[1], request['key']
    own[key] = own.get(key, lists.get(key, [])) + [request['value']]
    return {}


def do_read_list(request):
    return {'values': mine(request)[1].get(request['key'], lists.get(request['key'], []))}


def do_compare_and_set(request):
    found = rows.get(request['key'])
    if found != request['expected']:
        return {'applied': False, 'value': found}
    rows[request['key']] = request['value']
    return {'applied': True}


def do_commit(request):
    own_rows, own_lists = open_now.pop(request['session'])
    rows.update(own_rows)
    lists.update(own_lists)
    return {'outcome': 'committed'}


def do_abort(request):
    open_now.pop(request['session'])
    return {'outcome': 'aborted'}


def say(answer):
    print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)


def answer_of(request):
    answer = globals()['do_' + request['do'].replace('-', '_')](request)
    if request['do'] != AT:
        return answer
    if FAULT == 'exit':
        sys.exit(7)
    if FAULT == 'quotes':
        return {'outcome': 'failed', 'message': 'no login with ' + os.environ['DB_PASSWORD']}
    if FAULT in ('aborted', 'unknown', 'failed'):
        open_now.pop(request.get('session'), None)
        return {'outcome': FAULT, 'message': f'{FAULT}\nas told'}
    return {'disconnect': {'outcome': 'aborted', 'connected': False},
            'odd-outcome': {'outcome': 'fine'}, 'bare': {}, 'error': {'error': 'disk full'},
            'committed': {'outcome': 'committed'},
            'maybe-connected': {**answer, 'connected': 'no'}}.get(FAULT, answer)


def is_first():
    """No adapter was silent before, if that matters."""
    if len(sys.argv) < 4:
        return True
    try:
        os.close(os.open(sys.argv[3], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def serve(request):
    answer = answer_of(request)
    if FAULT == 'silent' and request['do'] == AT and is_first():
        return
    if FAULT == 'waits' and request['do'] == AT:
        with open(sys.argv[3] + '.begun', 'w', encoding='ascii'):
            pass
        while not os.path.exists(sys.argv[3]):
            time.sleep(0.01)
    if FAULT == 'mute' and request['do'] == AT:
        os.close(1)
        return
    if FAULT == 'garbage' and request['do'] == AT:
        say('Traceback\x1b[31m of mine')
        return
    if FAULT in ('gasp', 'half') and request['do'] == AT:
        sys.stdout.write('Segfault' + ('\n' if FAULT == 'gasp' else ''))
        sys.exit(7)
    if FAULT == 'no-object' and request['do'] == AT:
        say('[1]')
        return
    number = request['id'] + (1000 if FAULT == 'strange-id' and request['do'] == AT else 0)
    held.append({'id': number, **answer})
    if FAULT == 'late' and request['do'] == 'read' and len(held) == 1:
        return  # until somebody else asks
    while held:
        say(held[-1])
        if FAULT == 'twice' and request['do'] == AT:
            say(held[-1])
        held.pop()
    if FAULT == 'chatty' and request['do'] == AT:
        say('done with ' + AT)
        sys.exit(0)


def main():
    if FAULT == 'deaf':
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        serve(json.loads(line))
    if FAULT == 'bye':
        say('bye')
    while FAULT == 'deaf':
        time.sleep(1)


main()
