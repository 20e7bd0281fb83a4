#include "isolde_pq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_BYTES 256

/* A row says by the lower 32 bits of a number of 64 which transaction wrote it (xmin). The
 * upper ones are those of another such number of the same moment, whichever is nearest: behind
 * a write that of the transaction; a read must not ask for that, which would give it one, so
 * there it is the end of the snapshot. */
#define XMIN "xmin::text::bigint"
#define NEAREST(number) "(" XMIN " + ((" number " - " XMIN " + 2147483648) >> 32 << 32))::text"
#define READ_VERSION NEAREST("pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
#define WRITE_VERSION NEAREST("pg_current_xact_id()::text::bigint")
/* Before PostgreSQL 13 the functions had other names. */
#define OLD_READ_VERSION NEAREST("txid_snapshot_xmax(txid_current_snapshot())")
#define OLD_WRITE_VERSION NEAREST("txid_current()")
#define FIRST_WITH_XID8 130000

struct isolde_pq {
  PGconn* connection;
  isolde_session* session;
  PGresult* result; /* of the last statement; what was read lives in it */
  int in_transaction;
  isolde_pq_status over; /* what has ended the last transaction */
  char message[MESSAGE_BYTES];
};

typedef struct text {
  char* bytes;
} text;

/* The parts one after the other, NULL at the end; NULL where there is no memory. */
static text joined(const char* const* parts) {
  size_t length = 1;
  for (size_t i = 0; parts[i] != NULL; ++i) length += strlen(parts[i]);
  text all = {malloc(length)};
  if (all.bytes == NULL) return all;
  char* at = all.bytes;
  for (size_t i = 0; parts[i] != NULL; ++i) {
    const size_t size = strlen(parts[i]);
    memcpy(at, parts[i], size);
    at += size;
  }
  *at = '\0';
  return all;
}

static void keep_message(isolde_pq* pq, const char* said) {
  snprintf(pq->message, sizeof pq->message, "%s", said == NULL ? "" : said);
  for (char* at = pq->message; *at != '\0'; ++at) {
    if (*at == '\n') *at = ' ';
  }
  for (size_t length = strlen(pq->message); length > 0 && pq->message[length - 1] == ' ';) {
    pq->message[--length] = '\0';
  }
}

static void take_result(isolde_pq* pq, PGresult* result) {
  PQclear(pq->result);
  pq->result = result;
}

static int is_lost(const isolde_pq* pq) { return PQstatus(pq->connection) != CONNECTION_OK; }

