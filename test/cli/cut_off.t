# The example of docs/LEVELS.md: what repeats elsewhere may be written again by what is missing.
$ awk '/^###/ {on = /Input that is cut off/} !on {next} /^```/ {code = !code; n += code; next} code {print > n ".jsonl"}' $DEMO/../docs/LEVELS.md; ls
| 1.jsonl
= 0
$ isolde check --level rc 1.jsonl | grep -A2 -E 'read-committed|Not decided:'
|   read-committed  unknown         the input is cut off and its values repeat: what is missing may have written the values that were read, too
|
| Evidence:
= 0
# As it is, without what repeats, it is not.
$ grep -v '"c"' 1.jsonl > unique.jsonl; isolde check --level rc unique.jsonl | grep -E 'read-committed'
|   What helps: if the database promises read-committed, it is a defect, of which isolde
|   read-committed  violated        intermediate read (G1b)
| Why not read-committed:
= 0
$ grep -v '"c"' 1.jsonl | sed 's/,"truncated":true//' > whole.jsonl; isolde check --level rc whole.jsonl | grep -E 'read-committed'
|   What helps: if the database promises read-committed, it is a defect, of which isolde
|   read-committed  violated        intermediate read (G1b)
| Why not read-committed:
= 0

# Nobody but a transaction of unknown outcome wrote what a read can have returned; what is missing may have.
$ printf '%s\n' '{"isolde":2,"kind":"history","truncated":true}' '{"session":"a","status":"indeterminate","ops":[["w","x",{"qty":1,"state":"new"}],["w","y",1],["r","y",2]]}' '{"session":"b","ops":[["r","x",{"qty":1}]]}' > part.jsonl
= 0
$ isolde check --level rc,ser part.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'
|   serializable    unknown         transaction b:0 read only a part of key "x"; the input is cut off, and what is missing may have written what it read
|   read-committed  unknown         transaction b:0 read only a part of key "x"; the input is cut off, and what is missing may have written what it read
= 0

# Two updates of one row miss each other, unless a missing deletion came in between.
$ printf '%s\n' '{"isolde":2,"kind":"history","truncated":true,"initial":[["x",1]]}' '{"session":"a","ops":[["r","x",1],["w","x",2]]}' '{"session":"b","ops":[["r","x",1],["w","x",3]]}' > lost.jsonl
= 0
$ isolde check --level rc,si,ser lost.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'
|   serializable        violated        lost update (G-single)
|   snapshot-isolation  unknown         the input is cut off: what is missing may have deleted a row in between, which was then inserted again
|   read-committed      unknown         the input is cut off; what is there holds
= 0
$ sed 's/,"truncated":true//' lost.jsonl > whole.jsonl; isolde check --level rc,si,ser whole.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'
|   serializable        violated        lost update (G-single)
|   snapshot-isolation  violated        lost update (G-single)
|   read-committed      holds
= 0
