"""When one read is enough: findings."""
from verifier.levels import (APART, ATOMIC, GUARANTEES, ITEMS, PRECEDING, PREFIX, SERIAL,
                             SNAPSHOT, Refused, need)
from verifier.witness import stated


def read_at(h, i, r, what):
    """A read with a known result of a transaction that certainly took effect."""
    need(i in h.certain, f'{what}: transaction {i} need not have taken effect')
    need(r < len(h.txns[i].ops) and h.txns[i].ops[r].kind in 'rx', f'{what}: no such read')
    return h.txns[i].ops[r]


def prefixes(a, b):
    """Whether one of two lists is a prefix of the other."""
    return a[:len(b)] == b or b[:len(a)] == a


def share_no_version(h, i, op, second):
    """Two partial reads that cannot both have returned one version of their key."""
    need(not h.truncated, 'what is missing may have written it')
    need(not (op.first and second.first), 'both may be of the initial value')
    need(not any(second.fits(h.txns[w].writes[op.key]) for w in h.each_source(i, op)),
         'both may be of one write')


def two_reads(h, level, line, i, op):
    """Findings about two reads."""
    same = line['finding'] == 'non-repeatable-read'
    other = i if same else line.get('other', -1)
    need(0 <= other < len(h.txns), 'no other read')
    second = read_at(h, other, line.get('other_op', 0), 'other')
    need(op.external and second.external and op.fit and second.fit and op.key == second.key,
         'the reads are no pair')
    if same:
        base = stated(h.txns[i]) if level.base == 'mixed' else level.base
        need(base in SERIAL | SNAPSHOT | PREFIX | PRECEDING | ATOMIC, 'no such finding here')
        need(base not in ITEMS or not op.left_out and not second.left_out, 'disregarded')
        need(line.get('other_op', 0) < line['op'], 'the other read is not the earlier one')
        if op.kind == second.kind == 'x':
            return share_no_version(h, i, op, second)
        pair = [op, second] if op.kind == 'r' else [second, op]
        return need(not pair[1].fits(pair[0].seen), 'the reads agree')
    need(level.base not in GUARANTEES or h.txns[i].session == h.txns[other].session,
         'reads of different sessions')
    need(op.is_list and not prefixes(op.seen, second.seen), 'the lists agree')


def sum_bounds(h, level, i, ops, error):
    """The least and the greatest that keys which are only added to can hold for a reader."""
    keys = {op.key for op in ops}
    low = sum(h.initial[key][1] for key in keys)
    high = low
    for j, steps in enumerate(h.added):
        step = sum(by for key, by in steps if key in keys)
        one = level.session and level.base not in APART and h.txns[j].session == h.txns[i].session
        timed = bool(level.time)
        if j == i or h.txns[j].status == 'aborted' or one and j > i or timed and h.ended_before(i, j, error):
            continue
        seen = h.txns[j].status == 'committed' and (one and j < i or timed and h.ended_before(j, i, error))
        sure = seen and level.base in SERIAL | SNAPSHOT | PRECEDING | {'lin'}
        low += step if sure else min(step, 0)
        high += step if sure else max(step, 0)
    return low, high


def check_sum(h, level, line, i, r, error):
    """A number, or a total, that increments cannot come to."""
    need(h.open and not h.truncated, 'all sums are told, or some are missing')
    need(level.base not in GUARANTEES | {'mixed'}, 'versions may rest on each other')
    total = line['finding'] == 'impossible-total'
    need(not total or level.base in SERIAL | SNAPSHOT | PRECEDING, 'the reads need not be of one state')
    changed, ops = {}, []
    for at, op in enumerate(h.txns[i].ops):
        if op.kind in 'wa':
            changed[op.key] = True
        elif op.key in h.only_added and op.key not in changed and op.number is not None \
                and (total or at == r):
            changed[op.key] = True
            ops.append((at, op))
    need(any(at == r for at, _ in ops), 'not a read of a number that is only added to')
    found = sum(op.number for _, op in ops)
    low, high = sum_bounds(h, level, i, [op for _, op in ops], error)
    need(not low <= found <= high, 'increments can come to that')


def check_finding(h, level, line, error):
    """Accepts a read that no execution explains."""
    i, r, kind = line['transaction'], line['op'], line['finding']
    op, t = read_at(h, i, r, 'finding'), h.txns[i]
    need(level.base != 'ru', 'read uncommitted does not restrict reads')
    if kind == 'internal':
        return need(op.wrong or not op.fit, 'the read is right')
    if kind == 'unselected-row':
        return need(not op.fit, 'the row is selected')
    if kind in ('incompatible-order', 'non-repeatable-read'):
        return two_reads(h, level, line, i, op)
    if kind in ('impossible-number', 'impossible-total'):
        return check_sum(h, level, line, i, r, error)
    need(not h.may_repeat, 'what is missing may have written it')
    partial = op.kind == 'x' and not op.first and not h.truncated
    need(op.kind == 'r' and op.value or partial, 'no value was read')
    at = line.get('element', 0)
    need(not op.is_list or at < len(op.value), 'no such element')
    value = op.value[at] if op.is_list else op.value
    values = {v for key, v in h.wrote if key == op.key and op.fits(v)} if partial else {value}
    wrote = [w for v in values for w in h.wrote.get((op.key, v), ())]
    kept = [w for w in wrote if h.txns[w].status != 'aborted']
    other = line.get('other')
    if kind == 'aborted-read':
        need(not kept and other in wrote, 'who wrote it did not abort')
    elif kind == 'intermediate-read' and op.is_list:
        need(kept == [other] and other != i, 'not one other transaction appended it once')
        own = h.txns[other].writes[op.key]
        start = at - own.index(value)
        need(start < 0 or op.seen[start:start + len(own)] != own, 'all appends are there')
    elif kind == 'intermediate-read':
        late = {i} if op.external else set()
        finals = {w for v in values for w in h.finals.get((op.key, v), ())}
        need(other in set(kept) - {i} and i not in set(kept) - late and not finals - late,
             'it is final')
    elif kind == 'future-read':
        need(set(kept) == {i} and not any(o.kind in 'wa' and o.key == op.key and o.value in values
                                          for o in t.ops[:r]), 'it is not from the future')
    elif kind == 'unwritten-read':
        need(not wrote and not h.truncated, 'somebody may have written it')
    elif kind == 'duplicate-element':
        count = op.value.count(value) if op.is_list else 0
        need(count > max(1, len(kept)), 'it was appended as often')
    else:
        raise Refused(f'unknown finding {kind}')
