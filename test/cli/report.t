# Pictures and the HTML report.
$ isolde check --level ser --certificate skew.jsonl --svg check.svg --html check.html $DATA/write-skew.jsonl >out.txt
= 1
$ isolde explain skew.jsonl $DATA/write-skew.jsonl --svg explain.svg --html explain.html >out.txt
= 0
$ cmp check.svg explain.svg
= 0
# The picture is an SVG document with the transactions, their operations and the arrows.
$ grep -c 'class="edge rw"' check.svg
| 2
= 0
$ grep -o '>[^<]*A:0[^<]*<' check.svg
| >Write skew (G2&#45;item): A:0 read the initial value of y, which B:0<
| >replaced by 2, but B:0 read the initial value of x, which A:0 replaced<
| >T1 = A:0<
| >A:0, session A&#39;s first transaction<
= 0
# One file that asks for nothing, and is the same each time.
$ head -n 1 check.html
| <!DOCTYPE html>
= 0
$ grep -o "default-src 'none'" check.html
| default-src 'none'
= 0
$ isolde check --level ser --html again.html $DATA/write-skew.jsonl >out.txt
= 1
$ cmp check.html again.html
= 0
$ grep -o '"label":"[^"]*"' explain.html
| "label":"write skew (G2-item)"
= 0
# Also where nothing is violated; there is no picture then.
$ isolde check --svg none.svg --html holds.html $DATA/serial.jsonl >out.txt; ls
| again.html
| check.html
| check.svg
| explain.html
| explain.svg
| holds.html
| out.txt
| skew.jsonl
= 0
# With several histories the number goes into the name.
$ mkdir two && cd two && isolde check --level ser --svg x --html y $DATA/write-skew.jsonl $DATA/serial.jsonl $DATA/lost-update.jsonl >out.txt; ls
| out.txt
| x.1.svg
| x.3.svg
| y.1.html
| y.2.html
| y.3.html
= 0
$ isolde check --html nowhere/x.html $DATA/serial.jsonl >/dev/null
! isolde: nowhere/x.html: cannot write: No such file or directory
= 4
$ isolde check --svg nowhere/x.svg $DATA/write-skew.jsonl >/dev/null
! isolde: nowhere/x.svg: cannot write: No such file or directory
= 4
# A picture of very many transactions says what it leaves out; the graph for programs has all.
$ { echo '{"isolde":1,"kind":"history"}'; for i in $(seq 0 299); do echo "{\"session\":\"s$i\",\"ops\":[[\"r\",\"k$i\",null],[\"w\",\"k$(((i + 1) % 300))\",$i]]}"; done; } >circle.jsonl
= 0
$ isolde check --level ser --certificate circle.proof --svg circle.svg --dot circle.dot circle.jsonl >out.txt
= 1
$ grep -o '>[^<]* more [^<]*<' circle.svg; grep -c 'class="edge rw"' circle.svg; grep -c 'class="rw"' circle.dot
| >100 more transactions<
| >101 more arrows<
| 199
| 300
= 0
$ isolde explain circle.proof circle.jsonl --svg again.svg >out.txt; cmp again.svg circle.svg
= 0
# As docs/explanations.md has it.
$ isolde check --html report.html $DEMO/mariadb-repeatable-read-lost-update.jsonl | tail -n 2
| Strongest that holds: strong-prefix-consistency
| Weakest violated:     parallel-snapshot-isolation, linearizable
= 0
$ isolde check --svg picture.svg --dot picture.dot $DEMO/mariadb-repeatable-read-lost-update.jsonl | tail -n 2
| Strongest that holds: strong-prefix-consistency
| Weakest violated:     parallel-snapshot-isolation, linearizable
= 0
# A run has its own part in the report.
$ isolde run --db sqlite: --workload lost-update --txns 20 --sessions 2 --keys 2 --out run.jsonl --html run.html --no-progress >out.txt; echo $?
| 0
= 0
$ grep -o '"run":{"database":"[^"]*"' run.html
| "run":{"database":"sqlite:"
= 0
