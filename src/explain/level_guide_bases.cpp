// The texts of the base levels. What databases claim is taken from their manuals, and from
// reports of what they do (Jepsen's analyses, docs/databases.md); a claim is not a finding.
#include <array>

#include "base/assert.hpp"
#include "explain/level_guide.hpp"

namespace isolde::explain {
namespace {

using enum BaseLevel;

constexpr std::string_view kSearched =
    "NP-complete in general. A guess that is right, as for most histories of correct "
    "databases, takes O(m log n); list reads and read-modify-write chains leave nothing to "
    "guess.";
constexpr std::string_view kOneOrder = "O(n log n): the times leave one execution to check.";
constexpr std::string_view kOneSession =
    "Polynomial: for each session separately, the fixpoint of its forced orders.";

constexpr auto kGuides = std::to_array<BaseGuide>({
    {kSerializable,
     "There is one order of all transactions in which every external read of a transaction "
     "returns the state that the transactions before it have left. So the outcome is the same "
     "as if they had run one after the other.",
     "Adya 1999: PL-3 (no G1, no G2). Crooks 2019: the parent state is complete. Biswas and "
     "Enea 2019: SER, there with session order.",
     "PostgreSQL SERIALIZABLE (SSI). MariaDB and MySQL SERIALIZABLE (locks). SQLite. Firebird "
     "SNAPSHOT TABLE STABILITY. RocksDB when all reads are GetForUpdate, key by key. "
     "CockroachDB and YugabyteDB SERIALIZABLE. Oracle's SERIALIZABLE is snapshot isolation. "
     "Elle's \"serializable\" is this; that of MTC, dbcop, VeriStrong and Cobra's rounds has "
     "session order, so theirs is strong-session-serializable. With real time it is what etcd, "
     "LMDB with one writer, FoundationDB and Spanner (\"external consistency\") promise.",
     kSearched},
    {kRepeatableRead,
     "As serializable, except that what a condition selects may change: a transaction whose "
     "selection left out a row need not come before those that write it later, unless it wrote "
     "that row itself. A row that matched at the start must have been changed before. Without "
     "selections it is the same as serializable; with them it implies read committed, but none "
     "of the levels in between.",
     "Adya 1999: PL-2.99 (no G1, no G2-item).",
     "The SQL standard's REPEATABLE READ, which few databases give by that name: that of "
     "PostgreSQL and TiDB is snapshot isolation; that of MySQL and MariaDB (InnoDB) loses "
     "updates, and is below it. Elle calls it \"repeatable-read\".",
     kSearched},
    {kCommitOrderedSnapshot,
     "As ansi-snapshot-isolation, and each snapshot holds all transactions that the database "
     "had committed when the transaction started.",
     "Crooks 2019, section 3.3.2: Strong SI. Daudjee and Salem 2006.",
     "No product by that name. Snapshot isolation of a single server aims at this, by its own "
     "clock. Viper's \"strong SI\" goes by clients' times and is strong-snapshot-isolation.",
     kOneOrder},
    {kPrefixSnapshot,
     "As ansi-snapshot-isolation, and each snapshot holds the earlier transactions of the "
     "same session.",
     "Elnikety, Zwaenepoel, Pedone 2005: PC-SI. Crooks 2019, section 3.3.2: Strong Session SI.",
     "No product by that name; replicated snapshot isolation with sticky sessions aims at "
     "this.",
     kOneOrder},
    {kAnsiSnapshot,
     "Snapshot isolation by the database's own start and commit times: transactions commit in "
     "the order of those times, and a snapshot is the state at some moment not after the "
     "start. No other transaction commits a write of one of its keys between that moment and "
     "its own commit.",
     "Berenson et al. 1995. Elnikety, Zwaenepoel, Pedone 2005: generalized snapshot isolation "
     "(GSI). Crooks 2019, section 3.3.2: ANSI SI.",
     "No product by that name; lagging replicas aim at this. Viper checks it as \"GSI\".",
     kOneOrder},
    {kSnapshotIsolation,
     "There is one order of commits. Each transaction reads from a snapshot, the state after "
     "some commit before its own. No other transaction commits between its snapshot and its "
     "commit that writes a key which it writes too.",
     "Adya 1999: PL-SI (no G1, no G-SI). Crooks 2019: a complete state without conflict. "
     "Biswas and Enea 2019: SI, there with session order.",
     "PostgreSQL REPEATABLE READ. Oracle SERIALIZABLE. SQL Server SNAPSHOT. Firebird SNAPSHOT. "
     "TiDB REPEATABLE READ. MariaDB REPEATABLE READ with innodb_snapshot_isolation=ON. RocksDB "
     "with SetSnapshot. WiredTiger and MongoDB \"snapshot\". Elle's \"snapshot-isolation\" is "
     "this; \"SI\" of PolySI, VeriStrong, dbcop and MTC is the form with session order, "
     "Viper's \"strong SI\" the one with real time.",
     kSearched},
    {kParallelSnapshot,
     "Each transaction reads from a snapshot that holds, with each transaction, everything "
     "that transaction depends on; two transactions that write the same key are not "
     "concurrent. There need not be one order of commits: readers may see unrelated writes in "
     "different orders.",
     "Adya 1999: PL-2+ (no G1, no G-single), \"consistent view\". Sovran et al. 2011 (Walter). "
     "Cerone, Bernardi, Gotsman 2015. Crooks 2019: the same by commit tests.",
     "Walter. Jepsen (2025) found long forks where PostgreSQL is read on replicas, because "
     "primary and replica make commits visible in different orders: not snapshot isolation, "
     "but at most this. Elle's \"parallel-snapshot-isolation\".",
     "Same search as for snapshot isolation."},
    {kPrefixConsistency,
     "There is one order of commits, and each transaction reads from one state of it, not "
     "after its own commit. Conflicting writes are allowed, so updates can be lost.",
     "Biswas and Enea 2019: PC, there with session order. Burckhardt et al. 2015.",
     "dbcop's \"PC\" is the form with session order. No database names it; snapshot reads with "
     "last-writer-wins amount to it.",
     kSearched},
    {kSequential,
     "There is one order of all transactions that agrees with session order. Each read returns "
     "what some state held before the transaction commits; the reads of a session move along "
     "the order and never back, and see its own earlier transactions.",
     "Lamport 1979, for single operations. Crooks 2019, section 4.2, for transactions.",
     "ZooKeeper's guarantee for updates. With single operations as transactions this is "
     "Lamport's; Knossos and Porcupine check the real-time form of that, linearizability.",
     "NP-complete in general (Gibbons and Korach 1997).",
     {},
     "long fork"},
    {kLinearizable,
     "For each key by itself: the operations of transactions on this key, one transaction "
     "after the other, in real time, and each external read returns the state before its "
     "transaction. It says nothing about several keys together.",
     "Herlihy and Wing 1990. Linearizability is local, so keys are independent.",
     "etcd for single keys, with default reads. ZooKeeper for writes. MongoDB read concern "
     "\"linearizable\" for single documents. Porcupine and Knossos check it; Elle has it in "
     "its "
     "hierarchy.",
     "Each key by itself. Gibbons and Korach 1997: NP-complete in general, polynomial where "
     "each read's source is known."},
    {kTransactionalCausal,
     "The causes of a transaction are the earlier ones of its session, those it reads from, "
     "and their causes. There is one order of transactions with causes first, such that every "
     "read returns the last version of its key among the reader's causes. So whoever sees an "
     "effect sees its causes, and sees transactions whole.",
     "Biswas and Enea 2019: CC. Akkoorath et al. 2016 (Cure). Cerone, Bernardi, Gotsman 2015.",
     "Cure. \"CC\" or \"TCC\" of AWDIT, Plume and dbcop. Neo4j's and MongoDB's causal sessions "
     "promise causal order, which is causal here.",
     "O(n s) time and 4 s bytes per transaction."},
    {kCausal,
     "Each session has an execution of its own that agrees with session order and in which "
     "every read has a read state. The session's reads move along that execution and never "
     "back, and see its own earlier transactions. Transactions may be seen in part.",
     "Crooks 2019, chapter 4: causal consistency, the same as the four session guarantees "
     "together. Ahamad et al. 1995, for single operations.",
     "MongoDB's causally consistent sessions. Neo4j with bookmarks. \"CC\" of AWDIT, Plume and "
     "dbcop is transactional-causal.",
     kOneSession},
    {kReadAtomic,
     "There is one order of transactions, with the transactions that one reads from before it, "
     "such that each read returns the last version among those that are visible: "
     "whoever sees one write of a transaction sees all of them.",
     "Bailis et al. 2014 (RAMP). Biswas and Enea 2019: RA, there with session order. Crooks "
     "2019: read atomic.",
     "RAMP transactions. \"RA\" of AWDIT, Plume and dbcop is the form with session order. Elle "
     "has \"read-atomic\" in its hierarchy.",
     "O(m^1.5) at worst, nearly linear for transactions of a few operations."},
    {kMonotonicAtomicView,
     "As read committed. And when a transaction has an external read from T and later one of a "
     "key that T writes, the later one returns T's version or that of a transaction after T.",
     "Bailis et al. 2013 (no G1, no OTV: observed transaction vanishes). Biswas and Enea 2019: "
     "their RC is the form with session order.",
     "\"RC\" of AWDIT, Plume and dbcop is the form with session order. Elle's "
     "\"monotonic-atomic-view\".",
     "O(m^1.5) at worst, nearly linear for transactions of a few operations."},
    {kWritesFollowReads,
     "Each session has an execution in which all reads have read states, and in every session "
     "what a transaction writes comes after the transactions that earlier ones of its session "
     "had read from.",
     "Terry et al. 1994 (Bayou). Crooks 2019, chapter 4.",
     "Bayou. MongoDB's causally consistent sessions and Cosmos DB's \"session\" consistency "
     "promise all four session guarantees.",
     kOneSession},
    {kMonotonicWrites,
     "Each session has an execution in which its own reads have read states and the writing "
     "transactions of every session come in their session's order.",
     "Terry et al. 1994 (Bayou). Crooks 2019, chapter 4.",
     "Bayou. MongoDB's causally consistent sessions and Cosmos DB's \"session\" consistency "
     "promise all four session guarantees.",
     kOneSession},
    {kMonotonicReads,
     "Each session has an execution in which its reads have read states and move forward: none "
     "returns what was replaced before something that the session had already seen.",
     "Terry et al. 1994 (Bayou). Crooks 2019, chapter 4.",
     "Bayou. MongoDB's causally consistent sessions and Cosmos DB's \"session\" consistency "
     "promise all four session guarantees.",
     kOneSession, "monotonic-reads violation"},
    {kReadYourWrites,
     "Each session has an execution in which its reads have read states that hold what its "
     "earlier transactions wrote, or something newer.",
     "Terry et al. 1994 (Bayou). Crooks 2019, chapter 4: read my writes.",
     "Bayou. MongoDB's causally consistent sessions and Cosmos DB's \"session\" consistency "
     "promise all four session guarantees.",
     kOneSession, "read-your-writes violation"},
    {kReadCommitted,
     "There is one order of transactions in which each external read returns the final version "
     "of a transaction before, or the initial one; for a list, what the list was in some state "
     "before. Different reads may come from different states.",
     "Adya 1999: PL-2 (no G1: no aborted, intermediate or circular reads). Crooks 2019: each "
     "read has a read state.",
     "PostgreSQL, Oracle and Firebird READ COMMITTED (the default of the first two), MySQL and "
     "MariaDB READ COMMITTED. RocksDB with plain Get, Redis MULTI without WATCH: they lose "
     "updates. Elle's \"read-committed\".",
     "Nearly linear: O((n + m) log n)."},
    {kReadUncommitted,
     "The writes of committed transactions are not interleaved: there is one order of them "
     "that "
     "all lists agree with. What reads return is not restricted, so only reads of lists, which "
     "show the order of appends, can violate it.",
     "Adya 1999: PL-1 (no G0). Crooks 2019: any execution, because clients cannot see the "
     "order of writes; lists do show it.",
     "MySQL and MariaDB READ UNCOMMITTED. SQLite with a shared cache and read_uncommitted. "
     "PostgreSQL treats the name as READ COMMITTED. Elle's \"read-uncommitted\".",
     "Linear in operations and list elements."},
    {kPerKeyStrict,
     "Serializable by an order in which a transaction never comes before one that had ended, "
     "by "
     "the clocks of the clients, when it started, where both read or write the same key. It is "
     "more than serializability and linearizability of each key by themselves: one order must "
     "do for both. Between transactions that share no key, time may run backwards.",
     "Abadi 2019: strong partition serializability, with a partition for each key. "
     "\"Serializable, and no stale reads\".",
     "YDB, CockroachDB, Spanner-like systems with one timeline per key: serializable, with "
     "linearizable reads and writes of single keys.",
     "As for serializability, and O(m log m) for the times."},
    {kMixed,
     "Each transaction states a level of its own, from read committed to serializability. "
     "There "
     "is one order of commits for all that agrees with session order and read-from, and the "
     "reads of each transaction satisfy the axiom of its own level in it: a serializable one "
     "sees all that commits before it; one at snapshot isolation sees a prefix that no writer "
     "of its keys comes after; read committed asks for nothing more. What a weak transaction "
     "does can still be seen by strong ones, and then counts.",
     "Bouajjani, Enea, Roman-Calvo 2025: mixed isolation levels. Adya, Liskov, O'Neil 2000: "
     "mixing-correct histories.",
     "What PostgreSQL, MySQL, Oracle and SQL Server do when applications set the level "
     "transaction by transaction. No database names a guarantee for the mixture.",
     "As for snapshot isolation; NP-complete in general."},
});

constexpr std::size_t kBaseCount = 0
#define ISOLDE_BASE(...) +1
#include "isolde/levels.def"
    ;
static_assert(kGuides.size() == kBaseCount, "a base level has no text here");

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kBaseCount; ++i) {
    if (kGuides[i].base != static_cast<BaseLevel>(i)) return false;
  }
  return true;
}
static_assert(are_in_order(), "the texts are not in the order of the bases");

}  // namespace

const BaseGuide& guide(BaseLevel base) {
  const auto row = static_cast<std::size_t>(base);
  ISOLDE_CHECK(row < kGuides.size());
  return kGuides[row];
}

}  // namespace isolde::explain
