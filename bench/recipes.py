"""What the benchmarks measure: how each history is made, at which levels, and what is expected.

A recipe has a name, groups, and the sizes it is run at unless others are asked for; a case is a
recipe at one size. A size is a number of committed transactions. Verdicts are not guessed: those
of faults were determined by running each case and verifying its certificate.
"""
import dataclasses
import re
import zlib

SIZES = {'10k': 10_000, '100k': 100_000, '1M': 1_000_000, '10M': 10_000_000}

RU, RC = 'read-uncommitted', 'read-committed'
MAV, SSMAV = 'monotonic-atomic-view', 'strong-session-monotonic-atomic-view'
RA, TCC = 'read-atomic', 'transactional-causal'
PSI, SI = 'parallel-snapshot-isolation', 'snapshot-isolation'
SER, SSSER = 'serializable', 'strong-session-serializable'
SSER, LIN = 'strict-serializable', 'linearizable'
SHORT = {RU: 'ru', RC: 'rc', MAV: 'mav', SSMAV: 'ssmav', RA: 'ra', TCC: 'tcc', PSI: 'psi',
         SI: 'si', SER: 'ser', SSSER: 'ssser', SSER: 'sser', LIN: 'lin'}
HOLDS, VIOLATED = 'holds', 'violated'


@dataclasses.dataclass(frozen=True)
class Recipe:
    name: str
    groups: tuple
    sizes: tuple
    options: tuple  # of isolde gen; functions of the number of transactions among them
    expected: dict  # level: verdict
    binary: bool = False  # load the native binary format instead of the text


@dataclasses.dataclass(frozen=True)
class Case:
    recipe: Recipe
    size: str

    @property
    def name(self):
        return f'{self.recipe.name}-{self.size}'

    @property
    def levels(self):
        return list(self.recipe.expected)

    def options(self):
        """The command line of isolde gen, without --out."""
        txns = SIZES[self.size]
        words = [str(word(txns) if callable(word) else word) for word in self.recipe.options]
        return [*words, '--txns', str(txns)]

    def stem(self):
        """Name of its history; the same for cases that share one, another when options change."""
        return f'{self.size}-{zlib.crc32(" ".join(self.options()).encode()):08x}'


def gen(workload, isolation, *more, sessions=24):
    return ('--workload', workload, '--isolation', isolation, '--sessions', sessions, *more)


def at_least(number, share):
    """This share of the transactions, but not less than `number`."""
    return lambda txns: max(number, int(share * txns))


def holds(*levels):
    return dict.fromkeys(levels, HOLDS)


def blindw(kind, isolation, *more, sessions=24):
    return gen(f'blindw-{kind}', isolation, '--ops', 8, '--keys', at_least(10_000, 0.1), *more,
               sessions=sessions)


def main_recipes():
    """One row for each thing that Isolde is asked for most."""
    rw = blindw('rw', 'serializable')
    lwt = gen('lwt', 'strict-serializable')
    faults = ('--fault-rate', 0.01, '--seed', 3)
    yield Recipe('blindw-rw-ser', ('main', 'published', 'growth'), ('10k', '100k', '1M'), rw,
                 holds(SER))
    yield Recipe('blindw-rw-si', ('main', 'published'), ('10k', '100k'), rw, holds(SI))
    yield Recipe('blindw-rw-sser', ('main',), ('100k',), rw, holds(SSER))
    yield Recipe('blindw-rw-no-times-ssser', ('main',), ('100k',), (*rw, '--no-times'),
                 holds(SSSER))
    yield Recipe('rmw-lost-update-si', ('main',), ('100k',),
                 gen('rmw', 'snapshot-isolation', '--fault', 'lost-update', *faults),
                 {SI: VIOLATED})
    yield Recipe('general-long-fork-ssser', ('main',), ('100k',),
                 gen('general', 'snapshot-isolation', '--fault', 'long-fork', *faults),
                 {SSSER: VIOLATED})
    yield Recipe('list-append-sser', ('main', 'workloads', 'published'), ('100k',),
                 gen('list-append', 'strict-serializable'), holds(SSER))
    yield Recipe('lwt-many-keys-lin', ('main', 'growth'), ('1M',), (*lwt, '--keys', 1000),
                 holds(LIN))
    yield Recipe('lwt-few-keys-lin', ('main',), ('1M',),
                 (*lwt, '--keys', 4, '--writes-per-key', 1_000_000), holds(LIN))


