"""When no order works: steps of cycles of dependencies, and what follows from them."""
import collections
import itertools

from verifier.values import DEAD
from verifier.levels import (APART, ATOMIC, BY_DATABASE, CLOSED, GUARANTEES, INITIAL, ITEMS,
                             MONOTONIC, PRECEDING, PREFIX, SERIAL, SNAPSHOT, VIEWS, Refused, need)
from verifier.propagation import Propagation
from verifier.witness import stated


class Refutation:
    """Steps, of which each clause has a true member if an execution exists."""

    def __init__(self, h, level, error, session):
        self.h, self.level, self.error, self.session = h, level, error, session
        self.steps, self.clause, self.effects, self.claimed = [], [], set(), {}
        self.lists, self.facts, self.established, self.sources = None, None, set(), {}

    def base(self, i):
        """The level that counts for a transaction."""
        return stated(self.h.txns[i]) if self.level.base == 'mixed' else self.level.base

    def named(self, i):
        """A transaction of an edge, which must have taken effect."""
        need(i is not None and i < len(self.h.txns), 'no such transaction')
        if self.level.base == 'ru':
            need(self.h.txns[i].status == 'committed', f'{i} did not commit')
        need(i in self.h.certain or i in self.effects, f'{i} need not have taken effect')
        return self.h.txns[i]

    def is_open(self, op):
        """Whether a missing record may tell what a partial read returned."""
        return op.kind == 'x' and self.h.truncated and not op.every or self.h.is_doubtful(op)

    def source(self, i, r):
        """The certain source of an external read: a transaction, INITIAL, or None. Who takes effect only by
        a claim has those that are claimed."""
        op = self.h.txns[i].ops[r]
        if (i, r) in self.claimed or i not in self.h.certain:
            return self.claimed.get((i, r))
        if (i, r) not in self.sources:
            found = list(itertools.islice(self.h.each_source(i, op), 2))
            if self.is_open(op) or op.kind == 'x' and found and op.first:
                self.sources[i, r] = None
            else:
                self.sources[i, r] = INITIAL if op.fits(None) else (
                    found[0] if len(found) == 1 else None)
        return self.sources[i, r]

    def reads_from(self, i, source, key=None):
        """The external reads of a transaction that have a source."""
        return [r for r in self.h.txns[i].reads if self.source(i, r) == source
                and key in (None, self.h.txns[i].ops[r].key)
                and (self.base(i) not in ITEMS or not self.h.txns[i].ops[r].passed_over)]

    def in_session(self, i):
        """Whether a transaction is of the session that the proof is about."""
        return self.h.txns[i].session == self.session

    def asks(self, i):
        """Whether the level asks something of the reads of a transaction."""
        return self.level.base not in GUARANTEES or self.in_session(i)

    def shown_lists(self, key):
        """The lists that tell the order of appends to a key."""
        if self.lists is None:
            self.lists = collections.defaultdict(list)
            guarantee = self.level.base in GUARANTEES
            for i in self.h.certain:
                for r in self.h.txns[i].reads if self.asks(i) else ():
                    op = self.h.txns[i].ops[r]
                    if op.is_list and guarantee:
                        self.lists[op.key].append(op.seen)
                    elif op.is_list:
                        self.lists[op.key] = [max([op.seen] + self.lists[op.key], key=len)]
        return self.lists[key]

    def direct(self, a, b):
        """Whether the history itself shows that a commits before b."""
        h = self.h
        mine = self.asks(b)
        if mine and self.reads_from(b, a):
            return True
        times = h.txns[a].db_commit, h.txns[b].db_commit
        if self.level.base in BY_DATABASE and None not in times and times[0] < times[1]:
            return True
        if h.may_repeat or not {a, b} <= h.certain:
            return False
        for key in h.lists & h.txns[a].writes.keys() & h.txns[b].writes.keys():
            for shown in self.shown_lists(key):
                at = [p for p, e in enumerate(shown) if h.kept_writers(key, e) == [a]]
                behind = [p for p, e in enumerate(shown) if h.kept_writers(key, e) == [b]]
                if at and (any(p > at[0] for p in behind)
                           or not set(h.txns[b].writes[key]) & set(shown)):
                    return True
        return False

    def is_before(self, a, b):
        """Whether an order is direct, established or assumed."""
        return self.direct(a, b) or (a, b) in self.established or [b, a] in self.clause

    def order(self, a, b, only_direct=False):
        """Demands an order which an edge rests on."""
        need(self.direct(a, b) if only_direct else self.is_before(a, b),
             f'nothing says that {a} is before {b}')

    def had_ended(self, a, b, key):
        """Whether real time binds and says that a comes before b."""
        if self.level.time == 'k':
            need(key is not None and self.h.txns[a].uses(key) and self.h.txns[b].uses(key),
                 'they do not both use the key')
        return self.level.time and self.h.ended_before(a, b, self.error)

    def session_before(self, a, b):
        """Whether a is earlier than b in one session."""
        return self.h.txns[a].session == self.h.txns[b].session and (
            self.h.place[a] < self.h.place[b])

    def causes(self, via):
        """All that leads to a transaction by reads, sessions and real time."""
        found, todo = {via}, [via]
        while todo:
            i = todo.pop()
            new = {self.source(i, r) for r in self.h.txns[i].reads} - {None, INITIAL}
            new |= set(self.h.earlier_in_session(i))
            if 't' in self.level.time:
                new |= {a for a in self.h.kept if self.h.ended_before(a, i, self.error)}
            new = {a for a in new if a in self.h.certain or a in self.effects} - found
            found |= new
            todo += new
        return found - {via}

    def visible(self, kind, a, via, key):
        """The reads of via that must not miss what a wrote."""
        self.named(via)
        need(a != via and key in self.h.txns[a].writes, 'it does not write the key')
        bases = {'mv': MONOTONIC | ATOMIC, 'av': ATOMIC, 'cv': CLOSED}
        need(self.base(via) in bases[kind], f'{kind} does not count here')
        ops, seen = self.h.txns[via].ops, self.reads_from(via, a)
        if kind == 'mv':
            return {r for r in self.h.txns[via].reads if ops[r].key == key
                    and any(ops[s].step < ops[r].step for s in seen)}
        near = seen or self.level.session and self.session_before(a, via) or (
            self.level.time and self.h.ended_before(a, via, self.error))
        need(near or kind == 'cv' and a in self.causes(via), f'{a} was not visible')
        return set(self.h.txns[via].reads)

    def session_edge(self, kind, a, b, key, via):
        """The events that an edge leaves from and arrives at, where sessions count."""
        base, h = self.level.base, self.h
        everywhere = base in ('sequential', 'wfr')

        def reads(i):
            return h.txns[i].reads if base != 'mw' and (everywhere or self.in_session(i)) else []
        if kind == 'wr':
            need(everywhere or base == 'causal' or self.in_session(b), 'wr does not count here')
            found = self.reads_from(b, a, key)
            return [('C', r if r in reads(b) else 'C') for r in found]
        if kind == 'ww':
            return [('C', 'C')]
        if kind == 'rw':
            need(base == 'sequential' or base in ('causal', 'mr', 'ryw') and self.in_session(a),
                 'rw does not count here')
            return [(r, 'C') for r in self.reads_from(a, via, key)]
        writes = [bool(h.txns[i].writes) for i in (a, b)]
        inside = self.in_session(a) and h.txns[b].ops
        events = ['C'] + reads(b)
        if base in ('causal', 'sequential') or base == 'ryw' and inside and writes[0]:
            return [('C', event) for event in events]
        if base == 'mr' and inside:
            return [(r, event) for r in reads(a) for event in events]
        if base == 'mw' and all(writes):
            return [('C', 'C')]
        return [(r, 'C') for r in reads(a)] if base == 'wfr' and writes[1] else []

    def replaces(self, a, b, key):
        """Whether all versions of a key from that of a up to that of b are of one row, which
        nobody deleted and inserted again."""
        if self.h.may_lack_deletions and key not in self.h.lists:
            return False
        others = set(self.h.kept_writers(key, DEAD)) - {a, b}
        return self.h.txns[a].writes[key] != DEAD and all(
            self.is_before(d, a) or self.is_before(b, d) for d in others)

    def arrival(self, a, b, key):
        """The event of b that comes after the commit of an earlier writer of a key."""
        return 'S' if self.base(b) in SNAPSHOT and self.replaces(a, b, key) else 'C'

    def edge(self, e):
        """Pairs of events of which an edge says that the first one is before the second."""
        a, b, kind, key, via = (e.get(name) for name in ('from', 'to', 'kind', 'key', 'via'))
        base, h = self.level.base, self.h
        t, u = self.named(a), self.named(b)
        snap = 'S' if self.base(b) in SNAPSHOT | PREFIX else 'C'
        leave = 'S' if self.base(a) in SNAPSHOT | PREFIX else 'C'
        session = base in APART | {'sequential'}
        pairs = [('C', snap)]
        if kind == 'so':
            need(self.level.session and self.session_before(a, b), 'no session order')
        elif kind == 'rt':
            need(not session and self.had_ended(a, b, key), 'no real time order')
        elif kind == 'wr':
            need(base != 'ru' and self.reads_from(b, a, key) and key is not None, 'no read from')
        elif kind == 'ww':
            need(a != b and key in t.writes and key in u.writes, 'they do not both write the key')
            if base == 'ru':
                need(self.shown(a, b, key), 'no list shows this order')
            else:
                self.order(a, b, base in VIEWS)
            pairs = [('C', self.arrival(a, b, key))]
        elif kind == 'rw':
            need(self.base(a) in SERIAL | SNAPSHOT | PREFIX | PRECEDING or session, 'rw does not count')
            need(b not in (a, via) and key in u.writes, 'it does not write the key')
            if via is not None:
                self.named(via)
                self.order(via, b)
            via = INITIAL if via is None else via
            # Where that counts no more, a selection missed who left a row that does not match.
            need(any(self.base(a) not in ITEMS or not t.ops[r].left_out
                     or t.ops[r].fits(u.writes[key]) for r in self.reads_from(a, via, key)),
                 'it does not read that')
            pairs = [(leave, 'C')]
        elif kind in ('mv', 'av', 'cv'):
            reads = self.visible(kind, a, via, key)
            need(reads & set(self.reads_from(via, INITIAL if a == b else b, key)), 'no such read')
            pairs = [('C', self.arrival(a, b, key))]
        elif kind in ('co', 'sc', 'cs') and base in BY_DATABASE:
            need(None not in (t.db_start, t.db_commit, u.db_start, u.db_commit), 'no times')
            need(kind != 'cs' or base == 'cossi', 'cs does not count here')
            need(t.db_commit < u.db_commit if kind == 'co' else t.db_start <= u.db_commit
                 if kind == 'sc' else t.db_commit < u.db_start, 'the times say otherwise')
            pairs = [('C', 'C')] if kind == 'co' else [('S', 'C')] if kind == 'sc' else pairs
        else:
            raise Refused(f'{kind} does not count here')
        return self.session_edge(kind, a, b, key, via) if session else pairs

    def shown(self, a, b, key):
        """Whether a list that a committed transaction read shows an append of a before one of
        b, each alone."""
        for t in () if self.h.may_repeat else self.h.txns:
            for op in t.ops if t.status == 'committed' else ():
                if op.kind == 'r' and op.is_list and op.key == key:
                    alone = [set(self.h.wrote.get((key, e), ())) for e in op.value or ()]
                    if {a} in alone and {b} in alone[alone.index({a}):]:
                        return True
        return False

    def not_after(self, i, e, f):
        """Whether event e of a transaction is f or an earlier one."""
        if e == f or e == 'S' or f == 'C':
            return True
        ops = self.h.txns[i].ops
        return (self.level.base not in ('ryw', 'wfr') and 'C' not in (e, f)
                and ops[e].step < ops[f].step)

    def check_cycle(self, cycle):
        """Demands that edges follow each other around."""
        need(cycle, 'a cycle of nothing')
        pairs = [self.edge(e) for e in cycle]
        special = [e for e in cycle if e['from'] == e['to']]
        need(not special or len(cycle) == 1 and cycle[0]['kind'] in ('mv', 'av', 'cv'), 'a loop')
        if self.level.base in PRECEDING:
            missed = [e for e in cycle if e['kind'] == 'rw']
            need(len(missed) <= 1, 'two rw')
            need(not missed or all(self.replaces(e['from'], e['to'], e['key']) for e in cycle
                                   if e['kind'] == 'ww'), 'a row may have been inserted again')
        for e, following in zip(cycle, cycle[1:] + cycle[:1]):
            need(e['to'] == following['from'], 'the edges do not meet')
        if special:
            return
        for first, arrival in pairs[0]:
            there = {arrival}
            for e, options in zip(cycle[1:], pairs[1:]):
                there = {b for a, b in options
                         if any(self.not_after(e['from'], x, a) for x in there)}
            if any(self.not_after(cycle[0]['from'], x, first) for x in there):
                return
        raise Refused('an edge arrives after the next one leaves')

    def literals(self, clause, claims):
        """The members of a clause, as pairs of what is said and whether it is denied."""
        found = []
        for pair in clause:
            need(len(pair) == 2 and pair[0] != pair[1] and max(pair) < len(self.h.txns),
                 'a clause orders no two transactions')
            found.append((('o', min(pair), max(pair)), pair[0] < pair[1]))
        for claim in claims:
            i, r, w = (claim.get(name) for name in ('transaction', 'op', 'writer'))
            need(i < len(self.h.txns) and i in self.h.kept, 'a claim about no transaction')
            if r is None:
                need(w is None, 'a claim about no read')
                found.append((('e', i), claim['is']))
                continue
            need(r in self.h.txns[i].reads and self.asks(i), 'a claim about no external read')
            op = self.h.txns[i].ops[r]
            need(not op.is_list and not self.is_open(op), 'a claim about an uncertain read')
            need(self.level.base not in ITEMS or not op.passed_over, 'a claim about a disregarded read')
            need(w in self.h.sources(i, op) if w is not None else op.fits(None),
                 'a claim about no possible source')
            found.append((('s', i, r, INITIAL if w is None else w), claim['is']))
        return found

    def tells(self, i, op):
        """Whether an external read has one of its possible sources, for all that is known."""
        if not self.asks(i) or op.is_list or self.level.base in ITEMS and op.passed_over or (
                self.is_open(op)):
            return False
        return not self.h.truncated or op.fits(None) or any(
            True for _ in self.h.each_source(i, op))

    def propagate(self, denied, sources):
        """Demands that what is denied leads to a contradiction."""
        self.facts = self.facts or Propagation(self.h, self.asks, self.tells)
        clauses = [self.literals(*self.steps[s]) for s in sources]
        need(self.facts.contradicts(denied, clauses), 'nothing follows')

    def check_wrong_result(self, line, members):
        """Demands that an aggregate has another result if no claim of the clause is true."""
        i, h = line['transaction'], self.h
        t = h.txns[i]
        need(not h.truncated and i in h.kept, 'what is missing may count')
        need(i in h.certain or i in self.effects, f'{i} need not have taken effect')
        need(line['selection'] < len(t.selections) and t.selections[line['selection']],
             'there is no such aggregate')
        out = {what for what, sign in members if sign and what[0] == 's'}
        items = []
        for r in t.selections[line['selection']].items:
            op = t.ops[r]
            if op.own is not None:
                items.append((op.key, [op.own]))
                continue
            need(self.asks(i), 'the level asks nothing of what it read')
            options = h.sources(i, op) + ([INITIAL] if op.fits(None) else [])
            options = [w for w in options if ('s', i, r, w) not in out
                       and self.claimed.get((i, r), w) == w]
            items.append((op.key, [op.begin if w == INITIAL else h.txns[w].writes[op.key]
                                   for w in options]))
        need(not t.selections[line['selection']].may_be_right(items), 'it may have this result')

    def check_step(self, line):
        """Accepts the next step."""
        self.clause, claims = line['clause'], line.get('claims', [])
        members = self.literals(self.clause, claims)
        need(not claims or self.level.base not in ('ru', 'lin'), 'claims')
        need(sum(name in line for name in ('cycle', 'from', 'wrong_result')) == 1,
             'neither a cycle nor from')
        need('wrong_result' not in line or self.level.base != 'ru', 'results do not count')
        self.effects, self.claimed = set(), {}
        if 'from' not in line:
            for (what, i, *read), sign in members:
                if what != 'o' and not sign:
                    self.effects.add(i)
                    if what == 's':
                        need(self.claimed.setdefault((i, read[0]), read[1]) == read[1], 'claims')
                        self.effects |= {read[1]} - {INITIAL}
            if 'cycle' in line:
                self.check_cycle(line['cycle'])
            else:
                self.check_wrong_result(line['wrong_result'], members)
        else:
            need(all(s < len(self.steps) for s in line['from']), 'from a later step')
            self.propagate(members, line['from'])
        self.steps.append((self.clause, claims))
        if len(self.clause) == 1 and not claims:
            self.established.add(tuple(self.clause[0]))


def check_refutation(h, level, head, lines, error):
    """Accepts steps that lead to nothing."""
    of = head.get('session_of')
    need(level.base not in APART - {'wfr'} or of is not None and of < len(h.txns), 'no session')
    need(of is None or level.base in APART - {'wfr'}, 'a session where none counts')
    proof = Refutation(h, level, error, None if of is None else h.txns[of].session)
    for n, line in enumerate(lines):
        try:
            proof.check_step(line)
        except Refused as reason:
            raise Refused(f'step {n}: {reason}') from reason
    need(not lines[-1]['clause'] and not lines[-1].get('claims'), 'the last clause is not empty')
