/* Isolde for C and for every language that can call C: isolde.hpp in other clothes, and the
 * recorder. docs/library.md has complete programs.
 *
 * Ownership: functions named *_free end the life of a handle and take NULL. A report refers to
 * its history, which must outlive it, and a session to its recorder. `char *` results and error
 * messages belong to the caller, who gives them back to isolde_free(); `const char *` belongs
 * to the handle it comes from. What is passed in is copied before the call returns. Texts are
 * UTF-8 and end with a zero byte unless a length comes with them.
 *
 * Errors: functions that can fail return isolde_status, or NULL, and put a message of one line
 * into *error unless `error` is NULL. Results are set on success only. Out of memory in a call
 * without a status, and bugs, end the program.
 *
 * Threads: handles may be used from any thread. Histories, reports and recorders from several
 * at once; options, builders and sessions from one at a time.
 * Cost: what a comment says, else the time to copy what goes in and what comes out.
 *
 * ABI: no promise before version 1.0. Compile and link against the same version. */
#ifndef ISOLDE_ISOLDE_H
#define ISOLDE_ISOLDE_H

#include <stddef.h>
#include <stdint.h>

#include "isolde/c_operation.h"
#include "isolde/export.h"
#include "isolde/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum isolde_status {
  ISOLDE_OK = 0,
  ISOLDE_USAGE = 1,       /* asked for something that does not exist or fit together */
  ISOLDE_BAD_INPUT = 2,   /* a file or text does not follow its format */
  ISOLDE_ENVIRONMENT = 3, /* the machine refused: missing file, no permission, disk full */
  ISOLDE_LIMIT = 4,       /* a limit was reached */
  ISOLDE_INTERNAL = 5     /* a bug in Isolde */
} isolde_status;

typedef enum isolde_verdict {
  ISOLDE_HOLDS = 0,
  ISOLDE_VIOLATED = 1,
  ISOLDE_UNKNOWN = 2,
  ISOLDE_NOT_APPLICABLE = 3
} isolde_verdict;

typedef struct isolde_options isolde_options;
typedef struct isolde_history isolde_history;
typedef struct isolde_builder isolde_builder;
typedef struct isolde_report isolde_report;
typedef struct isolde_recorder isolde_recorder;
typedef struct isolde_session isolde_session;
typedef struct isolde_stream isolde_stream; /* reserved for checking while a run goes on */

/* Of the library, as ISOLDE_VERSION. */
ISOLDE_API const char* isolde_version(void);

/* Gives back a text that a function returned, or an error message. */
ISOLDE_API void isolde_free(char* text);

/* ---- Levels ---- */

/* They are numbered from 0, stronger ones first. */
ISOLDE_API size_t isolde_level_count(void);
/* "serializable"; NULL beyond the last one. */
ISOLDE_API const char* isolde_level_name(size_t level);
/* "ser"; "" where there is none. */
ISOLDE_API const char* isolde_level_alias(size_t level);
/* A sentence. */
ISOLDE_API const char* isolde_level_summary(size_t level);
/* The number of the level with that name or alias, whatever the case and with blanks or
 * underscores for hyphens; isolde_level_count() where there is none. */
ISOLDE_API size_t isolde_level_find(const char* name);

/* ---- Options of loading and checking; NULL in their place means the defaults ---- */

ISOLDE_API isolde_options* isolde_options_new(void);
ISOLDE_API void isolde_options_free(isolde_options* options);
/* Name of the format, for isolde_load() and isolde_parse(), which end with USAGE where there is
 * none of that name. Default, and "": told from the content. */
ISOLDE_API void isolde_options_format(isolde_options* options, const char* format);
/* One more level to decide, by name or alias; default: all. USAGE: there is no such level. */
ISOLDE_API isolde_status isolde_options_level(isolde_options* options, const char* level,
                                              char** error);
/* Limit of time for each call, in seconds; 0, the default: none. Calls with less than 0, or
 * with what is no number, end with USAGE. */
ISOLDE_API void isolde_options_seconds(isolde_options* options, double seconds);
/* By how much the memory of this process may grow; 0, the default: no limit. */
ISOLDE_API void isolde_options_memory(isolde_options* options, uint64_t bytes);
/* From 1, the default, to 1024; calls with any other number end with USAGE. Never changes a
   result. */
