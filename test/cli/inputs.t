# Standard input, empty histories, cut off input, unknown outcomes.
$ isolde check --level ser - <$DATA/serial.jsonl
| -: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   serializable  holds
= 0
$ isolde check $DATA/empty.jsonl
| $DATA/empty.jsonl: native, 0 sessions, 0 transactions, 0 operations, 0 keys
|
|                                                                strong-session-  strong-
|   serializable                                holds            holds            not-applicable
|   repeatable-read                             holds
|   snapshot-isolation                          holds            holds            not-applicable
|   parallel-snapshot-isolation                 holds            holds            not-applicable
|   prefix-consistency                          holds            holds            not-applicable
|   sequential                                                   holds
|   transactional-causal                                         holds            not-applicable
|   causal                                                       holds
|   read-atomic                                 holds            holds            not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
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
|   1 transaction with unknown outcome that nothing must have read from: it may have happened or not
|   1 read whose result the client never learned
= 0
