#!/usr/bin/env python3
"""Verifies certificates of isolde: tools/verify.py [--clock-error NS] [--trust-versions]
CERTIFICATE HISTORY, or tools/verify.py [--clock-error NS] SEGMENTS HISTORY..., where several
histories are the files of a folder in their order.

A second verifier, in this file and in the folder verifier, written from docs/formats/
certificate.md, docs/formats/native.md and docs/LEVELS.md; segments go by docs/formats/segments.md. It shares nothing with `isolde verify`:
no code, no reader, no table. Histories are plain files in the native format. The digest in the
header is not compared: what is claimed has to hold for the history that is given. Prints one line and exits with 0: accepted,
1: refused, 2: not checked (an exhaustion too large for the plain search here), 3: bad input.
"""
import sys

from verifier.finding import check_finding
from verifier.history import read_history, read_lines
from verifier.levels import CURRENT, DAY, LEVELS, Bad, Refused, Unchecked, demand, need, next_weaker
from verifier.linearizable import check_linearizable
from verifier.refutation import check_refutation
from verifier.segments import is_segments, verify_segments
from verifier.values import DEAD, Object, decode, is_int, scalar
from verifier.witness import check_stated, check_witness


def is_txn(value):
    """Whether a JSON value can be the number of a transaction."""
    return is_int(value)


def is_sum(value):
    """Whether a JSON value can be what an increment left."""
    return is_int(value)


# The members of lines and what they hold; those with a question mark may be absent.
HEADER = {'isolde-certificate': is_int, 'level': str, 'verdict': str, 'history': str,
          'transactions': is_int, 'clock_error_ns': is_int, 'versions?': str, 'follows_from?': str,
          'mentions?': is_int, 'session_of?': is_txn}
EDGE = {'from': is_txn, 'to': is_txn, 'kind': str, 'key?': scalar, 'via?': is_txn}
CLAIM = {'transaction': is_txn, 'op?': is_int, 'writer?': is_txn, 'is': bool}
SOURCE = {'transaction': is_txn, 'op': is_int, 'writer?': is_txn}
RESULT = {'transaction': is_txn, 'selection': is_int}
SHAPES = {'finding': {'finding': str, 'transaction': is_txn, 'op': is_int, 'element?': is_int,
                      'other?': is_txn, 'other_op?': is_int},
          'order': {'order': [is_txn], 'sessions_of?': [is_txn], 'key?': scalar},
          'clause': {'clause': [[is_txn]], 'cycle?': [EDGE], 'from?': [is_int],
                     'claims?': [CLAIM], 'wrong_result?': RESULT},
          'sources': {'sources': [SOURCE]}, 'sums': {'sums': [is_sum]}, 'until': {'key': scalar, 'until': is_txn}}


def shaped(value, shape, where, limit=0):
    """A JSON value that has the members and types that it should have."""
    if isinstance(shape, dict):
        parts = {name.rstrip('?'): part for name, part in shape.items()}
        demand(isinstance(value, Object) and not value.twice and not value.keys() - parts.keys()
               and not shape.keys() - value.keys() - {name + '?' for name in parts},
               f'{where}: wrong members')
        for name, part in value.items():
            value[name] = shaped(part, parts[name], where, limit)
    elif isinstance(shape, list):
        demand(isinstance(value, list), f'{where}: not an array')
        for n, part in enumerate(value):
            value[n] = shaped(part, shape[0], where, limit)
    elif shape is scalar:
        return scalar(value)
    elif shape is is_sum:
        demand(is_int(value), f'{where}: not a number')
    elif shape in (is_int, is_txn):
        demand(is_int(value) and value >= 0, f'{where}: not a number from 0')
        demand(shape is is_int or value < limit, f'{where}: no such transaction')
    else:
        demand(isinstance(value, shape), f'{where}: wrong type')
    return value


def read_certificate(text, where):
    """The header and the lines behind it, by what they are about."""
    head, *lines = [decode(line, f'{where}:{n}')
                    for n, line in enumerate(text.removesuffix('\n').split('\n'), 1)]
    limit = head.get('transactions', 0)
    shaped(head, HEADER, where, limit if is_int(limit) else 0)
    demand(head['isolde-certificate'] == 1 and head['verdict'] in ('holds', 'violated')
           and {head['level'], head.get('follows_from', head['level'])} <= LEVELS.keys()
           and LEVELS[head['level']] is not LEVELS.get(head.get('follows_from'))
           and head['clock_error_ns'] <= DAY and head.get('versions', 'trusted') == 'trusted',
           f'{where}: wrong header')
    demand(('session_of' if head['verdict'] == 'holds' else 'mentions') not in head,
           f'{where}: a member of the other verdict')
    body = {kind: [] for kind in SHAPES}
    for line in lines:
        kind = next((kind for kind in SHAPES if kind in line), None)
        demand(kind, f'{where}: unknown line')
        shaped(line, SHAPES[kind], where, limit)
        body[kind].append(line)
    return head, body