ISOLDE_API void isolde_options_threads(isolde_options* options, unsigned threads);
/* Real time counts only where it differs by more; default 0. Calls with less, or with more than
 * a day, end with USAGE. */
ISOLDE_API void isolde_options_clock_error(isolde_options* options, int64_t nanoseconds);
/* A level that holds is unknown when fewer transactions took effect; default 1. */
ISOLDE_API void isolde_options_min_committed(isolde_options* options, uint64_t count);
/* Not 0: a level that holds is unknown when the history does not put it to the test. */
ISOLDE_API void isolde_options_require_evidence(isolde_options* options, int required);
/* Not 0: each proof is verified before it is reported; a verdict whose proof does not stand,
 * which is a bug, is unknown. Cost: linear in the history for each decided level. */
ISOLDE_API void isolde_options_verify(isolde_options* options, int verify);
/* 0: no explanations. */
ISOLDE_API void isolde_options_explain(isolde_options* options, int explain);
/* Called now and then by the calling thread with what is being done. */
ISOLDE_API void isolde_options_progress(isolde_options* options,
                                        void (*progress)(const char* work, void* user),
                                        void* user);
/* Called several times a second, by one thread at a time, perhaps another than the calling
 * one: not 0 ends the call as a limit does. */
ISOLDE_API void isolde_options_cancelled(isolde_options* options, int (*cancelled)(void* user),
                                         void* user);

/* ---- Histories ---- */

/* Reads a file or directory; "-" is standard input. ISOLDE_OK: *history is the caller's, who
 * frees it with isolde_history_free(). ENVIRONMENT: it cannot be read; BAD_INPUT: what is wrong
 * at which line or byte; LIMIT, also where `cancelled` ends it; USAGE: no such format, or an
 * option out of its range. Cost: some 100 MB in a second and core. */
ISOLDE_API isolde_status isolde_load(const char* path, const isolde_options* options,
                                     isolde_history** history, char** error);
/* Reads what a file would hold. `name` is for messages. ISOLDE_OK: *history is the caller's.
 * Errors and cost: as isolde_load(), but for ENVIRONMENT, and a copy. */
ISOLDE_API isolde_status isolde_parse(const char* bytes, size_t size, const char* name,
                                      const isolde_options* options, isolde_history** history,
                                      char** error);
ISOLDE_API void isolde_history_free(isolde_history* history);
ISOLDE_API size_t isolde_history_sessions(const isolde_history* history);
ISOLDE_API size_t isolde_history_transactions(const isolde_history* history);
ISOLDE_API size_t isolde_history_operations(const isolde_history* history);
ISOLDE_API size_t isolde_history_keys(const isolde_history* history);
/* The history with its versions taken for true: each read with a version is from the write with
 * that version. Verdicts and certificates of it say so. ISOLDE_OK: *trusting is the caller's,
 * and outlives the first. BAD_INPUT: versions contradict values. Cost: linear. */
ISOLDE_API isolde_status isolde_history_trust_versions(const isolde_history* history,
                                                       isolde_history** trusting, char** error);

/* Builds a history in memory. Transactions of one session come in their order. No call but the
 * last one fails: it tells the first problem. */
ISOLDE_API isolde_builder* isolde_builder_new(void);
ISOLDE_API void isolde_builder_free(isolde_builder* builder);
/* Starts a transaction of the session of that name. */
ISOLDE_API void isolde_builder_begin(isolde_builder* builder, const char* session);
/* What a key held before all transactions, as an operation: an ISOLDE_WRITE of the value or
 * of all columns, or an ISOLDE_READ_LIST of the elements. Once for each key, at any time. */
ISOLDE_API void isolde_builder_initial(isolde_builder* builder, const isolde_operation* held);
/* An operation of the transaction begun last. */
ISOLDE_API void isolde_builder_add(isolde_builder* builder, const isolde_operation* operation);
/* The transaction's own name, for reports. */
ISOLDE_API void isolde_builder_label(isolde_builder* builder, const char* label);
/* Nanoseconds on a clock that all sessions share: before the first request, and after the
 * outcome. */