def workload_recipes():
    """Every workload that papers of the field use, at the level they check."""
    for kind in ('rm', 'rh', 'wr', 'wh'):
        groups = ('workloads', 'published') if kind in ('rm', 'wr') else ('workloads',)
        yield Recipe(f'blindw-{kind}-ser', groups, ('10k', '100k'), blindw(kind, 'serializable'),
                     holds(SER))
    # With one warehouse nearly all of a TPC-C history are attempts that lost a conflict.
    for name, scale in (('tpcc', ('--warehouses', at_least(10, 0.0001))), ('c-twitter', ()),
                        ('c-rubis', ())):
        groups = ('workloads', 'published') if name == 'c-rubis' else ('workloads',)
        yield Recipe(f'{name}-ser', groups, ('10k', '100k'),
                     gen(name, 'serializable', *scale), holds(SER))
        yield Recipe(f'{name}-si', ('workloads',), ('10k', '100k'),
                     gen(name, 'snapshot-isolation', *scale), holds(SI))
    for name in ('ycsb', 'rmw', 'mixed', 'rw-register'):
        yield Recipe(f'{name}-ser', ('workloads',), ('10k', '100k'), gen(name, 'serializable'),
                     holds(SER))
    yield Recipe('mini-ser', ('workloads', 'growth'), ('100k', '1M'),
                 gen('mini', 'serializable', '--keys', at_least(1000, 0.01)), holds(SER))
    for percent in (5, 25, 50, 75, 95):
        for level, store in ((SER, 'serializable'), (SI, 'snapshot-isolation')):
            groups = ('reads', 'published') if (percent, level) == (50, SI) else ('reads',)
            yield Recipe(f'general-{percent}-reads-{SHORT[level]}', groups, ('10k', '100k'),
                         gen('general', store, '--reads', percent / 100), holds(level))
    for name in ('general', 'mini', 'blindw-rw'):
        for spread in ('uniform', 'zipfian', 'hotspot'):
            yield Recipe(f'{name}-{spread}-ser', ('distribution',), ('10k', '100k'),
                         gen(name, 'serializable', '--distribution', spread), holds(SER))
    for sessions in (8, 24, 100):
        yield Recipe(f'blindw-rw-{sessions}-sessions-ser', ('sessions',), ('10k', '100k'),
                     blindw('rw', 'serializable', sessions=sessions), holds(SER))
        yield Recipe(f'mini-{sessions}-sessions-sser', ('sessions',), ('10k', '100k'),
                     gen('mini', 'serializable', sessions=sessions), holds(SSER))


# Level, the level below it that still holds, and the fault that makes the difference, with the
# store's staleness and the keys, on a workload where others look at once at what went wrong.
LADDER = (
    (RC, RU, 'aborted-read', 'fresh', 100),
    (MAV, RC, 'non-monotonic-read', 'fresh', 100),
    (RA, MAV, 'non-repeatable-read', 'session', 100),
    (TCC, RA, 'causality-violation', 'fresh', 100),
    (PSI, TCC, 'lost-update', 'fresh', 100),
    (SI, PSI, 'long-fork', 'fresh', 200),
    (SER, SI, 'write-skew', 'fresh', 100),
    (SSSER, SER, 'session-violation', 'fresh', 100),
    (SSER, SSSER, 'stale-read', 'fresh', 100),
)
# Levels whose violation is left to the search when nobody recorded times and writes are blind:
# level, fault, workload, keys, and the sizes at which no level breaks that needs no search
# (those up to transactional causal).
HIDDEN = (
    (PSI, 'causality-violation', 'ycsb', 300, ('10k',)),
    (SI, 'long-fork', 'ycsb', 1000, ('10k', '100k')),
    (SER, 'write-skew', 'ycsb', 1000, ('10k', '100k')),
    (SSSER, 'session-violation', 'general', 300, ('10k',)),
)
# The fault is among the first or the last 200 transactions: 2 % of the smallest size.
EARLY = ('--fault-before', lambda txns: 200 / txns)
LATE = ('--fault-after', lambda txns: 1 - 200 / txns)


