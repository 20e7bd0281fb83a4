# A certificate for each answer; verify accepts it for its history and for no other one.
$ isolde check --level ser --certificate holds.jsonl $DATA/serial.jsonl
| $DATA/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   In short: No anomaly that serializable forbids was found in 3 transactions.
|
|   serializable  holds
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   2 reads saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
|
| Certificates:
|   serializable: holds.jsonl
= 0
$ isolde verify holds.jsonl $DATA/serial.jsonl
| proved: serializable holds, by an order of 3 transactions
= 0
$ isolde verify holds.jsonl $DATA/write-skew.jsonl
! isolde: holds.jsonl:1: the certificate is about a history of 3 transactions, this one has 2
= 3
$ isolde check --level ser --certificate skew.jsonl $DATA/write-skew.jsonl >out.txt
= 1
$ isolde verify skew.jsonl $DATA/write-skew.jsonl
| proved: serializable is violated, by a cycle
= 0
# With --verify each proof is verified before it is reported.
$ isolde check --verify $DATA/write-skew.jsonl | tail -1
| Verified: the proofs of 24 decided levels
= 0
$ isolde check --verify --level ser,si --json $DATA/write-skew.jsonl | grep -o '"proofs_verified":[0-9]*'
| "proofs_verified":2
= 0
$ sed 's/serializable/snapshot-isolation/' skew.jsonl >forged.jsonl
= 0
$ isolde verify forged.jsonl $DATA/write-skew.jsonl
| not proved: snapshot-isolation is violated, by a cycle: step 0: edge 0: it ends at a commit, but the next edge starts at the snapshot before it
= 1
$ isolde explain forged.jsonl $DATA/write-skew.jsonl
| not proved: snapshot-isolation is violated, by a cycle: step 0: edge 0: it ends at a commit, but the next edge starts at the snapshot before it
= 1
$ isolde verify missing.jsonl $DATA/write-skew.jsonl
! isolde: missing.jsonl: cannot read the certificate: No such file or directory
= 4
$ isolde verify $DATA/serial.jsonl $DATA/serial.jsonl
! isolde: $DATA/serial.jsonl is a history, not a certificate; give the certificate first, then its history
= 3
$ isolde verify holds.jsonl
! isolde: argument history is missing; write at least: isolde verify certificate history (see isolde verify --help)
= 3
# Several levels: a file for each. Several histories: numbered.
$ isolde check --level ser,si --certificate both $DATA/write-skew.jsonl >out.txt; ls both*
| both.serializable.jsonl
| both.snapshot-isolation.jsonl
= 0
$ isolde check --level ser --certificate two $DATA/serial.jsonl $DATA/write-skew.jsonl >out.txt; ls two*
| two.1.serializable.jsonl
| two.2.serializable.jsonl
= 0
$ isolde check --level rc --certificate read.jsonl $DATA/aborted-read.jsonl >out.txt
= 1
$ isolde verify read.jsonl $DATA/aborted-read.jsonl
| proved: read-committed is violated, by a single read
= 0

# The two files in the wrong order, or two of a kind.
$ isolde check --level ser --certificate skew.proof $DATA/write-skew.jsonl >report.txt
= 1
$ isolde verify $DATA/write-skew.jsonl skew.proof
! isolde: $DATA/write-skew.jsonl is a history, not a certificate; give the certificate first, then its history
= 3
$ isolde explain skew.proof skew.proof
! isolde: skew.proof is a certificate, not a history; give the certificate first, then its history
= 3