ISOLDE_API void isolde_builder_times(isolde_builder* builder, int64_t start, int64_t end);
/* How it ended; committed where this is not called. */
ISOLDE_API void isolde_builder_outcome(isolde_builder* builder, isolde_outcome outcome);
/* ISOLDE_OK: *history is the caller's. The builder is empty then, also after an error, and can
 * build another one; USAGE where no transaction has begun since. Cost: linear, but for what
 * selections leave out, and aggregates look at. */
ISOLDE_API isolde_status isolde_builder_finish(isolde_builder* builder,
                                               isolde_history** history, char** error);

/* ---- Checking ---- */

/* ISOLDE_OK: *report is the caller's, who frees it with isolde_report_free() before the
 * history; levels that limits leave open are ISOLDE_UNKNOWN in it. LIMIT: memory does not even
 * suffice for a report; USAGE: an option out of its range. Cost: docs/BENCHMARKS.md; limits
 * are for hard ones. */
ISOLDE_API isolde_status isolde_check(const isolde_history* history,
                                      const isolde_options* options, isolde_report** report,
                                      char** error);
ISOLDE_API void isolde_report_free(isolde_report* report);

typedef struct isolde_level_result {
  const char* level; /* name */
  isolde_verdict verdict;
  const char* reason;       /* violated: what went wrong; unknown, not applicable: why */
  int tried;                /* holds: the history put it to the test */
  const char* follows_from; /* the level whose verdict decides this one; NULL: none */
} isolde_level_result;

/* How many levels were asked for. */
ISOLDE_API size_t isolde_report_size(const isolde_report* report);
/* USAGE: beyond the last one. */
ISOLDE_API isolde_status isolde_report_level(const isolde_report* report, size_t index,
                                             isolde_level_result* result);
/* By name or alias; ISOLDE_UNKNOWN also for a level that was not asked for. */
ISOLDE_API isolde_verdict isolde_report_verdict(const isolde_report* report, const char* level);
/* As "text", "json", "junit" or another form; "" where it has nothing to show, as "dot" without
 * a violation. The text is the caller's. NULL, and the message in *error, with all names: there
 * is no such form (USAGE). Cost: rendered anew each time. */
ISOLDE_API char* isolde_report_render(const isolde_report* report, const char* form,
                                      char** error);
/* The proof of the verdict about a level, by name or alias, as the text of a certificate file,
 * which is the caller's. NULL, and the message in *error: there is no such level, or it was
 * not asked for, is not decided or does not apply (USAGE), or memory does not suffice (LIMIT).
 * Cost: linear in the history. */
ISOLDE_API char* isolde_report_certificate(const isolde_report* report, const char* level,
                                           char** error);

/* ---- Certificates ---- */

typedef struct isolde_verification {
  int proves;
  const char* level;      /* name; needs no freeing */
  isolde_verdict verdict; /* claimed: holds or violated */
  int64_t clock_error_ns; /* how far apart the proof assumes clocks to be */
  char* claim;            /* the caller's */
  char* reason;           /* the caller's: why it proves nothing; "" when it does */
  int trusts_versions;    /* it is a proof for a history that trusts its versions */
} isolde_verification;

/* Checks the text of a certificate, independently. ISOLDE_OK: it could be read, `proves` tells
 * whether it stands, and `claim` and `reason` are the caller's, who gives each to
 * isolde_free(). Else *verification is as it was. BAD_INPUT: no certificate for a history of
 * this size; LIMIT: memory does not suffice. Cost: about linear. */
ISOLDE_API isolde_status isolde_verify(const isolde_history* history, const char* certificate,
                                       isolde_verification* verification, char** error);
/* What a certificate says, for people; the text is the caller's. NULL, and the message in
 * *error: as isolde_verify(), also in cost, and where it proves nothing (USAGE). */
ISOLDE_API char* isolde_explanation(const isolde_history* history, const char* certificate,
                                    char** error);

/* ---- Recording: docs/recording.md has the rules ---- */

/* Starts a new history. `names` and `texts`: `count` fields of the header. `deletes`, not 0:
 * clients may delete rows, rows may have columns, or there may be aggregates, increments,
 * locks, refused inserts and versions; the file is then of version 2. A path that ends in
 * .isob: groups of the native-binary format, a few each second, for isolde watch --follow;
 * until it is closed there is a text PATH.jsonl beside it, which has all of it. ISOLDE_OK:
 * *recorder is the caller's, who frees it with isolde_recorder_free() after its sessions.
 * USAGE: the file or FILE.inflight exists, or a field is reserved or given twice; ENVIRONMENT:
 * they cannot be made. Cost: makes both, and writes the header. */
