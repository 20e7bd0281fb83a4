"""When a level holds: orders of transactions and the tests that they have to pass."""
import bisect
import collections
import functools

from verifier.values import DEAD
from verifier.levels import (APART, ATOMIC, BY_DATABASE, CLOSED, INITIAL, ITEMS, LEVELS, MIXABLE,
                             MONOTONIC, PRECEDING, PREFIX, SERIAL, SNAPSHOT, VIEWS, need)


class Order:
    """An order of transactions with the states that it goes through."""

    def __init__(self, h, order, mentions, level, error):
        self.h, self.level, self.error, self.order = h, level, error, order
        self.snapshot, self.commit = {}, {}
        for p, i in enumerate(order):
            need(i < len(h.txns) and (i not in self.commit or mentions == 2),
                 f'transaction {i} is named too often')
            need(mentions == 1 or i not in self.snapshot or i not in self.commit,
                 f'transaction {i} is named too often')
            if mentions == 1 or i in self.snapshot:
                self.commit[i] = p
            self.snapshot.setdefault(i, p)
        need(len(self.commit) == len(self.snapshot), 'a transaction is named once only')
        for i, t in enumerate(h.txns):
            need(i in self.commit or t.status != 'committed', f'{i} committed, and is not named')
        possible = h.possible_items if level.base in ITEMS else h.possible
        need(self.commit.keys() <= possible, 'a transaction is named that took no effect')
        self.named = sorted(self.commit, key=self.commit.get)
        self.at = {place: i for i, place in self.commit.items()}
        self.versions = collections.defaultdict(list)  # key: commit, writer, length of the list
        self.full = collections.defaultdict(tuple)
        for i in self.named:
            for key, value in h.txns[i].writes.items():
                if key in h.lists:
                    self.full[key] += value
                self.versions[key].append((self.commit[i], i, len(self.full[key])))

    @functools.cached_property
    def places(self):
        """The places at which each key was written, as the bits of a number."""
        return {key: sum(1 << place for place, _, _ in versions)
                for key, versions in self.versions.items()}

    def reads(self, i, base):
        """The external reads that count at a level."""
        ops = self.h.txns[i].ops
        return [r for r in self.h.txns[i].reads if base not in ITEMS or not ops[r].passed_over]

    def before(self, key, place):
        """How many versions of a key were committed before a place."""
        return bisect.bisect_left(self.versions[key], (place,))

    def replaced(self, i):
        """The places at which the versions that a transaction replaces were committed. A deletion
        leaves nothing to replace."""
        places = set()
        for key in self.h.txns[i].writes:
            for place, writer, _ in self.versions[key][:self.before(key, self.commit[i])][-1:]:
                if self.h.txns[writer].writes[key] != DEAD:
                    places.add(place)
        return places

    def state(self, key, place):
        """The state of a key at a place."""
        count = self.before(key, place)
        if not count:
            return None
        _, writer, length = self.versions[key][count - 1]
        return self.full[key][:length] if key in self.h.lists else (
            self.h.txns[writer].writes[key])

    def source(self, i, op, chosen=None):
        """The number of the version, from 0, that an external read returned; or INITIAL."""
        versions = self.versions[op.key]
        for v in range(self.before(op.key, self.commit[i]) - 1, -1, -1):
            _, writer, length = versions[v]
            if op.is_list:
                if chosen is None and self.full[op.key][:length] == op.seen:
                    return v
            elif chosen in (None, writer) and op.fits(self.h.txns[writer].writes[op.key]):
                return v
        need(op.fits(None) and chosen in (None, INITIAL),
             f'a read of {i} returns what no one before it wrote')
        return INITIAL

    def states(self, i, op, bound):
        """The states of the first version that a read may have returned and that was there at
        state `bound` or came later; the latest one's when there is none."""
        versions, count = self.versions[op.key], self.before(op.key, self.commit[i])

        def last(v):
            return min([self.commit[i]] + [w[0] for w in versions[v + 1:v + 2]])

        def fits(v):
            if v < 0:
                return op.fits(None)
            if op.is_list:
                return self.full[op.key][:versions[v][2]] == op.seen
            return op.fits(self.h.txns[versions[v][1]].writes[op.key])
        # The first version whose last state is not before the bound; that of the latest is the commit.
        near = min(self.before(op.key, bound) - 1, count - 1)
        for v in [*range(near, count), *range(near - 1, -2, -1)]:
            if fits(v):
                return versions[v][0] + 1 if v >= 0 else 0, last(v)
        need(False, f'a read of {i} returns what no one before it wrote')

    def check_times(self):
        """Sessions and real time."""
        names = [i for i in self.commit]
        if self.level.session and self.level.base not in APART:
            for ids in self.h.sessions.values():
                named = [i for i in ids if i in self.commit]
                for a, b in zip(named, named[1:]):
                    need(self.commit[a] < self.snapshot[b], f'session order of {a} and {b}')
        if not self.level.time:
            return
        groups = {None: names}
        if self.level.time == 'k':
            groups = collections.defaultdict(set)
            for i in names:
                for op in self.h.txns[i].ops:
                    if op.kind != '?':
                        groups[op.key].add(i)
        for group in groups.values():
            ended = sorted((self.h.txns[i].end, self.commit[i]) for i in group
                           if self.h.txns[i].status == 'committed'
                           and self.h.txns[i].end is not None)
            last = [-1]
            for _, place in ended:
                last.append(max(last[-1], place))
            for i in group:
                if self.h.txns[i].start is not None:
                    count = bisect.bisect_left(ended, (self.h.txns[i].start - self.error,))
                    need(last[count] < self.snapshot[i], f'{i} started after another one ended')

    def check_database_times(self, base):
        """Commits in the order of the database, and no snapshot from its future."""
        times = [(self.h.txns[i].db_start, self.h.txns[i].db_commit) for i in self.named]
        need(all(None not in pair for pair in times), 'the database tells no times')
        commits = [commit for _, commit in times]
        need(all(a < b for a, b in zip(commits, commits[1:])), 'commits are not in order')
        places = [self.commit[i] for i in self.named]
        for i, (start, _) in zip(self.named, times):
            held = bisect.bisect_left(places, self.snapshot[i])
            due = bisect.bisect_left(commits, start)
            need(held <= due, f'the snapshot of {i} is from the future')
            need(base != 'cossi' or held >= due, f'the snapshot of {i} is stale')

    def check_state(self, i, base, place):
        """A transaction reads the state at one place."""
        t = self.h.txns[i]
        for r in self.reads(i, base):
            op = t.ops[r]
            if base in ITEMS and op.left_out:
                earlier = self.versions[op.key][:self.before(op.key, place)]
                need(any(op.fits(self.h.txns[w].writes[op.key]) for _, w, _ in earlier),
                     f'read {r} of {i} leaves out a row that was never another one')
                continue
            need(op.fits(self.state(op.key, place)), f'read {r} of {i} does not return the state')
        need(base not in SNAPSHOT or all(p < place for p in self.replaced(i)),
             f'{i} overlaps another writer of a key')
        if base not in ITEMS:
            self.check_results(i, lambda r: self.state(t.ops[r].key, place))

    def check_results(self, i, version_of):
        """Each aggregate has its result from what its items read."""
        t = self.h.txns[i]
        for n, aggregate in enumerate(t.selections):
            if aggregate:
                items = [(t.ops[r].key, [t.ops[r].holds(version_of(r)) if t.ops[r].own is None
                                         else t.ops[r].own]) for r in aggregate.items]
                need(aggregate.may_be_right(items), f'aggregate {n} of {i} has another result')

    def version(self, key, number):
        """The value of a register's version."""
        return None if number == INITIAL else self.h.txns[self.versions[key][number][1]].writes[key]

    def run(self, chosen):
        """Every commit test, in the order of commits."""
        h, causes = self.h, {}
        ends = sorted((h.txns[i].end, i) for i in self.named if h.txns[i].end is not None
                      and h.txns[i].status == 'committed') if 't' in self.level.time else []
        masks = [0]
        for _, i in ends:
            masks.append(masks[-1] | 1 << self.commit[i])
        earlier = self.sessions()
        for i in self.named:
            t, base, visible, found = h.txns[i], self.level.base, 0, {}
            need(not t.wrong or base == 'ru', f'an internal read of {i} is wrong')
            if base == 'mixed':
                base = stated(t)
            if base in SERIAL and self.level.base != 'mixed':
                need(self.snapshot[i] + (self.snapshot[i] != self.commit[i]) == self.commit[i],
                     f'something is between snapshot and commit of {i}')
            if base in SERIAL | SNAPSHOT | PREFIX:
                self.check_state(i, base, (self.commit if base in SERIAL else self.snapshot)[i])
            if base in ITEMS:
                self.check_results(i, lambda r: self.version(t.ops[r].key, self.source(
                    i, t.ops[r], chosen.get((i, r)))))
            if base in SNAPSHOT | PREFIX | SERIAL and self.level.base != 'mixed' or base == 'ru':
                continue
            if base in PRECEDING:
                visible = sum(1 << place for place in self.replaced(i))
            for r in self.reads(i, base):
                if base in SERIAL | SNAPSHOT | PREFIX and not t.ops[r].is_list:
                    place = (self.commit if base in SERIAL else self.snapshot)[i]
                    count = self.before(t.ops[r].key, place)
                    found[r] = count - 1 if count else INITIAL
                else:
                    found[r] = self.source(i, t.ops[r], chosen.get((i, r)))
                if found[r] != INITIAL:
                    visible |= 1 << self.versions[t.ops[r].key][found[r]][0]
            self.check_results(i, lambda r: self.version(t.ops[r].key, found[r]))
            visible |= earlier[i]
            if ends and t.start is not None:
                visible |= masks[bisect.bisect_left(ends, (t.start - self.error,))]
            if self.level.base in CLOSED | PRECEDING | {'mixed'}:
                causes[i] = self.closed(visible & ~(1 << self.commit[i]), causes)
            if base in MONOTONIC:
                self.check_earlier_views(t, found)
            elif base in ATOMIC | PRECEDING:
                self.check_views(t, found, causes[i] if base in CLOSED | PRECEDING else visible)

    def sessions(self):
        """The transactions before each one in its session, where session order binds."""
        found = {}
        for ids in self.h.sessions.values():
            before = 0
            for i in ids:
                found[i] = before if self.level.session else 0
                before |= 1 << self.commit[i] if i in self.commit else 0
        return found

    def closed(self, visible, causes):
        """What is visible, and all that is visible to that."""
        found = left = visible
        while left:
            place = left.bit_length() - 1
            more = causes.get(self.at[place], 0)
            found, left = found | more, left & ~more & ~(1 << place)
        return found

    def check_earlier_views(self, t, found):
        """A read misses no write of a transaction that an earlier read of its transaction read from."""
        visible, here, step = 0, 0, -1
        for r, version in found.items():
            if t.ops[r].step != step:
                visible, step = visible | here, t.ops[r].step
            self.check_views(t, {r: version}, visible)
            if version != INITIAL:
                here |= 1 << self.versions[t.ops[r].key][version][0]

    def check_views(self, t, found, visible):
        """No visible transaction wrote the key of a read after the version that it returned."""
        for r, version in found.items():
            key, versions = t.ops[r].key, self.versions[t.ops[r].key]
            if version + 1 < len(versions) and (
                    visible & self.places[key]) >> versions[version + 1][0]:
                for place, writer, _ in versions[version + 1:]:
                    need(not visible >> place & 1 or self.h.txns[writer] is t,
                         f'a read misses the write of {writer}, which was visible')