def implies(h, strong, weak, error):
    """Whether a level implies another one, on this history."""
    in_time = True
    for ids in h.sessions.values():
        ids = [i for i in ids if i in h.possible]
        in_time = in_time and all(h.ended_before(a, b, error) for a, b in zip(ids, ids[1:]))
    left_out = any(op.left_out for t in h.txns for op in t.ops)
    deleted = any(op.value == DEAD for t in h.txns for op in t.ops)
    if h.refused and LEVELS[weak].base in CURRENT and LEVELS[strong].base not in CURRENT:
        return False
    todo, found = [strong], {strong}
    while todo:
        weaker = set(next_weaker(LEVELS[todo.pop()], in_time, left_out, deleted))
        todo += weaker - found
        found |= weaker
    return weak in found


def verify(head, body, h, allowed=0):
    """Refuses a certificate unless it proves its claim about the history."""
    demand(head['transactions'] == len(h.txns), 'it is about another number of transactions')
    lines = [line for kind in body for line in body[kind]]
    lines += [edge for line in body['clause'] for edge in line.get('cycle', ())]
    sums = [total for line in body.pop('sums') for total in line['sums']]
    told = h.open and head['verdict'] == 'holds'
    need(told or not sums, 'it has sums where none are to be told')

    def as_read(name):
        if not told and not h.refused:
            return h
        try:
            return h.told(sums if told else None, LEVELS[name])
        except Bad as reason:
            raise Refused(reason) from reason
    demand({line['key'] for line in lines if 'key' in line} <= h.keys, 'it has no such key')
    level = LEVELS[head['level']]
    proved = LEVELS[head.get('follows_from', level.name)]
    holds = head['verdict'] == 'holds'
    error = head['clock_error_ns'] if level.time or proved.time else 0
    need(error <= allowed or not holds, f'it assumes a clock error of {error} ns')
    error = error if holds else max(error, allowed)
    if proved is not level:
        pair = (proved.name, level.name) if holds else (level.name, proved.name)
        need(implies(as_read(pair[0]), *pair, error), f'{pair[0]} does not imply {pair[1]}')
    check_stated(as_read(level.name), level)
    h = as_read(proved.name)
    check_stated(h, proved)
    used = [kind for kind in body if body[kind]]
    need(len(used) == 1 or set(used) == {'order', 'sources'}, 'no proof, or more than one')
    need(holds == (used[0] in ('order', 'sources')), 'the proof is of the other verdict')
    if proved.base == 'lin':
        check_linearizable(h, head, body, error)
    elif holds:
        check_witness(h, proved, head, body, error)
    elif body['finding']:
        need(len(body['finding']) == 1, 'more than one finding')
        check_finding(h, proved, body['finding'][0], error)
    else:
        need(body['clause'], 'an exhaustion is for linearizable')
        check_refutation(h, proved, head, body['clause'], error)


def answer(certificate, h, allowed=0, where='certificate'):
    """The exit code for a certificate, and what to say."""
    try:
        head, body = read_certificate(certificate, where)
        claim = f'{head["level"]} {head["verdict"]}'
        verify(head, body, h, allowed)
        return 0, f'accepted: {claim}'
    except Refused as reason:
        return 1, f'refused: {claim}: {reason}'
    except Unchecked as reason:
        return 2, f'not checked: {claim}: {reason}'
    except Bad as reason:
        return 3, f'bad input: {reason}'


def answer_segments(text, parts, allowed=0, where='segments'):
    """The same for segments and the files of the history."""
    try:
        return 0, f'accepted: {verify_segments(text, where, parts, allowed)}'
    except Refused as reason:
        return 1, f'refused: {reason}'
    except Bad as reason:
        return 3, f'bad input: {reason}'


def trusts_versions(text, where='certificate'):
    """Whether a certificate is about a history with its versions taken for true."""
    return 'versions' in decode(text.split('\n', 1)[0], where)


def main(words):
    """Verifies the certificate that the command line names."""
    allowed = 0
    if words[:1] == ['--clock-error'] and len(words) > 1 and words[1].isdigit():
        allowed, words = int(words[1]), words[2:]
    trusts = words[:1] == ['--trust-versions']
    words = words[trusts:]
    try:
        text = ''
        if len(words) > 1:
            with open(words[0], encoding='utf-8', newline='') as file:
                text = file.read()
        if is_segments(text) and not trusts and allowed <= DAY:
            code, said = answer_segments(text, [read_lines(path) for path in words[1:]], allowed, words[0])
            print(said, file=sys.stderr if code == 3 else sys.stdout)
            return code
        if len(words) != 2 or allowed > DAY:
            print('usage: verify.py [--clock-error NS] [--trust-versions] CERTIFICATE HISTORY\n'
                  '       verify.py [--clock-error NS] SEGMENTS HISTORY...', file=sys.stderr)
            return 3
        asks = trusts_versions(text, words[0])
        if asks and not trusts:
            print('refused: it trusts the versions that the history tells')
            return 1
        code, said = answer(text, read_history(words[1], asks), allowed, words[0])
    except (OSError, UnicodeDecodeError, Bad) as reason:
        code, said = 3, f'bad input: {reason}'
    print(said, file=sys.stderr if code == 3 else sys.stdout)
    return code


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
