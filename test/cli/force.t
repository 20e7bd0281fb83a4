# A history is recorded to a new file, or with --force in place of an old one.
$ isolde run --db sqlite: --workload mini --sessions 2 --txns 20 --level ser --no-progress --out a.jsonl | grep '^  serializable'
|   serializable  holds, promised
= 0
$ cp a.jsonl old.jsonl; isolde run --db sqlite: --workload mini --sessions 2 --txns 20 --seed 7 --level ser --no-progress --out a.jsonl
! isolde: a.jsonl exists; choose another file, or replace it with --force
= 3
$ isolde run --db sqlite: --workload mini --sessions 2 --txns 20 --seed 7 --level ser --no-progress --out a.jsonl --force | grep '^  serializable'
|   serializable  holds, promised
= 0
$ isolde check --level ser a.jsonl | grep '^  serializable'; cmp -s a.jsonl old.jsonl; echo $?; isolde run --db sqlite: --workload mini --txns 20 --no-progress --out new.jsonl --force --level ser | grep '^  serializable'
|   serializable  holds, promised
| 1
|   serializable  holds, promised
= 0
# The old one stays as long as nothing takes its place.
$ cp a.jsonl kept.jsonl; isolde run --db sqlite:/nowhere/x --workload mini --txns 20 --no-progress --out kept.jsonl --force >out 2>&1; echo $?; cmp kept.jsonl a.jsonl
| 4
= 0
# Nothing but a plain file of which nothing is left over is replaced.
$ mkdir folder; isolde run --db sqlite: --workload mini --txns 20 --out folder --force
! isolde: folder is a folder; choose another name
= 3
$ isolde run --db sqlite: --workload mini --txns 20 --out folder
! isolde: folder is a folder; choose another name
= 3
$ ln -s old.jsonl link; isolde run --db sqlite: --workload mini --txns 20 --out link --force; cmp a.jsonl kept.jsonl
! isolde: link is no plain file; choose another name, --force replaces plain files only
= 0
$ mkfifo pipe; isolde run --db sqlite: --workload mini --txns 20 --out pipe --force; isolde run --db sqlite: --workload mini --txns 20 --out /dev/null --force
! isolde: pipe is no plain file; choose another name, --force replaces plain files only
! isolde: /dev/null is no plain file; choose another name, --force replaces plain files only
= 3
$ cp a.jsonl died.jsonl; mkdir died.jsonl.inflight; isolde run --db sqlite: --workload mini --txns 20 --out died.jsonl --force; cmp died.jsonl a.jsonl
! isolde: died.jsonl is still being recorded, or its recorder died and left died.jsonl.inflight, the transactions that were under way; wait, or move both away
= 0
# Nor what is read, nor what is written by another option.
$ printf 'A: begin\nA: w(x, 1)\nA: commit\n' >steps.txt; isolde run --db sqlite: --steps steps.txt --out steps.txt --force; wc -l <steps.txt
| 3
! isolde: steps.txt is what is read, which is never overwritten; choose another file to write
= 0
$ echo 'sqlite:' >dsn; isolde run --db-file dsn --workload mini --txns 20 --out ./dsn --force; cat dsn
| sqlite:
! isolde: ./dsn is what is read, which is never overwritten; choose another file to write
= 0
$ isolde run --db sqlite: --workload mini --txns 20 --out b.jsonl --html ./b.jsonl
! isolde: ./b.jsonl is written twice; choose another file for one of them
= 3
$ isolde check --level ser --junit x --sarif x a.jsonl
! isolde: x is written twice; choose another file for one of them
= 3
$ isolde check --level ser --junit /dev/null --sarif /dev/null a.jsonl | grep '^  serializable'
|   serializable  holds, promised
= 0
$ isolde run --db sqlite: --workload mini --txns 20 --force --no-record
! isolde: --force needs the option --out, which is not given (see isolde run --help)
= 3
# A replay keeps the history of an attempt in the same way.
$ cp $DATA/lost-update.jsonl small.jsonl; cp a.jsonl kept.jsonl; isolde replay small.jsonl --db sqlite: --attempts 2 --out kept.jsonl
! isolde: kept.jsonl exists; choose another file, or replace it with --force
= 3
$ isolde replay small.jsonl --db sqlite: --attempts 2 --out small.jsonl --force; cmp small.jsonl $DATA/lost-update.jsonl
! isolde: small.jsonl is what is read, which is never overwritten; choose another file to write
= 0
$ isolde replay small.jsonl --db sqlite: --attempts 2 --out kept.jsonl --force --no-progress >out; grep -e '^Not' -e '^History' out; cmp -s kept.jsonl a.jsonl; echo $?
| Not reproduced in 2 attempts: parallel-snapshot-isolation holds in what was recorded.
| History: kept.jsonl
| 1
= 0
$ isolde replay steps.txt --db sqlite: --out kept.jsonl | grep '^  serializable'; isolde replay steps.txt --db sqlite: --out kept.jsonl --force | grep '^  serializable'
|   serializable                                holds, promised  holds            holds
! isolde: kept.jsonl exists; choose another file, or replace it with --force
= 0
# What is written as a whole takes the place of nothing without --force, either.
$ cp a.jsonl whole.jsonl; isolde gen --workload rmw --txns 5 --out whole.jsonl; isolde minimize $DATA/lost-update.jsonl --out whole.jsonl; isolde convert --to native $DATA/serial.jsonl whole.jsonl; cmp whole.jsonl a.jsonl
! isolde: whole.jsonl exists; choose another file, or replace it with --force
! isolde: whole.jsonl exists; choose another file, or replace it with --force
! isolde: whole.jsonl exists; choose another file, or replace it with --force
= 0
$ isolde gen --workload rmw --txns 5 --seed 1 --to native-binary --out whole.jsonl --force; isolde stats whole.jsonl | head -1; isolde minimize $DATA/lost-update.jsonl --out whole.jsonl --force | grep ^History; head -1 whole.jsonl; isolde convert --to native $DATA/serial.jsonl whole.jsonl --force; cmp whole.jsonl $DATA/serial.jsonl
| whole.jsonl: native-binary
| History: whole.jsonl
| {"isolde":1,"kind":"history","notes":["minimised for parallel-snapshot-isolation: 2 of 3 transactions, each with a part of its operations"]}
= 0
$ printf 'A: begin\nA: w(x, 1)\nA: commit\n' | isolde gen --steps - --out whole.jsonl; printf 'A: begin\nA: w(x, 1)\nA: commit\n' | isolde gen --steps - --out whole.jsonl --force; tail -1 whole.jsonl
| {"session":"A","start":0,"end":2500,"ops":[["w","x",1]]}
! isolde: whole.jsonl exists; choose another file, or replace it with --force
= 0
$ isolde gen --workload rmw --txns 5 --out folder --force; isolde convert --to native $DATA/serial.jsonl died.jsonl --force; isolde convert --to native a.jsonl a.jsonl --force
! isolde: folder is a folder; choose another name
! isolde: died.jsonl is still being recorded, or its recorder died and left died.jsonl.inflight, the transactions that were under way; wait, or move both away
! isolde: a.jsonl is what is read, which is never overwritten; choose another file to write
= 3
# Nothing is lost at standard output, in a pipe or a device. A link stays one; what it leads to is kept.
$ isolde convert --to native $DATA/serial.jsonl - | cmp - $DATA/serial.jsonl; cat pipe >piped & isolde convert --to native $DATA/serial.jsonl pipe; wait; cmp piped $DATA/serial.jsonl; isolde gen --workload rmw --txns 5 --out /dev/null; cp a.jsonl end.jsonl; ln -s end.jsonl leads; isolde convert --to native $DATA/serial.jsonl leads; cmp a.jsonl end.jsonl; isolde convert --to native $DATA/serial.jsonl leads --force; cmp end.jsonl $DATA/serial.jsonl; readlink leads
| end.jsonl
! isolde: leads exists; choose another file, or replace it with --force
= 0
$ isolde minimize $DATA/lost-update.jsonl --force
! isolde: --force needs the option --out, which is not given (see isolde minimize --help)
= 3
# Reports, pictures, scripts and certificates take the place of the old ones: they say again what the command says again.
$ for run in 1 2; do isolde check --level ser --html r.html --junit r.xml --sarif r.sarif --dot r.dot --certificate c.jsonl $DATA/write-skew.jsonl >out; echo $?; isolde verify c.jsonl $DATA/write-skew.jsonl; isolde replay --level ser --script s.sql $DATA/write-skew.jsonl >out; echo $?; done
| 1
| proved: serializable is violated, by a cycle
| 0
| 1
| proved: serializable is violated, by a cycle
| 0
= 0
# A part of a history is a history.
$ for run in 1 2; do isolde minimize --level ser --out part.jsonl --certificate c.jsonl $DATA/write-skew.jsonl >out; echo $?; done
| 0
| 3
! isolde: part.jsonl exists; choose another file, or replace it with --force
= 0
# What is read is not overwritten by any of them.
$ cp $DATA/write-skew.jsonl read.jsonl; isolde check --level ser --html read.jsonl read.jsonl; isolde minimize --level ser --certificate read.jsonl read.jsonl; isolde replay --level ser --script read.jsonl read.jsonl; cmp read.jsonl $DATA/write-skew.jsonl
! isolde: read.jsonl is what is read, which is never overwritten; choose another file to write
! isolde: read.jsonl is what is read, which is never overwritten; choose another file to write
! isolde: read.jsonl is what is read, which is never overwritten; choose another file to write
= 0
