# Standard input, empty histories, cut off input, unknown outcomes.
$ isolde check --level ser - <$DATA/serial.jsonl
| -: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   serializable  holds
= 0
$ isolde check $DATA/empty.jsonl
| $DATA/empty.jsonl: native, 0 sessions, 0 transactions, 0 operations, 0 keys
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           holds
|   serializable                          holds
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     holds
|   snapshot-isolation                    holds
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Strongest that holds: strong-session-serializable
| Weakest violated:     none
= 0
$ isolde check --level ser $DATA/truncated.jsonl
| $DATA/truncated.jsonl: native, 1 session, 1 transaction, 1 operation, 1 key
|
|   serializable  holds
|
| Left out or assumed:
|   line 3 is cut off and left out; the recorder seems to have stopped while writing it
= 0
$ isolde check --level ser $DATA/indeterminate.jsonl
| $DATA/indeterminate.jsonl: native, 3 sessions, 4 transactions (2 with unknown outcome), 4 operations, 1 key
|
|   serializable  holds
|
| Left out or assumed:
|   1 transaction with unknown outcome, left out because nothing read from it
|   1 read whose result the client never learned
= 0