def stated(t):
    """The base of the level that a transaction states, for the mixed levels."""
    level = LEVELS.get(t.level)
    need(level and level.base in MIXABLE and not level.time, 'a level that does not mix')
    return level.base


def check_stated(h, level):
    """At the mixed levels all transactions that did not abort state one that mixes."""
    in_part = any(h.txns[i].selections or any(op.kind == 'x' for op in h.txns[i].ops)
                  for i in h.kept)
    for i in h.kept if level.base == 'mixed' else ():
        need(stated(h.txns[i]) not in ITEMS or not in_part, f'the level of {i} does not mix')


def check_lists(h, order):
    """Read uncommitted: appenders are in the order of the lists that committed ones read."""
    for t in h.txns:
        for op in t.ops if t.status == 'committed' else ():
            if op.kind == 'r' and op.is_list:
                alone = [h.wrote.get((op.key, e), ()) for e in op.value or ()]
                places = [order.commit[ws[0]] for ws in alone
                          if len(set(ws)) == 1 and h.txns[ws[0]].status == 'committed']
                need(places == sorted(places), 'a list shows another order of appends')


def session_test(o, sessions):
    """The session tests, of an order for certain sessions."""
    h, base = o.h, o.level.base
    need(not any(any(h.txns[i].selections) for i in o.commit),
         'this level\'s witnesses do not show what aggregates saw')
    for name, ids in h.sessions.items():
        mine, left, seen = name in sessions, 0, 0
        for i in [i for i in ids if i in o.commit]:
            t, place = h.txns[i], o.commit[i]
            if base in ('causal', 'sequential') or base == 'mw' and t.writes:
                need(left <= place, f'session order before {i}')
            need(base != 'wfr' or not t.writes or seen <= place, f'{i} does not follow reads')
            need(not t.wrong or not mine and base not in ('causal', 'wfr'),
                 f'an internal read of {i} is wrong')
            here, step = seen, -1
            for r, op in enumerate(t.ops):
                first, last = 0, place
                if op.step != step:
                    seen, step = max(here, seen), op.step
                    here = seen
                if r in t.reads and (mine or base in ('causal', 'wfr')):
                    bound = 0
                    if mine and base in ('causal', 'sequential', 'ryw'):
                        bound = left
                    if mine and base in ('causal', 'sequential', 'mr'):
                        bound = max(bound, seen)
                    first, last = o.states(i, op, bound)
                if mine and base in ('causal', 'sequential', 'ryw'):
                    need(left <= last, f'operation {r} of {i} misses its session')
                if mine and base in ('causal', 'sequential', 'mr'):
                    need(seen <= last, f'operation {r} of {i} goes back')
                here = max(here, first)
            seen = max(here, seen) if base in ('mr', 'wfr') else 0
            if t.writes or base in ('causal', 'sequential'):
                left = max(left, place + 1)


