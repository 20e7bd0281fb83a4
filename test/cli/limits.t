# A limit gives exit code 2, a reason, and nothing but "unknown" for what was not decided.
$ isolde gen --workload blindw-rw --txns 200000 --seed 1 --no-times --out big.jsonl
= 0
$ isolde check --timeout 0.001 --level ser big.jsonl
| big.jsonl: not loaded
|
|   In short: Nothing was decided: time limit of 0.001 s reached while reading the input.
|
|   serializable  unknown         time limit of 0.001 s reached while reading the input
= 2
$ isolde check --memory 1M --level ser,si big.jsonl
| big.jsonl: not loaded
|
|   In short: Nothing was decided: memory limit of 1 MB reached while reading the input.
|
|   serializable        unknown         memory limit of 1 MB reached while reading the input
|   snapshot-isolation  unknown         memory limit of 1 MB reached while reading the input
= 2
$ isolde check --memory 1M --level ser --json big.jsonl | sed 's/"sessions".*"levels"/"levels"/'
| {"schema":1,"file":"big.jsonl","format":null,"levels":{"serializable":{"verdict":"unknown","reason":"memory limit of 1 MB reached while reading the input","certificate":null,"anomalies":[]}},"strongest":[],"weakest_violated":[],"not_checked":["serializable: memory limit of 1 MB reached while reading the input"],"evidence":null,"seconds":{"load":TIME,"check":TIME},"work":WORK,"peak_rss_bytes":BYTES}
= 0
# The smallest limits are limits.
$ isolde check --timeout 0.0000000001 --level ser big.jsonl | grep -o 'unknown  *time limit of .* s'
| unknown         time limit of 1e-09 s
= 0
$ isolde check --memory 1K --level ser big.jsonl | grep -o 'unknown  *memory limit of .* reached'
| unknown         memory limit of 1 KB reached
= 0
