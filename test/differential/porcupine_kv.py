"""Porcupine's logs of key-value stores, whose appends become reads and writes of whole strings."""
import collections
import dataclasses
import itertools
import math

from calls import pair
from edn import forms
from making import events, sized
from model import (ABORTED, COMMITTED, UNKNOWN, History, Malformed, Txn, Undefined, decode, only,
                   string)

NEVER = float('inf')
WAYS = 4096  # more ways to tell equal values apart are not tried
FUNCTIONS = (':get', ':put', ':append')


@dataclasses.dataclass
class Place:
    """An appended value behind a string."""
    front: str
    base: str  # what was put, in front of all that was appended
    gets: list
    alone: bool = False  # the value alone, which was put as well


class Key:
    """What the log says of one key."""

    def __init__(self, calls):
        self.puts, self.appends, self.gets = {}, {}, []
        for call in calls:
            entry = call.first
            if entry[':f'] == ':get':
                if call.outcome == COMMITTED:
                    self.gets.append((call, call.completion[':value']))
            elif entry[':value'] != '' or entry[':f'] == ':put':
                group = self.puts if entry[':f'] == ':put' else self.appends
                group.setdefault(entry[':value'], []).append(call)
        if '' in self.puts:
            raise Malformed('the empty string is put')
        self.sizes = sorted({len(value) for value in self.appends})
        self.sizes_of_first = sorted({len(value) for value in {**self.puts, **self.appends}})
        self.first_end = min((end_of(call) for group in (self.puts, self.appends)
                              for calls in group.values() for call in calls
                              if call.outcome != ABORTED), default=NEVER)
        self.places = {}  # appended value -> string in front of it -> Place
        self.shown = []  # (get, base, text)
        for call, text in sorted(self.gets, key=lambda get: end_of(get[0])):
            if not isinstance(text, str):
                raise Malformed(f'get of {text}')
            self.learn(call, text)
        self.fronts = {}  # id of an append -> the string in front of it
        for value, places in self.places.items():
            self.assign(value, list(places.values()))

    def parts(self, text):
        """The parts that a string was put together of, or None. The first may have been put."""
        # From the end: in how many ways the rest consists of appended values, and the next part.
        ways, following = {len(text): 1}, {}
        for at in range(len(text) - 1, 0, -1):
            for size in self.sizes:
                if at + size in ways and text[at:at + size] in self.appends:
                    ways[at] = ways.get(at, 0) + ways[at + size]
                    following[at] = at + size
        firsts = [size for size in self.sizes_of_first if size in ways
                  and (text[:size] in self.puts or text[:size] in self.appends)]
        total = sum(ways[at] for at in firsts)
        if total > 1:
            raise Malformed(f'{text!r} can be put together in several ways')
        if not total:
            return None
        at = firsts[0]
        found = [text[:at]]
        while at < len(text):
            found.append(text[at:following[at]])
            at = following[at]
        return found

    def learn(self, call, text):
        """What a get tells of the appends in it."""
        parts = self.parts(text) if text else []
        if parts is None:
            return
        base = parts.pop(0) if parts and parts[0] in self.puts else ''
        if any(number > max(1, len(possible(self.appends[part])))
               for part, number in collections.Counter(parts).items()):
            return  # An append takes effect once.
        self.shown.append((call, base, text))
        if base in self.appends:
            place = self.places.setdefault(base, {}).setdefault('', Place('', '', [], True))
            place.gets.append(call)
        front = base
        for part in parts:
            place = self.places.setdefault(part, {}).setdefault(front, Place(front, base, []))
            place.gets.append(call)
            front += part

    def is_repeatable(self, place):
        """Whether the key can have held the same twice, by operations that do the same."""
        makers = len(possible(self.puts.get(place.base, ()))) + (place.base in self.appends)
        return place.base != '' and makers > 1

    def may_have_made(self, call, place):
        began, ended = call.first['line'], end_of(call)
        if place.front == '' and self.first_end < began:
            return False  # The empty string is there before all writes, and never again.
        if self.is_repeatable(place):
            return True
        if min(end_of(get) for get in place.gets) < began:
            return False
        return not any(get.first['line'] > ended and base == place.base
                       and place.front.startswith(text) for get, base, text in self.shown)

    def may_be_unseen(self, call):
        """What was returned later begins with something that was put later."""
        return all(get.first['line'] < end_of(call)
                   or (base and base in self.appends)
                   or any(end_of(put) > call.first['line']
                          for put in possible(self.puts.get(base, ())))
                   for get, base, _ in self.shown)

    def assign(self, value, places):
        """Finds out which operation each place of a value belongs to."""
        makers = possible(self.appends[value])
        if not makers:
            makers = self.appends[value][:1]
            self.fronts[id(makers[0])] = places[0].front
            return
        if len(makers) == len(places) == 1 and not places[0].alone:
            self.fronts[id(makers[0])] = places[0].front
            return
        options = [[place for place in places if self.may_have_made(call, place)]
                   + [None] * self.may_be_unseen(call) for call in makers]
        if math.prod(map(len, options)) > WAYS:
            raise Malformed(f'{value!r} is appended by many operations')
        ways = [way for way in itertools.product(*options) if self.explains(way, places)]
        if len(ways) > 1:
            raise Malformed(f'several operations can have appended {value!r}')
        if not ways and len(places) > 1 and places[0].gets[0] is places[1].gets[0]:
            raise Undefined(f'no operations can have appended {value!r}')
        way = ways[0] if ways else places
        self.fronts.update({id(call): place.front for call, place in zip(makers, way) if place})

    def explains(self, way, places):
        for place in places:
            made = sum(1 for one in way if one is place)
            if (made == 0 and not place.alone) or (made > 1 and not self.is_repeatable(place)):
                return False
        return True

    def appended(self, call):
        value, key = call.first[':value'], string(call.first[':key'])
        if value == '':
            return [('r?', key)]
        if id(call) in self.fronts:
            front = self.fronts[id(call)]
            return [('r', key, string(front) if front else None), ('w', key, string(front + value))]
        return [('w', key, None)]


