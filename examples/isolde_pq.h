/* Reads and writes of rows by primary key through libpq, on record for Isolde.
 *
 * A thin layer: each call sends one statement by the PGconn that you give it, and puts down in
 * the recorder of isolde/isolde.h what was sent and seen, with the version of the row that
 * PostgreSQL tells (xmin), when it was, and what became of the transaction.
 * docs/applications.md says what it assumes. Copy the two files into your program; they need
 * libpq and libisolde.
 *
 *     cc app.c isolde_pq.c $(pkg-config --cflags --libs isolde libpq)
 *
 * Threads: one at a time for each handle; handles are independent. */
#ifndef ISOLDE_PQ_H
#define ISOLDE_PQ_H

#include <libpq-fe.h>

#include "isolde/isolde.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A table with a primary key of one column, and the column that is recorded. Names as SQL has
 * them, in double quotes where they must be; they become part of statements. A row is on record
 * as "table/key". Of a table with several such columns each is a table here, with a `name` of
 * its own for the record: they are registers of their own then. */
typedef struct isolde_pq_table {
  const char* table;
  const char* key;
  const char* value;
  const char* name; /* NULL: `table` */
} isolde_pq_table;

typedef enum isolde_pq_status {
  ISOLDE_PQ_OK = 0,
  ISOLDE_PQ_NO_ROW = 1, /* there is none with that key; the transaction goes on */
  /* In all that follow the transaction is over, and on record: */
  ISOLDE_PQ_RETRY = 2,  /* rolled back by the server, for it met another one: send it again */
  ISOLDE_PQ_FAILED = 3, /* rolled back, and it would fail again */
  ISOLDE_PQ_LOST = 4,   /* the connection broke before COMMIT was sent: it has no effect */
  ISOLDE_PQ_UNKNOWN = 5 /* it broke at COMMIT: nobody knows whether it has an effect */
} isolde_pq_status;

typedef struct isolde_pq isolde_pq;

/* Records what is sent by `connection`, which stays yours, in a session of that name. The
 * recorder must have been opened with `deletes`, for files with versions are of version 2.
 * Texts are UTF-8 from here on. NULL: no memory, or the connection does not work. */
isolde_pq* isolde_pq_open(isolde_recorder* recorder, const char* session, PGconn* connection);
/* A transaction under way is rolled back. */
void isolde_pq_close(isolde_pq* pq);

/* What is in the table now, on record as a transaction that has written it: for rows that were
 * there before the recording began. Before any other session begins, alone. */
isolde_pq_status isolde_pq_existing_rows(isolde_pq* pq, const isolde_pq_table* table);

/* Begins a transaction; `isolation` is "REPEATABLE READ" and the like, NULL the default. A
 * connection that broke is made anew first. */
isolde_pq_status isolde_pq_begin(isolde_pq* pq, const char* isolation);
/* The value of the row with that key, as text; NULL: it is SQL's NULL. It lives until the next
 * call. */
isolde_pq_status isolde_pq_read(isolde_pq* pq, const isolde_pq_table* table, const char* key,
                                const char** value);
/* The same with FOR UPDATE. */
isolde_pq_status isolde_pq_read_for_update(isolde_pq* pq, const isolde_pq_table* table,
                                           const char* key, const char** value);
/* Updates the row with that key. NULL: SQL's NULL. */
isolde_pq_status isolde_pq_write(isolde_pq* pq, const isolde_pq_table* table, const char* key,
                                 const char* value);
/* Inserts a row that has no other columns without a default. */
isolde_pq_status isolde_pq_insert(isolde_pq* pq, const isolde_pq_table* table, const char* key,
                                  const char* value);
/* Deletes the row with that key. */
isolde_pq_status isolde_pq_delete(isolde_pq* pq, const isolde_pq_table* table, const char* key);
isolde_pq_status isolde_pq_commit(isolde_pq* pq);
isolde_pq_status isolde_pq_rollback(isolde_pq* pq);

/* Runs `body` as a transaction, and again, as another one, where the server rolled it back for
 * it met another one, `tries` times at most. `body` returns 0 to commit; anything else rolls
 * back, and is ISOLDE_PQ_OK. It returns at once where a call was neither OK nor NO_ROW. */
isolde_pq_status isolde_pq_run(isolde_pq* pq, const char* isolation, int tries,
                               int (*body)(isolde_pq* pq, void* user), void* user);

/* What the server or libpq said last of what did not work, in one line. */
const char* isolde_pq_message(const isolde_pq* pq);

#ifdef __cplusplus
}
#endif

#endif