/* The server is there, and has done it. */
static int is_done(const isolde_pq* pq) {
  const ExecStatusType status = PQresultStatus(pq->result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static const char* sqlstate(const isolde_pq* pq) {
  const char* state =
      pq->result == NULL ? NULL : PQresultErrorField(pq->result, PG_DIAG_SQLSTATE);
  return state == NULL ? "" : state;
}

/* Serialization failures and deadlocks. */
static int would_work_again(const isolde_pq* pq) {
  return strcmp(sqlstate(pq), "40001") == 0 || strcmp(sqlstate(pq), "40P01") == 0;
}

static isolde_pq_status end(isolde_pq* pq, isolde_outcome outcome, isolde_pq_status status) {
  isolde_session_end(pq->session, outcome);
  pq->in_transaction = 0;
  pq->over = status;
  return status;
}

/* A statement in front of COMMIT has failed. Whatever happens to the connection now, COMMIT
 * will not be sent, so that the transaction has no effect. */
static isolde_pq_status give_up(isolde_pq* pq) {
  keep_message(pq, PQerrorMessage(pq->connection));
  const isolde_pq_status status = is_lost(pq)            ? ISOLDE_PQ_LOST
                                  : would_work_again(pq) ? ISOLDE_PQ_RETRY
                                                         : ISOLDE_PQ_FAILED;
  if (status != ISOLDE_PQ_LOST) PQclear(PQexec(pq->connection, "ROLLBACK"));
  return end(pq, ISOLDE_ABORTED, status);
}

static isolde_pq_status out_of_memory(isolde_pq* pq) {
  PQclear(PQexec(pq->connection, "ROLLBACK"));
  keep_message(pq, "out of memory");
  return end(pq, ISOLDE_ABORTED, ISOLDE_PQ_FAILED);
}

/* Sends a statement; what is not done ends the transaction. */
static isolde_pq_status send(isolde_pq* pq, const char* const* parts, int count,
                             const char* const* values) {
  if (!pq->in_transaction) return pq->over;
  const text statement = joined(parts);
  if (statement.bytes == NULL) return out_of_memory(pq);
  take_result(
      pq, PQexecParams(pq->connection, statement.bytes, count, NULL, values, NULL, NULL, 0));
  free(statement.bytes);
  return is_done(pq) ? ISOLDE_PQ_OK : give_up(pq);
}

static isolde_value text_value(const char* bytes) {
  isolde_value value = {ISOLDE_TEXT, 0, bytes, strlen(bytes)};
  return value;
}

/* SQL's NULL is a value of the row. It is on record as the number 0, which no other value is:
 * they are texts. */
static isolde_value cell(const isolde_pq* pq, int row, int column) {
  const isolde_value null_of_sql = {ISOLDE_INTEGER, 0, NULL, 0};
  if (PQgetisnull(pq->result, row, column)) return null_of_sql;
  return text_value(PQgetvalue(pq->result, row, column));
}

/* What cannot be recorded stops the recording; isolde_recorder_close() says why. */
static isolde_pq_status record(isolde_pq* pq, const isolde_pq_table* table, const char* key,
                               isolde_operation* operation) {
  const char* const parts[] = {table->name == NULL ? table->table : table->name, "/", key,
                               NULL};
  const text name = joined(parts);
  if (name.bytes == NULL) return out_of_memory(pq);
  operation->size = sizeof *operation;
  operation->key = text_value(name.bytes);
  isolde_session_add(pq->session, operation, NULL);
  free(name.bytes);
  return ISOLDE_PQ_OK;
}

/* An operation on a row that a statement has returned: value, version and key, which the
 * database may write in another way than we do. */
static isolde_pq_status record_row(isolde_pq* pq, const isolde_pq_table* table, int row,
                                   isolde_operation* operation) {
  const isolde_value version = {ISOLDE_INTEGER,
                                strtoll(PQgetvalue(pq->result, row, 1), NULL, 10), NULL, 0};
  operation->value = cell(pq, row, 0);
  operation->version = &version;
  return record(pq, table, PQgetvalue(pq->result, row, 2), operation);
}

/* A statement that found no row. */
static isolde_pq_status record_absence(isolde_pq* pq, const isolde_pq_table* table,
                                       const char* key) {
  isolde_operation operation = {0};
  operation.kind = ISOLDE_READ;
  const isolde_pq_status recorded = record(pq, table, key, &operation);
  return recorded == ISOLDE_PQ_OK ? ISOLDE_PQ_NO_ROW : recorded;
}

static int has_xid8(const isolde_pq* pq) {
  return PQserverVersion(pq->connection) >= FIRST_WITH_XID8;
}
static const char* read_version(const isolde_pq* pq) {
  return has_xid8(pq) ? READ_VERSION : OLD_READ_VERSION;
}
static const char* write_version(const isolde_pq* pq) {
  return has_xid8(pq) ? WRITE_VERSION : OLD_WRITE_VERSION;
}

static void tell_server(isolde_pq* pq) {
  char where[MESSAGE_BYTES];
  const char* host = PQhost(pq->connection);
  const char* port = PQport(pq->connection);
  snprintf(where, sizeof where, "%s:%s backend %d", host == NULL ? "" : host,
           port == NULL ? "" : port, PQbackendPID(pq->connection));
  isolde_session_server(pq->session, where);
}

isolde_pq* isolde_pq_open(isolde_recorder* recorder, const char* session, PGconn* connection) {
  if (PQstatus(connection) != CONNECTION_OK) return NULL;
  isolde_pq* pq = calloc(1, sizeof *pq);
  if (pq == NULL) return NULL;
  pq->connection = connection;
  pq->over = ISOLDE_PQ_FAILED;
  PQsetClientEncoding(connection, "UTF8");
  pq->session = isolde_recorder_session(recorder, session);
  tell_server(pq);
  return pq;
}

void isolde_pq_close(isolde_pq* pq) {
  if (pq == NULL) return;
  if (pq->in_transaction) isolde_pq_rollback(pq);
  take_result(pq, NULL);
  isolde_session_free(pq->session);
  free(pq);
}

isolde_pq_status isolde_pq_begin(isolde_pq* pq, const char* isolation) {
  if (is_lost(pq)) {
    PQreset(pq->connection);
    if (is_lost(pq)) {
      keep_message(pq, PQerrorMessage(pq->connection));
      return ISOLDE_PQ_LOST;
    }
    PQsetClientEncoding(pq->connection, "UTF8");
    tell_server(pq);
  }
  isolde_session_begin(pq->session);
  pq->in_transaction = 1;
  const char* const parts[] = {"BEGIN", isolation == NULL ? "" : " ISOLATION LEVEL ",
                               isolation == NULL ? "" : isolation, NULL};
  return send(pq, parts, 0, NULL);
}

static isolde_pq_status read_row(isolde_pq* pq, const isolde_pq_table* table, const char* key,
                                 const char** value, isolde_lock lock) {
  *value = NULL;
  const char* const parts[] = {"SELECT ",
                               table->value,
                               ", ",
                               read_version(pq),
                               ", ",
                               table->key,
                               "::text",
                               " FROM ",
                               table->table,
                               " WHERE ",
                               table->key,
                               " = $1",
                               lock == ISOLDE_UPDATE_LOCK ? " FOR UPDATE" : "",
                               NULL};
  const isolde_pq_status sent = send(pq, parts, 1, &key);
  if (sent != ISOLDE_PQ_OK) return sent;
  if (PQntuples(pq->result) == 0) return record_absence(pq, table, key);
  isolde_operation operation = {0};
  operation.kind = ISOLDE_READ;
  operation.lock = lock;
  if (!PQgetisnull(pq->result, 0, 0)) *value = PQgetvalue(pq->result, 0, 0);
  return record_row(pq, table, 0, &operation);
}

isolde_pq_status isolde_pq_read(isolde_pq* pq, const isolde_pq_table* table, const char* key,
                                const char** value) {
  return read_row(pq, table, key, value, ISOLDE_NO_LOCK);
}

isolde_pq_status isolde_pq_read_for_update(isolde_pq* pq, const isolde_pq_table* table,
                                           const char* key, const char** value) {
  return read_row(pq, table, key, value, ISOLDE_UPDATE_LOCK);
}

/* What the row holds now is told by the statement itself: the database may have written it in
 * another way, or a trigger something else. Nobody else sees it before COMMIT, so that it is on
 * record early enough. */
static isolde_pq_status record_write(isolde_pq* pq, const isolde_pq_table* table) {
  isolde_operation operation = {0};
  operation.kind = ISOLDE_WRITE;
  return record_row(pq, table, 0, &operation);
}

isolde_pq_status isolde_pq_write(isolde_pq* pq, const isolde_pq_table* table, const char* key,
                                 const char* value) {
  const char* const parts[] = {"UPDATE ",     table->table, " SET ",    table->value,
                               " = $2",       " WHERE ",    table->key, " = $1",
                               " RETURNING ", table->value, ", ",       write_version(pq),
                               ", ",          table->key,   "::text",   NULL};
  const char* const values[] = {key, value};
  const isolde_pq_status sent = send(pq, parts, 2, values);
  if (sent != ISOLDE_PQ_OK) return sent;
  return PQntuples(pq->result) == 0 ? record_absence(pq, table, key) : record_write(pq, table);
}

isolde_pq_status isolde_pq_insert(isolde_pq* pq, const isolde_pq_table* table, const char* key,
                                  const char* value) {
  const char* const parts[] = {"INSERT INTO ",
                               table->table,
                               " (",
                               table->key,
                               ", ",
                               table->value,
                               ") VALUES ($1, $2)",
                               " RETURNING ",
                               table->value,
                               ", ",
                               write_version(pq),
                               ", ",
                               table->key,
                               "::text",
                               NULL};
  const char* const values[] = {key, value};
  const isolde_pq_status sent = send(pq, parts, 2, values);
  if (sent != ISOLDE_PQ_OK) return sent;
  return PQntuples(pq->result) == 0 ? ISOLDE_PQ_NO_ROW : record_write(pq, table);
}

isolde_pq_status isolde_pq_delete(isolde_pq* pq, const isolde_pq_table* table,
                                  const char* key) {
  const char* const parts[] = {"DELETE FROM ",     table->table, " WHERE ", table->key,
                               " = $1 RETURNING ", table->key,   "::text",  NULL};
  const isolde_pq_status sent = send(pq, parts, 1, &key);
  if (sent != ISOLDE_PQ_OK) return sent;
  if (PQntuples(pq->result) == 0) return record_absence(pq, table, key);
  isolde_operation operation = {0};
  operation.kind = ISOLDE_DELETE;
  return record(pq, table, PQgetvalue(pq->result, 0, 0), &operation);
}

/* Of a statement that ran into a lost connection PostgreSQL says 40003 and classes 08 and 57P.
 */
static int is_in_doubt(const isolde_pq* pq) {
  const char* state = sqlstate(pq);
  return is_lost(pq) || *state == '\0' || strcmp(state, "40003") == 0 ||
         strncmp(state, "08", 2) == 0 || strncmp(state, "57P", 3) == 0;
}

isolde_pq_status isolde_pq_commit(isolde_pq* pq) {
  if (!pq->in_transaction) return pq->over;
  take_result(pq, PQexec(pq->connection, "COMMIT"));
  if (is_done(pq)) {
    /* COMMIT of a transaction that has failed succeeds with another tag. */
    const int is_committed = strcmp(PQcmdStatus(pq->result), "COMMIT") == 0;
    if (is_committed) return end(pq, ISOLDE_COMMITTED, ISOLDE_PQ_OK);
    keep_message(pq, "the server answered COMMIT with ROLLBACK");
    return end(pq, ISOLDE_ABORTED, ISOLDE_PQ_FAILED);
  }
  keep_message(pq, PQerrorMessage(pq->connection));
  if (is_in_doubt(pq)) {
    return end(pq, ISOLDE_INDETERMINATE, ISOLDE_PQ_UNKNOWN);
  }
  return end(pq, ISOLDE_ABORTED, would_work_again(pq) ? ISOLDE_PQ_RETRY : ISOLDE_PQ_FAILED);
}

isolde_pq_status isolde_pq_rollback(isolde_pq* pq) {
  if (!pq->in_transaction) return pq->over;
  take_result(pq, PQexec(pq->connection, "ROLLBACK"));
  if (!is_done(pq)) keep_message(pq, PQerrorMessage(pq->connection));
  return end(pq, ISOLDE_ABORTED, is_lost(pq) ? ISOLDE_PQ_LOST : ISOLDE_PQ_OK);
}

isolde_pq_status isolde_pq_existing_rows(isolde_pq* pq, const isolde_pq_table* table) {
  const isolde_pq_status begun = isolde_pq_begin(pq, "REPEATABLE READ");
  if (begun != ISOLDE_PQ_OK) return begun;
  const char* const parts[] = {"SELECT ",  table->value, ", ",     read_version(pq), ", ",
                               table->key, "::text",     " FROM ", table->table,     NULL};
  const isolde_pq_status sent = send(pq, parts, 0, NULL);
  if (sent != ISOLDE_PQ_OK) return sent;
  for (int row = 0; row < PQntuples(pq->result); ++row) {
    isolde_operation operation = {0};
    operation.kind = ISOLDE_WRITE;
    const isolde_pq_status recorded = record_row(pq, table, row, &operation);
    if (recorded != ISOLDE_PQ_OK) return recorded;
  }
  return isolde_pq_commit(pq);
}

isolde_pq_status isolde_pq_run(isolde_pq* pq, const char* isolation, int tries,
                               int (*body)(isolde_pq* pq, void* user), void* user) {
  isolde_pq_status status = ISOLDE_PQ_FAILED;
  for (int i = 0; i < tries; ++i) {
    status = isolde_pq_begin(pq, isolation);
    if (status == ISOLDE_PQ_OK) {
      const int refused = body(pq, user);
      status = !pq->in_transaction ? pq->over
               : refused           ? isolde_pq_rollback(pq)
                                   : isolde_pq_commit(pq);
    }
    if (status != ISOLDE_PQ_RETRY) break;
  }
  return status;
}

const char* isolde_pq_message(const isolde_pq* pq) { return pq->message; }