def level_recipes():
    """Histories that just satisfy a level, and that just violate it: early, late, hidden."""
    for level, below, fault, staleness, keys in LADDER:
        # On ycsb a read that is not repeatable breaks monotonic atomic view too.
        workload = 'rmw' if fault == 'non-repeatable-read' else 'ycsb'
        broken = gen(workload, 'serializable', '--staleness', staleness, '--keys', keys, '--fault',
                     fault, '--fault-rate', 0.5, '--seed', 1)
        yield Recipe(f'just-{SHORT[below]}', ('valid',), ('10k', '100k'), (*broken, *LATE),
                     holds(below))
        for place, part in (('early', EARLY), ('late', LATE)):
            yield Recipe(f'{SHORT[level]}-violated-{place}', ('violated',), ('10k', '100k'),
                         (*broken, *part), {level: VIOLATED})
    yield Recipe('just-sser', ('valid',), ('10k', '100k'),
                 gen('ycsb', 'strict-serializable', '--keys', 100), holds(SSER))
    for level, fault, workload, keys, sizes in HIDDEN:
        yield Recipe(f'{SHORT[level]}-violated-hidden', ('violated', 'hidden'), sizes,
                     gen(workload, 'serializable', '--keys', keys, '--no-times', '--fault', fault,
                         '--fault-rate', 1, '--seed', 1, *LATE), {level: VIOLATED})


def cost_recipes():
    """Loading alone; what levels cost beside loading; what threads and sizes do."""
    for binary in (False, True):
        form = 'binary' if binary else 'text'
        yield Recipe(f'load-blindw-rw-{form}', ('load', 'threads'), ('100k', '1M'),
                     blindw('rw', 'serializable'), holds(RU), binary)
        yield Recipe(f'load-list-append-{form}', ('load',), ('100k', '1M'),
                     gen('list-append', 'strict-serializable'), holds(RU), binary)
    weak = blindw('rw', 'strict-serializable')
    for level in (SSMAV, RA, TCC):
        groups = ('ratio', 'threads', 'growth') + (('published',) if level != RA else ())
        yield Recipe(f'blindw-rw-{SHORT[level]}', groups, ('100k', '1M'), weak, holds(level),
                     True)
    zipfian = gen('mini', 'strict-serializable', '--distribution', 'zipfian', '--keys',
                  at_least(1000, 0.01))
    yield Recipe('mini-zipfian-seven', ('ratio', 'threads', 'growth'), ('100k', '1M'), zipfian,
                 holds(SSER, SER, SI, TCC, RA, SSMAV, RC), True)


RECIPES = [*main_recipes(), *workload_recipes(), *level_recipes(), *cost_recipes()]
GROUPS = sorted({group for recipe in RECIPES for group in recipe.groups})


def chosen(groups, only, sizes):
    """The cases of these groups ('all': of all) whose name the expression finds."""
    cases = []
    for recipe in RECIPES:
        if 'all' not in groups and not set(groups) & set(recipe.groups):
            continue
        cases += [case for size in sizes or recipe.sizes
                  if re.search(only, (case := Case(recipe, size)).name)]
    return cases
