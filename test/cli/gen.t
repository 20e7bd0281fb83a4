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
|   --seed             0           start of the random numbers; same seed, same history
= 0
$ isolde workloads nothing
! isolde: no workload 'nothing'; use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append
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
|   strict-serializable                   holds
|   strong-session-serializable           holds
|   serializable                          holds
|   strong-snapshot-isolation             holds
|   strong-session-snapshot-isolation     holds
|   snapshot-isolation                    holds
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Strongest that holds: strict-serializable
| Weakest violated:     none
= 0
$ isolde gen --workload rmw --sessions 4 --txns 300 --keys 10 --isolation snapshot-isolation --fault lost-update --fault-rate 0.2 --seed 3 --out lost.jsonl
= 0
$ isolde check --level si --json lost.jsonl | grep -o '"verdict":"violated"'
| "verdict":"violated"
= 0
$ isolde gen --workload nothing --out x.jsonl
! isolde: no workload 'nothing'; use blindw-rm, blindw-rw, blindw-rh, blindw-wr, blindw-wh, general, mixed, ycsb, rmw, mini, list-append
= 3
$ isolde gen --workload rmw --isolation nothing --out x.jsonl
! isolde: no store level 'nothing'; use strict-serializable, serializable, snapshot-isolation, read-committed
= 3
$ isolde gen --workload rmw --staleness nothing --out x.jsonl
! isolde: no staleness 'nothing'; use fresh, session, any
= 3
$ isolde gen --workload rmw --fault nothing --out x.jsonl
! isolde: no fault 'nothing'; use none, lost-update, aborted-read, intermediate-read, fractured-read, write-skew, stale-read, long-fork
= 3
$ isolde gen --workload rmw --distribution nothing --out x.jsonl
! isolde: no distribution 'nothing'; use uniform, zipfian[:THETA], hotspot[:ACCESSES,KEYS], exponential[:SPAN]
= 3
$ isolde gen --workload rmw --network nothing --out x.jsonl
! isolde: 'nothing' is not a duration; write for example 500us, 10ms or 2s
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
! isolde: --out is required (see isolde --help)
= 3
