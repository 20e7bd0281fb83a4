# Synthetic histories: the same seed gives the same bytes, faults are found at their level.
$ isolde workloads
| blindw-rm     transactions of only reads (90 %) or only writes
| blindw-rw     transactions of only reads (half) or only writes
| blindw-rh     transactions of only reads (80 %) or only writes
| blindw-wr     transactions of only reads (half) or only writes
| blindw-wh     transactions of only reads (20 %) or only writes
| general       each operation a read or a write by chance
| mixed         transactions of only reads (20 %), only writes (40 %) or read-modify-writes (40 %)
| ycsb          read-only transactions (75 %), or half reads and then half writes
| rmw           pairs of a read and a write of the same key
| mini          mini-transactions: one or two keys read, then perhaps written
| list-append   1 to --ops appends and reads of lists
| rw-register   1 to --ops writes and reads of registers
| lwt           one compare-and-set, insert-if-not-exists or read
| lost-update   probe: one hot key read, then written
| write-skew    probe: both keys of a pair read, one written
| read-skew     probe: both keys of a pair written, or both read
| long-fork     probe: a key of a group written, or all read
| causality     probe: x written; x read and then y written; or y and then x read
| phantom       probe: rows of a group selected by a condition, then one inserted or some deleted
| on-call       probe: doctors on call selected by a condition, then one put on or taken off
| bank          transfers between accounts, and audits that read all
| c-twitter     tweets, follows and unfollows, and timelines
| c-rubis       an auction site: accounts, items, bids, comments, views
| tpcc          order processing of a wholesaler, five kinds of transactions
| inventory     stock and orders in tables: updates and deletes by conditions
| task-queue    workers take tasks from a table, by SKIP LOCKED and without
| usernames     accounts whose names only a look before the insert keeps unique
| smallbank     savings and checking accounts: balances, deposits, checks
| booking       bookings of rooms, which a condition on two columns keeps apart
| upsert        the same rows are upserted, deleted and inserted again
| ycsb-e        short scans of a table by key, and inserts in between
| tpcc-tables   tpcc in tables, with its conditions as SQL
| tenants       rows of tenants in three tables, inserted and selected by tenant and value
| blindw-pred   transactions of only selections (half) or only updates, by ranges of columns
| bank-sum      accounts whose sums must cover what is withdrawn
| on-call-count doctors who go off call when a count says that others are on
| counter       increments of a few numbers, and reads of them
| bank-added    transfers by two increments, and audits that read all accounts
= 0
$ isolde workloads list-append
| list-append
|   1 to --ops appends and reads of lists
|   after Elle and Jepsen's list-append
|
|   --sessions         24          clients that work at the same time
|   --txns             10000       transactions to commit, all sessions together
|   --ops              4           operations in a transaction at most
|   --keys             100         lists in use at a time
|   --reads            0.5         share of operations that read
|   --distribution     exponential how accesses spread over the keys
|   --appends-per-key  32          appends after which a fresh list replaces one, at most
|   --savepoints       0           share of transactions that take changes back to a savepoint, and make them again; none at a database without savepoints
|   --rollbacks        0           share of transactions that the client rolls back in the end
|   --fence-every      0           transactions of a session between two fences; 0: there are none
|   --seed             0           start of the random numbers; the same seed asks for the same transactions
= 0
$ isolde workloads tpcc
| tpcc
|   order processing of a wholesaler, five kinds of transactions
|   after TPC-C, revision 5.11, in the mix of Cobra's section 6
|
|   --sessions         24          clients that work at the same time
|   --txns             10000       transactions to commit, all sessions together
|   --warehouses       1           the scale, 10 districts each
|   --customers        300         customers of a district; TPC-C: 3000
|   --items            10000       items, in stock in each warehouse; TPC-C: 100000
|   --fence-every      0           transactions of a session between two fences; 0: there are none
|   --seed             0           start of the random numbers; the same seed asks for the same transactions
= 0
$ isolde workloads lwt
| lwt
|   one compare-and-set, insert-if-not-exists or read
|   after MTC, section IV-E
|
|   --sessions         24          clients that work at the same time
|   --txns             10000       transactions to commit, all sessions together
|   --keys             20          keys in use at a time
|   --reads            0.2         share of transactions that only read
|   --distribution     uniform     how accesses spread over the keys
|   --writes-per-key   100         updates after which a fresh key replaces one, at most
|   --inserts          0.1         share of updates that insert if not exists, whatever the session knows
|   --seed             0           start of the random numbers; the same seed asks for the same transactions
= 0
$ isolde workloads nothing
! isolde: no workload 'nothing'; use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append, rw-register, lwt, lost-update, write-skew, read-skew, long-fork, causality, phantom, on-call, bank, c-twitter, c-rubis, tpcc, inventory, task-queue, usernames, smallbank, booking, upsert, ycsb-e, tpcc-tables, tenants, blindw-pred, bank-sum, on-call-count, counter, bank-added
= 3
$ isolde gen --out none.jsonl; isolde gen; isolde gen --seed 7; isolde gen --workload general; isolde gen --steps steps
! isolde: --workload is missing; use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append, rw-register, lwt, lost-update, write-skew, read-skew, long-fork, causality, phantom, on-call, bank, c-twitter, c-rubis, tpcc, inventory, task-queue, usernames, smallbank, booking, upsert, ycsb-e, tpcc-tables, tenants, blindw-pred, bank-sum, on-call-count, counter, bank-added
! isolde: --workload is missing; use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append, rw-register, lwt, lost-update, write-skew, read-skew, long-fork, causality, phantom, on-call, bank, c-twitter, c-rubis, tpcc, inventory, task-queue, usernames, smallbank, booking, upsert, ycsb-e, tpcc-tables, tenants, blindw-pred, bank-sum, on-call-count, counter, bank-added (see isolde gen --help)
! isolde: --workload is missing; use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append, rw-register, lwt, lost-update, write-skew, read-skew, long-fork, causality, phantom, on-call, bank, c-twitter, c-rubis, tpcc, inventory, task-queue, usernames, smallbank, booking, upsert, ycsb-e, tpcc-tables, tenants, blindw-pred, bank-sum, on-call-count, counter, bank-added (see isolde gen --help)
! isolde: option --out is missing; write at least: isolde gen --out HISTORY (see isolde gen --help)
! isolde: option --out is missing; write at least: isolde gen --out HISTORY (see isolde gen --help)
= 3
$ isolde gen --workload blindw-rw --sessions 4 --txns 300 --keys 50 --seed 7 --out a.jsonl
= 0
$ isolde gen --workload blindw-rw --sessions 4 --txns 300 --keys 50 --seed 7 --out b.jsonl
= 0
$ cmp a.jsonl b.jsonl
= 0
$ isolde check a.jsonl
| a.jsonl: native, 4 sessions, 411 transactions (111 aborted), 3288 operations, 50 keys
|
|   In short: No anomaly was found in 300 transactions.
|
|                                               plain            session order    real time
|   serializable                                holds            holds            holds
|   per-key-strict-serializable                 holds
|   repeatable-read                             holds
|   snapshot-isolation                          holds            holds            holds
|   parallel-snapshot-isolation                 holds            holds            holds
|   prefix-consistency                          holds            holds            holds
|   sequential                                                   holds
|   linearizable                                                                  holds
|   transactional-causal                                         holds            holds
|   causal                                                       holds
|   read-atomic                                 holds            holds            holds
|   monotonic-atomic-view                       holds            holds            holds
|   read-committed                              holds            holds            holds
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            holds
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Evidence:
|   300 transactions took effect
|   overlapping transactions met 407 times on a key that one of them wrote
|   874 reads saw another session's write
|   1044 versions were replaced
|
| Strongest that holds: strict-serializable
| Weakest violated:     none
= 0
$ isolde gen --workload rmw --sessions 4 --txns 300 --keys 10 --isolation snapshot-isolation --fault lost-update --fault-rate 0.2 --seed 3 --out lost.jsonl
= 0
$ isolde check --level si --json lost.jsonl | grep -o '"verdict":"violated"'
| "verdict":"violated"
= 0
$ isolde gen --workload tpcc --sessions 3 --txns 40 --customers 5 --items 20 --isolation snapshot-isolation --seed 3 --out tpcc.jsonl
= 0
$ isolde check --level strong-si tpcc.jsonl
| tpcc.jsonl: native, 3 sessions, 79 transactions (39 aborted), 3552 operations, 409 keys
|
|   In short: No anomaly that strong-snapshot-isolation forbids was found in 40 transactions.
|
|   strong-snapshot-isolation  holds
|
| Evidence:
|   40 transactions took effect
|   overlapping transactions met 291 times on a key that one of them wrote
|   144 reads saw another session's write
|   243 versions were replaced
= 0
$ isolde gen --workload lwt --sessions 2 --txns 6 --keys 1 --seed 3 --no-times --out lwt.jsonl
= 0
$ cat lwt.jsonl
| {"isolde":1,"kind":"history"}
| {"session":"0","ops":[["r",0,null],["w",0,1]]}
| {"session":"1","status":"aborted","ops":[["r",0,null],["w",0,2]]}
| {"session":"0","ops":[["r",0,1]]}
| {"session":"1","ops":[["r",0,1]]}
| {"session":"0","ops":[["r",0,1]]}
| {"session":"1","ops":[["r",0,1]]}
| {"session":"0","ops":[["r",0,1],["w",0,3]]}
= 0
$ isolde gen --workload bank --sessions 2 --txns 4 --keys 3 --seed 3 --no-times --out bank.jsonl
= 0
$ cat bank.jsonl
| {"isolde":1,"kind":"history","values":"account/* balance@0+20 initial=100 keys=3 total=300"}
| {"session":"0","ops":[["r","account/0",null],["r","account/1",null],["r","account/2",null]]}
| {"session":"1","ops":[["r","account/2",null],["r","account/1",null],["w","account/2",2097246],["w","account/1",4194410]]}
| {"session":"0","ops":[["r","account/2",2097246],["r","account/0",null],["w","account/2",1048669],["w","account/0",3145829]]}
| {"session":"1","status":"aborted","ops":[["r","account/0",null],["r","account/2",2097246],["w","account/0",6291551],["w","account/2",8388707]]}
| {"session":"1","ops":[["r","account/0",3145829],["r","account/2",1048669],["w","account/0",10485856],["w","account/2",12583010]]}
= 0
$ isolde gen --workload write-skew --sessions 4 --txns 200 --isolation snapshot-isolation --seed 3 --out skew.jsonl
= 0
$ isolde check --level serializable skew.jsonl | grep -A 7 Let:
|   Let:
|     T1 = s3:1, line 7, from 468.715 us to 957.326 us
|          r(x/5)=initial r(y/5)=initial w(y/5)=4
|     T2 = s1:1, line 8, from 608.464 us to 1.088 ms
|          r(x/5)=initial r(y/5)=initial w(x/5)=6
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of x/5, which T2 replaced by 6.
= 0
$ isolde gen --workload tpcc --keys 5 --out x.jsonl
! isolde: workload tpcc takes no --keys; see isolde workloads tpcc
= 3
$ isolde gen --workload tpcc --warehouses 0 --out x.jsonl
! isolde: --warehouses 0 is not between 1 and 4000
= 3
$ isolde gen --workload nothing --out x.jsonl
! isolde: no workload 'nothing'; use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append, rw-register, lwt, lost-update, write-skew, read-skew, long-fork, causality, phantom, on-call, bank, c-twitter, c-rubis, tpcc, inventory, task-queue, usernames, smallbank, booking, upsert, ycsb-e, tpcc-tables, tenants, blindw-pred, bank-sum, on-call-count, counter, bank-added
= 3
$ isolde gen --workload rmw --isolation nothing --out x.jsonl
! isolde: no store level 'nothing'; use strict-serializable, serializable, snapshot-isolation, read-committed
= 3
$ isolde gen --workload rmw --staleness nothing --out x.jsonl
! isolde: no staleness 'nothing'; use fresh, session, any
= 3
$ isolde gen --workload rmw --fault nothing --out x.jsonl
! isolde: no fault 'nothing'; use none, lost-update, aborted-read, intermediate-read, fractured-read, write-skew, stale-read, long-fork, thin-air-read, future-read, not-my-last-write, not-my-own-write, non-repeatable-read, session-violation, non-monotonic-read, causality-violation, read-skew, dirty-write, circular-flow
= 3
$ isolde gen --workload rmw --distribution nothing --out x.jsonl
! isolde: no distribution 'nothing'; use uniform, zipfian[:THETA], hotspot[:ACCESSES,KEYS], exponential[:SPAN]
= 3
$ isolde gen --workload rmw --fault lost-update --fault-after 0.5 --fault-before 0.2 --out x.jsonl
! isolde: --fault-after must be less than --fault-before, both between 0 and 1
= 3
$ isolde gen --workload rmw --network nothing --out x.jsonl
! isolde: --network: 'nothing' is not a duration; write for example 500us, 10ms, 2s, 5m or 1h (see isolde gen --help)
= 3
$ isolde gen --workload rmw --sessions 0 --out x.jsonl
! isolde: --sessions 0 is not between 1 and 65536
= 3
$ isolde gen --workload rmw --to nothing --txns 5 --out x.jsonl
! isolde: cannot write format 'nothing'; histories are written as native or native-binary
= 3
$ isolde gen --workload rmw --txns 5 --out nowhere/x.jsonl
! isolde: nowhere/x.jsonl: cannot be written: No such file or directory
= 4
$ isolde gen --workload rmw
! isolde: option --out is missing; write at least: isolde gen --out HISTORY (see isolde gen --help)
= 3
# A fault that a workload on tables gives no opportunity.
$ isolde gen --workload inventory --txns 5 --fault intermediate-read --out x.jsonl
! isolde: workload inventory is on tables, where the fault intermediate-read cannot be made
= 3

# A session begins with a fence, sends it again when it was aborted, and makes more of them.
$ isolde gen --workload blindw-rw --txns 4 --sessions 2 --ops 1 --fence-every 1 --seed 2 --no-times --out -
| {"isolde":1,"kind":"history"}
| {"session":"0","ops":[["r","fence",null],["w","fence",1]]}
| {"session":"1","status":"aborted","ops":[["r","fence",null],["w","fence",2]]}
| {"session":"0","ops":[["r",6250,null]]}
| {"session":"1","ops":[["r","fence",1],["w","fence",4]]}
| {"session":"0","ops":[["r","fence",4],["w","fence",3]]}
= 0
$ isolde gen --workload lwt --fence-every 4 --out -
! isolde: workload lwt takes no --fence-every; see isolde workloads lwt
= 3
