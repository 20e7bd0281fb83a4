// The functions of isolde/isolde.h, each a few lines around isolde/isolde.hpp and the recorder.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/c_operation.hpp"
#include "base/assert.hpp"
#include "history/level_names.hpp"
#include "history/stats.hpp"
#include "isolde/history_builder.hpp"
#include "isolde/isolde.h"
#include "isolde/isolde.hpp"
#include "isolde/recorder.hpp"

struct isolde_options {
  isolde::LoadOptions load;
  isolde::CheckRequest request;
};
struct isolde_history {
  isolde::History history;
};
struct isolde_builder {
  isolde::HistoryBuilder builder;
  bool is_spent = false;  // it has given its history, and no transaction has begun since
};
struct isolde_report {
  isolde::Report report;
};
struct isolde_recorder {
  std::unique_ptr<isolde::Recorder> recorder;
  bool deletes = false;
};
struct isolde_session {
  isolde::RecordedSession session;
  bool deletes = false;
};

namespace {

using isolde::OperationRecord;
using isolde::api::Translated;

/// A handle that the caller owns from here on.
template <typename Handle>
Handle* give(Handle handle) {
  return std::make_unique<Handle>(std::move(handle)).release();
}

/// And takes back.
template <typename Handle>
void take(Handle* handle) {
  const std::unique_ptr<Handle> owner(handle);
}

char* copy_of(std::string_view text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  ISOLDE_CHECK(copy != nullptr);
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

isolde_status code_of(isolde::ErrorCode code) {
  switch (code) {
    case isolde::ErrorCode::kUsage:
      return ISOLDE_USAGE;
    case isolde::ErrorCode::kBadInput:
      return ISOLDE_BAD_INPUT;
    case isolde::ErrorCode::kEnvironment:
      return ISOLDE_ENVIRONMENT;
    case isolde::ErrorCode::kLimit:
      return ISOLDE_LIMIT;
    case isolde::ErrorCode::kInternal:
      break;
  }
  return ISOLDE_INTERNAL;
}

isolde_status fail(const isolde::Error& problem, char** error) {
  if (error != nullptr) *error = copy_of(problem.message);
  return code_of(problem.code);
}

char* text_or_error(const isolde::Result<std::string>& text, char** error) {
  if (text) return copy_of(*text);
  fail(text.error(), error);
  return nullptr;
}

isolde_verdict verdict_of(isolde::Verdict verdict) {
  return static_cast<isolde_verdict>(verdict);
}
static_assert(static_cast<int>(isolde::Verdict::kHolds) == ISOLDE_HOLDS &&
              static_cast<int>(isolde::Verdict::kViolated) == ISOLDE_VIOLATED &&
              static_cast<int>(isolde::Verdict::kUnknown) == ISOLDE_UNKNOWN &&
              static_cast<int>(isolde::Verdict::kNotApplicable) == ISOLDE_NOT_APPLICABLE);
const isolde_options& or_default(const isolde_options* options) {
  static const isolde_options defaults;
  return options != nullptr ? *options : defaults;
}

isolde_status give_history(isolde::Result<isolde::History> made, isolde_history** history,
                           char** error) {
  if (!made) return fail(made.error(), error);
  *history = give<isolde_history>({std::move(made).value()});
  return ISOLDE_OK;
}

isolde_status tell_version(isolde_session& session, const isolde_value* version,
                           void (isolde::RecordedSession::*told)(isolde::RecordedValue),
                           char** error) {
  isolde_operation operation{};
  operation.size = sizeof operation;
  operation.version = version;
  const Translated translated(operation);
  const char* const why =
      translated.problem() != nullptr
          ? translated.problem()
          : isolde::api::record_version(session.session, translated.record(), told);
  if (why != nullptr) return fail(isolde::usage_error(why), error);
  if (session.deletes) return ISOLDE_OK;
  return fail(isolde::usage_error("a version needs a recorder that was opened with `deletes`"),
              error);
}

constexpr const char* kLargeSum = "the sum that an increment has left is no integer of 62 bits";

}  // namespace

const char* isolde_version() { return ISOLDE_VERSION; }

void isolde_free(char* text) { std::free(text); }

size_t isolde_level_count() { return isolde::all_levels().size(); }

const char* isolde_level_name(size_t level) {
  return level < isolde_level_count() ? isolde::all_levels()[level].name.data() : nullptr;
}

const char* isolde_level_alias(size_t level) {
  return level < isolde_level_count() ? isolde::all_levels()[level].alias.data() : nullptr;
}

const char* isolde_level_summary(size_t level) {
  return level < isolde_level_count() ? isolde::all_levels()[level].summary.data() : nullptr;
}

size_t isolde_level_find(const char* name) {
  const std::optional<isolde::Level> known = isolde::find_level(name);
  return known ? static_cast<size_t>(*known) : isolde_level_count();
}

isolde_options* isolde_options_new() { return give<isolde_options>({}); }

void isolde_options_free(isolde_options* options) { take(options); }

void isolde_options_format(isolde_options* options, const char* format) {
  options->load.format = format;
}

isolde_status isolde_options_level(isolde_options* options, const char* level, char** error) {
  const isolde::Result<isolde::Level> known = isolde::history::level_named(level);
  if (!known) return fail(known.error(), error);
  options->request.levels.push_back(*known);
  return ISOLDE_OK;
}

void isolde_options_seconds(isolde_options* options, double seconds) {
  options->load.limits.seconds = options->request.limits.seconds = seconds;
}

void isolde_options_memory(isolde_options* options, uint64_t bytes) {
  options->load.limits.memory_bytes = options->request.limits.memory_bytes = bytes;
}

void isolde_options_threads(isolde_options* options, unsigned threads) {
  options->load.threads = options->request.threads = threads;
}

void isolde_options_clock_error(isolde_options* options, int64_t nanoseconds) {
  options->request.clock_error_ns = nanoseconds;
}

void isolde_options_min_committed(isolde_options* options, uint64_t count) {
  options->request.min_committed = count;
}

void isolde_options_require_evidence(isolde_options* options, int required) {
  options->request.require_evidence = required != 0;
}

void isolde_options_verify(isolde_options* options, int verify) {
  options->request.verify = verify != 0;
}

void isolde_options_explain(isolde_options* options, int explain) {
  options->request.explain = explain != 0;
}

void isolde_options_progress(isolde_options* options,
                             void (*progress)(const char* work, void* user), void* user) {
  isolde::Watch watch = options->load.watch;
  watch.progress = nullptr;
  if (progress != nullptr) {
    watch.progress = [progress, user](std::string_view work) {
      progress(std::string(work).c_str(), user);
    };
  }
  options->load.watch = options->request.watch = watch;
}

void isolde_options_cancelled(isolde_options* options, int (*cancelled)(void* user),
                              void* user) {
  isolde::Watch watch = options->load.watch;
  watch.cancelled = nullptr;
  if (cancelled != nullptr) {
    watch.cancelled = [cancelled, user] { return cancelled(user) != 0; };
  }
  options->load.watch = options->request.watch = watch;
}

isolde_status isolde_load(const char* path, const isolde_options* options,
                          isolde_history** history, char** error) {
  return give_history(isolde::load(path, or_default(options).load), history, error);
}

isolde_status isolde_parse(const char* bytes, size_t size, const char* name,
                           const isolde_options* options, isolde_history** history,
                           char** error) {
  return give_history(
      isolde::parse(std::string_view(bytes, size), name, or_default(options).load), history,
      error);
}

void isolde_history_free(isolde_history* history) { take(history); }

size_t isolde_history_sessions(const isolde_history* history) {
  return history->history.session_count();
}

size_t isolde_history_transactions(const isolde_history* history) {
  return history->history.txn_count();
}

size_t isolde_history_operations(const isolde_history* history) {
  return isolde::history::operation_count(history->history);
}

size_t isolde_history_keys(const isolde_history* history) {
  return history->history.key_count();
}

isolde_status isolde_history_trust_versions(const isolde_history* history,
                                            isolde_history** trusting, char** error) {
  return give_history(history->history.with_trusted_versions(), trusting, error);
}

isolde_builder* isolde_builder_new() { return give<isolde_builder>({}); }

void isolde_builder_free(isolde_builder* builder) { take(builder); }

void isolde_builder_begin(isolde_builder* builder, const char* session) {
  builder->is_spent = false;
  builder->builder.begin_txn(builder->builder.session(session));
}

void isolde_builder_add(isolde_builder* builder, const isolde_operation* operation) {
  const Translated translated(*operation);
  if (translated.problem() != nullptr) return builder->builder.refuse(translated.problem());
  builder->builder.add(translated.record());
}

void isolde_builder_initial(isolde_builder* builder, const isolde_operation* held) {
  const Translated translated(*held);
  if (translated.problem() != nullptr) return builder->builder.refuse(translated.problem());
  const OperationRecord& record = translated.record();
  if (held->kind == ISOLDE_WRITE) {
    builder->builder.add_initial({record.key, record.value, record.columns, {}});
  } else if (held->kind == ISOLDE_READ_LIST) {
    builder->builder.add_initial({record.key, {}, std::nullopt, record.elements});
  } else {
    builder->builder.refuse("initial contents are a write or the read of a list");
  }
}

/// Whether there is a transaction that the call can be about.
static bool has_begun(isolde_builder* builder) {
  if (builder->builder.txn_count() > 0) return true;
  builder->builder.refuse("there is no transaction yet; begin one first");
  return false;
}

void isolde_builder_label(isolde_builder* builder, const char* label) {
  if (!has_begun(builder)) return;
  builder->builder.set_label(builder->builder.string(label));
}

void isolde_builder_times(isolde_builder* builder, int64_t start, int64_t end) {
  if (has_begun(builder)) builder->builder.set_times({start, end});
}

void isolde_builder_outcome(isolde_builder* builder, isolde_outcome outcome) {
  if (!has_begun(builder)) return;
  builder->builder.set_status(outcome == ISOLDE_COMMITTED ? isolde::TxnStatus::kCommitted
                              : outcome == ISOLDE_ABORTED ? isolde::TxnStatus::kAborted
                                                          : isolde::TxnStatus::kIndeterminate);
}

isolde_status isolde_builder_finish(isolde_builder* builder, isolde_history** history,
                                    char** error) {
  const bool was_spent = std::exchange(builder->is_spent, true);
  isolde::HistoryBuilder done = std::exchange(builder->builder, isolde::HistoryBuilder());
  if (was_spent && done.status()) {
    return fail(isolde::usage_error("the builder has been finished already, and no transaction "
                                    "has begun since"),
                error);
  }
  return give_history(done.finish(), history, error);
}

isolde_status isolde_check(const isolde_history* history, const isolde_options* options,
                           isolde_report** report, char** error) {
  isolde::Result<isolde::Report> made =
      isolde::check(history->history, or_default(options).request);
  if (!made) return fail(made.error(), error);
  *report = give<isolde_report>({std::move(made).value()});
  return ISOLDE_OK;
}

void isolde_report_free(isolde_report* report) { take(report); }

size_t isolde_report_size(const isolde_report* report) {
  return report->report.levels().size();
}

isolde_status isolde_report_level(const isolde_report* report, size_t index,
                                  isolde_level_result* result) {
  if (index >= report->report.levels().size()) return ISOLDE_USAGE;
  const isolde::LevelResult& row = report->report.levels()[index];
  result->level = isolde::info(row.level).name.data();
  result->verdict = verdict_of(row.verdict);
  result->reason = row.reason.c_str();
  result->tried = row.tried ? 1 : 0;
  result->follows_from =
      row.follows_from ? isolde::info(*row.follows_from).name.data() : nullptr;
  return ISOLDE_OK;
}

isolde_verdict isolde_report_verdict(const isolde_report* report, const char* level) {
  const auto known = isolde::history::level_named(level);
  return known ? verdict_of(report->report.verdict(*known)) : ISOLDE_UNKNOWN;
}

char* isolde_report_render(const isolde_report* report, const char* form, char** error) {
  return text_or_error(report->report.render(form), error);
}

char* isolde_report_certificate(const isolde_report* report, const char* level, char** error) {
  const isolde::Result<isolde::Level> known = isolde::history::level_named(level);
  if (!known) return text_or_error(known.error(), error);
  return text_or_error(report->report.certificate(*known), error);
}

isolde_status isolde_verify(const isolde_history* history, const char* certificate,
                            isolde_verification* verification, char** error) {
  const isolde::Result<isolde::Verification> made =
      isolde::verify(history->history, certificate);
  if (!made) return fail(made.error(), error);
  verification->proves = made->proves ? 1 : 0;
  verification->level = isolde::info(made->level).name.data();
  verification->verdict = verdict_of(made->verdict);
  verification->clock_error_ns = made->clock_error_ns;
  verification->trusts_versions = made->trusts_versions ? 1 : 0;
  verification->claim = copy_of(made->claim);
  verification->reason = copy_of(made->reason);
  return ISOLDE_OK;
}

char* isolde_explanation(const isolde_history* history, const char* certificate, char** error) {
  return text_or_error(isolde::explanation(history->history, certificate), error);
}

isolde_status isolde_recorder_open(const char* path, const char* const* names,
                                   const char* const* texts, size_t count, int deletes,
                                   isolde_recorder** recorder, char** error) {
  isolde::RecorderOptions options;
  options.deletes = deletes != 0;
  for (size_t i = 0; i < count; ++i) options.about.emplace_back(names[i], texts[i]);
  const bool in_groups = std::string_view(path).ends_with(".isob");
  isolde::Result<std::unique_ptr<isolde::Recorder>> opened =
      in_groups ? isolde::record_in_groups(path, options)
                : isolde::Recorder::open(path, options);
  if (!opened) return fail(opened.error(), error);
  *recorder = give<isolde_recorder>({std::move(opened).value(), options.deletes});
  return ISOLDE_OK;
}

isolde_session* isolde_recorder_session(isolde_recorder* recorder, const char* name) {
  return give<isolde_session>({recorder->recorder->session(name), recorder->deletes});
}

void isolde_recorder_event(isolde_recorder* recorder, const char* kind, const char* what) {
  recorder->recorder->event(kind, what);
}

void isolde_recorder_event_span(isolde_recorder* recorder, const char* kind, const char* what,
                                const char* begins, const char* ends) {
  isolde::EventSpan span;
  if (begins != nullptr) span.begins = begins;
  if (ends != nullptr) span.ends = ends;
  recorder->recorder->event(kind, what, span);
}

isolde_status isolde_recorder_close(isolde_recorder* recorder, char** error) {
  const isolde::Status closed = recorder->recorder->close();
  return closed ? ISOLDE_OK : fail(closed.error(), error);
}

void isolde_recorder_free(isolde_recorder* recorder) { take(recorder); }

void isolde_session_begin(isolde_session* session) { session->session.begin(); }

isolde_status isolde_session_add(isolde_session* session, const isolde_operation* operation,
                                 char** error) {
  const Translated translated(*operation);
  const OperationRecord& asked = translated.record();
  const char* const why = translated.problem() != nullptr
                              ? translated.problem()
                              : isolde::api::recording_trouble(asked);
  if (why != nullptr) return fail(isolde::usage_error(why), error);
  isolde::api::record(session->session, asked);
  // Told here as well, for at the end of a long run it is too late.
  const char* const needed = session->deletes ? nullptr : isolde::api::needs_deletes(asked);
  return needed == nullptr ? ISOLDE_OK : fail(isolde::usage_error(needed), error);
}

void isolde_session_drop_last(isolde_session* session) { session->session.drop_last(); }

isolde_status isolde_session_version(isolde_session* session, const isolde_value* version,
                                     char** error) {
  return tell_version(*session, version, &isolde::RecordedSession::version, error);
}

isolde_status isolde_session_version_of_writes(isolde_session* session,
                                               const isolde_value* version, char** error) {
  return tell_version(*session, version, &isolde::RecordedSession::version_of_writes, error);
}

isolde_status isolde_session_sum(isolde_session* session, int64_t sum, char** error) {
  if (!isolde::api::is_small_number(sum)) return fail(isolde::usage_error(kLargeSum), error);
  session->session.sum(sum);
  return ISOLDE_OK;
}

isolde_status isolde_session_sums(isolde_session* session, const int64_t* sums, size_t count,
                                  char** error) {
  const std::span<const int64_t> all(sums, count);
  if (!std::ranges::all_of(all, isolde::api::is_small_number)) {
    return fail(isolde::usage_error(kLargeSum), error);
  }
  session->session.sums(all);
  return ISOLDE_OK;
}

void isolde_session_server(isolde_session* session, const char* name) {
  session->session.server(name);
}

void isolde_session_end(isolde_session* session, isolde_outcome outcome) {
  switch (outcome) {
    case ISOLDE_COMMITTED:
      return session->session.commit();
    case ISOLDE_ABORTED:
      return session->session.abort();
    case ISOLDE_INDETERMINATE:
      return session->session.unknown();
  }
}

void isolde_session_free(isolde_session* session) { take(session); }
