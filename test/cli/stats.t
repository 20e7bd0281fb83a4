$ isolde stats $DATA/indeterminate.jsonl
| $DATA/indeterminate.jsonl: native
| sessions      3, 1 to 2 transactions each
| transactions  4: 2 committed, 0 aborted, 2 indeterminate
| operations    4: 1 read, 2 writes, 0 list reads, 0 appends, 1 read without a result
|               1.0 per transaction, at most 1; 0 reads saw the initial value
| keys          1 register, 0 lists
| times         not recorded
= 0
$ isolde stats --json $DATA/duplicate-elements.jsonl
| {"sessions":2,"transactions":2,"committed":2,"aborted":0,"indeterminate":0,"session_transactions_min":1,"session_transactions_max":1,"operations":2,"reads":0,"writes":0,"appends":1,"list_reads":1,"unknown_reads":0,"initial_reads":0,"transaction_operations_max":1,"transaction_operations_mean":1.000,"registers":0,"lists":1,"timed":0,"span_ns":0,"concurrency_max":0,"concurrency_mean":0.000}
= 0
# What happened beside the transactions is counted, and a report lists it with its times.
$ (cat $DATA/one-after-the-other.jsonl; echo '{"event":"fault","what":"pause n1","begins":"n1","at":5}'; echo '{"event":"phase","what":"load"}'; echo '{"event":"fault","what":"resume n1","ends":"n1","at":9}'; echo '{"event":"fault","what":"kill n2","begins":"n2","at":11}') > events.jsonl; isolde stats events.jsonl | grep events; isolde stats --json events.jsonl | grep -o '"events".*'
| events.jsonl: native
| events        fault 2, phase 1
| "events":{"fault":3,"phase":1}}
= 0
$ isolde check --level ser events.jsonl | head -2; isolde check --level ser --json events.jsonl | grep -o '"events".*"summary"'; isolde convert --to native-binary events.jsonl events.bin; isolde check --level ser --json events.bin | grep -o '"events".*"summary"' > binary; isolde check --level ser --json events.jsonl | grep -o '"events".*"summary"' | cmp - binary && echo same
| events.jsonl: native, 2 sessions, 2 transactions, 2 operations, 1 key
| events beside the transactions, on which no verdict depends: fault 2, phase 1
| "events":{"count":4,"kinds":{"fault":3,"phase":1},"list":[{"kind":"fault","what":"pause n1","at":5,"name":"n1","open":false,"end":{"what":"resume n1","at":9}},{"kind":"phase","what":"load","at":null,"name":null,"open":false},{"kind":"fault","what":"kill n2","at":11,"name":"n2","open":true}],"left_out":0},"summary"
| same
= 0
$ isolde stats $DATA/truncated.jsonl
| $DATA/truncated.jsonl: native
| sessions      1, 1 to 1 transactions each
| transactions  1: 1 committed, 0 aborted, 0 indeterminate
| operations    1: 0 reads, 1 write, 0 list reads, 0 appends, 0 reads without a result
|               1.0 per transaction, at most 1; 0 reads saw the initial value
| keys          1 register, 0 lists
| times         not recorded
| note: line 3 is cut off and left out; the recorder seems to have stopped while writing it
| note: the input is cut off
= 0
$ isolde stats missing.jsonl
! isolde: missing.jsonl: cannot be read: No such file or directory; check the path
= 4
# Of selections, the rows that they returned and left out; of aggregates, how many of each kind; only what occurs.
$ printf '%s\n' '{"isolde":2,"kind":"history","initial":[[1,5]]}' '{"session":"a","ops":[["w",2,7],["w",3,900],["select",{"keys":[1,9]},[[1,5],[2,7]]],["r",2,{"not":5}]]}' '{"session":"b","ops":[["count",{"keys":[1,9]},3],["count",{"keys":[4,9]},0],["exists",{"keys":[1,1]},true],["sum",{"keys":[1,2]},12],["min",{},5],["max",{},900]]}' > conditions.jsonl; isolde stats conditions.jsonl; isolde stats --json conditions.jsonl; isolde convert --to native-binary conditions.jsonl b; isolde stats --json b > binary; isolde stats --json conditions.jsonl | cmp - binary && echo same
| conditions.jsonl: native
| sessions      2, 1 to 1 transactions each
| transactions  2: 2 committed, 0 aborted, 0 indeterminate
| operations    12: 2 reads, 2 writes, 0 list reads, 0 appends, 0 reads without a result
|               1 selection returned 2 rows (among the reads) and left out 1
|               6 aggregates of 12 items: count 2, exists 1, sum 1, min 1, max 1
|               1 negative read by key (only values they did not return are known)
|               6.0 per transaction, at most 6; 1 read saw the initial value
| keys          3 registers, 0 lists; 1 with initial contents
| times         not recorded
| {"sessions":2,"transactions":2,"committed":2,"aborted":0,"indeterminate":0,"session_transactions_min":1,"session_transactions_max":1,"operations":12,"reads":2,"writes":2,"appends":0,"list_reads":0,"unknown_reads":0,"selections":1,"rows_returned":2,"rows_left_out":1,"aggregates":{"count":2,"exists":1,"sum":1,"min":1,"max":1},"items":12,"negative_reads":1,"initial_reads":1,"transaction_operations_max":6,"transaction_operations_mean":6.000,"registers":3,"lists":0,"keys_with_initial_contents":1,"timed":0,"span_ns":0,"concurrency_max":0,"concurrency_mean":0.000}
| same
= 0
# Of reads and writes, those of rows with columns, and deletions.
$ isolde stats $DATA/rows-of-orders.jsonl | sed -n '/^operations/,/per/p'; isolde stats $DATA/deletion-half-seen.jsonl | grep writes; isolde stats --json $DATA/lost-deletion.jsonl | grep -o '"[a-z_]*":[0-9]*' | grep -E '"(reads|empty_reads|writes|deletions|row_writes)"'
| operations    10: 4 reads, 4 writes, 0 list reads, 0 appends, 0 reads without a result
|               of the reads: 2 of some columns of a row, 1 only that there was a row
|               of the writes: 3 of a row with columns
|               2 selections returned 2 rows (among the reads) and left out 1
|               3.3 per transaction, at most 5; 0 reads saw the initial value
| operations    8: 4 reads, 4 writes, 0 list reads, 0 appends, 0 reads without a result
|               of the writes: 1 deletion
| "reads":2
| "writes":3
| "deletions":1
= 0
