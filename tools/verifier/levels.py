"""The levels, from docs/LEVELS.md, and how a certificate is turned down."""
import collections

# Name, short name, base, what binds (s: session order, t: real time, k: real time for each key),
# next weaker levels.
TABLE = '''
strict-serializable sser ser t per-key-strict-serializable strong-snapshot-isolation
strong-session-serializable ssser ser s serializable strong-session-snapshot-isolation mixed
serializable ser ser - repeatable-read snapshot-isolation
per-key-strict-serializable pkser ser k serializable linearizable
repeatable-read rr rr - read-atomic
commit-ordered-strong-snapshot-isolation cossi cossi - ansi-snapshot-isolation
prefix-consistent-snapshot-isolation pcsi gsi s ansi-snapshot-isolation\
 strong-session-snapshot-isolation
ansi-snapshot-isolation gsi gsi - snapshot-isolation
strong-snapshot-isolation strong-si si t snapshot-isolation strong-parallel-snapshot-isolation\
 strong-prefix-consistency
strong-session-snapshot-isolation sssi si s snapshot-isolation strong-session-prefix-consistency\
 strong-session-parallel-snapshot-isolation
snapshot-isolation si si - parallel-snapshot-isolation prefix-consistency
strong-parallel-snapshot-isolation strong-psi psi t parallel-snapshot-isolation linearizable\
 strong-read-atomic
strong-session-parallel-snapshot-isolation sspsi psi s parallel-snapshot-isolation\
 transactional-causal causal
parallel-snapshot-isolation psi psi - read-atomic
strong-prefix-consistency strong-pc pc t prefix-consistency strong-read-atomic
strong-session-prefix-consistency sspc pc s prefix-consistency sequential transactional-causal
prefix-consistency pc pc - read-atomic
sequential sc sequential s causal strong-session-monotonic-atomic-view
linearizable lin lin t
strong-transactional-causal strong-tcc tcc st transactional-causal strong-read-atomic
transactional-causal tcc tcc s strong-session-read-atomic
causal cc causal s strong-session-read-committed monotonic-reads read-your-writes
strong-read-atomic strong-ra ra t read-atomic strong-monotonic-atomic-view
strong-session-read-atomic ssra ra s read-atomic strong-session-monotonic-atomic-view
read-atomic ra ra - monotonic-atomic-view
strong-monotonic-atomic-view strong-mav mav t monotonic-atomic-view strong-read-committed
strong-session-monotonic-atomic-view ssmav mav s monotonic-atomic-view\
 strong-session-read-committed
monotonic-atomic-view mav mav - read-committed
strong-read-committed strong-rc rc t read-committed strong-read-uncommitted
strong-session-read-committed ssrc rc s writes-follow-reads monotonic-writes\
 strong-session-read-uncommitted
read-committed rc rc - read-uncommitted
writes-follow-reads wfr wfr s read-committed
monotonic-writes mw mw s
monotonic-reads mr mr s
read-your-writes ryw ryw s
strong-read-uncommitted strong-ru ru t read-uncommitted
strong-session-read-uncommitted ssru ru s read-uncommitted
read-uncommitted ru ru -
strong-mixed strong-mix mixed st mixed
mixed mix mixed s
'''
# Arrows for histories in which the transactions of each session follow one another in time.
IN_TIME = {'strict-serializable': ['strong-session-serializable', 'strong-mixed'],
           'strong-parallel-snapshot-isolation': ['strong-transactional-causal'],
           'strong-prefix-consistency': ['strong-transactional-causal']}
Level = collections.namedtuple('Level', 'name base session time weaker')
LEVELS = {}
for _row in TABLE.strip().split('\n'):
    _name, _short, _base, _binds, *_weaker = _row.split()
    LEVELS[_name] = LEVELS[_short] = Level(_name, _base, 's' in _binds,
                                           _binds.strip('s-'), _weaker)

SERIAL = {'ser', 'rr'}
BY_DATABASE = {'gsi', 'cossi'}
SNAPSHOT = {'si'} | BY_DATABASE
VIEWS = {'rc', 'mav', 'ra', 'tcc'}
# Where a refused insert is a read of some row, and what these levels and the others imply past one another.
CURRENT = {'ser', 'rr', 'rc', 'lin'}
PAST = {'strict-serializable': ['strong-read-committed'],
        'strong-session-serializable': ['strong-session-read-committed'],
        'repeatable-read': ['read-committed'], 'strong-session-read-committed': ['read-committed'],
        'strong-monotonic-atomic-view': ['strong-read-uncommitted'],
        'strong-session-monotonic-atomic-view': ['writes-follow-reads', 'monotonic-writes',
                                                 'strong-session-read-uncommitted'],
        'monotonic-atomic-view': ['read-uncommitted'], 'writes-follow-reads': ['read-uncommitted'],
        'causal': ['writes-follow-reads', 'monotonic-writes', 'strong-session-read-uncommitted']}
APART = {'causal', 'wfr', 'mw', 'mr', 'ryw'}
GUARANTEES = {'mw', 'mr', 'ryw'}
MIXABLE = {'ser', 'rr', 'si', 'pc'} | VIEWS
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
