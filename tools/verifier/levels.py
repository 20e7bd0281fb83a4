"""The levels, from docs/LEVELS.md, and how a certificate is turned down."""
import collections

# Name, short name, base, what binds (s: session order, t: real time, k: real time for each key).
TABLE = '''
strict-serializable sser ser t
strong-session-serializable ssser ser s
serializable ser ser -
per-key-strict-serializable pkser ser k
repeatable-read rr rr -
commit-ordered-strong-snapshot-isolation cossi cossi -
prefix-consistent-snapshot-isolation pcsi gsi s
ansi-snapshot-isolation gsi gsi -
strong-snapshot-isolation strong-si si t
strong-session-snapshot-isolation sssi si s
snapshot-isolation si si -
strong-parallel-snapshot-isolation strong-psi psi t
strong-session-parallel-snapshot-isolation sspsi psi s
parallel-snapshot-isolation psi psi -
strong-prefix-consistency strong-pc pc t
strong-session-prefix-consistency sspc pc s
prefix-consistency pc pc -
sequential sc sequential s
linearizable lin lin t
strong-transactional-causal strong-tcc tcc st
transactional-causal tcc tcc s
causal cc causal s
strong-read-atomic strong-ra ra t
strong-session-read-atomic ssra ra s
read-atomic ra ra -
strong-monotonic-atomic-view strong-mav mav t
strong-session-monotonic-atomic-view ssmav mav s
monotonic-atomic-view mav mav -
strong-read-committed strong-rc rc t
strong-session-read-committed ssrc rc s
read-committed rc rc -
writes-follow-reads wfr wfr s
monotonic-writes mw mw s
monotonic-reads mr mr s
read-your-writes ryw ryw s
strong-read-uncommitted strong-ru ru t
strong-session-read-uncommitted ssru ru s
read-uncommitted ru ru -
strong-mixed strong-mix mixed st
mixed mix mixed s
'''
# A base; what holds of it (current: a refused insert is a read of some row; mix: transactions may state it); the
# next weaker bases (after +: where rows are not deleted, after *: where selections left out no row).
BASES = '''
ser serial,current,mix rr si mixed lin
rr serial,items,current,mix rc *ra
cossi times gsi
gsi times si
si snapshot,mix psi pc
psi preceding tcc ra +lin +causal
pc prefix,mix sequential tcc ra
sequential - causal mav
lin current
tcc views,atomic,closed,mix ra
causal apart rc mr ryw
ra views,atomic,mix mav
mav views,monotonic,mix rc
rc views,current,mix wfr mw ru
wfr apart rc ru
mw apart,guarantee
mr apart,guarantee
ryw apart,guarantee
ru -
mixed -
'''
Level = collections.namedtuple('Level', 'name base session time')
LEVELS = {}
for _row in TABLE.strip().split('\n'):
    _name, _short, _base, _binds = _row.split()
    LEVELS[_name] = LEVELS[_short] = Level(_name, _base, 's' in _binds, _binds.strip('s-'))
_BASES = {_row.split()[0]: _row.split()[1:] for _row in BASES.strip().split('\n')}


def bases(fact):
    """The bases of which this holds."""
    return {base for base, row in _BASES.items() if fact in row[0].split(',')}


SERIAL, BY_DATABASE, VIEWS = bases('serial'), bases('times'), bases('views')
SNAPSHOT = bases('snapshot') | BY_DATABASE
ITEMS, PREFIX, PRECEDING = bases('items'), bases('prefix'), bases('preceding')
MONOTONIC, ATOMIC, CLOSED = bases('monotonic'), bases('atomic'), bases('closed')
CURRENT, APART, GUARANTEES, MIXABLE = bases('current'), bases('apart'), bases('guarantee'), bases('mix')


def next_weaker(level, in_time, left_out, deleted):
    """Names of levels that follow in one step. `in_time`: the transactions of each session follow one
    another in time."""
    for base in [level.base] + _BASES[level.base][1:]:
        if base[0] == '+' and deleted or base[0] == '*' and left_out:
            continue
        for other in set(LEVELS.values()):
            if other.base != base.lstrip('+*'):
                continue
            # An execution in which what writes follow is read need not keep the order of sessions.
            session = level.session and (level.base != 'wfr' or other.base == 'wfr') or in_time and level.time == 't'
            # Linearizability is about one key at a time.
            enough = 'kt' if other.time == 'k' or other.base == 'lin' else 't'
            if (session or not other.session) and (not other.time or level.time and level.time in enough):
                yield other.name


DAY = 86_400_000_000_000
INITIAL = -1


class Refused(Exception):
    """The certificate does not prove its claim."""


class Unchecked(Exception):
    """The search here is too small to tell."""


class Bad(Exception):
    """Not a certificate or not a history."""


def need(condition, reason):
    """Refuses the certificate unless the condition is true."""
    if not condition:
        raise Refused(reason)


def demand(condition, reason):
    """Says that the input is bad unless the condition is true."""
    if not condition:
        raise Bad(reason)
