"""What follows from the members of a clause being false: unit propagation, with what is true of the
reads of the transactions that claims name."""
import itertools

from verifier.levels import INITIAL


class Contradiction(Exception):
    """Something would have to be both true and false."""


class Propagation:
    """Truth values of what steps speak of: ('e', T) says that a transaction took effect, ('s', T, R, W)
    that its read R came from W, ('o', A, B) that A commits before B. `asks` says whose reads the
    level looks at, `tells` which of them have one of their possible sources."""

    def __init__(self, h, asks, tells):
        self.h, self.asks, self.tells = h, asks, tells
        self.value, self.watched = {}, set()

    def contradicts(self, denied, clauses):
        """Whether clauses and facts contradict that all these members are false."""
        self.value, self.watched = {}, set()
        for name, _ in itertools.chain(denied, *clauses):
            if name[0] != 'o':
                self.watched |= {name[1], *name[3:]} - {INITIAL}
        try:
            for name, sign in denied:
                self.assign(name, not sign)
            known = None
            while known != (len(self.value), len(self.watched)):
                known = len(self.value), len(self.watched)
                for i in sorted(self.watched):
                    self.look_at(i)
                for clause in clauses:
                    self.unit(clause)
        except Contradiction:
            return True
        return False

    def truth(self, name):
        """True, False, or None where nothing is known yet."""
        found = self.value.get(name)
        if found is None and name[0] == 'e' and name[1] in self.h.certain:
            return True
        if found is None and name[0] == 's' and False in (
                self.value.get(('e', name[1])), self.value.get(('e', name[3]))):
            return False
        return found

    def assign(self, name, value):
        """Makes something true or false. The transactions of a read's source took effect."""
        if self.truth(name) not in (None, value):
            raise Contradiction
        self.value[name] = value
        if name[0] == 's' and value:
            for i in {name[1], name[3]} - {INITIAL}:
                self.assign(('e', i), True)

    def unit(self, clause):
        """Makes the last member of a clause true that is not false."""
        if any(self.truth(name) is sign for name, sign in clause):
            return
        free = {(name, sign) for name, sign in clause if self.truth(name) is None}
        if not free:
            raise Contradiction
        if len(free) == 1:
            self.assign(*free.pop())

    def look_at(self, i):
        """A transaction that took effect has one of the possible sources for each read, and no internal
        read of it is wrong."""
        t = self.h.txns[i]
        if t.wrong and self.asks(i):
            self.assign(('e', i), False)
        for r in t.reads:
            if self.truth(('e', i)) is False:
                return
            if not self.tells(i, t.ops[r]):
                continue
            left = self.left(i, r)
            if not left:
                self.assign(('e', i), False)
            elif len(left) == 1 and self.truth(('e', i)):
                self.assign(('s', i, r, left[0]), True)
                self.watched |= {left[0]} - {INITIAL}

    def left(self, i, r):
        """Two of the possible sources of a read that are not denied; all of them, if they are fewer."""
        op = self.h.txns[i].ops[r]
        sources = itertools.chain([INITIAL] if op.fits(None) else [], self.h.each_source(i, op))
        return list(itertools.islice(
            (w for w in sources if self.truth(('s', i, r, w)) is not False), 2))