def possible(calls):
    """Operations that failed make way for others with the same value."""
    return [call for call in calls if call.outcome != ABORTED]


def end_of(call):
    return NEVER if call.outcome == UNKNOWN else call.completion['line']


def name_unseen(history):
    """What an append that no get shows left behind: `?` and the value, with more `?` where that
    is somewhere else."""
    used = {op[1:] for txn in history.txns() for op in txn.ops if op[-1] is not None}
    for txn in sorted(history.txns(), key=lambda one: one.start):
        for at, op in enumerate(txn.ops):
            if op[0] == 'w' and op[2] is None:
                value = '?' + txn.unseen
                while (op[1], string(value)) in used:
                    value = '?' + value
                used.add((op[1], string(value)))
                txn.ops[at] = ('w', op[1], string(value))


def transaction(call, keys):
    entry = call.first
    key = string(entry[':key'])
    if entry[':f'] == ':put':
        return Txn(call.outcome, [('w', key, string(entry[':value']))])
    if entry[':f'] == ':append':
        return Txn(call.outcome, keys[entry[':key']].appended(call))
    if call.outcome != COMMITTED:
        return Txn(call.outcome, [('r?', key)])
    value = call.completion[':value']
    return Txn(COMMITTED, [('r', key, string(value) if value else None)])


def read(files):
    entries = []
    for line, form in ((line, form)
                       for line, text in enumerate(decode(only(files)).split('\n'), 1)
                       for form in forms(text)):
        if (not isinstance(form, dict) or form.get(':f') not in FUNCTIONS
                or not isinstance(form.get(':process'), int)
                or form.get(':type') not in (':invoke', ':ok', ':fail', ':info')
                or ':key' not in form):
            raise Malformed(f'entry {form}')
        form['line'] = line
        entries.append((form[':process'], form[':type'][1:], form))
    calls, groups = pair(entries, complete=True), {}
    for call in calls:
        groups.setdefault(call.first[':key'], []).append(call)
    keys = {key: Key(group) for key, group in groups.items()}
    history = History({}, True)
    for call in calls:
        txn = transaction(call, keys)
        txn.start = call.first['line']
        txn.end = None if txn.outcome == UNKNOWN else call.completion['line']
        txn.unseen = call.first[':value']
        history.session(call.session).append(txn)
    name_unseen(history)
    return history


class Store:
    """Keys with strings, as clients see them; now and then one is told something old."""

    def __init__(self, rng):
        self.rng, self.state, self.last = rng, {}, 0
        self.repeats = 0.1 if rng.random() < 0.3 else 0

    def call(self):
        key, function = self.rng.randrange(8), self.rng.choice(('get', 'get', 'append', 'append'))
        if function == 'append' and len(self.state.get(key, '')) > 100:
            function = 'put'
        if function == 'get':
            return [function, key, None, False]
        if self.rng.random() >= self.repeats or not self.last:
            self.last += 1
        return [function, key, f'x {self.last} y', self.take(function, key)]

    def take(self, function, key):
        """Whether the operation takes effect at once. Others do when they end."""
        if self.rng.random() < 0.5:
            return False
        self.apply(function, key, f'x {self.last} y')
        return True

    def apply(self, function, key, value):
        self.state[key] = (self.state.get(key, '') if function == 'append' else '') + value

    def told(self, kind, call):
        function, key, value, taken = call
        if kind == 'invoke':
            return 'nil' if value is None else f'"{value}"'
        if kind == 'ok' and function != 'get' and not taken:
            self.apply(function, key, value)
        if kind == 'info':
            return ':timed-out'
        return f'"{self.state.get(key, "")}"' if function == 'get' else f'"{value}"'

    def lines(self):
        for process, kind, call in events(self.rng, self.call):
            yield (f'{{:process {process}, :type :{kind}, :f :{call[0]}, :key "{call[1]}", '
                   f':value {self.told(kind, call)}}}\n')


def make(rng, size):
    return [('made.txt', ''.join(sized(Store(rng).lines(), size)).encode())]
