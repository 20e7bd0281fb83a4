"""What the makers of random files share. The histories are of no database and satisfy no level;
they have everything in them that the formats can say."""

THIN_AIR = 10**15


class Workload:
    """Operations on registers with integers as keys and values; 0 as a rule is initial."""

    def __init__(self, rng, keys=40, zeros=True):
        self.rng, self.last, self.written = rng, 0, {key: [] for key in range(keys)}
        self.zeros = set(rng.sample(range(keys), 3)) if zeros and rng.random() < 0.5 else set()

    def write(self, key):
        self.last += 1
        value = 0 if key in self.zeros and self.rng.random() < 0.1 else self.last
        self.written[key].append(value)
        return value

    def read(self, key):
        written, chance = self.written[key][-20:], self.rng.random()
        if chance < 0.02:
            return THIN_AIR + key
        return self.rng.choice(written) if written and chance < 0.9 else 0

    def ops(self, most=8, again=0):
        """A transaction's (function, key, value). Some writes repeat a key's first value."""
        found = []
        for _ in range(self.rng.randint(1, most)):
            key = self.rng.randrange(len(self.written))
            found.append(('w', key, self.write(key)) if self.rng.random() < 0.5
                         else ('r', key, self.read(key)))
            if again and found[-1][0] == 'w' and self.rng.random() < again:
                found[-1] = ('w', key, self.written[key][0])
        return found


def events(rng, calls, processes=6):
    """A log without end: (process, kind, call) of clients that work at the same time. `calls()`
    gives a new call. A process that lost one may come back, under the same name."""
    running = {}
    while True:
        process = rng.randrange(processes)
        if process not in running:
            running[process] = calls()
            yield process, 'invoke', running[process]
            continue
        call = running.pop(process)
        yield process, rng.choices(('ok', 'fail', 'info'), (16, 2, 1))[0], call


def sized(pieces, size):
    """Pieces of text or bytes until they come to a size."""
    found, length = [], 0
    for piece in pieces:
        found.append(piece)
        length += len(piece)
        if length >= size:
            return found
    return found