ISOLDE_API isolde_status isolde_recorder_open(const char* path, const char* const* names,
                                              const char* const* texts, size_t count,
                                              int deletes, isolde_recorder** recorder,
                                              char** error);
/* A client, which is the caller's until isolde_session_free(). Names must be distinct, and have
 * no '/'; else isolde_recorder_close() tells. Cost: makes a file of one page. */
ISOLDE_API isolde_session* isolde_recorder_session(isolde_recorder* recorder, const char* name);
/* Something that is not a transaction: a fault, a phase of the test. Cost: one write. */
ISOLDE_API void isolde_recorder_event(isolde_recorder* recorder, const char* kind,
                                      const char* what);
/* The same of something that lasts: `begins` or `ends` is its name, and the other one NULL. An
 * end closes the last of that name that has begun. With both it only begins, with none this is
 * isolde_recorder_event(). */
ISOLDE_API void isolde_recorder_event_span(isolde_recorder* recorder, const char* kind,
                                           const char* what, const char* begins,
                                           const char* ends);
/* Marks the history as complete. The error is the first problem of any session: ENVIRONMENT for
 * a full disk and the like; USAGE for calls in a wrong order, names and values that cannot be
 * recorded, and a session that is in a transaction; BAD_INPUT for rows with columns where the
 * path ends in .isob. Recording stopped there, and the history says so. Cost: a write to the
 * file, and the removal of one file for each session. */
ISOLDE_API isolde_status isolde_recorder_close(isolde_recorder* recorder, char** error);
/* Closes it where that was not done. Its sessions must have been freed. */
ISOLDE_API void isolde_recorder_free(isolde_recorder* recorder);

/* Before the first request. */
ISOLDE_API void isolde_session_begin(isolde_session* session);
/* Writes, deletions and increments before the request is sent, reads, selections and aggregates
 * after the answer has come. Integers and texts only: USAGE for others, and for an aggregate
 * that cannot have such a result; these are not recorded. Without `deletes` USAGE also for
 * deletions, increments, refused inserts, rows with columns or by their key alone, tests of
 * conditions, and aggregates: recording stops there. */
ISOLDE_API isolde_status isolde_session_add(isolde_session* session,
                                            const isolde_operation* operation, char** error);
/* Takes the last operation back: a conditional write that did not happen, a deletion or an
 * increment that found nothing. Not twice in a row. */
ISOLDE_API void isolde_session_drop_last(isolde_session* session);
/* After the answer has come: the database's own name of the version that the last operation
 * read or wrote. USAGE: without `deletes`, where recording stops; and, not recorded, for null
 * and what is neither an integer nor a text. */
ISOLDE_API isolde_status isolde_session_version(isolde_session* session,
                                                const isolde_value* version, char** error);
/* The same for all writes and deletions of the transaction that have none yet, where only the
 * commit's reply tells, as etcd's revision. Before isolde_session_end(). USAGE: as there. */
ISOLDE_API isolde_status isolde_session_version_of_writes(isolde_session* session,
                                                          const isolde_value* version,
                                                          char** error);
/* After the answer has come, where it tells what became of the number: the sum that the last
 * operation, an increment, has left. USAGE, and not recorded: a sum beyond 62 bits. */
ISOLDE_API isolde_status isolde_session_sum(isolde_session* session, int64_t sum, char** error);
/* The same of all `count` increments of the transaction, in their order, where the reply to the
 * commit tells. Before isolde_session_end(). USAGE: as there. */
ISOLDE_API isolde_status isolde_session_sums(isolde_session* session, const int64_t* sums,
                                             size_t count, char** error);
/* The server and its name for the connection, for the transactions from the next begin on. */
ISOLDE_API void isolde_session_server(isolde_session* session, const char* name);
/* After the outcome has come, or when it never will. */
ISOLDE_API void isolde_session_end(isolde_session* session, isolde_outcome outcome);
/* In a transaction: as isolde_session_end() with ISOLDE_INDETERMINATE. */
ISOLDE_API void isolde_session_free(isolde_session* session);

#ifdef __cplusplus
}
#endif

#endif
