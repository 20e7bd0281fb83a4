"""Linearizability: each key by itself."""
import collections

from verifier.finding import check_finding, read_at
from verifier.levels import LEVELS, Unchecked, need
from verifier.refutation import check_refutation
from verifier.values import rank
from verifier.witness import check_witness


def after(t, key, state, items=None):
    """The state of a key after a transaction that finds a state; None if it cannot. `items` gets what
    the items of aggregates found."""
    for op in t.by_key.get(key, ()):
        if items is not None and op.left_out:
            items[op] = op.holds(state) or None
        if op.kind == 'w':
            state = op.value
        elif op.kind == 'a':
            state += (op.value,)
        elif not op.fit or (not op.fits(state) if op.kind == 'x' else
                            state != (tuple(op.value or ()) if op.is_list else op.value or ())):
            return None
    return state


def check_key_orders(h, lines, error):
    """Accepts an order of its transactions for each key."""
    orders = collections.defaultdict(list)
    for line in lines:
        need('key' in line and 'sessions_of' not in line, 'orders with and without keys')
        orders[line['key']] += line['order']
    keys = {op.key for t in h.txns for op in t.ops if op.kind != '?'}
    items = collections.defaultdict(dict)
    for key in sorted(keys | orders.keys(), key=rank):
        users = set(h.users[key])
        order, state, latest = orders[key], (), None
        need(len(set(order)) == len(order) and set(order) <= users, 'the order names others')
        need({i for i in users if h.txns[i].status == 'committed'} <= set(order), 'one is missing')
        for i in order:
            t = h.txns[i]
            state = after(t, key, state, items[i])
            need(state is not None, f'{i} does not read the state of its key')
            latest = max((v for v in (latest, t.start) if v is not None), default=None)
            need(t.end is None or t.status != 'committed' or latest is None
                 or latest - t.end <= error, f'{i} comes after one that started when it had ended')
    for i in h.kept:
        ops = h.txns[i].ops
        counts = [ops[r] for aggregate in h.txns[i].selections if aggregate for r in aggregate.items]
        if h.txns[i].status != 'committed' and not any(op in items[i] for op in counts):
            continue
        need(all(op in items[i] for op in counts), f'{i} is not in the orders of all keys it counts')
        for n, aggregate in enumerate(h.txns[i].selections):
            if aggregate:
                need(aggregate.may_be_right([(ops[r].key, [items[i][ops[r]]])
                                             for r in aggregate.items]),
                     f'aggregate {n} of {i} has another result')


def check_exhaustion(h, line, error, limit=200_000):
    """Accepts a key for which no order of what had returned exists, having tried all."""
    key, until = line['key'], line['until']
    need(until < len(h.txns) and h.txns[until].status == 'committed'
         and h.txns[until].uses(key), 'until is no committed transaction of the key')
    need(not h.truncated, 'the history is cut off')
    users = h.users[key]
    returned = sorted((i for i in users if h.txns[i].status == 'committed'),
                      key=lambda i: (h.txns[i].end is None, h.txns[i].end or 0, i))
    due = set(returned[:returned.index(until) + 1])
    users = [i for i in users if i in due or not h.ended_before(until, i, error)]
    behind = {i: {a for a in due if h.ended_before(a, i, error)} for i in users}
    todo, known = [(frozenset(), ())], set()
    while todo:
        done, state = todo.pop()
        need(not due <= done, 'there is an order')
        if (done, state) in known:
            continue
        known.add((done, state))
        if len(known) > limit:
            raise Unchecked('there are too many orders to try here')
        steps = [(done | {i}, after(h.txns[i], key, state)) for i in users
                 if i not in done and behind[i] <= done]
        steps = [step for step in steps if step[1] is not None]
        same = [step for step in steps if step[1] == state]
        todo += same[:1] or steps


def check_linearizable(h, head, body, error):
    """Accepts one of the five proofs about keys by themselves."""
    strict = LEVELS['strict-serializable']
    if head['verdict'] == 'holds' and 'mentions' in head:
        return check_witness(h, strict, head, body, error)
    if head['verdict'] == 'holds':
        return check_key_orders(h, body['order'], error)
    if body['until']:
        return check_exhaustion(h, body['until'][0], error)
    if body['finding']:
        line = body['finding'][0]
        op = read_at(h, line['transaction'], line['op'], 'finding')
        if line['finding'] == 'impossible-number':
            return check_finding(h, LEVELS['linearizable'], line, error)
        return check_finding(h.only(op.key), strict, line, error)
    lines = body['clause']
    if len(lines) == 1 and 'wrong_result' in lines[0]:
        need(h.txns[lines[0]['wrong_result']['transaction']].status == 'committed'
             and not lines[0].get('claims'), 'its transaction need not have taken effect')
        return check_refutation(h, strict, head, lines, error)
    need(not any('wrong_result' in line for line in lines), 'an aggregate is of several keys')
    keys = {e.get('key') for line in body['clause'] for e in line.get('cycle', ())
            if e['kind'] != 'rt' or 'key' in e}
    need(len(keys) == 1 and None not in keys, 'a proof is about one key')
    return check_refutation(h.only(keys.pop()), strict, head, body['clause'], error)