def check_witness(h, level, head, body, error):
    """Accepts orders that show that a level holds."""
    mentions = head.get('mentions')
    need(mentions in (1, 2) and body['order'] and not body['finding'] + body['clause']
         + body['until'], 'this is no witness')
    need(mentions == 1 or level.base in SERIAL | SNAPSHOT | PREFIX | {'mixed'}, 'one mention each')
    chosen = {(s['transaction'], s['op']): s.get('writer', INITIAL)
              for line in body['sources'] for s in line['sources']
              if level.base in VIEWS | PRECEDING | ITEMS | {'mixed'}}
    orders = []
    for line in body['order']:
        need('key' not in line, 'this is no witness')
        if 'sessions_of' in line or not orders:
            orders.append((line.get('sessions_of'), []))
        orders[-1][1].extend(line['order'])
    need(len(orders) == 1 or level.base in APART and all(of is not None for of, _ in orders),
         'there is more than one order')
    covered = set()
    for of, numbers in orders:
        order = Order(h, numbers, mentions, level, error)
        need(set(numbers) == set(orders[0][1]), 'orders name different transactions')
        if level.base in APART | {'sequential'}:
            need(of is None or all(i < len(h.txns) for i in of), 'no such session')
            names = set(h.sessions) if of is None else {h.txns[i].session for i in of}
            session_test(order, names)
            covered |= names
            continue
        need(of is None, 'this level does not explain sessions apart')
        order.check_times()
        if level.base in BY_DATABASE:
            order.check_database_times(level.base)
        if level.base == 'ru':
            check_lists(h, order)
        order.run(chosen)
    need(level.base not in APART or {h.txns[i].session for i in orders[0][1]} <= covered,
         'a session has no order')
